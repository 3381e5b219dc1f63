"""Lines from a person at a terminal, or from whatever is piped in."""

from __future__ import annotations

import contextlib
import shutil
import sys
from typing import TYPE_CHECKING, TextIO

import click

if TYPE_CHECKING:
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


def ask_notation(game: Game, error: AmbiguousReplyError) -> str:
    """Ask which of the readings of a reply is meant; returns a convention that reads it so.

    Raises the error again where nobody can answer, UsageError for an answer that is none.
    """
    from bcsearch.errors import UsageError
    from bcsearch.notation import describe_reply

    if not interactive():
        raise error
    choices = list(dict.fromkeys(error.readings.values()))
    click.echo("  That can be read in more than one way. Which is meant?", err=True)
    for number, reply in enumerate(choices, 1):
        names = ", ".join(name for name in error.readings if error.readings[name] == reply)
        click.echo(f"  {number}  {describe_reply(game, reply)}  (notation {names})", err=True)
    answer = read_line(f"  1 to {len(choices)}> ") or ""
    if not answer.isdecimal() or not 1 <= int(answer) <= len(choices):
        raise UsageError(f"{answer!r}: a number from 1 to {len(choices)} was wanted; type the reply again")
    chosen = next(name for name in error.readings if error.readings[name] == choices[int(answer) - 1])
    click.echo(f"  Replies like this are read as in {chosen} from now on.", err=True)
    return chosen
