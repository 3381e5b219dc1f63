"""The top of the search as a tree of open questions: which set to work on next, and what the answers add up to.

A `Node` is a set of candidates whose value is wanted: the least of its options. An `Option` is a guess: a constant plus
the sum of its parts' values. Bounds only ever rise from work items at the leaves to the root, limits only ever fall
from the root to the leaves, so items may be answered in any order, on any number of workers.

Which option a finished node settles on does not depend on that order: the least (value, rank), where rank is the
place in the order of (bound from sizes, not a candidate, guess index). An option of lower rank may still tie, one of
higher rank must be strictly better; `Node.option_limit` is that rule.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bcsearch.expand import history_key
from bcsearch.optimal.columns import Columns, still_allowed
from bcsearch.optimal.search import small_bound
from bcsearch.optimal.tables import INFINITE, TOTAL, UNLIMITED
from bcsearch.optimal.task import Question, bounds_by_size, first_guesses

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from bcsearch.expand import History

SMALL = 500_000  # candidates x guesses up to which a set is tried before it is split
DEPTH = 2  # histories shorter than this are split at once
_BLOCK = 512
_MOST_CELLS = 1 << 23  # replies looked at together, at most


class Node:
    """A set of candidates whose value is wanted, with what is known of it: lower <= value <= upper."""

    def __init__(self, history: History, candidates: NDArray[np.int32], k: int, lower: int, parent: Option | None):
        self.history, self.candidates, self.k, self.parent = history, candidates, k, parent
        self.lower = lower
        self.upper = INFINITE
        self.value: int | None = None
        self.guess = -1
        self.options: list[Option] | None = None
        self.rest = INFINITE  # lowest bound of the options that were not worth keeping
        self.best: Option | None = None
        self.running = False
        self.failed = False  # an item for it was given up
        self.seconds = 0.0  # what its item took
        self.active = 0  # items at work below

    def start(self, change: int = 1) -> None:
        """Note that an item for this leaf is at work; -1 that it is back."""
        self.running = change > 0
        node: Node | None = self
        while node is not None:
            node.active += change
            option = node.parent
            if option is not None:
                option.active += change
            node = option.node if option is not None else None

    @property
    def key(self) -> str:
        """Stable name, derived from the history."""
        return history_key(self.history)

    @property
    def asked(self) -> tuple[int, ...]:
        """The guesses made so far."""
        return tuple(g for g, _ in self.history)

    def option_limit(self, option: Option, limit: int) -> int:
        """Value at which an option stops being of interest, `limit` being the node's own."""
        limit = min(limit, self.upper + 1)
        if self.best is None:
            return limit
        return min(limit, self.best.bound + (option.rank < self.best.rank))

    def settle(self) -> None:
        """Bring bounds and best option up to date with the options, here and above."""
        if self.options is None or self.value is not None:
            return
        done = [option for option in self.options if option.open == 0]
        self.best = min(done, key=_value_and_rank, default=None)
        self.raise_lower(min(min((option.bound for option in self.options), default=INFINITE), self.rest))
        if self.best is not None:
            self.upper = min(self.upper, self.best.bound)
        self.drop_hopeless()
        if self.best is not None and all(
            o.open == 0 or o.bound >= self.option_limit(o, INFINITE) for o in self.options
        ):
            self.finish(self.best.bound, self.best.guess)
        if self.parent is not None:
            self.parent.node.settle()

    def drop_hopeless(self) -> None:
        """Let go of options beyond the best value: bounds only rise and that only falls."""
        options = self.options or []
        gone = [option.bound for option in options if option.bound > self.upper]
        if gone:
            self.rest = min(self.rest, *gone)
            self.options = [option for option in options if option.bound <= self.upper]

    def raise_lower(self, lower: int) -> None:
        """Note a better lower bound."""
        if lower > self.lower:
            if self.parent is not None:
                self.parent.bound += lower - self.lower
            self.lower = lower

    def finish(self, value: int, guess: int) -> None:
        """Note the exact value."""
        if self.value is None and self.parent is not None:
            self.parent.open -= 1
        self.raise_lower(value)
        self.value, self.guess, self.upper = value, guess, value

    def answer(self, value: int, limit: int, guess: int, exact: bool = True) -> None:
        """Take the answer of a work item: exact below the limit, else (or where `exact` is False) a lower bound."""
        if exact and value < limit:
            self.finish(value, guess)
        else:
            self.raise_lower(value)
        if self.parent is not None:
            self.parent.node.settle()


class Option:
    """A guess at a node. `bound` is a constant plus the lower bounds of its open parts."""

    def __init__(self, node: Node, guess: int, rank: int, bound: int) -> None:
        self.node, self.guess, self.rank, self.bound = node, guess, rank, bound
        self.active = 0
        self.open = 0  # parts whose value is not known; 0: the bound is the value
        self.parts: dict[int, Node] = {}  # by reply, in the order of work; parts with closed forms are not among them

    @property
    def upper(self) -> int:
        """Value that is certain to be reached."""
        return self.bound + sum(part.upper - part.lower for part in self.parts.values())


