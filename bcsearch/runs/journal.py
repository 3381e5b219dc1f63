"""The journal of a run: one line for everything that was finished, appended when it arrives.

A line is the CRC-32 of the rest as eight hex digits, a space, a JSON object, a newline. Objects carry ``n``, the
number of the line, and the first one names the manifest, so that neither a line nor a file can be taken for another.
A last line that was cut off by a crash is dropped and said; anything else that is wrong is refused and named.

Lines reach the operating system at once, so a killed process loses nothing; they reach the disk (fsync) at least once
a second.
"""

from __future__ import annotations

import json
import os
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from bcsearch.errors import RunError

NAME = "journal.jsonl"
_SYNC_SECONDS = 1.0


def encode(record: dict[str, Any]) -> bytes:
    """One line of the journal."""
    text = json.dumps(record, separators=(",", ":")).encode()
    return b"%08x %s\n" % (zlib.crc32(text), text)


def decode(line: bytes) -> dict[str, Any] | None:
    """The record of a whole line, None where it is not one."""
    if len(line) < 11 or line[8:9] != b" " or line[-1:] != b"\n":
        return None
    try:
        if int(line[:8], 16) != zlib.crc32(line[9:-1]) or line[:8].lower() != line[:8]:
            return None
        record = json.loads(line[9:-1])
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


class Damage(RunError):
    """A journal is wrong in the middle."""


def read_journal(path: Path, seal: str) -> tuple[list[dict[str, Any]], int, bool]:
    """All records of a journal, the length of the file up to the last whole one, and whether more bytes follow.

    Raises
    ------
    RunError
        Where it belongs to another manifest, cannot be read, or a line before the last one is damaged.
    """
    try:
        lines = path.read_bytes().splitlines(keepends=True)
    except FileNotFoundError:
        return [], 0, False
    except OSError as error:
        raise RunError(f"{path}: cannot be read ({error.strerror})") from error
    records: list[dict[str, Any]] = []
    length = 0
    for number, line in enumerate(lines):
        record = decode(line)
        if record is None:
            if number == len(lines) - 1 and line[-1:] != b"\n":
                return records, length, True
            raise Damage(f"{path}: damaged: line {number + 1} does not match its checksum")
        if record.get("n") != number:
            raise Damage(f"{path}: damaged: line {number + 1} is numbered {record.get('n')}: lines are missing")
        if number == 0 and record.get("manifest") != seal:
            raise RunError(f"{path}: belongs to another manifest than the one beside it")
        records.append(record)
        length += len(line)
    return records, length, False


class JournalWriter:
    """Appends records; a torn last line is cut off first."""

    def __init__(self, path: Path, seal: str, records: int, length: int) -> None:
        self.path = path
        try:
            self._file: BinaryIO = path.open("ab", buffering=0)
            self._file.truncate(length)
        except OSError as error:
            raise RunError(f"{path}: cannot be written ({error.strerror})") from error
        self._n = records
        self._synced = time.monotonic()
        if records == 0:
            self.append({"kind": "run", "manifest": seal})

    def append(self, record: dict[str, Any]) -> None:
        """Write one record."""
        line = encode({"n": self._n, **record})
        try:
            done = 0
            while done < len(line):
                done += self._file.write(line[done:])
            self._n += 1
            if time.monotonic() - self._synced > _SYNC_SECONDS:
                self.sync()
        except OSError as error:
            raise RunError(f"{self.path}: cannot be written ({error.strerror})") from error

    def sync(self) -> None:
        """Bring all to disk."""
        os.fsync(self._file.fileno())
        self._synced = time.monotonic()

    def close(self) -> None:
        """Bring all to disk and close the file."""
        self.sync()
        self._file.close()


def of_kind(records: list[dict[str, Any]], *kinds: str) -> Iterator[dict[str, Any]]:
    """Records of some kinds, in order."""
    return (record for record in records if record.get("kind") in kinds)
