"""Who carries out work items: threads of this process, or tasks on a Ray cluster.

Both engines have one small interface. Work is a pure function and its arguments, named by a key; results come back as
they finish; more may be submitted while results are read. What a result means, and in which order results are merged,
is the caller's business: the caller must not depend on arrival order.

Large arrays are handed over once with `share`; the handle then stands for the array among a function's arguments.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from bcsearch.errors import BcsearchError, ExecutionError, Interrupted, UsageError

EXECUTORS = ("auto", "local", "ray")

RAY_START_SECONDS = 10.0  # starting a local Ray instance takes 5 to 14 s on a small machine
_ANSWER_SECONDS = 2.0  # a port that does not answer within this is taken for dead
_ATTEMPTS = 4  # how often an item is tried when its worker dies of it, or it raises
_LOSSES = 12  # how often when a node or an object is lost, which says nothing about the item
_LONGEST_PAUSE = 15.0  # seconds before a lost item is tried again, doubled from half a second
_POLL_SECONDS = 0.5
_GRACE_SECONDS = 2.5  # once a stop is asked, items that finish within this are kept
_PROBE_SECONDS = 15
_TOKEN_WANTED = 3  # exit code of the probe
_INIT_SECONDS = 90  # connecting takes under 2 s, starting an instance up to 14

Say = Callable[[str], None]


@dataclass
class Failure:
    """What `outcomes` yields in place of a result for an item that could not be carried out."""

    error: BcsearchError


def _never() -> bool:
    return False


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

    @abstractmethod
    def submit(self, key: str, function: Callable[..., Any], *arguments: Any) -> None:
        """Queue ``function(*arguments)`` under a key of its own."""

    @abstractmethod
    def outcomes(self, stopped: Callable[[], bool] = _never) -> Iterator[tuple[str, Any]]:
        """Yield (key, result, or `Failure`) as items finish, until nothing is queued or running.

        Once `stopped()` is true, what is queued is dropped, and what cannot be told to stop is not waited for.
        """

    @abstractmethod
    def forget(self) -> None:
        """Let go of what is queued or running: its results are not yielded. A task that runs ends in its own time."""

    def results(self, stopped: Callable[[], bool] = _never) -> Iterator[tuple[str, Any]]:
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

    def outcomes(self, stopped: Callable[[], bool] = _never) -> Iterator[tuple[str, Any]]:
        """Yield results in the order in which they finish."""
        patience = _Patience(stopped)
        while self._running:
            if patience.over:
                self._running.clear()
                return
            if patience.stopped:
                for future in list(self._running):
                    future.cancel()
            try:
                future = self._done.get(timeout=_POLL_SECONDS)
            except Empty:
                continue
            key = self._running.pop(future, None)
            if key is None or future.cancelled():
                continue
            error = future.exception()
            if error is None:
                yield key, future.result()
            elif isinstance(error, Exception):
                yield key, Failure(_failure(key, error))
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
class _Patience:
    """How long the items that run when a stop is asked are waited for."""

    ask: Callable[[], bool]
    since: float | None = None

    @property
    def stopped(self) -> bool:
        if self.since is None and self.ask():
            self.since = time.monotonic()
        return self.since is not None

    @property
    def over(self) -> bool:
        return self.stopped and self.since is not None and time.monotonic() - self.since > _GRACE_SECONDS


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

    def __init__(self, address: str | None, workers: int | None) -> None:
        self._ray = _start_ray(address, workers)
        self.workers = workers or self._cluster_cpus()
        self._fixed = workers
        # The processes of an instance of our own may have had the same signal as we, and be gone: Ray would wait.
        self._private = address is None and not isinstance(self._ray, _Borrowed)
        self._queue: deque[_Task] = deque()
        self._running: dict[Any, _Task] = {}
        self._remotes: dict[Callable[..., Any], Any] = {}
        self._cpus = (0.0, self.workers)

    def share(self, array: Any) -> Any:
        """Put the array into the object store; workers get a read-only view of it, without a copy."""
        return self._ray.put(array)

    def submit(self, key: str, function: Callable[..., Any], *arguments: Any) -> None:
        """Queue a task; it goes to Ray when there is `room`."""
        self._queue.append(_Task(key, function, arguments))

    def outcomes(self, stopped: Callable[[], bool] = _never) -> Iterator[tuple[str, Any]]:
        """Yield results as tasks finish; lost tasks are submitted again."""
        patience = _Patience(stopped)
        while self._queue or self._running:
            if patience.stopped:
                self._queue.clear()
                if patience.over or self._private:
                    self._drop()
                    return
            self._fill()
            if not self._running:
                time.sleep(0 if patience.stopped else _POLL_SECONDS)
                continue
            done, _ = self._ray.wait(list(self._running), num_returns=1, timeout=_POLL_SECONDS)
            for reference in done:
                task = self._running.pop(reference)
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
            return Failure(_failure(task.key, cause))
        name = type(error).__name__.removeprefix("RayTaskError(").rstrip(")")
        text = f"work item {task.key}: lost {task.attempts + task.losses} times with its worker ({name}); giving up"
        return Failure(ExecutionError(text))

    def _cluster_cpus(self) -> int:
        return int(self._ray.cluster_resources().get("CPU", 0))

    def _current_cpus(self) -> int:
        """Processors of the cluster, asked for now and then."""
        asked, cpus = self._cpus
        if time.monotonic() - asked > _POLL_SECONDS:
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


def _failure(key: str, error: BaseException) -> BcsearchError:
    """A task's own exception: the user's to read when it is ours, else named with its item."""
    if isinstance(error, BcsearchError):
        return error
    text = str(error).strip().splitlines()
    return ExecutionError(f"work item {key}: {type(error).__name__}: {text[-1] if text else 'no text'}")


def _start_ray(address: str | None, workers: int | None) -> Any:
    """Import and initialise Ray quietly; a dead address is found in seconds, not minutes."""
    if address is not None:
        check_address(address)
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    if address is not None and not address.startswith("ray://"):
        wanted = wants_token(address)
        if "RAY_AUTH_MODE" not in os.environ and (Path.home() / ".ray" / "auth_token").exists():
            # A private instance leaves this token behind, and clusters started after that ask for it. One that does not
            # ask must not be asked either: its nodes could not fetch what this process owns.
            os.environ["RAY_AUTH_MODE"] = "token" if wanted else "disabled"
    import ray

    if ray.is_initialized():
        return _Borrowed(ray)
    options: dict[str, Any] = {"address": address or "local", "log_to_driver": False, "logging_level": "ERROR"}
    one_thread = {"NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    if address is None:
        # Workers inherit this environment. Not by runtime_env: Ray then starts them through a shell that takes a
        # space in the interpreter's path for the end of it, and waits for them for ever.
        os.environ.update(one_thread)
        _init(ray, {**options, "include_dashboard": False, "num_cpus": workers or available_cpus()})
    else:
        options["runtime_env"] = {"env_vars": one_thread}
        _init(ray, options)
        _prepare_nodes(ray, options)
    with contextlib.suppress(ImportError, AttributeError):
        # Ray reports dead nodes on stdout, where only results may go, whatever log_to_driver says.
        ray._private.worker._worker_logs_enabled = False
    return ray


_PROBE = """
import sys
from ray._private.services import canonicalize_bootstrap_address
from ray._raylet import GcsClient
from ray.exceptions import AuthenticationError
try:
    GcsClient(address=canonicalize_bootstrap_address(sys.argv[1])).get_all_node_info(timeout=5)
