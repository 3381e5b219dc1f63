"""The command line: thin commands, one file each; nothing heavy is imported before a command runs."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from importlib import import_module
from typing import NoReturn

import click

from bcsearch import __version__
from bcsearch.errors import BcsearchError, Interrupted

COMMANDS = {
    "build-tree": "bcsearch.cli.build_tree",
    "verify": "bcsearch.cli.verify",
    "play": "bcsearch.cli.play",
    "assist": "bcsearch.cli.assist",
    "simulate": "bcsearch.cli.simulate",
    "stats": "bcsearch.cli.stats",
    "analyze": "bcsearch.cli.analyze",
    "show": "bcsearch.cli.show",
    "compare": "bcsearch.cli.compare",
    "export": "bcsearch.cli.export",
    "import": "bcsearch.cli.import_",
    "plan": "bcsearch.cli.plan",
    "resume": "bcsearch.cli.resume",
    "status": "bcsearch.cli.status",
    "audit": "bcsearch.cli.audit",
}


class LazyGroup(click.Group):
    """A group that loads a command's module when the command is asked for."""

    def list_commands(self, context: click.Context) -> list[str]:
        """All commands, in the order of a first session."""
        return list(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Load one command."""
        if name not in COMMANDS:
            return None
        command: click.Command = import_module(COMMANDS[name]).command
        return command


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="bcsearch")
def cli() -> None:
    """Build, prove, verify and play complete guessing strategies for Bulls and Cows and its kin.

    \b
    Example:
      bcsearch build-tree --strategy entropy --out entropy.tree
      bcsearch verify entropy.tree --max-depth 8
      bcsearch play entropy.tree --secret 0395
    """


def main() -> None:
    """Run the CLI; every known failure becomes one line on stderr and an exit code (2 usage, 1 failure)."""
    _open_closed_streams()
    try:
        code = cli.main(standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        code = 2
    except click.ClickException as error:
        code = fail(error.format_message(), error.exit_code)
    except Interrupted as error:
        fail(str(error), error.exit_code)
        leave_now(error.exit_code)
    except BcsearchError as error:
        code = fail(str(error), error.exit_code)
    except (click.Abort, KeyboardInterrupt) as error:  # click makes the one of the other
        cause = error if isinstance(error, KeyboardInterrupt) else error.__cause__
        number = next(iter(getattr(cause, "args", ())), signal.SIGINT)
        leave_now(fail("interrupted", 128 + int(number)))
    except BrokenPipeError:
        _drop_output()  # the reader of our output left (`| head`): nothing more to say
        code = 0
    except OSError as error:
        _drop_output()
        code = fail(f"output cannot be written ({error.strerror or error})", 1)
    except MemoryError as error:
        code = fail(f"not enough memory: {error}" if str(error) else "not enough memory for this game", 1)
    sys.exit(code if isinstance(code, int) else 0)


def leave_now(code: int) -> NoReturn:
    """End at once: threads may be in the middle of a kernel, and an ordinary exit would wait for them."""
    with contextlib.suppress(OSError):
        sys.stdout.flush()
    os._exit(code)


def _open_closed_streams() -> None:
    """Stand in for streams that the shell closed (`>&-`): what is written goes nowhere, what is read is at its end."""
    if sys.stdin is None:
        sys.stdin = open(os.devnull)  # noqa: SIM115  (for as long as the process lives)
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115


def _drop_output() -> None:
    """Leave nothing to flush to a stdout that takes no more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def fail(text: str, code: int) -> int:
    """Say in one line what went wrong."""
    click.echo(f"bcsearch: {' '.join(text.split())}", err=True)
    return code
