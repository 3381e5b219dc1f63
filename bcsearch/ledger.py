"""What is remembered of finished work items, so that nothing finished is computed twice.

The search and the greedy build ask a ledger before they hand out an item and tell it every result. The one here
remembers the answers of a search for as long as the process lives: a later search of the same command may use what an
earlier one has proven. `bcsearch.runs` has the one that keeps everything in a run directory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bcsearch.tree import Piece, Tree


@dataclass
class Known:
    """All that finished items have said of one set of candidates: lower <= value, and the value where it is known.

    `split` says that an item for the set came back unfinished, so that its parts are items of their own.
    """

    lower: int = 0
    value: int | None = None
    guess: int = -1
    split: bool = False
    seconds: float = 0.0


class Ledger:
    """Remembers answers in memory, and nothing else."""

    keeps_trees = False

    def __init__(self) -> None:
        self.answers: dict[str, Known] = {}

    def known(self, key: str) -> Known | None:
        """What is known of an item of a search."""
        return self.answers.get(key)

    def keep_answer(
        self, key: str, limit: int, value: int, guess: int, finished: bool, seconds: float, scans: int
    ) -> None:
        """Note an answer under the contract of `optimal.task.Answer`."""
        known = self.answers.setdefault(key, Known())
        known.seconds = max(known.seconds, seconds)
        known.lower = max(known.lower, value)
        if not finished:
            known.split = True
        elif value < limit:
            known.value, known.guess = value, guess

    def piece(self, key: str) -> tuple[Piece, int] | None:
        """A finished piece of a tree and the scans it took."""
        return None

    def keep_piece(self, key: str, piece: Piece, scans: int, seconds: float) -> None:
        """Note a finished piece of a tree."""

    def keep_tree(self, tree: Tree) -> None:
        """Note a complete tree, better than those before, where `keeps_trees` says that it is wanted."""

    def kept_tree(self) -> Tree | None:
        """The tree noted last, of this session or an earlier one."""
        return None

    def bound(self, search: str) -> int:
        """Lower bound of all secrets that a search had proven in an earlier session."""
        return 0

    def keep_bound(self, search: str, lower: int) -> None:
        """Note what a search has proven of all secrets."""

    def keep_failure(self, key: str, reason: str) -> None:
        """Note an item that cannot be carried out."""

    def state(self, **facts: object) -> None:
        """Note how far the run is, for those who look at it."""
