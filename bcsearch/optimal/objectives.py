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
from bcsearch.errors import BcsearchError, Interrupted
from bcsearch.hard import check_hard
from bcsearch.ledger import Ledger
from bcsearch.optimal.columns import Columns
from bcsearch.optimal.extract import Extraction, extract_tree
from bcsearch.optimal.options import Objective
from bcsearch.optimal.run import QUICK, Search
from bcsearch.optimal.session import Report, Session
from bcsearch.optimal.tables import INFINITE, LOST, TOTAL, UNLIMITED, WORST
from bcsearch.optimal.task import Question, prepare, reply_columns
from bcsearch.plurals import counted
from bcsearch.signals import Stop, stop_on_signals
from bcsearch.sizes import keeps_whole_matrix

if TYPE_CHECKING:
    from bcsearch.executors import Executor
    from bcsearch.game import Game
    from bcsearch.tree import Tree

TIE_RULE = "(bound from part sizes, guess is not a candidate, code index), smallest first, among guesses of equal value"
_HURRY_SECONDS = 4.0  # for the last tree of a run that was told to end


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
    lower_bound
        The same as a lower bound of what is minimised: total, late secrets, lost secrets.
    facts
        What the tree file says of its objective, by name.
    nodes, scans, tried, items
        Work counters; the same in every run of one worker.
    kept
        Items that the ledger remembered.
    stopped
        Whether somebody asked to stop, or time was up.
    failed
        Items that could not be carried out, with the reason.
    """

    tree: Tree
    value: int
    bound: int
    exact: bool
    lower_bound: int
    facts: dict[str, Any]
    nodes: int
    scans: int
    tried: int
    items: int
    kept: int
    seconds: float
    stopped: bool
    failed: dict[str, str]


def solve_game(
    game: Game, objective: Objective, executor: Executor, *, time_limit: float | None = None,
    report: Report | None = None, stop: Stop | None = None, ledger: Ledger | None = None, memory: int | None = None,
) -> Result:  # fmt: skip
    """Search for the best tree and the proof that it is best.

    Stops early when `time_limit` seconds are over, when `stop` is set, or on SIGINT or SIGTERM (a second one raises
    KeyboardInterrupt); then the best tree so far comes back with `exact` False and a true bound. What the `ledger`
    remembers is not computed again. `memory` bytes may be used (None: a share of what is free); it decides whether the
    reply matrix is kept, and changes no result.

    Raises
    ------
    UsageError
        For options that do not go together.
    BcsearchError
        For a depth that no tree has.
    """
    objective.check()
    if objective.hard:
        check_hard(game)
    kernels.ready()
    stop = Stop() if stop is None else stop
    executor.prepare(prepare, game)
    session = Session(executor, columns_for(game, memory), stop, report, ledger or Ledger())
    timer = None
    if time_limit is not None:
        session.deadline = time.monotonic() + time_limit
        timer = threading.Timer(time_limit, lambda: stop.flag.__setitem__(0, 1))
        timer.daemon = True
        timer.start()
    try:
        with stop_on_signals(stop):  # once more inside the caller's: harmless
            return _Solver(game, objective, session).solve()
    finally:
        session.drop()
        if timer is not None:
            timer.cancel()


def columns_for(game: Game, memory: int | None = None) -> Columns:
    """Replies for a search: the whole matrix where it fits, else what computes them item by item."""
    return Columns(game, reply_columns(game) if keeps_whole_matrix(game, memory) else None)


class _Solver:
    """The ordered list of one objective."""

    def __init__(self, game: Game, objective: Objective, session: Session) -> None:
        self.game, self.objective, self.session = game, objective, session
        self.prove = objective.width is None
        self.widths = QUICK if objective.width is None else (objective.width,)
        self.ahead: Search | None = None

    def solve(self) -> Result:
        name = self.objective.name
        if name == "average":
            return self.average()
        if name == "win-within":
            return self.win_within()
        return self.by_depth(WORST if name == "fewest-at-worst" else TOTAL)

    def new_search(self, mode: int, k: int, limit: int = INFINITE, *, ahead: bool = False) -> Search:
        memory = self.session.memory
        question = Question(self.game, mode, self.objective.consistent, hard=self.objective.hard, memory=memory)
        return Search(self.session, question, k, limit, ahead=ahead)

    def search(self, mode: int, k: int, limit: int = INFINITE, quick: bool = True) -> Search:
        search = self.new_search(mode, k, limit)
        if quick:
            self.quick_passes(search)
        if self.prove:
            search.prove()
        return search

    def quick_passes(self, search: Search) -> None:
        """Find a tree to begin with, and keep it for those who look at the run."""
        search.quick_passes(self.widths)
        if self.session.ledger.keeps_trees and search.root.upper < INFINITE and not self.session.stopped:
            self.tree(search)

    def tree(self, search: Search) -> Tree:
        """The best tree of a search, or an earlier one that is better; made in a hurry after a signal."""
        ledger = self.session.ledger
        kept = ledger.kept_tree() if ledger.keeps_trees else None
        hurry = _HURRY_SECONDS if self.session.stop.signal and ledger.keeps_trees else None
        try:
            tree = extract_tree(search, hurry)
        except Interrupted:
            if kept is None:
                raise
            return kept
        if kept is not None and search.root.value is None and self.order(kept) <= self.order(tree):
            return kept
        ledger.keep_tree(tree)
        return tree

    def order(self, tree: Tree) -> tuple[int, ...]:
        """What makes one tree better than another; smaller is better."""
        summary = tree.summary()
        if self.objective.name == "average":
            return summary.total, summary.depth
        if self.objective.name == "win-within":
            return -sum(tree.distribution()[: self.objective.within]), summary.total
        if self.objective.name == "fewest-at-worst":
            return summary.depth, summary.worst, summary.total
        return summary.depth, summary.total

    def average(self) -> Result:
        k = self.objective.max_depth or UNLIMITED
        search = self.new_search(TOTAL, k)
        self.quick_passes(search)
        if self.prove:
            search.prove(_Ahead(self, search))
        self.check_possible(search, k)
        tree = self.tree(search)
        total = search.root.value
        exact = total is not None
        while exact and not self.session.stopped:
            depth = tree.summary().depth - 1
            if self.cannot(depth):
                break
            tighter = self.search(TOTAL, depth, int(total or 0) + 1, quick=False)
            if tighter.root.value is None or tighter.root.value > (total or 0):
                exact = tighter.closed
                break
            tree = self.tree(tighter)
        exact = exact and not self.session.stopped
        reached, bound = tree.summary().total, search.root.lower
        return self.result(tree, reached, bound, exact, bound, max_depth=self.objective.max_depth, total=reached)

    def cannot(self, k: int) -> bool:
        """Whether k guesses are proven not to be enough for all secrets."""
        if k < 1:
            return True
        search = self.new_search(LOST, k, 1)
        if self.ahead is not None and self.ahead.k == k:
            search = self.ahead
        elif self.ahead is not None:  # its workers are wanted
            self.ahead.flag[0] = 1
            self.ahead = None
        if self.prove:
            search.prove()
        return search.root.lower >= 1

    def by_depth(self, mode: int) -> Result:
        """Smallest depth, then the least value of `mode` at that depth."""
        k = self.objective.max_depth or UNLIMITED
        quick = self.new_search(TOTAL, k)
        self.quick_passes(quick)
        self.check_possible(quick, k)
        tree = self.tree(quick)
        depth = 1
        while self.prove and depth < tree.summary().depth and self.cannot(depth):
            depth += 1
        if not self.prove or self.session.stopped:
            return self.depth_result(tree, mode, depth, quick.root.lower, False)
        search = self.search(mode, depth)
        while search.root.value is None and search.closed:  # not this depth after all
            depth += 1
            search = self.search(mode, depth)
        if search.root.upper < INFINITE:
            tree = self.tree(search)
        bound = search.root.lower if tree.summary().depth == depth or mode == TOTAL else 1
        if mode == TOTAL and tree.summary().depth > depth:
            bound = quick.root.lower
        exact = search.root.value is not None and not self.session.stopped
        return self.depth_result(tree, mode, depth, bound, exact)

    def depth_result(self, tree: Tree, mode: int, depth: int, bound: int, exact: bool) -> Result:
        """Result of `by_depth`: `depth` is proven to be needed, `bound` holds for the tree's own depth."""
        summary = tree.summary()
        facts = {"max_depth": summary.depth, "depth_bound": depth}
        if mode == TOTAL:
            return self.result(tree, summary.depth, depth, exact, bound, **facts, total=summary.total)
        late = max(1, bound) if summary.depth == depth else 1
        return self.result(tree, summary.worst, late, exact, late, **facts, late=summary.worst)

    def win_within(self) -> Result:
        k = int(self.objective.within or 0)
        secrets = len(self.game.secrets)
        search = self.search(LOST, k)
        tree = self.tree(search)
        found = sum(tree.distribution()[:k])
        bound, exact = search.root.lower, search.root.value is not None
        return self.result(tree, found, secrets - bound, exact, bound, within=k, lost=secrets - found)

    def check_possible(self, search: Search, k: int) -> None:
        """Raise BcsearchError where there is no tree to give back; without a largest depth there always is."""
        if search.root.upper < INFINITE or search.root.value is not None or k >= UNLIMITED:
            return
        within = counted(k, "guess")
        if search.root.lower >= INFINITE or search.closed:
            raise BcsearchError(f"no strategy for {self.game} finds every secret within {within}")
        raise BcsearchError(f"no strategy within {within} was found for {self.game}, and none was ruled out: "
                            "more time or width is needed")  # fmt: skip

    def result(self, tree: Tree, value: int, bound: int, exact: bool, lower: int, **facts: Any) -> Result:
        s = self.session
        seconds = time.monotonic() - s.start
        return Result(tree, value, bound, exact, lower, facts, s.nodes, s.scans, s.tried, s.items, s.kept, seconds,
                      s.stopped, s.failed)  # fmt: skip


class _Ahead:
    """Names the question to be worked on while the least total is not settled: whether its tree needs all its guesses.

    Of the trees of least total the depth is not known yet; that of the best tree so far is a good guess. It is asked
    when a worker is first without work, and the tree is made by those that are.
    """

    def __init__(self, solver: _Solver, total: Search) -> None:
        self.solver, self.total = solver, total
        self.trial: Extraction | None = None

    def __call__(self) -> Search | None:
        if self.solver.ahead is None:
            depth = self._depth()
            if depth is not None and depth > 1:
                self.solver.ahead = self.solver.new_search(LOST, depth - 1, 1, ahead=True)
        return self.solver.ahead

    def _depth(self) -> int | None:
        """Depth of the best tree so far, once it is known."""
        ledger = self.solver.session.ledger
        kept = ledger.kept_tree() if ledger.keeps_trees and self.trial is None else None
        if kept is not None:
            return kept.summary().depth
        if self.trial is None:
            if self.total.best_upper() >= INFINITE:
                return None
            self.trial = Extraction(self.total, np.zeros(1, dtype=np.int8), trial=True)
        if not self.trial.ready or self.trial.failure is not None:
            return None
        return self.trial.tree().summary().depth
