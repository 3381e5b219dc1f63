"""The objectives: ordered lists of questions, each answered under the answers before it.

    average           least total; then the smallest depth among trees of that total
    worst-case        smallest depth; then the least total at that depth
    fewest-at-worst   smallest depth; then the fewest secrets that need it
    win-within K      most secrets found within K guesses

Whether k guesses are enough at all is asked as "are 0 secrets lost within k guesses?", which is far cheaper to refute
than a total.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bcsearch import kernels
from bcsearch.errors import UsageError
from bcsearch.optimal.extract import extract_tree
from bcsearch.optimal.run import QUICK, Report, Search, Session
from bcsearch.optimal.tables import INFINITE, LOST, TOTAL, UNLIMITED, WORST
from bcsearch.optimal.task import Question, bounds_by_size, reply_columns

if TYPE_CHECKING:
    from bcsearch.executors import Executor
    from bcsearch.game import Game
    from bcsearch.tree import Tree

OBJECTIVES = ("average", "worst-case", "fewest-at-worst", "win-within")
TIE_RULE = "(bound from part sizes, guess is not a candidate, code index), smallest first, among guesses of equal value"
MATRIX_LIMIT = 512 << 20  # bytes of the reply matrix, which the search needs as a whole
_MOST_REPLIES = 255


@dataclass(frozen=True)
class Objective:
    """What is to be minimised, over which trees.

    Attributes
    ----------
    name
        One of `OBJECTIVES`.
    within
        K of win-within, else None.
    max_depth
        Only trees of at most this depth; None for all.
    consistent
        Ask candidates only.
    width
        Try only the first few guesses per node: an upper bound, quickly. None for a proof.
    """

    name: str = "average"
    within: int | None = None
    max_depth: int | None = None
    consistent: bool = False
    width: int | None = None

    def check(self) -> None:
        """Raise UsageError where the parts do not go together."""
        if self.name not in OBJECTIVES:
            raise UsageError(f"objective {self.name!r}: one of {', '.join(OBJECTIVES)}")
        if (self.within is not None) != (self.name == "win-within"):
            raise UsageError("--within K goes with --objective win-within, and win-within needs it")
        for option, value in (("--within", self.within), ("--max-depth", self.max_depth), ("--width", self.width)):
            if value is not None and not 1 <= value:
                raise UsageError(f"{option} {value}: at least 1")
        if self.max_depth is not None and self.max_depth >= UNLIMITED:
            raise UsageError(f"--max-depth {self.max_depth}: below {UNLIMITED}")
        if self.within is not None and self.within >= UNLIMITED:
            raise UsageError(f"--within {self.within}: below {UNLIMITED}")
        if self.name == "win-within" and self.max_depth is not None:
            raise UsageError("--max-depth does not go with --objective win-within")


@dataclass(frozen=True)
class Result:
    """A complete tree and what is proven of it.

    Attributes
    ----------
    value
        Of the tree: the total (average), the depth (worst-case), secrets at the worst (fewest-at-worst), or secrets
        found within K (win-within).
    bound
        Proven: no tree has less (for win-within: no tree finds more).
    exact
        Whether the whole ordered list of the objective is proven for this tree.
    facts
        Further proven or reached figures, by name.
    nodes, scans, tried, items
        Work counters; the same in every run of one worker.
    """

    tree: Tree
    value: int
    bound: int
    exact: bool
    facts: dict[str, Any]
    nodes: int
    scans: int
    tried: int
    items: int
    seconds: float


def solve_game(
    game: Game, objective: Objective, executor: Executor, *, time_limit: float | None = None,
    report: Report | None = None, stop: Any = None,
) -> Result:  # fmt: skip
    """Search for the best tree and the proof that it is best.

    Stops early when `time_limit` seconds are over, when `stop[0]` (an int8 array) is set, or on KeyboardInterrupt
    while waiting for results; then the best tree so far comes back with `exact` False and a true bound.

    Raises
    ------
    UsageError
        For options that do not go together, games too large for the search, or a depth that no tree has.
    """
    objective.check()
    cells = len(game.guesses) * len(game.secrets)
    if cells > MATRIX_LIMIT:
        raise UsageError(f"game {game}: the optimal search needs its {cells >> 20} MB reply matrix; the limit is "
                         f"{MATRIX_LIMIT >> 20} MB")  # fmt: skip
    kernels.ready()
    flag = np.zeros(1, dtype=np.int8) if stop is None else stop
    session = Session(executor, reply_columns(game), flag, report)
    timer = None
    if time_limit is not None:
        session.deadline = time.monotonic() + time_limit
        timer = threading.Timer(time_limit, lambda: flag.__setitem__(0, 1))
        timer.daemon = True
        timer.start()
    try:
        return _Solver(game, objective, session).solve()
    finally:
        if timer is not None:
            timer.cancel()


class _Solver:
    """The ordered list of one objective."""

    def __init__(self, game: Game, objective: Objective, session: Session) -> None:
        self.game, self.objective, self.session = game, objective, session
        self.prove = objective.width is None
        self.widths = QUICK if objective.width is None else (objective.width,)

    def solve(self) -> Result:
        name = self.objective.name
        if name == "average":
            return self.average()
        if name == "win-within":
            return self.win_within()
        return self.by_depth(WORST if name == "fewest-at-worst" else TOTAL)

    def search(self, mode: int, k: int, limit: int = INFINITE, quick: bool = True) -> Search:
        question = Question(self.game, mode, self.objective.consistent)
        search = Search(self.session, question, k, limit)
        search.run(self.widths if quick else (), self.prove)
        return search

    def average(self) -> Result:
        k = self.objective.max_depth or UNLIMITED
        search = self.search(TOTAL, k)
        self.check_possible(search, k)
        tree = extract_tree(search)
        total = search.root.value
        exact = total is not None
        while exact and not self.session.stopped:
            depth = tree.summary().depth - 1
            if self.cannot(depth):
                return self.result(tree, tree.summary().total, search.root.lower, True)
            tighter = self.search(TOTAL, depth, int(total or 0) + 1, quick=False)
            if tighter.root.value is None:
                exact = tighter.closed
                break
            tree = extract_tree(tighter)
        exact = exact and not self.session.stopped
        return self.result(tree, tree.summary().total, search.root.lower, exact)

    def cannot(self, k: int) -> bool:
        """Whether k guesses are proven not to be enough for all secrets."""
        if k < 1:
            return True
        return self.search(LOST, k, 1, quick=False).root.lower >= 1

    def by_depth(self, mode: int) -> Result:
        """Smallest depth, then the least value of `mode` at that depth."""
        k = self.objective.max_depth or UNLIMITED
        quick = Search(self.session, Question(self.game, TOTAL, self.objective.consistent), k)
        quick.run(self.widths, prove=False)
        self.check_possible(quick, k)
        tree = extract_tree(quick)
        depth = 1
        while self.prove and depth < tree.summary().depth and self.cannot(depth):
            depth += 1
        if not self.prove or self.session.stopped:
            return self.result(tree, tree.summary().depth if mode == TOTAL else tree.summary().worst,
                               depth if mode == TOTAL else 1, False, depth_bound=depth)  # fmt: skip
        search = self.search(mode, depth)
        while search.root.value is None and search.closed:  # not this depth after all
            depth += 1
            search = self.search(mode, depth)
        reached = search.root.upper < INFINITE
        if reached:
            tree = extract_tree(search)
        exact = search.root.value is not None and not self.session.stopped
        facts = {"depth_bound": depth}
        if mode == TOTAL:
            facts["total_bound"] = search.root.lower if tree.summary().depth == depth else 0
            return self.result(tree, tree.summary().depth, depth, exact, **facts)
        bound = search.root.lower if tree.summary().depth == depth else 1
        return self.result(tree, tree.summary().worst, max(1, bound), exact, **facts)

    def win_within(self) -> Result:
        k = int(self.objective.within or 0)
        secrets = len(self.game.secrets)
        search = self.search(LOST, k)
        tree = extract_tree(search)
        found = sum(tree.distribution()[:k])
        return self.result(tree, found, secrets - search.root.lower, search.root.value is not None)

    def check_possible(self, search: Search, k: int) -> None:
        if search.root.upper < INFINITE or search.root.value is not None:
            return
        if search.root.lower >= INFINITE or search.closed:
            raise UsageError(f"--max-depth {k}: no tree for {self.game} has so small a depth")
        raise UsageError(f"--max-depth {k}: no tree of that depth was found, and none was ruled out; allow more time")

    def result(self, tree: Tree, value: int, bound: int, exact: bool, **facts: Any) -> Result:
        s = self.session
        return Result(tree, value, bound, exact, facts, s.nodes, s.scans, s.tried, s.items, time.monotonic() - s.start)
