"""Starting a Ray instance, or joining a cluster: quietly, and with what is wrong found in seconds."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bcsearch.errors import ExecutionError, UsageError
from bcsearch.executors import available_cpus

_ANSWER_SECONDS = 2.0  # a port that does not answer within this is taken for dead
_PROBE_SECONDS = 15
_TOKEN_WANTED = 3  # exit code of the probe
_INIT_SECONDS = 90  # connecting takes under 2 s, starting an instance up to 14


def start_ray(address: str | None, workers: int | None) -> Any:
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
        return Borrowed(ray)
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
        hint = " (--executor local does without Ray)" if where == "local" else ""
        raise ExecutionError(f"cannot use {name}: {_last_line(error)}{hint}") from error


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


class Borrowed:
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