except AuthenticationError:
    sys.exit(3)
"""


def wants_token(address: str) -> bool:
    """Whether a cluster asks for a token; asked in a process of its own, for Ray reads RAY_AUTH_MODE just once.

    Raises
    ------
    ExecutionError
        Where what listens at the address is not a Ray cluster; Ray itself would try for minutes.
    """
    environment = {**os.environ, "RAY_AUTH_MODE": "disabled"}
    probe = [sys.executable, "-c", _PROBE, address]
    code = None
    with contextlib.suppress(subprocess.TimeoutExpired):
        code = subprocess.run(probe, env=environment, capture_output=True, timeout=_PROBE_SECONDS).returncode
    if code not in (0, _TOKEN_WANTED):
        raise ExecutionError(f"no Ray cluster answers at {address}: what listens there does not answer as one does")
    return code == _TOKEN_WANTED


def _init(ray: Any, options: dict[str, Any]) -> None:
    where = options["address"]
    try:
        with _at_most(_INIT_SECONDS, f"{where if where != 'local' else 'a local Ray instance'} did not come up"):
            ray.init(**options)
    except (ConnectionError, OSError, RuntimeError, ValueError) as error:
        name = "a local Ray instance" if where == "local" else f"the Ray cluster at {where}"
        raise ExecutionError(f"cannot use {name}: {_last_line(error)}") from error


def _prepare_nodes(ray: Any, options: dict[str, Any]) -> None:
    """Check what the nodes have; send this package along where they lack it or have another one."""
    from bcsearch import nodes

    reports = nodes.inspect_nodes(ray)
    nodes.check_versions(reports, ray.__version__)
    if reports and nodes.same_everywhere(reports):
        return
    # Compiled files change from run to run; without them the same package keeps its name, and compiled kernels.
    options["runtime_env"].update(py_modules=[str(Path(__file__).parent)], excludes=["__pycache__", "*.pyc"])
    ray.shutdown()
    _init(ray, options)


@contextlib.contextmanager
def _at_most(seconds: int, text: str) -> Iterator[None]:
    """Raise ExecutionError when the block takes longer; without effect outside the main thread."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGALRM"):
        yield
        return

    def late(*_: object) -> None:
        raise ExecutionError(f"{text} within {seconds} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _last_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[-1].strip() if lines else type(error).__name__


class _Borrowed:
    """A Ray connection somebody else opened (a test, a notebook, `ray job submit`): used, but not shut down."""

    def __init__(self, ray: Any) -> None:
        self._ray = ray

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ray, name)

    def shutdown(self) -> None:
        """Leave the connection to its owner."""


def check_address(address: str) -> None:
    """Make sure that something listens at ``host:port`` or ``ray://host:port``; "auto" and "local" are left to Ray.

    Raises
    ------
    UsageError
        For a text that is no address.
    ExecutionError
        When nothing answers within two seconds.
    """
    if address in ("auto", "local"):
        return
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not (port.isascii() and port.isdigit()) or not 0 < int(port) < 65536:
        raise UsageError(f"address {address!r}: HOST:PORT is wanted, like 10.0.0.5:6379")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_ANSWER_SECONDS).close()
    except OSError as error:
        raise ExecutionError(f"no Ray cluster answers at {address} ({error.strerror or error})") from error


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
        executor = RayExecutor(where, workers)
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
