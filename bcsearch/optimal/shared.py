"""Memory that the processes of one machine share, so that what one worker process finds out the others know.

On Linux it is an anonymous file in memory: it needs no room on a disk or in /dev/shm, has no name in any folder, and is
gone with the last process that has it open, however that process ends. The processes find it among each other's open
files. Elsewhere, and where anything is in the way, each has memory of its own: slower, same results.
"""

from __future__ import annotations

import contextlib
import mmap
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_open: dict[str, int] = {}  # file descriptors, kept open for others to find


def shared_words(name: str, words: int) -> NDArray[np.uint64]:
    """Zeros, shape (words,), uint64, shared by all processes of one user and machine that ask for the same name.

    A process shares one array at a time. An array of its own is what it gets where the system offers no such thing.
    """
    with contextlib.suppress(ImportError, AttributeError, OSError, ValueError):
        for old in [other for other in _open if other != name]:
            os.close(_open.pop(old))
        if name not in _open:
            with _one_at_a_time():
                found = _find(name, 8 * words)
                _open[name] = _make(name, 8 * words) if found is None else found
        return np.frombuffer(mmap.mmap(_open[name], 8 * words), dtype=np.uint64)
    return np.zeros(words, dtype=np.uint64)


@contextlib.contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Only one process of this machine's installation is in here; what is locked is this very file."""
    import fcntl  # not on Windows

    with Path(__file__).open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _make(name: str, size: int) -> int:
    descriptor = os.memfd_create(_title(name))
    os.ftruncate(descriptor, size)
    return descriptor


def _find(name: str, size: int) -> int | None:
    """Open the file that another process of this user has made."""
    wanted = f"/memfd:{_title(name)} (deleted)"
    for process in Path("/proc").iterdir():
        if not process.name.isdigit():
            continue
        with contextlib.suppress(OSError):  # others' processes, and those that have just ended
            for descriptor in (process / "fd").iterdir():
                if os.readlink(descriptor) == wanted:
                    found = os.open(descriptor, os.O_RDWR)
                    if os.fstat(found).st_size == size:
                        return found
                    os.close(found)
    return None


def _title(name: str) -> str:
    return f"bcsearch-{name}"
