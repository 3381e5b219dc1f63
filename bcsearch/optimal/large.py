"""Sets too large for one work item: their first tree is a greedy one.

The quick passes try a few guesses per node with the kernels of the proof, which need a set's replies to all guesses at
once. Where those do not fit, the entropy tree of the set is an upper bound and a tree to begin with; the proof splits
the set instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bcsearch import kernels
from bcsearch.expand import History, Item, Plan, expand
from bcsearch.optimal.tables import INFINITE, LOST, TOTAL
from bcsearch.optimal.task import MOST_ITEM_BYTES, Question, item_bytes
from bcsearch.scoring import replies_from
from bcsearch.tree import WON, Piece

if TYPE_CHECKING:
    from numpy.typing import NDArray


def too_large(question: Question, candidates: NDArray[np.int32]) -> bool:
    """Whether an item of these candidates would take more memory than a thread may use."""
    return len(candidates) * len(question.game.guesses) * item_bytes(question.game) > MOST_ITEM_BYTES


def greedy_piece(question: Question, history: History, candidates: NDArray[np.int32]) -> tuple[Piece, int]:
    """The entropy tree of a set, with the scans it took; what executors run."""
    kernels.ready()
    plan = Plan(question.game, "entropy", question.consistent, hard=question.hard)
    piece, _, scans = expand(plan, replies_from(question.game, None), Item(history, candidates))
    return piece, scans


def value_of(question: Question, piece: Piece, k: int) -> int:
    """What a tree is worth under a question with k guesses left; infinite where it needs more of them."""
    wins = piece.child[:, question.game.win] == WON
    guesses = piece.depth[wins].astype(np.int64) - int(piece.depth[0]) + 1
    if question.mode == LOST:
        return int((guesses > k).sum())
    if guesses.max() > k:
        return INFINITE
    return int(guesses.sum()) if question.mode == TOTAL else int((guesses == k).sum())
