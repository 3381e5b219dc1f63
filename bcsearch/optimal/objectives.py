"""What "optimal" means, and the searches that prove it.

Objectives are ordered lists, each entry proven under the ones before it:

===============  =======================================================================================
average          the total (with a largest depth, if given), then the smallest depth among trees of that total
worst-case       the smallest depth, then the total at that depth
fewest-at-worst  the smallest depth, then the number of secrets that need it
win-within       the number of secrets not found within K guesses
===============  =======================================================================================
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bcsearch.errors import BcsearchError
from bcsearch.executors import Executor
from bcsearch.game import Game
from bcsearch.optimal.extract import extract
from bcsearch.optimal.options import check_options
from bcsearch.optimal.search import FULL, INFINITE, LATE, LOST, TOTAL, UNBOUNDED
from bcsearch.optimal.split import Answer, Search, Task, forget, interrupt, run
from bcsearch.scoring import replies_from, reply_matrix
from bcsearch.store import Claims
from bcsearch.tree import Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

TIE_RULE = "first found in the order of bounds, parts, code index"

Progress = Callable[[str, int, int], None]  #: what is being proven, subproblems done, subproblems under way


@dataclass(frozen=True)
class OptimalTree:
    """A proven tree, with the value of its objective."""

    tree: Tree
    claims: Claims
    value: int
    subproblems: int


class Solver:
    """Searches on one game that share a reply matrix and an executor."""

    def __init__(self, game: Game, executor: Executor, consistent: bool, progress: Progress | None = None) -> None:
        self.game, self.executor, self.consistent, self.progress = game, executor, consistent, progress
        self.matrix: NDArray[np.uint8] = reply_matrix(game, executor.workers if executor.name == "local" else 2)
        self.source = replies_from(game, self.matrix)
        self.handle = executor.share(self.matrix)
        self.subproblems = 0

    def value(self, mode: int, k: int, limit: int, what: str) -> tuple[Answer, Search]:
        """Solve the whole game: (value, guess, exact) under the contract of `search.solve`, and the search."""
        forget()
        search = Search(Task(self.game, mode, self.consistent), self.source)
        secrets = np.arange(len(self.game.secrets), dtype=np.int32)
        progress = self.progress
        told = (lambda done, out: progress(what, done, out)) if progress else None
        try:
            answer = run(search, search.node((), secrets, k, limit, FULL), self.executor, self.handle, told)
        except BaseException:
            interrupt()
            raise
        self.subproblems += search.solved
        return answer, search

    def best_tree(self, mode: int, k: int, limit: int, what: str) -> tuple[int, Tree | None]:
        """Value and tree, or the limit and None if nothing below the limit exists."""
        (value, _, exact), search = self.value(mode, k, limit, what)
        if not exact or value >= INFINITE:
            return value, None
        return value, extract(search, self.source, k)

    def average(self, depth: int | None) -> tuple[int, Tree]:
        """Minimal total, then smallest depth."""
        k = UNBOUNDED if depth is None else depth
        total, tree = self.best_tree(TOTAL, k, INFINITE, "total")
        if tree is None:
            raise BcsearchError(f"no strategy for {self.game} finds every secret within {depth} guesses")
        while True:
            k = tree.summary().depth - 1
            _, better = self.best_tree(TOTAL, k, total + 1, f"total {total} within {k} guesses") if k else (0, None)
            if better is None:
                return total, tree
            tree = better

    def smallest_depth(self) -> int:
        """Fewest guesses within which every secret can be found."""
        k = 1
        while not self.suffices(k):
            k += 1
        return k

    def suffices(self, k: int) -> bool:
        """Whether some strategy finds every secret within k guesses."""
        (lost, _, exact), _ = self.value(LOST, k, 1, f"all found within {k} guesses")
        return exact and lost == 0

    def fewest_at(self, depth: int) -> tuple[int, Tree]:
        """Fewest secrets that need `depth` guesses, no secret needing more."""
        late, tree = self.best_tree(LATE, depth, INFINITE, f"needing {depth} guesses")
        assert tree is not None
        return late, tree

    def within(self, k: int) -> tuple[int, Tree]:
        """Fewest secrets not found within k guesses."""
        lost, tree = self.best_tree(LOST, k, INFINITE, f"not found within {k} guesses")
        assert tree is not None
        return lost, tree


def build_optimal(
    game: Game,
    objective: str,
    executor: Executor,
    *,
    consistent: bool = False,
    max_depth: int | None = None,
    within: int | None = None,
    progress: Progress | None = None,
) -> OptimalTree:
    """Search for a proven optimal tree.

    Raises
    ------
    UsageError
        For options that do not go together.
    BcsearchError
        If no tree of at most `max_depth` guesses exists.
    """
    check_options(objective, max_depth, within)
    solver = Solver(game, executor, consistent, progress)
    details: dict[str, Any] = {"objective": objective}
    if objective == "win-within":
        assert within is not None
        value, tree = solver.within(within)
        details |= {"within": within, "lost": value}
    elif objective == "fewest-at-worst":
        smallest = solver.smallest_depth()
        value, tree = solver.fewest_at(smallest)
        details |= {"max_depth": smallest, "late": value}
    else:
        depth = solver.smallest_depth() if objective == "worst-case" else max_depth
        value, tree = solver.average(depth)
        details |= {"max_depth": depth, "total": value}
    pool = "consistent" if consistent else "all"
    claims = Claims("optimal", pool, TIE_RULE, "exact", value, details)
    return OptimalTree(tree, claims, value, solver.subproblems)
