"""Who carries out work items: threads of this process, or tasks on a Ray cluster (`ray_executor`).

Both engines have one small interface. Work is a pure function and its arguments, named by a key; results come back as
they finish; more may be submitted while results are read. What a result means, and in which order results are merged,
is the caller's business: the caller must not depend on arrival order.

Large arrays are handed over once with `share`; the handle then stands for the array among a function's arguments.
"""

from __future__ import annotations

import os
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any

from bcsearch.errors import BcsearchError, ExecutionError, Interrupted, UsageError

EXECUTORS = ("auto", "local", "ray")

RAY_START_SECONDS = 10.0  # starting a local Ray instance takes 5 to 14 s on a small machine
POLL_SECONDS = 0.5
_GRACE_SECONDS = 2.5  # once a stop is asked, items that finish within this are kept

Say = Callable[[str], None]


@dataclass
class Failure:
    """What `outcomes` yields in place of a result for an item that could not be carried out."""

    error: BcsearchError


def never() -> bool:
    """Nobody asks to stop."""
    return False


def unheard(text: str) -> None:
    """Say nothing."""


class Executor(ABC):
    """Submit work items, get results as they finish. A context manager; leaving it drops what is not done.

    Attributes
    ----------
    workers
        Processors at work when the executor was opened; `room` follows a cluster that grows and shrinks.
    retries
        Items that were handed out again so far, because they were lost or failed.
    """

    name: str
    workers: int
    retries: int = 0

    @abstractmethod
    def share(self, array: Any) -> Any:
        """Hand a large read-only array over once; returns what to pass as an argument in its place."""

    def prepare(self, function: Callable[..., Any], *arguments: Any) -> None:
        """Let other processes do what each does once before it can work, while the caller gets ready itself."""
        return None  # threads have nothing to prepare

    @abstractmethod
    def submit(self, key: str, function: Callable[..., Any], *arguments: Any) -> None:
        """Queue ``function(*arguments)`` under a key of its own."""

    @abstractmethod
    def outcomes(self, stopped: Callable[[], bool] = never) -> Iterator[tuple[str, Any]]:
        """Yield (key, result, or `Failure`) as items finish, until nothing is queued or running.

        Once `stopped()` is true, what is queued is dropped, and what cannot be told to stop is not waited for.
        """

    @abstractmethod
    def forget(self) -> None:
        """Let go of what is queued or running: its results are not yielded. A task that runs ends in its own time."""

    def results(self, stopped: Callable[[], bool] = never) -> Iterator[tuple[str, Any]]:
        """Yield (key, result) as `outcomes` does.

        Raises what the function raised where that is a BcsearchError, else ExecutionError naming the item.
        """
        for key, outcome in self.outcomes(stopped):
            if isinstance(outcome, Failure):
                raise outcome.error
            yield key, outcome

    @property
    def room(self) -> int:
        """Items worth having in flight now: enough that no processor waits, few enough that none grows stale."""
        return self.workers

    def __enter__(self) -> Executor:
        return self

    @abstractmethod
    def __exit__(self, *exception: object) -> None: ...


def as_failure(key: str, error: BaseException) -> BcsearchError:
    """A task's own exception: the user's to read when it is ours, else named with its item."""
    if isinstance(error, BcsearchError):
        return error
    text = str(error).strip().splitlines()
    return ExecutionError(f"work item {key}: {type(error).__name__}: {text[-1] if text else 'no text'}")


