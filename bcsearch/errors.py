"""The one exception type that a user is meant to read.

Everything a person can get wrong (a rule text, a code, a reply, a damaged file, a dead cluster address) ends as a
`BcsearchError` whose text is one line: what is wrong, and what would be right. The CLI prints it and exits non-zero.
"""

from __future__ import annotations


class BcsearchError(Exception):
    """Something failed: the CLI prints the text and exits with code 1."""

    exit_code = 1


class UsageError(BcsearchError):
    """The input cannot be meant as it stands (rules, codes, replies, options): exit code 2."""

    exit_code = 2


class TreeFileError(BcsearchError):
    """A tree file is damaged, of another format, or not what it claims to be."""


class ExecutionError(BcsearchError):
    """Work could not be carried out (a worker failed again and again, a cluster cannot be reached)."""


class IncompleteRun(BcsearchError):
    """Work items failed again and again: the run has gone as far as it can without them."""


class Interrupted(BcsearchError):
    """Somebody asked the program to stop, and it did, in good order. The exit code names the signal."""

    def __init__(self, text: str, signal_number: int) -> None:
        super().__init__(text)
        self.exit_code = 128 + signal_number


class RunError(BcsearchError):
    """A run directory is damaged, in use, or belongs to another job or version."""
