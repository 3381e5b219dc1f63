"""Work items as tasks on a Ray cluster.

Ray schedules and transports; what is done about lost workers, nodes and objects is decided here, for a task that is
tried again must stay the same item.
"""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from bcsearch.clusters import Borrowed, start_ray
from bcsearch.errors import BcsearchError, ExecutionError, Interrupted
from bcsearch.executors import POLL_SECONDS, Executor, Failure, Patience, Say, as_failure, never, unheard

_ATTEMPTS = 4  # how often an item is tried when its worker dies of it, or it raises
_LOSSES = 12  # how often when a node or an object is lost, which says nothing about the item
_LONGEST_PAUSE = 15.0  # seconds before a lost item is tried again, doubled from half a second
_SILENCE_SECONDS = 60.0


@dataclass
class _Task:
    key: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    attempts: int = 0
    losses: int = 0
    not_before: float = 0.0


class RayExecutor(Executor):
    """Tasks on a Ray cluster: on `address`, or on a private instance started here when it is None.

    The caller's process owns all state; a task that is lost with its worker or node is submitted again, a few times,
    and so is one that raises something unforeseen: its node may be short of memory, or broken.
    """

    name = "ray"

    def __init__(self, address: str | None, workers: int | None, say: Say = unheard) -> None:
        self._ray = start_ray(address, workers)
        self.workers = workers or self._cluster_cpus()
        self._fixed = workers
        self._say = say
        self._heard = time.monotonic()  # when a task was finished last
        # The processes of an instance of our own may have had the same signal as we, and be gone: Ray would wait.
        self._private = address is None and not isinstance(self._ray, Borrowed)
        self._queue: deque[_Task] = deque()
        self._running: dict[Any, _Task] = {}
        self._remotes: dict[Callable[..., Any], Any] = {}
        self._cpus = (0.0, self.workers)

    def share(self, array: Any) -> Any:
        """Put the array into the object store; workers get a read-only view of it, without a copy."""
        return self._ray.put(array)

    def prepare(self, function: Callable[..., Any], *arguments: Any) -> None:
        """One task for each processor, whose end nobody waits for."""
        for _ in range(self.workers):
            self._remote(function).remote(*arguments)

    def submit(self, key: str, function: Callable[..., Any], *arguments: Any) -> None:
        """Queue a task; it goes to Ray when there is `room`."""
        self._queue.append(_Task(key, function, arguments))

    def outcomes(self, stopped: Callable[[], bool] = never) -> Iterator[tuple[str, Any]]:
        """Yield results as tasks finish; lost tasks are submitted again."""
        patience = Patience(stopped)
        self._heard = time.monotonic()
        while self._queue or self._running:
            if patience.stopped:
                self._queue.clear()
                if patience.over or self._private:
                    self._drop()
                    return
            self._fill()
            self._listen_for_silence()
            if not self._running:
                time.sleep(0 if patience.stopped else POLL_SECONDS)
                continue
            done, _ = self._ray.wait(list(self._running), num_returns=1, timeout=POLL_SECONDS)
            for reference in done:
                task = self._running.pop(reference)
                self._heard = time.monotonic()
                try:
                    result = self._ray.get(reference)
                except (*self._lost(), self._ray.exceptions.RayTaskError) as error:
                    failure = self._again(task, error)
                    if failure is not None:
                        yield task.key, failure
                else:
                    yield task.key, result

    def forget(self) -> None:
        """Queued tasks go; Ray lets those that run end, for killing one costs its worker process."""
        self._queue.clear()
        self._running.clear()

    @property
    def room(self) -> int:
        """As many as there are processors now, and a quarter more that wait: an autoscaler adds nodes only for those.

        No more, and none where there are few processors: what waits does not know what the others find out.
        """
        cpus = self._fixed or max(1, self._current_cpus())
        return cpus + cpus // 4

    def _fill(self) -> None:
        """Send queued tasks, as many as there is room for now: the cluster may have grown or shrunk."""
        room = 2 * max(1, self._fixed or self._current_cpus())
        now = time.monotonic()
        waiting = [task for task in self._queue if task.not_before > now]
        while self._queue and len(self._running) < room:
            task = self._queue.popleft()
            if task.not_before > now:
                continue
            self._running[self._remote(task.function).remote(*task.arguments)] = task
        if waiting:
            self._queue = deque([*waiting, *(task for task in self._queue if task.not_before <= now)])

    def _listen_for_silence(self) -> None:
        """Say so when tasks wait although there are processors for them: for what they need to fit into memory, mostly.

        Ray waits for that for ever, without a word.
        """
        silent = time.monotonic() - self._heard
        if silent < _SILENCE_SECONDS or not self._running:
            return
        self._heard = time.monotonic()
        free = self._ray.available_resources().get("CPU", 0)
        if free >= 1:
            self._say(
                f"executor: nothing has come back for {silent:.0f} s, and {free:.0f} processors are free: Ray cannot "
                "bring tasks what they need. An object store may be full (`ray memory` shows of what; what a killed "
                "process had there goes after some minutes), or a node unreachable; Ctrl-C stops"
            )

    def _remote(self, function: Callable[..., Any]) -> Any:
        if function not in self._remotes:
            options = {"num_cpus": 1, "max_retries": 0, "retry_exceptions": False}
            self._remotes[function] = self._ray.remote(**options)(function)
        return self._remotes[function]

    def _lost(self) -> tuple[type[Exception], ...]:
        """Errors that say nothing about the item: its worker, node or memory was lost."""
        e = self._ray.exceptions
        return (
            e.WorkerCrashedError,
            e.NodeDiedError,
            e.OutOfMemoryError,
            e.ObjectLostError,
            e.TaskCancelledError,
            e.RaySystemError,
        )

    def _again(self, task: _Task, error: Exception) -> Failure | None:
        """Queue a task once more, after a pause, or say why not.

        A broken node fails tasks as fast as it gets them: without pauses it would use up the patience with all items.
        """
        e = self._ray.exceptions
        cause = getattr(error, "cause", None)
        if isinstance(cause, BcsearchError):
            return Failure(cause)
        if isinstance(error, (e.NodeDiedError, e.ObjectLostError, e.RaySystemError, e.TaskCancelledError)):
            task.losses += 1
        else:
            task.attempts += 1
        if task.attempts < _ATTEMPTS and task.losses < _LOSSES:
            self.retries += 1
            pause = 0.5 * 2.0 ** (task.attempts + task.losses - 1)
            task.not_before = time.monotonic() + min(_LONGEST_PAUSE, pause)
            self._queue.append(task)
            return None
        if cause is not None and not isinstance(error, self._lost()):
            return Failure(as_failure(task.key, cause))
        name = type(error).__name__.removeprefix("RayTaskError(").rstrip(")")
        text = f"work item {task.key}: lost {task.attempts + task.losses} times with its worker ({name}); giving up"
        return Failure(ExecutionError(text))

    def _cluster_cpus(self) -> int:
        return int(self._ray.cluster_resources().get("CPU", 0))

    def _current_cpus(self) -> int:
        """Processors of the cluster, asked for now and then."""
        asked, cpus = self._cpus
        if time.monotonic() - asked > POLL_SECONDS:
            cpus = self._cluster_cpus()
            self._cpus = time.monotonic(), cpus
        return cpus

    def _drop(self) -> None:
        """Let go of all tasks; those that run are ended with their worker process: a kernel listens to nothing."""
        self._queue.clear()
        for reference in [] if self._private else self._running:
            with contextlib.suppress(Exception):
                self._ray.cancel(reference, force=True)
        self._running.clear()

    def __exit__(self, *exception: object) -> None:
        self._drop()
        interrupted = len(exception) > 1 and isinstance(exception[1], (KeyboardInterrupt, Interrupted))
        if not (interrupted and self._private):  # its processes end with this one
            self._ray.shutdown()
