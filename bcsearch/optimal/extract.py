"""From values to a tree: the guess at each node is the first, in the fixed order, that reaches the node's value.

That order, by (bound from sizes, not a candidate, guess index), depends on the set of candidates alone. Hence the tree
is the same whatever was searched before, by how many workers and in what order.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bcsearch.optimal.run import Search
from bcsearch.optimal.tables import INFINITE, LOST, TOTAL, UNLIMITED
from bcsearch.optimal.task import EVERY_GUESS, Item, Question, bounds_by_size, run_item
from bcsearch.tree import NO_CHILD, WON, Tree, breadth_first

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bcsearch.optimal.proof import Node

_FOREVER = 1 << 60


def extract_tree(search: Search, spare: int | None = None) -> Tree:
    """The best tree a search has found: its proven choices where there are any, else those of the quick passes.

    `spare` is the width of a quick pass for parts that none has reached yet.
    """
    return _Maker(search, spare or 1).tree()


class _Maker:
    """Rows of a tree in the making."""

    def __init__(self, search: Search, spare: int) -> None:
        self.search, self.spare = search, spare
        self.question = search.question
        self.game = search.question.game
        self.columns = search.session.columns
        self.go = np.zeros(1, dtype=np.int8)
        self.guess: list[int] = []
        self.child: list[list[int]] = []
        self.size: list[int] = []
        self.depth: list[int] = []

    def tree(self) -> Tree:
        self.grow_node(self.search.root, 0)
        guess, child, size = (np.array(c, dtype=np.int32) for c in (self.guess, self.child, self.size))
        return breadth_first(self.game, guess, child, size, np.array(self.depth, dtype=np.uint8))

    def add(self, guess: int, size: int, depth: int) -> int:
        self.guess.append(guess)
        self.size.append(size)
        self.depth.append(depth)
        self.child.append([NO_CHILD] * len(self.game.replies))
        return len(self.guess) - 1

    def parts(self, row: int, candidates: NDArray[np.int32]) -> list[tuple[int, NDArray[np.int32]]]:
        """Parts of the guess at a row, the win noted."""
        replies = self.columns[candidates, self.guess[row]]
        if (replies == self.game.win).any():
            self.child[row][self.game.win] = WON
        return [(int(r), candidates[replies == r]) for r in np.unique(replies) if r != self.game.win]

    def grow_node(self, node: Node, depth: int) -> int:
        """A node of the proof: along its best option, else as a leaf."""
        option = node.best if node.best is not None and node.best.bound <= node.upper else None
        if option is None and node.parent is None and node.options:
            option = min(node.options, key=lambda o: (o.upper, o.rank))
        if option is None:
            return self.grow_leaf(node, depth)
        row = self.add(option.guess, len(node.candidates), depth)
        for r, part in self.parts(row, node.candidates):
            if r in option.parts:
                self.child[row][r] = self.grow_node(option.parts[r], depth + 1)
            else:
                below = node.k if node.k >= UNLIMITED else node.k - 1
                asked = (*node.asked, option.guess)
                self.child[row][r] = self.grow(self.question, asked, part, below, depth + 1, INFINITE)
        return row

    def grow_leaf(self, node: Node, depth: int) -> int:
        if node.value is not None:
            return self.grow(self.question, node.asked, node.candidates, node.k, depth, node.value + 1, node.guess)
        width = self.search.quick_width.get(node.key, self.spare)
        question = replace(self.question, width=width)
        return self.grow(question, node.asked, node.candidates, node.k, depth, node.upper + 1)

    def grow(
        self,
        question: Question,
        asked: tuple[int, ...],
        candidates: NDArray[np.int32],
        k: int,
        depth: int,
        limit: int,
        guess: int = -1,
    ) -> int:
        """All below a set whose value is under the limit."""
        n = len(candidates)
        if question.mode == LOST and k <= 1 and n > 1:  # the objective is lost here; finish sensibly
            question, k, limit = Question(self.game, TOTAL, True, 4), UNLIMITED, INFINITE
        value = limit - 1
        if n <= 2:
            guess = int(self.game.guess_of_secret[candidates[0]])
        elif guess < 0:
            item = Item(asked, candidates, k, min(limit, INFINITE), _FOREVER)
            answer = run_item(question, self.columns, item, self.go)
            if answer.guess < 0 and question.width < EVERY_GUESS:
                # Closed forms look at all guesses, so the value may be one that the first few do not reach.
                question = replace(question, width=EVERY_GUESS)
                answer = run_item(question, self.columns, item, self.go)
            guess, value = answer.guess, answer.value
        if guess < 0:
            raise AssertionError(f"no guess under the limit {limit} for {n} candidates after {asked}")
        row = self.add(guess, n, depth)
        below = k if k >= UNLIMITED else k - 1
        low = bounds_by_size(self.game, question.mode)[below]
        parts = self.parts(row, candidates)
        left = value - (n if question.mode == TOTAL else 0) - sum(int(low[len(part)]) for _, part in parts)
        for r, part in parts:
            part_limit = min(INFINITE, left + int(low[len(part)]) + 1) if n > 2 else INFINITE
            self.child[row][r] = self.grow(question, (*asked, guess), part, below, depth + 1, part_limit)
        return row
