"""Lines from a person at a terminal, or from whatever is piped in."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING

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
    except KeyboardInterrupt:
        click.echo(err=True)
        raise


def complain(error: Exception) -> None:
    """Say what was wrong with a line, where the person can try again; raise it again where nobody can."""
    if not interactive():
        raise error
    click.echo(f"  {error}", err=True)


def ask_notation(game: Game, error: AmbiguousReplyError) -> str:
    """Ask which of the readings of a reply is meant; raises the error again where nobody can answer."""
    from bcsearch.notation import describe_reply

    if not interactive():
        raise error
    names = list(error.readings)
    click.echo("  That reply can be read in more than one way. Which notation do you use?", err=True)
    for number, name in enumerate(names, 1):
        click.echo(f"  {number}  {name}: {describe_reply(game, error.readings[name])}", err=True)
    answer = read_line("which? ") or ""
    if answer.isdecimal() and 1 <= int(answer) <= len(names):
        return names[int(answer) - 1]
    return answer
