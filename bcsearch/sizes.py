"""How much memory work takes, known before it begins; and whether the reply matrix is kept.

The matrix of all replies (guesses x secrets bytes) is one of two ways to score; the other computes replies from packed
codes whenever they are needed. Both give the same trees. Greedy trees do without the matrix where it is large, for that
is as fast; the exact search uses it where it fits at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bcsearch.errors import UsageError
from bcsearch.memory import free_memory, size_text

if TYPE_CHECKING:
    from bcsearch.game import Game

WORTH = 256 << 20  # bytes; a larger matrix makes greedy trees no faster
SHARE = 2  # without a limit, work may use one part in this many of the memory that is free
_MATRIX_SHARE = 1.5  # of what may be used, the matrix of an exact search may take one part in this many
_CODE_WORDS = 40  # bytes a code takes besides its symbols: its key, its packed forms, the renamings that are marked
_TREE_COLUMNS = 9  # bytes of a node besides its children
_ARENA = 5 << 28  # bytes that one thread's item of the exact search takes at most, as measured (MOST_ITEM_BYTES)


def matrix_bytes(game: Game) -> int:
    """Size of the reply matrix; of both its forms, where it is not its own transpose."""
    cells = guess_count(game) * game.code_count
    return cells if is_symmetric(game) else 2 * cells


def is_symmetric(game: Game) -> bool:
    """Whether the reply matrix is its own transpose: one list of codes, and replies that are pairs."""
    return game.asked is None and not game.marks and _one_list(game)


def _one_list(game: Game) -> bool:
    return game.lists is None or game.lists.guesses is game.lists.secrets


def guess_count(game: Game) -> int:
    """How many guesses there are, without listing them."""
    if game.lists is not None:
        return len(game.lists.guesses)
    return (game.asked or game).code_count


def keeps_matrix(game: Game, room: int | None = None) -> bool:
    """Whether greedy trees use the reply matrix, for which there are `room` bytes (None: a share of the free)."""
    limit = min(WORTH, free_memory() // SHARE) if room is None else room
    return matrix_bytes(game) <= limit


def keeps_whole_matrix(game: Game, room: int | None = None) -> bool:
    """Whether the exact search keeps the reply matrix, for which there are `room` bytes (None: a share of the free)."""
    if room is None:
        return guess_count(game) * game.code_count <= free_memory() / SHARE / _MATRIX_SHARE
    return matrix_bytes(game) <= room


@dataclass(frozen=True)
class Estimate:
    """Bytes that a job takes, by what for.

    `room` is what is left for the reply matrix, for those who do the work; None where they may decide by what is free.
    """

    game: Game
    parts: dict[str, int]
    room: int | None = None

    @property
    def total(self) -> int:
        """All of it."""
        return sum(self.parts.values())

    def __str__(self) -> str:
        listed = ", ".join(f"{name} {size_text(size)}" for name, size in self.parts.items() if size)
        return f"about {size_text(self.total)} ({listed})"

    def check(self, memory: int | None) -> None:
        """Raise UsageError, with the numbers, where the work cannot fit."""
        limit = free_memory() if memory is None else memory
        if self.total > limit:
            rest = "are free here" if memory is None else "may be used (--memory)"
            raise UsageError(f"game {self.game}: the work needs {self}; {size_text(limit)} {rest}")


def estimate(game: Game, greedy: int, optimal: bool, workers: int, memory: int | None = None) -> Estimate:
    """Memory of a job: `greedy` trees at once, and perhaps an optimal one, with so many threads.

    The reply matrix counts only where there is room for it besides the rest, without which nothing can be done.
    """
    secrets, guesses, replies = game.code_count, guess_count(game), len(game.replies)
    codes = secrets + (0 if _one_list(game) and game.asked is None else guesses)
    nodes = round(1.1 * secrets)
    trees = nodes * (4 * replies + _TREE_COLUMNS) * 2 * (greedy + optimal)
    tables = 808 * secrets if optimal else 8 * secrets
    most = min(_ARENA, 5 * ((replies + 15) // 16) * guesses * secrets) if optimal else 0
    scratch = workers * max(most, min(1 << 26, guesses * secrets) if greedy else 0)
    parts = {"codes": codes * (game.positions + _CODE_WORDS), "reply matrix": 0, "trees": trees, "tables": tables,
             "threads": scratch}  # fmt: skip
    left = max(0, (free_memory() if memory is None else memory) - sum(parts.values()))
    room = None if memory is None and matrix_bytes(game) <= left else left
    if (greedy and keeps_matrix(game, room)) or (optimal and keeps_whole_matrix(game, room)):
        parts["reply matrix"] = matrix_bytes(game)
    return Estimate(game, parts, room)
