"""Building greedy trees with an executor: hand out work items, collect pieces, join them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bcsearch import kernels
from bcsearch.assist import candidates_after
from bcsearch.errors import BcsearchError, ExecutionError
from bcsearch.executors import Executor, Failure
from bcsearch.expand import Item, Plan, expand, history_of, root_item
from bcsearch.game import Game
from bcsearch.hard import check_hard
from bcsearch.ledger import Ledger
from bcsearch.scoring import replies_from, reply_matrix
from bcsearch.signals import Stop
from bcsearch.sizes import guess_count, keeps_matrix
from bcsearch.store import Claims
from bcsearch.strategies import TIE_RULE
from bcsearch.tree import Piece, Tree, assemble

if TYPE_CHECKING:
    from numpy.typing import NDArray

ITEMS = 64  # a part with more than a share of 1/ITEMS of all secrets is a work item of its own
SMALLEST_ITEM = 256

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
    return strategies * guess_count(game) * game.code_count * _SECONDS_PER_PAIR / workers


def open_above(game: Game) -> int:
    """Parts with more secrets than this are work items of their own."""
    return max(SMALLEST_ITEM, game.code_count // ITEMS)


def shared_matrix(game: Game, executor: Executor, room: int | None = None) -> NDArray[np.uint8] | None:
    """The reply matrix where there is room for it, else None: see `sizes.keeps_matrix`."""
    if not keeps_matrix(game, room):
        return None
    return reply_matrix(game, executor.workers if executor.name == "local" else 2)


def expand_task(plan: Plan, matrix: NDArray[np.uint8] | None, item: Item) -> tuple[Piece, list[Item], int, float]:
    """Carry out one work item; what executors run, here or in another process. The last figure is the seconds."""
    kernels.ready()
    start = time.monotonic()
    return *expand(plan, replies_from(plan.game, matrix), item), time.monotonic() - start


def build_greedy(
    game: Game,
    strategies: Iterable[str],
    executor: Executor,
    *,
    consistent: bool,
    hard: bool = False,
    progress: Progress | None = None,
    ledger: Ledger | None = None,
    stop: Stop | None = None,
    memory: int | None = None,
) -> Iterator[GreedyTree]:
    """Build one tree per strategy, as one batch: all items of all strategies share the workers.

    Yields the trees in the order of `strategies`, each as soon as it and those before it are complete; after a stop
    (`stop`) only those that are. The trees do not depend on the executor, the number of workers or their timing, nor on
    what the `ledger` remembers, nor on the `memory` (bytes) there is for the reply matrix, which is kept or not.

    Raises
    ------
    UsageError
        For `hard` mode where the game has none.
    BcsearchError
        After all trees that could be built, when items could not be carried out: the first one is named.
    """
    if hard:
        check_hard(game)
    plan = Plan(game, "", consistent, open_above=open_above(game), hard=hard)
    batch = _Batch(plan, tuple(strategies), executor, ledger or Ledger(), progress, memory)
    waiting = list(batch.growing)
    for key, outcome in executor.outcomes(lambda: bool(stop)):
        batch.take(key, outcome)
        while waiting and batch.growing[waiting[0]].complete:
            yield batch.result(waiting.pop(0))
    while waiting:  # all of them where the ledger knew everything
        name = waiting.pop(0)
        if batch.growing[name].complete:
            yield batch.result(name)
        elif not stop and not batch.failures:
            raise ExecutionError(f"the work for {name} ended before the tree was complete")
    if batch.failures:
        raise batch.failures[0]


class _Batch:
    """Trees that grow at the same time."""

    def __init__(
        self,
        plan: Plan,
        strategies: tuple[str, ...],
        executor: Executor,
        ledger: Ledger,
        progress: Progress | None,
        memory: int | None,
    ) -> None:
        self.game = game = plan.game
        self.executor, self.ledger, self.progress = executor, ledger, progress
        self.start = time.monotonic()
        matrix = shared_matrix(game, executor, memory)
        self.handle = executor.share(matrix) if matrix is not None else None
        self.failures: list[BcsearchError] = []
        self.at_work: set[str] = set()
        self.growing = {name: _Growing(replace(plan, strategy=name)) for name in strategies}
        for name in self.growing:
            self.submit(name, [root_item(game)])

    def submit(self, name: str, items: list[Item]) -> None:
        """Hand items out, but take what is remembered."""
        tree = self.growing[name]
        while items:
            item = items.pop()
            key = f"{name}/{item.key}"
            kept = self.ledger.piece(key)
            if kept is None:
                self.executor.submit(key, expand_task, tree.plan, self.handle, item)
                self.at_work.add(key)
                continue
            piece, scans = kept
            below = [item_of(self.game, open_key) for open_key in piece.open_keys]
            tree.take(item.key, piece, below, scans)
            items.extend(below)
        self.tell(name)

    def take(self, key: str, outcome: Any) -> None:
        """Keep the outcome of an item and hand out what it left open."""
        name, item_key = key.split("/", 1)
        self.at_work.discard(key)
        if isinstance(outcome, Failure):
            self.failures.append(outcome.error)
            self.ledger.keep_failure(key, str(outcome.error))
            return
        piece, items, scans, seconds = outcome
        self.ledger.keep_piece(key, piece, scans, seconds)
        self.growing[name].take(item_key, piece, items, scans)
        self.submit(name, list(items))

    def tell(self, name: str) -> None:
        """Say how far a tree is."""
        tree, secrets = self.growing[name], len(self.game.secrets)
        if self.progress:
            self.progress(name, tree.finished, secrets)
        placed, pieces = (sum(getattr(t, what) for t in self.growing.values()) for what in ("finished", "done"))
        self.ledger.state(
            stage="greedy trees", placed=placed, secrets=secrets * len(self.growing), done=pieces,
            running=len(self.at_work), left=len(self.at_work), keys=sorted(self.at_work), retries=self.executor.retries,
            workers=self.executor.workers, seconds=time.monotonic() - self.start,
        )  # fmt: skip

    def result(self, name: str) -> GreedyTree:
        """The finished tree, its pieces joined."""
        growing = self.growing[name]
        tree = assemble(self.game, growing.pieces, "root")
        claims = Claims(name, growing.plan.pool, TIE_RULE)
        growing.pieces = {}
        return GreedyTree(tree, claims, growing.scans, time.monotonic() - self.start)


class _Growing:
    """A tree whose pieces are arriving."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.pieces: dict[str, Piece] = {}
        self.open = 1
        self.done = self.finished = self.scans = 0  # items, secrets placed, guesses scanned

    @property
    def complete(self) -> bool:
        return self.open == 0

    def take(self, key: str, piece: Piece, items: list[Item], scans: int) -> None:
        """Keep a piece, which leaves some items open."""
        self.pieces[key] = piece
        self.open += len(items) - 1
        self.done += 1
        self.scans += scans
        self.finished += int(piece.size[0]) - sum(len(item.candidates) for item in items)


def item_of(game: Game, key: str) -> Item:
    """The item that a key names; the inverse of `Item.key`."""
    history = history_of(key)
    return Item(history, candidates_after(game, history))
