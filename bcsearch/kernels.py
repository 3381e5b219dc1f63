"""Compiled kernels: one decorator, one cache folder, one notice while compiling.

Kernels are plain typed Python compiled by numba on first use for the processor at hand, without the interpreter lock
(so threads scale), and kept on disk. Two processes that compile the same kernels at the same moment could mix up
numba's index and data files (the files are numbered by arrival), so the first use in a fresh cache happens under a file
lock: see `ready`.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])

_warm_ups: list[Callable[[], None]] = []
_ready = False


def _cache_folder() -> Path:
    """Where compiled code goes: a user cache folder when it can be written, else a private temporary one.

    The name carries a hash of the kernels' sources and the interpreter, so that two versions never share files: numba
    itself does not notice that a kernel called from another file has changed.
    """
    package = Path(__file__).resolve().parent  # numba looks compiled code up by the path of its source
    digest = hashlib.sha256(f"{sys.version}{platform.machine()}{package}".encode())
    for source in sorted(package.rglob("*.py")):
        text = source.read_bytes()
        if b"bcsearch.kernels" in text:
            digest.update(text)
    name = f"kernels-{digest.hexdigest()[:16]}"
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path(os.path.expanduser("~")) / ".cache")
    for folder in (home / "bcsearch" / name, Path(tempfile.gettempdir()) / f"bcsearch-{os.getuid()}" / name):
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            if os.access(folder, os.W_OK) and folder.stat().st_uid == os.getuid():
                return folder
    return Path(tempfile.mkdtemp(prefix="bcsearch-kernels-"))


if "NUMBA_CACHE_DIR" not in os.environ:
    os.environ["NUMBA_CACHE_DIR"] = str(_cache_folder())

import numba  # noqa: E402  (reads NUMBA_CACHE_DIR when it is imported)
from llvmlite.binding import get_host_cpu_name  # noqa: E402
from numba.core import types  # noqa: E402
from numba.extending import intrinsic  # noqa: E402

numba.config.CACHE_DIR = os.environ["NUMBA_CACHE_DIR"]  # when somebody imported numba before us


def kernel(function: Function) -> Function:
    """Compile `function` on first call: no interpreter lock, cached on disk, typed like the original."""
    return cast(Function, numba.njit(nogil=True, cache=True)(function))


def inlined(function: Function) -> Function:
    """Like `kernel`, for small helpers that other kernels call in inner loops."""
    return cast(Function, numba.njit(nogil=True, inline="always")(function))


@intrinsic  # type: ignore[untyped-decorator]
def popcount(typing_context: Any, word: Any) -> Any:
    """Count the one bits of an unsigned integer (the processor's own instruction, also in vectors)."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return word(word), build


def warm_up(function: Callable[[], None]) -> Callable[[], None]:
    """Register a function that calls a module's kernels on a tiny input, so that `ready` can compile them all."""
    _warm_ups.append(function)
    return function


def ready(say: Callable[[str], None] | None = None) -> None:
    """Compile what is not compiled yet, once per machine and version, one process at a time.

    Parameters
    ----------
    say
        Told in one line when compiling is about to take a while, and when it is done.
    """
    global _ready
    if _ready:
        return
    _register_all()
    stamp = Path(os.environ["NUMBA_CACHE_DIR"]) / f"compiled-{get_host_cpu_name()}"
    if not stamp.exists():
        with _locked(stamp.with_suffix(".lock")):
            if not stamp.exists():
                _compile_all(say)
                with contextlib.suppress(OSError):
                    stamp.touch()
    _ready = True


def _compile_all(say: Callable[[str], None] | None) -> None:
    start = time.monotonic()
    if say is not None:
        say("compiling the kernels for this processor (only the first time, well under a minute) ...")
    for function in _warm_ups:
        function()
    if say is not None:
        say(f"compiled in {time.monotonic() - start:.0f} s")


def _register_all() -> None:
    """Import every module that owns kernels, so that one pass compiles them all."""
    import bcsearch.expand
    import bcsearch.information
    import bcsearch.optimal.task
    import bcsearch.scoring
    import bcsearch.symmetry  # noqa: F401


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on a file; go on without one where the folder cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = path.open("w")
    except OSError:
        yield
        return
    with handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


__all__ = ["inlined", "kernel", "numba", "popcount", "ready", "types", "warm_up"]
