"""Lines from a person at a terminal, or from whatever is piped in."""

from __future__ import annotations

import contextlib
import sys

import click


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
