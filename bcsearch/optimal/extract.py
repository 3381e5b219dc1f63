"""From values to a tree: the guess at each node is the first, in the fixed order, that reaches the node's value.

That order, by (bound from sizes, not a candidate, guess index), depends on the set of candidates alone. Hence the tree
is the same whatever was searched before, by how many workers and in what order.

The top of the tree follows the proof. Below, where the proof was an item that took long, the subtree is an item too,
for the executor and the ledger; how the tree is cut into such pieces changes nothing.
"""

from __future__ import annotations

import signal
import threading
import time
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from bcsearch.errors import BcsearchError, Interrupted
from bcsearch.executors import Failure
from bcsearch.optimal.columns import Columns
from bcsearch.optimal.run import Search
from bcsearch.optimal.tables import INFINITE, LOST, TOTAL, UNLIMITED
from bcsearch.optimal.task import EVERY_GUESS, Item, Question, bounds_by_size, run_item
from bcsearch.tree import NO_CHILD, OPEN, WON, Piece, Tree, assemble

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bcsearch.optimal.proof import Node

_FOREVER = 1 << 60
_OWN_PIECE_SECONDS = 0.25  # a set that took longer to prove is a piece of its own
_OWN_PIECE_SIZE = 100  # candidates of one that is not proven, or not to be kept


def extract_tree(search: Search, seconds: float | None = None) -> Tree:
    """The best tree a search has found: its proven choices where there are any, else those of the quick passes.

    Raises
    ------
    ExecutionError
        When a piece cannot be made.
    Interrupted
        When it takes longer than `seconds`; to be given after a stop only, when all is made in this process.
    """
    enough = np.zeros(1, dtype=np.int8)
    timer = threading.Timer(seconds or 0, lambda: enough.__setitem__(0, 1))
    timer.daemon = True
    if seconds is not None:
        timer.start()
    extraction = Extraction(search, enough)
    search.session.work(lambda: not extraction.ready)
    extraction.complete_here()
    timer.cancel()
    return extraction.tree()


class Extraction:
    """The making of a tree; once it is `ready`, which it becomes while others' work is done, `tree` has it.

    A `trial` is kept by nobody.
    """

    def __init__(self, search: Search, enough: NDArray[np.int8], *, trial: bool = False) -> None:
        self.search, self.trial = search, trial
        self.name = f"{'trial' if trial else 'tree'}-{search.name}"
        self.failure: BcsearchError | None = None
        self.missing: dict[str, Subtree] = {}
        self.enough = enough
        top = _Top(search, enough, trial)
        top.grow_node(search.root, 0)
        self.pieces = {"root": top.rows.piece(list(top.open))}
        for key, subtree in top.open.items():
            if isinstance(subtree, Piece):
                self.pieces[key] = subtree
            else:
                self._make(key, subtree)

    def _make(self, key: str, subtree: Subtree) -> None:
        """Have a piece made, where nobody remembers it."""
        session, question = self.search.session, self.search.question
        kept = None if self.trial or not subtree.proven else session.ledger.piece(f"{self.name}/{key}")
        if kept is not None:
            self.pieces[key] = kept[0]
            session.kept += 1
        else:
            self.missing[key] = subtree
            if not session.stopped:
                arguments = (question, session.handle, subtree, self.enough)
                session.submit(f"{self.name}/{key}", partial(self._take, key), grow_piece, *arguments)

    def _take(self, key: str, outcome: Any) -> None:
        subtree = self.missing.pop(key)
        if isinstance(outcome, Failure):
            self.failure = outcome.error
            return
        piece, scans, seconds = outcome
        self.pieces[key] = piece
        self.search.session.items += 1
        if subtree.proven and not self.trial:
            self.search.session.ledger.keep_piece(f"{self.name}/{key}", piece, scans, seconds)

    def complete_here(self) -> None:
        """Make in this process what nobody will bring any more: after a stop, queued pieces are dropped."""
        if self.failure is None:
            for key, subtree in self.missing.items():
                columns = self.search.session.columns.whole
                self.pieces[key], _, _ = grow_piece(self.search.question, columns, subtree, self.enough)
            self.missing.clear()

    @property
    def ready(self) -> bool:
        """Whether all pieces are there, or one never will be."""
        return not self.missing or self.failure is not None

    def tree(self) -> Tree:
        """The whole tree."""
        if self.failure is not None:
            raise self.failure
        return assemble(self.search.question.game, self.pieces, "root")


@dataclass(frozen=True)
class Subtree:
    """A set whose subtree is wanted: value under `limit`, reached by `guess` (-1: not known), `depth` guesses made.

    `width` is the number of guesses tried per node where the value comes from a quick pass.
    """

    asked: tuple[int, ...]
    candidates: NDArray[np.int32]
    k: int
    depth: int
    limit: int
    guess: int = -1
    width: int = EVERY_GUESS

    @property
    def proven(self) -> bool:
        """Whether its value is."""
        return self.width == EVERY_GUESS


def grow_piece(
    question: Question, columns: NDArray[np.uint8] | None, subtree: Subtree, enough: NDArray[np.int8]
) -> tuple[Piece, int, float]:
    """Make a subtree; what executors run. Returns the piece, scans, seconds."""
    rows = _Rows(Columns(question.game, columns), enough)
    start = time.monotonic()
    rows.grow(replace(question, width=subtree.width), subtree)
    return rows.piece([]), rows.scans, time.monotonic() - start


