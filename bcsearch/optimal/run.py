"""Carrying out one search: a quick pass for a tree and its value, then the proof, as items for an executor.

Every item has a key that comes from the question and the history, and its answer is a fact about a set of candidates,
whatever was known when it was asked. So answers may be kept (`ledger`) and used again by a later run: what comes out
does not depend on which of them were kept, nor on the order in which they came.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import islice, takewhile
from typing import Any

import numpy as np

from bcsearch.executors import Failure
from bcsearch.optimal.large import greedy_piece, too_large, value_of
from bcsearch.optimal.proof import DEPTH, SMALL, Node, items_after, next_item, split_node
from bcsearch.optimal.session import Session
from bcsearch.optimal.tables import INFINITE, LOST, TOTAL, UNLIMITED, WORST
from bcsearch.optimal.task import Answer, Item, Question, bounds_by_size, run_item, run_items
from bcsearch.plurals import counted
from bcsearch.tree import Piece

QUICK = (1, 4)  # guesses tried per node in the quick passes
# Guesses x scans of an item, some twenty seconds; splitting one costs more than it seems, see docs/algorithms.md.
ITEM_WORK = 7_500_000_000
_TASK_SECONDS = 0.5  # Ray tasks hold several items where those are short: a round trip takes milliseconds
_MOST_ITEMS = 64  # of a task
_SHORT = 1_000_000  # candidates x guesses above which an item is a task of its own: others may take the next
_UNLIMITED_TOTAL = "total-any"
MODES = {TOTAL: "total", LOST: "lost", WORST: "late"}
_NEVER = 1 << 60
_FIRST_OPTIONS = 4  # first guesses that the quick passes look at


class Search:
    """One question about all secrets, k guesses left. After the passes: `root` holds the value or the bounds.

    A search `ahead` of its time has a flag of its own: it is ended with the command that may never ask for it.
    """

    def __init__(
        self, session: Session, question: Question, k: int, limit: int = INFINITE, *, ahead: bool = False
    ) -> None:
        self.session, self.question, self.k, self.limit = session, question, k, limit
        game = question.game
        everyone = np.arange(len(game.secrets), dtype=np.int32)
        low = int(bounds_by_size(game, question.mode)[k, len(everyone)])
        self.root = Node((), everyone, k, min(low, INFINITE), None)
        self.name = f"{MODES[question.mode]}-{'any' if k >= UNLIMITED else k}"
        self.root.raise_lower(session.ledger.bound(self.name))
        self.tasks: dict[str, list[Node]] = {}
        self.failed: dict[str, str] = {}
        self.flag = session.new_flag() if ahead else session.stop.flag  # set to 1, its items come back soon
        self.quick_width: dict[str, int] = {}
        self.greedy: dict[str, Piece] = {}
        self.typical = _TASK_SECONDS  # seconds an item takes now, smoothed
        self.alone = session.executor.name != "ray"  # one item a task
        self.meanwhile: Callable[[], Search | None] | None = None

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

    def prove(self, meanwhile: Callable[[], Search | None] | None = None) -> None:
        """Work on the open leaves until the root is settled, nothing is left that can be done, or a stop is asked.

        Workers that it has nothing for are given to the search that `meanwhile` names, if any: one likely to be next.
        """
        self._open_root()
        if not self.closed and not self.session.stopped:
            self.meanwhile = meanwhile
            self.session.work_on(self)
            self.tasks.clear()
        if self.root.options is not None:
            self.session.ledger.keep_bound(self.name, self.root.lower)
        self.session.failed.update(self.failed)

    def refill(self) -> None:
        """Keep every worker busy."""
        while len(self.tasks) < self.session.executor.room and (self.session.idle or not self.tasks):
            if not self.send_task():
                break
        while self.meanwhile is not None and self.tasks and self.session.idle:
            search = self.meanwhile()
            if search is None or not search.send_task():
                break

    def _finished(self, key: str, outcome: Any) -> None:
        """Use what a task brought, and hand out more."""
        asked = self.tasks.pop(key)
        for node in asked:
            node.start(-1)
        if isinstance(outcome, Failure):
            self._fail(asked, outcome)
        else:
            for node, answer in zip(asked, outcome, strict=True):
                if answer is not None:
                    self._take(node, answer)

    def _open_root(self) -> None:
        """Give the root its options."""
        if self.root.options is None and len(self.root.candidates) > 2 and self.root.lower < self.limit:
            split_node(self.question, self.session.columns, self.root, self.limit)

    def best_upper(self) -> int:
        """Value of the best tree that can be made by now; brings `root` up to date."""
        self.root.upper = min([self.root.upper, *(option.upper for option in self.root.options or [])])
        return self.root.upper

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
            arguments = (question, self.session.handle, item, self.flag)
            self.session.submit(self._key(key, width), partial(self._quick_done, part, width), run_item, *arguments)
        self.session.work(lambda: bool(self.session.waiting))
        self.best_upper()

    def _quick_done(self, part: Node, width: int, answer: Any) -> None:
        key = self._key(part.key, width)
        if isinstance(answer, Failure):
            self.session.ledger.keep_failure(key, str(answer.error))
            return
        self.session.count(answer)
        if answer.finished:
            self._keep(key, answer)
            self._better(part, answer.value, width)
        self.tell(f"width {width}")

    def _greedy(self, part: Node) -> None:
        """Have a greedy tree made of a part that is too large for the quick passes, once."""
        if part.key in self.greedy:
            return
        key = f"{self.name}-greedy/{part.key}"
        kept = self.session.ledger.piece(key)
        if kept is not None:
            self.session.kept += 1
            self._take_greedy(part, kept[0])
        else:
            taker = partial(self._greedy_done, part)
            self.session.submit(key, taker, greedy_piece, self.question, part.history, part.candidates)

    def _greedy_done(self, part: Node, made: Any) -> None:
        key = f"{self.name}-greedy/{part.key}"
        if isinstance(made, Failure):
            self.session.ledger.keep_failure(key, str(made.error))
            return
        piece, scans = made
        self.session.ledger.keep_piece(key, piece, scans, 0.0)
        self._take_greedy(part, piece)

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
        if not self.session.stopped and not self.flag[0]:  # it ran out of its budget
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
        self.failed[key] = str(failure.error)
        self.session.ledger.keep_failure(key, str(failure.error))

    def send_task(self) -> bool:
        """Hand out one task; False where nothing can be done now."""
        self._open_root()
        first = None if self.closed else self._next()
        if first is None:
            return False
        asked = [first]
        first[0].start()
        if not self.alone and self._short(first[0]):
            most = int(min(_MOST_ITEMS, max(1, _TASK_SECONDS / max(self.typical, 1e-6))))
            short = takewhile(lambda found: self._short(found[0]), items_after(*first))
            for found in islice((found for found in short if not self._known(found[0])), most - 1):
                found[0].start()
                asked.append(found)
        key = self._key(asked[0][0].key)
        self.tasks[key] = [node for node, _ in asked]
        budget = max(1, ITEM_WORK // self.session.guesses)
        items = [Item(node.asked, node.candidates, node.k, limit, budget) for node, limit in asked]
        # The parts of one guess share its limit: what one takes more than its bound, the next has less.
        groups = [(id(node.parent), node.lower) for node, _ in asked]
        arguments = (self.question, self.session.handle, items, groups, self.flag)
        self.session.submit(key, partial(self._finished, key), run_items, *arguments)
        return True

    def _short(self, node: Node) -> bool:
        """Whether an item is not worth a task of its own."""
        return len(node.candidates) * self.session.guesses <= _SHORT

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
        within = "" if self.k >= UNLIMITED else f" within {counted(self.k, 'guess')}"
        if self.question.mode == TOTAL:
            return f"total{within}"
        if self.question.mode == LOST:
            enough = "guesses are" if self.k > 1 else "guess is"
            return f"secrets lost{within}" if self.limit > 1 else f"whether {self.k} {enough} enough"
        return f"secrets that need guess {self.k}"

    def _splits(self, node: Node) -> bool:
        """Whether a set is split before it is tried: near the top, and where one thread's memory would not do."""
        pairs = len(node.candidates) * self.session.guesses
        return pairs > SMALL and (len(node.history) < DEPTH or too_large(self.question, node.candidates))

    def tell(self, stage: str = "proof") -> None:
        """Say how far the search is, now and then."""
        session = self.session
        if not session.time_to_tell():
            return
        best = self.best_upper() if self.best_upper() < INFINITE else None
        running = sum(len(asked) for asked in self.tasks.values())
        session.tell(f"{self.title}, {stage}", best, self.root.lower, running, self._left())

    def _left(self) -> int:
        """Parts of the first two guesses that are still open."""
        return sum(p.value is None for o in self.root.options or [] for p in o.parts.values())