class LocalExecutor(Executor):
    """Threads of this process. Kernels run without the interpreter lock, so threads use the cores.

    An item that fails here would fail again: it is not retried.
    """

    name = "local"

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="bcsearch")
        self._running: dict[Future[Any], str] = {}
        self._done: SimpleQueue[Future[Any]] = SimpleQueue()

    def share(self, array: Any) -> Any:
        """Threads see the same memory: the array itself."""
        return array

    def submit(self, key: str, function: Callable[..., Any], *arguments: Any) -> None:
        """Queue a call in the thread pool."""
        future = self._pool.submit(function, *arguments)
        self._running[future] = key
        future.add_done_callback(self._done.put)

    def outcomes(self, stopped: Callable[[], bool] = never) -> Iterator[tuple[str, Any]]:
        """Yield results in the order in which they finish."""
        patience = Patience(stopped)
        while self._running:
            if patience.over:
                self._running.clear()
                return
            if patience.stopped:
                for future in list(self._running):
                    future.cancel()
            try:
                future = self._done.get(timeout=POLL_SECONDS)
            except Empty:
                continue
            key = self._running.pop(future, None)
            if key is None or future.cancelled():
                continue
            error = future.exception()
            if error is None:
                yield key, future.result()
            elif isinstance(error, Exception):
                yield key, Failure(as_failure(key, error))
            else:
                raise error

    def forget(self) -> None:
        """Cancel what has not begun."""
        for future in self._running:
            future.cancel()
        self._running.clear()

    def __exit__(self, *exception: object) -> None:
        # A kernel cannot be interrupted: after Ctrl-C the process ends without waiting for those that run.
        interrupted = len(exception) > 1 and isinstance(exception[1], (KeyboardInterrupt, Interrupted))
        self._pool.shutdown(wait=not interrupted, cancel_futures=True)


@dataclass
class Patience:
    """How long the items that run when a stop is asked are waited for."""

    ask: Callable[[], bool]
    since: float | None = None

    @property
    def stopped(self) -> bool:
        """Whether a stop is asked."""
        if self.since is None and self.ask():
            self.since = time.monotonic()
        return self.since is not None

    @property
    def over(self) -> bool:
        """Whether it was asked some time ago."""
        return self.stopped and self.since is not None and time.monotonic() - self.since > _GRACE_SECONDS


def available_cpus() -> int:
    """Processors this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def make_executor(
    kind: str, address: str | None, workers: int | None, seconds: float, *, batch: bool = False, say: Say
) -> Executor:
    """Open the executor to use, and say in one line which and why.

    Parameters
    ----------
    kind
        "local", "ray" or "auto". Auto takes Ray when an address is given (`address`, else RAY_ADDRESS), for a whole
        batch, or when the job is estimated at more `seconds` than starting Ray takes; else local threads.
    address, workers
        As on the command line, or None.
    """
    if workers is not None and workers < 1:
        raise UsageError(f"--workers {workers}: at least 1")
    if kind == "local" and address is not None:
        raise UsageError("--address goes with --executor ray (or auto), not with local")
    where = address or os.environ.get("RAY_ADDRESS") or None
    chosen, why = choose(kind, where, seconds, batch)
    start = time.monotonic()
    executor: Executor
    if chosen == "ray":
        say(f"executor: ray ({why}); {'connecting' if where else 'starting a local instance, about 10 s'} ...")
        from bcsearch.ray_executor import RayExecutor

        executor = RayExecutor(where, workers, say)
        say(f"executor: ray ready in {time.monotonic() - start:.1f} s, workers: {executor.workers}")
        if executor.workers == 0:
            say("executor: the cluster has no processors for work now; waiting until workers join (Ctrl-C to stop)")
    else:
        executor = LocalExecutor(workers or available_cpus())
        say(f"executor: local ({why}), threads: {executor.workers}")
    return executor


def choose(kind: str, where: str | None, seconds: float, batch: bool) -> tuple[str, str]:
    """Executor to take, and why; see `make_executor`."""
    if kind != "auto":
        return kind, "as asked"
    if where:
        return "ray", f"address {where}"
    if batch:
        return "ray", "whole batch"
    if seconds > RAY_START_SECONDS:
        return "ray", f"estimated at {seconds:.0f} s, longer than Ray needs to start"
    return "local", f"estimated at {max(seconds, 0.1):.1f} s, less than Ray needs to start"
