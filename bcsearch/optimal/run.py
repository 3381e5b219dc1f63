"""Carrying out one search: a quick pass for a tree and its value, then the proof, as items for an executor."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bcsearch.optimal.proof import DEPTH, SMALL, Node, next_item, split_node
from bcsearch.optimal.tables import INFINITE
from bcsearch.optimal.task import Answer, Item, Question, bounds_by_size, run_item

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bcsearch.executors import Executor

QUICK = (1, 4)  # guesses tried per node in the quick passes
_ITEM_SCANS = 1_500_000  # some twenty seconds; splitting an item costs more than it seems, see docs/algorithms.md
_NEVER = 1 << 60
_FIRST_OPTIONS = 4  # first guesses that the quick passes look at

Report = Callable[["Progress"], None]


@dataclass
class Progress:
    """Where a search stands: value of the best tree and proven bound (None: none yet), items done and in sight."""

    stage: str
    best: int | None
    bound: int
    done: int
    left: int
    scans: int
    seconds: float


@dataclass
class Session:
    """What all searches of one command share: workers, replies, the stop flag, counters."""

    executor: Executor
    columns: NDArray[np.uint8]
    stop: NDArray[np.int8]
    report: Report | None = None

    def __post_init__(self) -> None:
        self.handle = self.executor.share(self.columns)
        self.start = time.monotonic()
        self.deadline = float("inf")
        self.nodes = self.scans = self.tried = self.items = 0

    @property
    def stopped(self) -> bool:
        """Whether time is up or somebody asked to stop."""
        if time.monotonic() >= self.deadline:
            self.stop[0] = 1
        return bool(self.stop[0])

    def count(self, answer: Answer) -> None:
        """Add up what an item cost."""
        self.items += 1
        self.nodes += answer.nodes
        self.scans += answer.scans
        self.tried += answer.tried


class Search:
    """One question about all secrets, k guesses left. After `run`: `root` holds the value or the bounds."""

    def __init__(self, session: Session, question: Question, k: int, limit: int = INFINITE) -> None:
        self.session, self.question, self.k, self.limit = session, question, k, limit
        game = question.game
        everyone = np.arange(len(game.secrets), dtype=np.int32)
        low = int(bounds_by_size(game, question.mode)[k, len(everyone)])
        self.root = Node((), everyone, k, min(low, INFINITE), None)
        self.sent: dict[str, tuple[Node, int]] = {}
        self.quick_width: dict[str, int] = {}

    @property
    def closed(self) -> bool:
        """Whether the root's value is proven, or that it is not under the limit."""
        return self.root.value is not None or self.root.lower >= self.limit

    def run(self, widths: tuple[int, ...] = QUICK, prove: bool = True) -> None:
        """Quick passes of the given widths, then the proof."""
        if len(self.root.candidates) > 2 and self.root.lower < self.limit:
            split_node(self.question, self.session.columns, self.root, self.limit)
        for width in widths:
            if not self.closed and not self.session.stopped:
                self.quick(width)
        if prove and not self.closed and not self.session.stopped:
            self.prove()

    def quick(self, width: int) -> None:
        """Upper bounds of the root's parts, trying `width` guesses per node."""
        question = replace(self.question, width=width)
        parts = {p.key: p for o in (self.root.options or [])[: max(width, _FIRST_OPTIONS)] for p in o.parts.values()}
        for key, part in parts.items():
            item = Item(part.asked, part.candidates, part.k, min(part.upper, INFINITE), _NEVER)
            self.session.executor.submit(key, run_item, question, self.session.handle, item, self.session.stop)
        for key, answer in self._answers():
            if answer.finished and answer.value < parts[key].upper:
                parts[key].upper = answer.value
                self.quick_width[key] = width
            self._tell(f"width {width}")
        self.root.upper = min([self.root.upper, *(option.upper for option in self.root.options or [])])

    def prove(self) -> None:
        """Work on the open leaves until the root is settled or the search is stopped."""
        self._send()
        for key, answer in self._answers():
            node, limit = self.sent.pop(key)
            node.start(-1)
            if answer.finished:
                node.answer(answer.value, limit, answer.guess)
            elif not self.session.stopped:
                split_node(self.question, self.session.columns, node, limit)
            if not self.session.stopped:
                self._send()
            self._tell("proof")

    def _answers(self) -> Any:
        """Results as they come; once the stop flag is set, running items return soon."""
        for key, answer in self.session.executor.results():
            self.session.count(answer)
            yield key, answer

    def _send(self) -> None:
        """Keep every worker busy."""
        room = self.session.executor.workers * (2 if self.session.executor.name == "ray" else 1)
        while len(self.sent) < room:
            found = next_item(self.root, min(self.limit, self.root.upper + 1))
            if found is None:
                return
            node, limit = found
            if len(node.history) < DEPTH and len(node.candidates) * self.session.columns.shape[1] > SMALL:
                split_node(self.question, self.session.columns, node, limit)
                continue
            node.start()
            self.sent[node.key] = node, limit
            item = Item(node.asked, node.candidates, node.k, limit, _ITEM_SCANS)
            self.session.executor.submit(
                node.key, run_item, self.question, self.session.handle, item, self.session.stop
            )

    def _tell(self, stage: str) -> None:
        report = self.session.report
        if report is not None:
            best = self.root.upper if self.root.upper < INFINITE else None
            s = self.session
            elapsed = time.monotonic() - s.start
            report(Progress(stage, best, self.root.lower, s.items, self._left(), s.scans, elapsed))

    def _left(self) -> int:
        """Parts of the first two guesses that are still open."""
        return sum(p.value is None for o in self.root.options or [] for p in o.parts.values())
