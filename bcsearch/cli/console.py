"""Lines from a person at a terminal, or from whatever is piped in."""

from __future__ import annotations

import contextlib
import shutil
import sys
from typing import TYPE_CHECKING, TextIO

import click

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from bcsearch.errors import UsageError
    from bcsearch.game import Game
    from bcsearch.notation import AmbiguousReplyError


def interactive() -> bool:
    """Whether a person is typing."""
    return sys.stdin.isatty()


def read_line(prompt: str = "> ") -> str | None:
    """Next line without its spaces; None at the end of the input.

    The prompt is shown on a terminal only, on stderr when stdout goes elsewhere. Lines can be edited and recalled.
    """
    if not interactive():
        line = sys.stdin.readline()
        return line.strip() if line else None
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401  (input() then edits lines)
    try:
        if sys.stdout.isatty():
            return input(prompt).strip()
        click.echo(prompt, err=True, nl=False)
        return input().strip()
    except EOFError:
        click.echo(err=True)  # Ctrl-D leaves the cursor behind the prompt
        return None


def complain(error: Exception) -> None:
    """Say what was wrong with a line, where the person can try again; raise it again where nobody can."""
    if not interactive():
        raise error
    click.echo(wrapped(f"  {error}", sys.stderr), err=True)


def wrapped(text: str, stream: TextIO) -> str:
    """A long line broken between words where it goes to a terminal; unchanged elsewhere."""
    if not stream.isatty():
        return text
    indent = " " * (len(text) - len(text.lstrip()))
    width = shutil.get_terminal_size().columns
    return click.wrap_text(text.strip(), width, initial_indent=indent, subsequent_indent=indent)


_PLACES = {
    "hint": "where you guess",
    "give up": "where you guess",
    "giveup": "where you guess",
    "guess": "where you guess",
    "undo": "where you reply",
    "reply": "where you reply",
    "notation": "where you reply",
    "edit": "in 'bcsearch assist'",
    "ignore": "in 'bcsearch assist'",
    "new": "in 'bcsearch assist'",
    "why": "where there is a guess to explain",
    "left": "where there are candidates",
    "candidates": "where there are candidates",
    "rows": "where there are rows",
}  #: the commands of all dialogues, and where each makes sense


def not_understood(line: str, error: UsageError, own: Collection[str] = (), prefix: str = "") -> UsageError:
    """What to say of a line that a dialogue cannot carry out, given why it is no code or reply either.

    A command of another dialogue is told from a mistake; words, which are likely meant as commands, point to 'help'.
    `own` are the dialogue's commands that stand alone, `prefix` is the word that may come before what it reads.
    """
    from bcsearch.errors import UsageError

    whole = " ".join(line.lower().split())
    word = whole if whole in _PLACES else whole.partition(" ")[0]
    if word == prefix:
        return error
    if word in own:
        return UsageError(f"{word!r} is typed alone, without {line[len(word) :].strip()!r}")
    if word in _PLACES:
        return UsageError(f"{word!r} goes {_PLACES[word]}, not here; 'help' lists what can be typed")
    if word.isalpha():
        return UsageError(f"{error}; 'help' lists what can be typed")
    return error


def words_that_are_commands(game: Game, names: Iterable[str]) -> list[str]:
    """A note on commands of a dialogue that are guesses of the game too; no note where there are none."""
    from bcsearch.notation import is_code, looks_like_code

    both = [name for name in names if looks_like_code(game, name) and is_code(game, name)]
    if not both:
        return []
    return [f"Typed alone, {' and '.join(both)} {'is a command' if len(both) == 1 else 'are commands'} here: type "
            f"'guess {both[0]}' for the guess."]  # fmt: skip


def ask_notation(game: Game, error: AmbiguousReplyError, again: str = "type the reply again") -> str:
    """Ask which of the readings of a reply is meant, by number or by notation; returns a convention that reads it so.

    Raises the error again where nobody can answer, UsageError for an answer that is none; `again` says what to do then.
    """
    from bcsearch.errors import UsageError
    from bcsearch.notation import describe_reply

    if not interactive():
        raise error
    choices = list(dict.fromkeys(error.readings.values()))
    answers = {name.lower(): name for name in error.readings}
    click.echo("  That can be read in more than one way. Which is meant?", err=True)
    for number, reply in enumerate(choices, 1):
        names = [name for name in error.readings if error.readings[name] == reply]
        answers[str(number)] = names[0]
        click.echo(f"  {number}  {describe_reply(game, reply)}  (notation {', '.join(names)})", err=True)
    answer = read_line(f"  1 to {len(choices)}> ") or ""
    chosen = answers.get(answer.lower())
    if chosen is None:
        raise UsageError(f"{answer!r}: a number from 1 to {len(choices)}, or one of {' '.join(error.readings)}, was "
                         f"wanted; {again}")  # fmt: skip
    click.echo(f"  Replies like this are read as in {chosen} from now on.", err=True)
    return chosen
