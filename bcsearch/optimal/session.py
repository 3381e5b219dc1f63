"""What all searches of one command share, and whose result is whose.

Several searches, and the making of trees, may have work under way at once: everything that is handed out comes with
the function that takes its result.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from bcsearch.ledger import Ledger
from bcsearch.optimal.columns import Columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bcsearch.executors import Executor
    from bcsearch.optimal.run import Search
    from bcsearch.optimal.task import Answer
    from bcsearch.signals import Stop

_TELL_SECONDS = 0.1


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


Report = Callable[[Progress], None]


@dataclass
class Session:
    """Workers, replies, the wish to stop, what is remembered, counters; and what is under way."""

    executor: Executor
    columns: Columns
    stop: Stop
    report: Report | None = None
    ledger: Ledger = field(default_factory=Ledger)

    def __post_init__(self) -> None:
        whole = self.columns.whole
        self.handle = self.executor.share(whole) if whole is not None else None
        self.memory = uuid.uuid4().hex if self.executor.name == "ray" else ""
        self.guesses = len(self.columns.game.guesses)
        self.start = time.monotonic()
        self.deadline = float("inf")
        self.nodes = self.scans = self.tried = self.items = self.kept = 0
        self.failed: dict[str, str] = {}
        self.waiting: dict[str, Callable[[Any], None]] = {}
        self._flags: list[NDArray[np.int8]] = []
        self._search: Search | None = None
        self._told = 0.0

    @property
    def stopped(self) -> bool:
        """Whether time is up or somebody asked to stop."""
        if time.monotonic() >= self.deadline:
            self.stop.flag[0] = 1
        if self.stop:
            self._raise_flags()
        return bool(self.stop)

    @property
    def idle(self) -> bool:
        """Whether a worker has nothing to do."""
        return len(self.waiting) < self.executor.room

    def submit(self, key: str, take: Callable[[Any], None], function: Callable[..., Any], *arguments: Any) -> None:
        """Have ``function(*arguments)`` carried out; `take` gets the result, or an `executors.Failure`."""
        while key in self.waiting:  # of a search that was given up, and is taken up anew
            key += "'"
        self.waiting[key] = take
        self.executor.submit(key, function, *arguments)

    def work_on(self, search: Search) -> None:
        """Keep all workers busy with a search until nothing of it is under way."""
        self._search = search
        search.refill()
        self.work(lambda: bool(search.tasks))
        self._search = None

    def work(self, going: Callable[[], bool]) -> None:
        """Take results as they come, whosever they are, while `going()` is true and anything is under way."""
        if not going():
            return
        for key, outcome in self.executor.outcomes(lambda: self.stopped):
            self.waiting.pop(key)(outcome)
            if self._search is not None:
                if not self.stopped:
                    self._search.refill()
                self._search.tell()
            if not going():
                return
        self.waiting.clear()  # after a stop, some are not waited for

    def new_flag(self) -> NDArray[np.int8]:
        """A flag for items that nobody may wait for: raised by a stop, and by `drop`."""
        self._flags.append(np.zeros(1, dtype=np.int8))
        return self._flags[-1]

    def _raise_flags(self) -> None:
        for flag in self._flags:
            flag[0] = 1

    def drop(self) -> None:
        """Let go of what is under way."""
        self._raise_flags()
        self.executor.forget()
        self.waiting.clear()

    def count(self, answer: Answer) -> None:
        """Add up what an item cost."""
        self.items += 1
        self.nodes += answer.nodes
        self.scans += answer.scans
        self.tried += answer.tried

    def time_to_tell(self) -> bool:
        """Whether it is time for another word."""
        now = time.monotonic()
        if now - self._told < _TELL_SECONDS:
            return False
        self._told = now
        return True

    def tell(self, stage: str, best: int | None, bound: int, running: int, left: int) -> None:
        """Report how far the work is, and note it for those who look at the run."""
        done, seconds = self.items + self.kept, time.monotonic() - self.start
        progress = Progress(stage, best, bound, done, self.kept, running, left, self.scans, seconds)
        if self.report is not None:
            self.report(progress)
        state = {**vars(progress), "retries": self.executor.retries, "workers": self.executor.workers}
        self.ledger.state(**state, keys=list(self.waiting))
