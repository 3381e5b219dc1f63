"""Which options of an optimal search go together; checked before anything heavy is imported."""

from __future__ import annotations

from bcsearch.errors import UsageError

_MOST_GUESSES = 39  # one less than `search.UNBOUNDED`


def check_options(objective: str, max_depth: int | None, within: int | None) -> None:
    """Refuse options that do not go together; raises UsageError."""
    if (objective == "win-within") != (within is not None):
        raise UsageError("--objective win-within needs --within K, and nothing else takes it")
    if max_depth is not None and objective != "average":
        raise UsageError("--max-depth goes with --objective average")
    for name, value in (("--within", within), ("--max-depth", max_depth)):
        if value is not None and not 1 <= value <= _MOST_GUESSES:
            raise UsageError(f"{name} {value}: 1 to {_MOST_GUESSES} is wanted")
