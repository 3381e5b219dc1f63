"""How much memory is free, for checks before work begins."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from bcsearch.errors import UsageError

_ALWAYS = 64 << 20  # bytes; less is not looked at

_CGROUPS = (  # limit, use, and a table that says how much of the use is file cache that gives way; versions 2 and 1
    tuple(Path("/sys/fs/cgroup") / name for name in ("memory.max", "memory.current", "memory.stat")),
    tuple(
        Path("/sys/fs/cgroup/memory") / name
        for name in ("memory.limit_in_bytes", "memory.usage_in_bytes", "memory.stat")
    ),
)


def free_memory() -> int:
    """Bytes this process may still use: what the system has available, less where a container allows less."""
    free = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    with contextlib.suppress(OSError, ValueError, StopIteration, LookupError):
        free = _entry(Path("/proc/meminfo"), "MemAvailable:") << 10
    for limit, used, table in _CGROUPS:
        with contextlib.suppress(OSError, ValueError, StopIteration, LookupError):
            cache = _entry(table, "inactive_file")
            free = min(free, int(limit.read_text()) - int(used.read_text()) + cache)
    return max(free, 0)


def check_room(what: str, needed: int, limit: int | None = None) -> None:
    """Raise UsageError where `needed` bytes are more than `limit`, or than what is free where no limit is given."""
    if limit is None and needed < _ALWAYS:
        return
    free = free_memory() if limit is None else limit
    if needed > free:
        rest = "are free here" if limit is None else "may be used (--memory)"
        raise UsageError(f"{what} need {size_text(needed)}; {size_text(free)} {rest}")


def size_text(count: float) -> str:
    """A number of bytes for people: ``25 MB``, ``8.4 GB``; units of 1024."""
    for unit in ("bytes", "KB", "MB", "GB", "TB"):
        if count < 1024 or unit == "TB":
            break
        count /= 1024
    if count == 1 and unit == "bytes":
        return "1 byte"
    return f"{count:,.0f} {unit}" if count >= 10 or unit == "bytes" else f"{count:.1f} {unit}"


def _entry(table: Path, name: str) -> int:
    """Number in the line of a system file that begins with `name`."""
    return next(int(words[1]) for words in map(str.split, table.read_text().splitlines()) if words[0] == name)
