"""Carrying out one search: a quick pass for a tree and its value, then the proof, as items for an executor.

Every item has a key that comes from the question and the history, and its answer is a fact about a set of candidates,
whatever was known when it was asked. So answers may be kept (`ledger`) and used again by a later run: what comes out
does not depend on which of them were kept, nor on the order in which they came.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from bcsearch.executors import Failure
from bcsearch.ledger import Ledger
from bcsearch.optimal.columns import Columns
from bcsearch.optimal.large import greedy_piece, too_large, value_of
from bcsearch.optimal.proof import DEPTH, SMALL, Node, items_after, next_item, split_node
from bcsearch.optimal.tables import INFINITE, LOST, TOTAL, UNLIMITED, WORST
from bcsearch.optimal.task import Answer, Item, Question, bounds_by_size, run_item, run_items
from bcsearch.tree import Piece

if TYPE_CHECKING:
    from bcsearch.executors import Executor
    from bcsearch.signals import Stop

QUICK = (1, 4)  # guesses tried per node in the quick passes
# Guesses x scans of an item, some twenty seconds; splitting one costs more than it seems, see docs/algorithms.md.
ITEM_WORK = 7_500_000_000
_TASK_SECONDS = 0.5  # Ray tasks hold several items where those are short: a round trip takes milliseconds
_MOST_ITEMS = 64  # of a task
_TELL_SECONDS = 0.1
_UNLIMITED_TOTAL = "total-any"
MODES = {TOTAL: "total", LOST: "lost", WORST: "late"}
_NEVER = 1 << 60
_FIRST_OPTIONS = 4  # first guesses that the quick passes look at

Report = Callable[["Progress"], None]


@dataclass
class Progress:
    """Where a search stands: value of the best tree and proven bound (None: none yet), items done and in sight.

    `kept` of the done ones were remembered from an earlier run; `scans` and `seconds` are this run's.
    """

    stage: str
    best: int | None
    bound: int
    done: int
    kept: int
    running: int
    left: int
    scans: int
    seconds: float


@dataclass
class Session:
    """What all searches of one command share: workers, replies, the wish to stop, what is remembered, counters."""

    executor: Executor
    columns: Columns
    stop: Stop
    report: Report | None = None
    ledger: Ledger = field(default_factory=Ledger)

    def __post_init__(self) -> None:
        whole = self.columns.whole
        self.handle = self.executor.share(whole) if whole is not None else None
        self.guesses = len(self.columns.game.guesses)
        self.start = time.monotonic()
        self.deadline = float("inf")
        self.nodes = self.scans = self.tried = self.items = self.kept = 0
        self.failed: dict[str, str] = {}
        self.told = 0.0

    @property
    def stopped(self) -> bool:
        """Whether time is up or somebody asked to stop."""
        if time.monotonic() >= self.deadline:
            self.stop.flag[0] = 1
        return bool(self.stop)

    def count(self, answer: Answer) -> None:
        """Add up what an item cost."""
        self.items += 1
        self.nodes += answer.nodes
        self.scans += answer.scans
        self.tried += answer.tried


class Search:
    """One question about all secrets, k guesses left. After the passes: `root` holds the value or the bounds."""

    def __init__(self, session: Session, question: Question, k: int, limit: int = INFINITE) -> None:
        self.session, self.question, self.k, self.limit = session, question, k, limit
        game = question.game
        everyone = np.arange(len(game.secrets), dtype=np.int32)
        low = int(bounds_by_size(game, question.mode)[k, len(everyone)])
        self.root = Node((), everyone, k, min(low, INFINITE), None)
        self.name = f"{MODES[question.mode]}-{'any' if k >= UNLIMITED else k}"
        self.root.raise_lower(session.ledger.bound(self.name))
        self.tasks: dict[str, list[Node]] = {}
        self.quick_width: dict[str, int] = {}
        self.greedy: dict[str, Piece] = {}
        self.typical = _TASK_SECONDS  # seconds an item takes now, smoothed
        self.alone = session.executor.name != "ray"  # one item a task

    @property
    def closed(self) -> bool:
        """Whether the root's value is proven, or that it is not under the limit."""
        return self.root.value is not None or self.root.lower >= self.limit

    def quick_passes(self, widths: tuple[int, ...] = QUICK) -> None:
        """Upper bounds, trying a few guesses per node, then some more."""
        self._open_root()
        for width in widths:
            if not self.closed and not self.session.stopped:
                self._quick(width)

    def prove(self) -> None:
        """Work on the open leaves until the root is settled, nothing is left that can be done, or a stop is asked."""
        self._open_root()
        if self.closed or self.session.stopped:
            return
        self._send()
        for key, outcome in self.session.executor.outcomes(lambda: self.session.stopped):
            asked = self.tasks.pop(key)
            for node in asked:
                node.start(-1)
            if isinstance(outcome, Failure):
                self._fail(asked, outcome)
            else:
                for node, answer in zip(asked, outcome, strict=True):
                    if answer is not None:
                        self._take(node, answer)
            if not self.session.stopped:
                self._send()
            self._tell("proof")
        self.tasks.clear()
        self.session.ledger.keep_bound(self.name, self.root.lower)

    def _open_root(self) -> None:
        if self.root.options is None and len(self.root.candidates) > 2 and self.root.lower < self.limit:
            split_node(self.question, self.session.columns, self.root, self.limit)

    def _quick(self, width: int) -> None:
        """Upper bounds of the root's parts, trying `width` guesses per node."""
        question = replace(self.question, width=width)
        parts = {p.key: p for o in (self.root.options or [])[: max(width, _FIRST_OPTIONS)] for p in o.parts.values()}
        for key, part in parts.items():
            if too_large(self.question, part.candidates):
                self._greedy(part)
                continue
            known = self.session.ledger.known(self._key(key, width))
            if known is not None:
                self.session.kept += 1
                self._better(part, known.value, width)
                continue
            item = Item(part.asked, part.candidates, part.k, min(part.upper, INFINITE), _NEVER)
            self.session.executor.submit(key, run_item, question, self.session.handle, item, self.session.stop.flag)
        for key, answer in self.session.executor.outcomes(lambda: self.session.stopped):
            if isinstance(answer, Failure):
                self.session.ledger.keep_failure(self._key(key, width), str(answer.error))
                continue
            if isinstance(answer, tuple) and isinstance(answer[0], Piece):
                piece, scans = answer
                self.session.ledger.keep_piece(f"{self.name}-greedy/{key}", piece, scans, 0.0)
                self._take_greedy(parts[key], piece)
                continue
            self.session.count(answer)
            if answer.finished:
                self._keep(self._key(key, width), answer)
                self._better(parts[key], answer.value, width)
            self._tell(f"width {width}")
        self.root.upper = min([self.root.upper, *(option.upper for option in self.root.options or [])])

    def _greedy(self, part: Node) -> None:
        """Have a greedy tree made of a part that is too large for the quick passes, once."""
        if part.key in self.greedy:
            return
        kept = self.session.ledger.piece(f"{self.name}-greedy/{part.key}")
        if kept is not None:
            self.session.kept += 1
            self._take_greedy(part, kept[0])
        else:
            self.session.executor.submit(part.key, greedy_piece, self.question, part.history, part.candidates)

    def _take_greedy(self, part: Node, piece: Piece) -> None:
        self.greedy[part.key] = piece
        part.upper = min(part.upper, value_of(self.question, piece, part.k))

    def _better(self, part: Node, value: int | None, width: int) -> None:
        if value is not None and value < part.upper:
            part.upper = value
            self.quick_width[part.key] = width

    def _key(self, key: str, width: int | None = None) -> str:
        """Name of an item in the ledger."""
        return f"{self.name}/{key}" if width is None else f"{self.name}-width{width}/{key}"

    def _keep(self, key: str, a: Answer) -> None:
        self.session.ledger.keep_answer(key, a.limit, a.value, a.guess, a.finished, a.seconds, a.scans)

    def _take(self, node: Node, answer: Answer) -> None:
        """Use and keep the answer of an item that was carried out."""
        self.session.count(answer)
        node.seconds = answer.seconds
        if answer.finished:
            self.typical += (answer.seconds - self.typical) / 8
            self._keep(self._key(node.key), answer)
            node.answer(answer.value, answer.limit, answer.guess)
            return
        node.answer(answer.value, answer.limit, -1, exact=False)
        if not self.session.stopped:  # it ran out of its budget
            self._keep(self._key(node.key), answer)
            split_node(self.question, self.session.columns, node, answer.limit)

    def _remembered(self, node: Node, limit: int) -> bool:
        """Use what the ledger knows of an item; False where it has to be carried out.

        A total is at least what it is without a largest depth.
        """
        if self.question.mode == TOTAL and self.k < UNLIMITED:
            free = self.session.ledger.known(f"{_UNLIMITED_TOTAL}/{node.key}")
            if free is not None and free.lower > node.lower:
                node.answer(free.lower, limit, -1, exact=False)
                if node.lower >= limit:
                    return True
        known = self.session.ledger.known(self._key(node.key))
        if known is None:
            return False
        node.seconds = known.seconds
        if known.value is not None:
            node.answer(known.value, known.value + 1, known.guess)
        elif known.lower >= limit:
            node.answer(known.lower, limit, -1)
        elif known.split:
            node.answer(known.lower, limit, -1, exact=False)
            split_node(self.question, self.session.columns, node, limit)
        else:
            return False
        self.session.kept += 1
        return True

    def _known(self, node: Node) -> bool:
        return self.session.ledger.known(self._key(node.key)) is not None

    def _fail(self, asked: list[Node], failure: Failure) -> None:
        """Name an item that cannot be carried out and go on without it; several at once are tried one by one."""
        if len(asked) > 1:
            self.alone = True
            return
        node = asked[0]
        node.failed = True
        key = self._key(node.key)
        self.session.failed[key] = str(failure.error)
        self.session.ledger.keep_failure(key, str(failure.error))

    def _send(self) -> None:
        """Keep every worker busy."""
        while len(self.tasks) < self.session.executor.room:
            first = self._next()
            if first is None:
                return
            asked = [first]
            first[0].start()
            if not self.alone:
                most = int(min(_MOST_ITEMS, max(1, _TASK_SECONDS / max(self.typical, 1e-6))))
                more = (found for found in items_after(*first) if not self._known(found[0]))
                for found in islice(more, most - 1):
                    found[0].start()
                    asked.append(found)
            key = asked[0][0].key
            self.tasks[key] = [node for node, _ in asked]
            budget = max(1, ITEM_WORK // self.session.guesses)
            items = [Item(node.asked, node.candidates, node.k, limit, budget) for node, limit in asked]
            # The parts of one guess share its limit: what one takes more than its bound, the next has less.
            groups = [(id(node.parent), node.lower) for node, _ in asked]
            self.session.executor.submit(
                key, run_items, self.question, self.session.handle, items, groups, self.session.stop.flag
            )

    def _next(self) -> tuple[Node, int] | None:
        """The next item that has to be carried out, after using what is remembered and splitting what is large."""
        while True:
            found = next_item(self.root, min(self.limit, self.root.upper + 1))
            if found is None:
                return None
            node, limit = found
            if self._splits(node):
                split_node(self.question, self.session.columns, node, limit)
            elif not self._remembered(node, limit):
                return found

    @property
    def title(self) -> str:
        """What is searched for, in words."""
        within = "" if self.k >= UNLIMITED else f" within {self.k} guesses"
        if self.question.mode == TOTAL:
            return f"total{within}"
        if self.question.mode == LOST:
            return f"secrets lost{within}" if self.limit > 1 else f"whether {self.k} guesses are enough"
        return f"secrets that need guess {self.k}"

    def _splits(self, node: Node) -> bool:
        """Whether a set is split before it is tried: near the top, and where one thread's memory would not do."""
        pairs = len(node.candidates) * self.session.guesses
        return pairs > SMALL and (len(node.history) < DEPTH or too_large(self.question, node.candidates))

    def _tell(self, stage: str) -> None:
        now = time.monotonic()
        if now - self.session.told < _TELL_SECONDS:
            return
        self.session.told = now
        self.root.upper = min([self.root.upper, *(option.upper for option in self.root.options or [])])
        best = self.root.upper if self.root.upper < INFINITE else None
        s = self.session
        running = sum(len(asked) for asked in self.tasks.values())
        elapsed = time.monotonic() - s.start
        progress = Progress(
            f"{self.title}, {stage}",
            best,
            self.root.lower,
            s.items + s.kept,
            s.kept,
            running,
            self._left(),
            s.scans,
            elapsed,
        )
        if s.report is not None:
            s.report(progress)
        s.ledger.state(**vars(progress), retries=s.executor.retries, workers=s.executor.workers, keys=list(self.tasks))

    def _left(self) -> int:
        """Parts of the first two guesses that are still open."""
        return sum(p.value is None for o in self.root.options or [] for p in o.parts.values())
