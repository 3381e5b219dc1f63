"""Greedy expansion of a subtree: the same tree as trying every guess at every node, with far less work.

Equivalent guesses after a history are scanned once (`symmetry`). Large nodes are scanned straight from the reply
source, one kernel call each; the mass of small nodes is grown in one compiled recursion (`grow`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bcsearch.game import Game, parse_game
from bcsearch.grow import best_guess, grow_from
from bcsearch.hard import allowed_after
from bcsearch.kernels import warm_up
from bcsearch.scoring import Replies, fill_replies, packed_candidates, replies_from, reply_matrix
from bcsearch.strategies import BY_ORDER, STRATEGIES, Strategy
from bcsearch.symmetry import canonical_guesses
from bcsearch.tree import NO_CHILD, OPEN, WON, Piece

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_CELLS = 1 << 26  # guesses x candidates of a node that are worth a contiguous copy (bytes)
_SHALLOW = 2  # a node with fewer guesses made has few classes of guesses: scan those, copy nothing

History = tuple[tuple[int, int], ...]


@lru_cache(maxsize=8)
def part_weights_of(strategy: str, n: int) -> NDArray[np.int64]:
    """Table of part weights of a strategy, made once per process."""
    return STRATEGIES[strategy].weights(n)


@dataclass(frozen=True)
class Plan:
    """What a greedy tree is made of; with a history, all that a work item needs. Small and picklable.

    Attributes
    ----------
    game, strategy
        Names.
    consistent
        Ask candidates only.
    use_symmetry
        False scans equivalent guesses too: same tree, for tests.
    open_above
        Children with more candidates than this are left open, as work items of their own.
    hard
        Hard mode of word games (see `hard`).
    """

    game: Game
    strategy: str
    consistent: bool = False
    use_symmetry: bool = True
    open_above: int = 2**31
    hard: bool = False

    @property
    def pool(self) -> str:
        """Which guesses may be asked, as tree files say it."""
        return "hard" if self.hard else "consistent" if self.consistent else "all"


class Item(NamedTuple):
    """A subtree to expand: the part reached by a history of (guess index, reply index)."""

    history: History
    candidates: NDArray[np.int32]

    @property
    def key(self) -> str:
        """Stable name of the item, derived from its history alone."""
        return history_key(self.history)


def history_key(history: History) -> str:
    """Text form of a history of indices: ``0.3-77.5``; the empty history is ``root``."""
    return "-".join(f"{g}.{r}" for g, r in history) or "root"


def history_of(key: str) -> History:
    """The history that a key names; raises ValueError for a text that is no key."""
    if key == "root":
        return ()
    pairs = (text.split(".") for text in key.split("-"))
    return tuple((int(guess), int(reply)) for guess, reply in pairs)


def root_item(game: Game) -> Item:
    """The item that is the whole tree."""
    return Item((), np.arange(len(game.secrets), dtype=np.int32))


def expand(plan: Plan, source: Replies, item: Item) -> tuple[Piece, list[Item], int]:
    """Expand one work item.

    Pure: the result depends on the arguments alone.

    Returns
    -------
    The piece, the items left open (``piece.open_keys`` names them in order), and the number of guesses scanned.
    """
    return _Expansion(plan, source).run(item)


class _Expansion:
    """One call of `expand`: the rows made so far, and the parts left open."""

    def __init__(self, plan: Plan, source: Replies) -> None:
        self.plan, self.source, self.game = plan, source, plan.game
        self.strategy: Strategy = STRATEGIES[plan.strategy]
        self.blocks: list[tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.uint8]]] = []
        self.rows = 0
        self.open: list[Item] = []
        self.scans = 0
        self.everything = np.arange(len(self.game.guesses), dtype=np.int32)

    def run(self, item: Item) -> tuple[Piece, list[Item], int]:
        self.weights = part_weights_of(self.plan.strategy, len(self.game.secrets))
        # Arrays that come out of Ray's object store are read-only, for kernels another type: copied, so that every
        # process runs the very specialisation that is compiled and cached.
        self.grow_node(item.history, item.candidates.copy())
        guess, child, size, depth = zip(*self.blocks, strict=True)
        columns = np.concatenate(guess), np.concatenate(child), np.concatenate(size), np.concatenate(depth)
        piece = Piece(*columns, [item.key for item in self.open])
        return piece, self.open, self.scans

    def grow_node(self, history: History, candidates: NDArray[np.int32]) -> int:
        """Add the node of `candidates` and all below it; returns its row."""
        n = len(candidates)
        if self.plan.hard:  # what may be asked depends on the history: node by node
            return self.grow_large(history, candidates)
        guesses = self.guess_list(candidates)
        shallow = len(history) < _SHALLOW and self.plan.use_symmetry
        if n > 2 and (n * len(guesses) > MOST_CELLS or (shallow and n > len(self.game.replies))):
            return self.grow_large(history, candidates)
        return self.grow_small(history, candidates, guesses)

    def guess_list(self, candidates: NDArray[np.int32]) -> NDArray[np.int32]:
        """Guesses that may be asked at a node."""
        if self.plan.consistent or self.strategy.combine == BY_ORDER:
            return self.game.guess_of_secret[candidates]
        return self.everything

    def classes(self, history: History, guesses: NDArray[np.int32]) -> NDArray[np.int32]:
        """Those of `guesses` that come first among their equivalents."""
        if not self.plan.use_symmetry or self.strategy.combine == BY_ORDER:
            return guesses
        kept = canonical_guesses(self.game, tuple(g for g, _ in history))
        return kept if guesses is self.everything else np.intersect1d(guesses, kept, assume_unique=True)

    def grow_large(self, history: History, candidates: NDArray[np.int32]) -> int:
        """Scan the classes of guesses at one node, then grow each part."""
        source, win = self.source, self.game.win
        if self.plan.hard and self.strategy.combine != BY_ORDER:
            choice = allowed_after(self.game, history)
        else:
            choice = self.classes(history, self.guess_list(candidates)).copy()  # see `run`
        guess, scans = best_guess(source, choice, candidates, self.weights, self.strategy.combine, win)
        self.scans += int(scans)
        replies = np.empty(len(candidates), dtype=np.uint8)
        fill_replies(source, guess, candidates, *packed_candidates(source, candidates), replies)
        row = self.rows
        self.rows += 1
        child = np.full((1, win + 1), NO_CHILD, dtype=np.int32)
        self.blocks.append(
            (
                np.array([guess], dtype=np.int32),
                child,
                np.array([len(candidates)], dtype=np.int32),
                np.array([len(history)], dtype=np.uint8),
            )
        )
        for reply in range(win):
            part = candidates[replies == reply]
            if len(part):
                child[0, reply] = self.grow_part((*history, (int(guess), reply)), part)
        if (replies == win).any():
            child[0, win] = WON
        return row

    def grow_part(self, history: History, part: NDArray[np.int32]) -> int:
        """Grow a part, or leave it open when it is large enough for an item of its own."""
        if len(part) > self.plan.open_above:
            self.open.append(Item(history, part))
            return OPEN - (len(self.open) - 1)
        return self.grow_node(history, part)

    def grow_small(self, history: History, candidates: NDArray[np.int32], guesses: NDArray[np.int32]) -> int:
        """Copy the node's rows side by side and grow all below in the compiled recursion."""
        n, replies = len(candidates), self.game.win + 1
        out = (
            np.empty(2 * n, dtype=np.int32),
            np.empty((2 * n, replies), dtype=np.int32),
            np.empty(2 * n, dtype=np.int32),
            np.empty(2 * n, dtype=np.uint8),
        )
        used = np.zeros(2, dtype=np.int64)
        grow_from(
            self.source,
            guesses,
            (self.classes(history, guesses) if n > replies else guesses).copy(),
            candidates,
            self.game.guess_of_secret,
            len(history),
            self.weights,
            self.strategy.combine,
            self.plan.consistent or self.strategy.combine == BY_ORDER,
            *out,
            used,
        )
        count = int(used[0])
        self.scans += int(used[1])
        child = out[1][:count]
        child = np.where(child >= 0, child + self.rows, child).astype(np.int32)
        self.blocks.append((out[0][:count], child, out[2][:count], out[3][:count]))
        self.rows += count
        return self.rows - count


@warm_up
def _warm_up() -> None:
    game = parse_game("p3c5n")
    for matrix in (reply_matrix(game), None):
        expand(Plan(game, "entropy"), replies_from(game, matrix), root_item(game))