def split_node(question: Question, columns: Columns, node: Node, limit: int) -> None:
    """Give a node its options: those whose bound from the sizes of parts is under the limit."""
    low = bounds_by_size(question.game, question.mode)
    below = node.k if node.k >= UNLIMITED else node.k - 1
    guesses = first_guesses(question.game, node.asked)
    if question.consistent:
        guesses = np.intersect1d(guesses, question.game.guess_of_secret[node.candidates])
    if question.hard:
        guesses = np.intersect1d(guesses, still_allowed(question.game, node.asked, node.candidates))
    limit = min(limit, node.upper + 1)
    bounds, parts = _bounds(question, columns, node.candidates, guesses, low[below])
    if question.mode == TOTAL:
        parts[:] = 0
    own = np.isin(guesses, question.game.guess_of_secret[node.candidates])
    order = np.lexsort((guesses, ~own, -parts, bounds))
    node.options = []
    for rank, place in enumerate(order):
        if bounds[place] >= limit or rank >= question.width:
            node.rest = int(bounds[place])
            break
        option = Option(node, int(guesses[place]), rank, int(bounds[place]))
        _add_parts(question, columns, option, below, low[below])
        if option.bound < limit:
            node.options.append(option)
        else:
            node.rest = min(node.rest, option.bound)
    if len(node.options) == 0 and node.rest == INFINITE:
        node.rest = max(node.lower, limit)
    node.settle()


def _bounds(
    question: Question,
    columns: Columns,
    candidates: NDArray[np.int32],
    guesses: NDArray[np.int32],
    low: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Lower bound of every guess from the sizes of its parts, infinite where it does not split; and its parts."""
    n, replies = len(candidates), len(question.game.replies)
    bounds = np.empty(len(guesses), dtype=np.int64)
    parts = np.empty(len(guesses), dtype=np.int64)
    step = max(1, min(_BLOCK, _MOST_CELLS // n))
    for start in range(0, len(guesses), step):
        some = guesses[start : start + step]
        rows = columns.block(candidates, some).T
        flat = rows + np.arange(len(some), dtype=np.int64)[:, None] * replies
        sizes = np.bincount(flat.ravel(), minlength=len(some) * replies).reshape(len(some), replies)
        bound = low[sizes[:, :-1]].sum(axis=1) + (n if question.mode == TOTAL else 0)
        bounds[start : start + step] = np.where(sizes[:, :-1].max(axis=1) == n, INFINITE, bound)
        parts[start : start + step] = (sizes > 0).sum(axis=1)
    return bounds, parts


def _add_parts(question: Question, columns: Columns, option: Option, below: int, low: NDArray[np.int64]) -> None:
    node = option.node
    replies = columns.column(node.candidates, option.guess)
    sizes = np.bincount(replies, minlength=question.game.win + 1)[:-1]
    order = np.argsort(sizes, kind="stable")
    for r in order if question.mode == TOTAL else order[::-1]:
        m = int(sizes[r])
        if m == 0:
            continue
        value, exact = small_bound(question.mode, m, below, int(low[m]))
        option.bound += int(value) - int(low[m])
        if not exact:
            part = node.candidates[replies == r]
            option.open += 1
            option.parts[int(r)] = Node((*node.history, (option.guess, int(r))), part, below, int(value), option)


def next_item(node: Node, limit: int) -> tuple[Node, int] | None:
    """The first leaf, in order of rank and size, that still matters and that nobody works on; with its limit.

    Workers keep apart where they can: the answer that one is about to bring lowers the limits of its neighbours.
    """
    if node.value is not None or node.lower >= limit:
        return None
    if node.options is None:
        return None if node.running or node.failed else (node, min(limit, node.upper + 1))
    for option in sorted(node.options, key=_activity):
        option_limit = node.option_limit(option, limit)
        if option.bound >= option_limit:
            continue
        for part in _in_turn(option, option_limit - option.bound):
            if part.value is None:
                found = next_item(part, option_limit - (option.bound - part.lower))
                if found is not None:
                    return found
    return None


def items_after(leaf: Node, limit: int) -> Iterator[tuple[Node, int]]:
    """What one worker alone would do after a leaf: the other parts of its guess, then the next guesses of the set.

    Only leaves that nobody works on, each with its limit as things stand. The next guesses only once the set has a
    value to beat: the first one that is finished lowers the limit of all others.
    """
    here = leaf.parent
    if here is None:
        return
    # The set's own limit, from the leaf's: no guess of it may be worth more than the leaf's guess may.
    set_limit = limit + here.bound - leaf.lower
    for option in here.node.options or []:
        if option.rank < here.rank or (option is not here and here.node.best is None):
            continue
        option_limit = here.node.option_limit(option, set_limit)
        if option.bound >= option_limit or (option.active and option is not here):
            continue
        for part in option.parts.values():
            if part.value is None and part.options is None and not part.running and not part.failed:
                part_limit = min(option_limit - (option.bound - part.lower), part.upper + 1)
                if part.lower < part_limit:
                    yield part, part_limit


def _value_and_rank(option: Option) -> tuple[int, int]:
    return option.bound, option.rank


def _activity(place: Node | Option) -> int:
    return place.active


def _in_turn(option: Option, slack: int) -> list[Node]:
    """Parts in the order of work, `slack` being what the bound must rise by until the option is out.

    All parts of the only first guess must be solved: the longest are begun first. Where one part can put the option
    out, the others may never be needed: workers then share the first part instead of keeping apart.
    """
    parts = list(option.parts.values())
    if slack <= 1:
        return parts
    if option.node.parent is None and len(option.node.options or []) == 1:
        parts.sort(key=lambda part: -len(part.candidates))
    return sorted(parts, key=_activity)