class _Rows:
    """Rows of a tree in the making."""

    def __init__(self, columns: Columns, enough: NDArray[np.int8]) -> None:
        self.game, self.columns, self.enough = columns.game, columns, enough
        self.guess: list[int] = []
        self.child: list[list[int]] = []
        self.size: list[int] = []
        self.depth: list[int] = []
        self.scans = 0

    def piece(self, open_keys: list[str]) -> Piece:
        guess, child, size = (np.array(c, dtype=np.int32) for c in (self.guess, self.child, self.size))
        return Piece(guess, child, size, np.array(self.depth, dtype=np.uint8), open_keys)

    def add(self, guess: int, size: int, depth: int) -> int:
        self.guess.append(guess)
        self.size.append(size)
        self.depth.append(depth)
        self.child.append([NO_CHILD] * len(self.game.replies))
        return len(self.guess) - 1

    def parts(self, row: int, candidates: NDArray[np.int32]) -> list[tuple[int, NDArray[np.int32]]]:
        """Parts of the guess at a row, the win noted."""
        replies = self.columns.column(candidates, self.guess[row])
        if (replies == self.game.win).any():
            self.child[row][self.game.win] = WON
        return [(int(r), candidates[replies == r]) for r in np.unique(replies) if r != self.game.win]

    def grow(self, question: Question, subtree: Subtree) -> int:
        """All below a set whose value is under the limit."""
        asked, candidates, k, guess, limit = (
            subtree.asked, subtree.candidates, subtree.k, subtree.guess, subtree.limit,
        )  # fmt: skip
        n = len(candidates)
        if question.mode == LOST and k <= 1 and n > 1:  # the objective is lost here; finish sensibly
            question, k, limit = Question(self.game, TOTAL, True, 4, question.hard), UNLIMITED, INFINITE
        value = limit - 1
        if n <= 2:
            guess = int(self.game.guess_of_secret[candidates[0]])
        elif guess < 0:
            item = Item(asked, candidates, k, min(limit, INFINITE), _FOREVER)
            answer = run_item(question, self.columns.whole, item, self.enough)
            self.scans += answer.scans
            if answer.guess < 0 and question.width < EVERY_GUESS:
                # Closed forms look at all guesses, so the value may be one that the first few do not reach.
                question = replace(question, width=EVERY_GUESS)
                answer = run_item(question, self.columns.whole, item, self.enough)
                self.scans += answer.scans
            guess, value = answer.guess, answer.value
        if self.enough[0]:
            raise Interrupted("interrupted", signal.SIGINT)
        if guess < 0:
            raise AssertionError(f"no guess under the limit {limit} for {n} candidates after {asked}")
        row = self.add(guess, n, subtree.depth)
        below = k if k >= UNLIMITED else k - 1
        low = bounds_by_size(self.game, question.mode)[below]
        parts = self.parts(row, candidates)
        left = value - (n if question.mode == TOTAL else 0) - sum(int(low[len(part)]) for _, part in parts)
        for r, part in parts:
            part_limit = min(INFINITE, left + int(low[len(part)]) + 1) if n > 2 else INFINITE
            self.child[row][r] = self.grow(
                question, Subtree((*asked, guess), part, below, subtree.depth + 1, part_limit)
            )
        return row


class _Top:
    """The top of the tree, along the proof; `open` has the subtrees that are items of their own, or made already."""

    def __init__(self, search: Search, enough: NDArray[np.int8], trial: bool) -> None:
        self.search, self.question, self.trial = search, search.question, trial
        self.rows = _Rows(search.session.columns, enough)
        self.open: dict[str, Subtree | Piece] = {}

    def grow_node(self, node: Node, depth: int) -> int:
        """A node of the proof: along its best option, else as a leaf."""
        option = node.best if node.best is not None and node.best.bound <= node.upper else None
        if option is None and node.parent is None and node.options:
            option = min(node.options, key=lambda o: (o.upper, o.rank))
        if option is None:
            return self.grow_leaf(node, depth)
        rows = self.rows
        row = rows.add(option.guess, len(node.candidates), depth)
        for r, part in rows.parts(row, node.candidates):
            if r in option.parts:
                rows.child[row][r] = self.grow_node(option.parts[r], depth + 1)
            else:
                below = node.k if node.k >= UNLIMITED else node.k - 1
                subtree = Subtree((*node.asked, option.guess), part, below, depth + 1, INFINITE)
                rows.child[row][r] = rows.grow(self.question, subtree)
        return row

    def grow_leaf(self, node: Node, depth: int) -> int:
        if node.value is None and node.key in self.search.greedy and node.key not in self.search.quick_width:
            self.open[node.key] = self.search.greedy[node.key]
            return OPEN - (len(self.open) - 1)
        subtree = Subtree(node.asked, node.candidates, node.k, depth, node.upper + 1, node.guess)
        if node.value is None:
            subtree = replace(subtree, guess=-1, width=self.search.quick_width.get(node.key, 1))
        by_size = self.trial or not subtree.proven
        if len(node.candidates) > _OWN_PIECE_SIZE if by_size else node.seconds > _OWN_PIECE_SECONDS:
            self.open[node.key] = subtree
            return OPEN - (len(self.open) - 1)
        return self.rows.grow(replace(self.question, width=subtree.width), subtree)
