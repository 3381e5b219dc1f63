"""Writing files all or nothing: a reader sees the old file or the whole new one, whatever happens in between."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from bcsearch.errors import TreeFileError


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Yield a file to write; when the block ends well it stands at `path` (same folder, fsync, rename), else nothing.

    A symbolic link stays, its target is replaced. Raises TreeFileError where nothing can be written.
    """
    path = writable_path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise TreeFileError(f"{path}: cannot be written ({error.strerror})") from error
    try:
        with os.fdopen(handle, "wb") as sink:
            yield sink
            sink.flush()
            os.fsync(sink.fileno())
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(name)
        if isinstance(error, OSError):
            raise TreeFileError(f"{path}: cannot be written ({error.strerror})") from error
        raise


def writable_path(path: Path) -> Path:
    """Where a file named `path` would go, links followed.

    Raises
    ------
    TreeFileError
        If something other than a regular file is there: a rename would replace a device or a pipe itself.
    """
    try:
        real = path.resolve()
        taken = real.exists() and not real.is_file()
    except (OSError, RuntimeError) as error:
        raise TreeFileError(f"{path}: cannot be written ({getattr(error, 'strerror', None) or error})") from error
    if taken:
        raise TreeFileError(f"{path}: cannot be written (not a regular file)")
    return real


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
