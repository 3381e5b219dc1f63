"""Building greedy trees with an executor: hand out work items, collect pieces, join them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bcsearch import kernels
from bcsearch.errors import ExecutionError
from bcsearch.executors import Executor
from bcsearch.expand import Item, Plan, expand, root_item
from bcsearch.game import Game
from bcsearch.scoring import pack, replies_from, reply_matrix
from bcsearch.store import Claims
from bcsearch.strategies import TIE_RULE
from bcsearch.tree import Piece, Tree, assemble

if TYPE_CHECKING:
    from numpy.typing import NDArray

MATRIX_LIMIT = 256 << 20  # bytes; greedy trees of larger games are scored from packed codes, which is as fast
_ITEMS = 64  # a part with more than a share of 1/_ITEMS of all secrets is a work item of its own
_SMALLEST_ITEM = 256

# Measured on one core: seconds per guess x secret of a whole greedy tree, without start-up.
_SECONDS_PER_PAIR = 6e-9

Progress = Callable[[str, int, int], None]  #: strategy, secrets whose subtree is finished, secrets in all


@dataclass(frozen=True)
class GreedyTree:
    """A finished tree with what is known of it, and what it cost."""

    tree: Tree
    claims: Claims
    scans: int
    seconds: float


def estimated_seconds(game: Game, strategies: int, workers: int) -> float:
    """Rough time a build will take, start-up not counted."""
    return strategies * len(game.guesses) * len(game.secrets) * _SECONDS_PER_PAIR / workers


def shared_matrix(game: Game, executor: Executor) -> NDArray[np.uint8] | None:
    """The reply matrix where it is small enough, else None; see `MATRIX_LIMIT`."""
    packs = pack(game, game.guesses[:1]) is not None
    if packs and len(game.guesses) * len(game.secrets) > MATRIX_LIMIT:
        return None
    return reply_matrix(game, executor.workers if executor.name == "local" else 2)


def expand_task(plan: Plan, matrix: NDArray[np.uint8] | None, item: Item) -> tuple[Piece, list[Item], int]:
    """Carry out one work item; what executors run, here or in another process."""
    kernels.ready()
    return expand(plan, replies_from(plan.game, matrix), item)


def build_greedy(
    game: Game, strategies: Iterable[str], executor: Executor, *, consistent: bool, progress: Progress | None = None
) -> Iterator[GreedyTree]:
    """Build one tree per strategy, as one batch: all items of all strategies share the workers.

    Yields the trees in the order of `strategies`, each as soon as it and those before it are complete. The trees do
    not depend on the executor, the number of workers or their timing.
    """
    start = time.monotonic()
    matrix = shared_matrix(game, executor)
    handle = executor.share(matrix) if matrix is not None else None
    open_above = max(_SMALLEST_ITEM, len(game.secrets) // _ITEMS)
    plan = Plan(game, "", consistent, open_above=open_above)
    growing = {name: _Growing(replace(plan, strategy=name), len(game.secrets)) for name in strategies}
    for name, tree in growing.items():
        executor.submit(f"{name}/root", expand_task, tree.plan, handle, root_item(game))
    waiting = list(growing)
    for key, result in executor.results():
        name = key.split("/")[0]
        tree = growing[name]
        for item in tree.take(key.split("/")[1], result):
            executor.submit(f"{name}/{item.key}", expand_task, tree.plan, handle, item)
        if progress:
            progress(name, tree.finished, len(game.secrets))
        if tree.complete and not tree.seconds:
            tree.seconds = time.monotonic() - start
        while waiting and growing[waiting[0]].complete:
            yield growing.pop(waiting.pop(0)).result(game)
    if waiting:
        raise ExecutionError(f"the work for {', '.join(waiting)} ended before the tree was complete")


class _Growing:
    """A tree whose pieces are arriving."""

    def __init__(self, plan: Plan, secrets: int) -> None:
        self.plan = plan
        self.pieces: dict[str, Piece] = {}
        self.open = 1
        self.finished = 0
        self.secrets = secrets
        self.scans = 0
        self.seconds = 0.0

    @property
    def complete(self) -> bool:
        return self.open == 0

    def take(self, key: str, result: tuple[Piece, list[Item], int]) -> list[Item]:
        """Keep a piece; returns the items it left open."""
        piece, items, scans = result
        self.pieces[key] = piece
        self.open += len(items) - 1
        self.scans += scans
        self.finished += int(piece.size[0]) - sum(len(item.candidates) for item in items)
        return items

    def result(self, game: Game) -> GreedyTree:
        """Join the pieces."""
        tree = assemble(game, self.pieces, "root")
        claims = Claims(self.plan.strategy, "consistent" if self.plan.consistent else "all", TIE_RULE)
        return GreedyTree(tree, claims, self.scans, self.seconds)
