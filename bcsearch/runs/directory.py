"""A run directory, held by one process at a time.

manifest.json    what the run is                       (`manifest`)
journal.jsonl    what was finished, one line each      (`journal`)
shards/          finished pieces of trees, Arrow files (`shards`)
best.tree        the best tree so far, an upper bound
state.json       how far the run is, for `bcsearch status`; nothing depends on it
lock             held while a process works on the run; names host and process
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bcsearch.errors import RunError, TreeFileError
from bcsearch.ledger import Ledger
from bcsearch.runs import journal
from bcsearch.runs.journal import JournalWriter, read_journal
from bcsearch.runs.manifest import NAME, Job, job_of, manifest_of, read_manifest, write_manifest
from bcsearch.runs.shards import read_shard, shard_name, write_shard
from bcsearch.store import Claims, read_tree, write_tree
from bcsearch.strategies import TIE_RULE
from bcsearch.tree import Piece, Tree

_STATE_SECONDS = 1.0
_ANSWER = ("key", "limit", "value", "guess", "finished", "seconds", "scans")
STATE, LOCK, BEST, SHARDS = "state.json", "lock", "best.tree", "shards"

Say = Callable[[str], None]


class RunDirectory(Ledger):
    """The run that this process works on; what it remembers is what the journal says.

    Attributes
    ----------
    computed
        Items whose results arrived in this session.
    """

    keeps_trees = True

    def __init__(self, path: Path, job: Job, manifest: dict[str, Any], seal: str, lock: Any, say: Say) -> None:
        super().__init__()
        self.path, self.job, self.manifest, self.say, self._lock = path, job, manifest, say, lock
        self._pieces: dict[str, dict[str, Any]] = {}
        self._bounds: dict[str, int] = {}
        self._seal = seal
        records, length, torn = read_journal(path / journal.NAME, seal)
        if torn:
            say(f"{path / journal.NAME}: the last line was cut off in the middle; that item is computed again")
        if not records and (path / BEST).exists():
            say(f"{path / journal.NAME}: empty or missing; everything is computed again")
        for record in records:
            self._learn(record)
        self.sessions = sum(record["kind"] == "session" for record in records)
        self.computed = 0
        self._journal = JournalWriter(path / journal.NAME, seal, len(records), length)
        self._journal.append({"kind": "session", "host": socket.gethostname(), "pid": os.getpid(), "time": time.time()})
        self._written = 0.0
        self._begun = time.time()
        self._started: dict[str, float] = {}

    @classmethod
    def create(cls, path: Path, job: Job, how: dict[str, Any], say: Say) -> RunDirectory:
        """Make a new run directory and hold it.

        Raises
        ------
        RunError
            Where there is something already.
        """
        _check_free(path)
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RunError(f"{path}: cannot be made ({error.strerror})") from error
        lock = _take_lock(path)
        _check_free(path)  # once more: another process may have been faster
        manifest = manifest_of(job, how)
        seal = write_manifest(path, manifest)
        return cls(path, job, manifest, seal, lock, say)

    @classmethod
    def open(cls, path: Path, say: Say) -> RunDirectory:
        """Hold an existing run directory, to go on with it; RunError naming what does not fit."""
        manifest, seal = read_manifest(path)
        job = job_of(path, manifest)
        return cls(path, job, manifest, seal, _take_lock(path), say)

    @property
    def remembered(self) -> int:
        """Work items whose result is kept."""
        return len(self.answers) + len(self._pieces)

    @property
    def is_there(self) -> bool:
        """Whether the directory still stands where it was."""
        return (self.path / NAME).exists()

    def close(self, how: str) -> None:
        """Note how the session ended (complete, stopped, incomplete, failed) and let go of the directory."""
        with contextlib.suppress(RunError, OSError):  # a full disk: the end is not noted, and all that counts is
            self._journal.append({"kind": "end", "how": how, "computed": self.computed, "time": time.time()})
            self._journal.close()
        with contextlib.suppress(OSError):
            (self.path / STATE).unlink()
        self._lock.close()

    def keep_answer(
        self, key: str, limit: int, value: int, guess: int, finished: bool, seconds: float, scans: int
    ) -> None:
        """Note an answer."""
        record = {"kind": "answer", "key": key, "limit": limit, "value": value, "guess": guess, "finished": finished,
                  "seconds": round(seconds, 4), "scans": scans}  # fmt: skip
        self._journal.append(record)
        self._learn(record)
        self.computed += 1

    def piece(self, key: str) -> tuple[Piece, int] | None:
        """A finished piece; one whose file is damaged is said and made again."""
        record = self._pieces.get(key)
        if record is None:
            return None
        path = self.path / SHARDS / record["file"]
        piece = read_shard(path, record["sha256"])
        if piece is None:
            self.say(f"{path}: missing or damaged; computed again")
            return None
        return piece, int(record["scans"])

    def keep_piece(self, key: str, piece: Piece, scans: int, seconds: float) -> None:
        """Write a piece to a file of its own, then note it."""
        name = shard_name(key)
        sha256 = write_shard(self.path / SHARDS / name, piece)
        record = {"kind": "piece", "key": key, "file": name, "sha256": sha256, "nodes": len(piece.guess),
                  "scans": scans, "seconds": round(seconds, 4)}  # fmt: skip
        self._journal.append(record)
        self._learn(record)
        self.computed += 1

    def keep_tree(self, tree: Tree) -> None:
        """Keep the best tree so far where a person can use it; the search asks `kept_tree` whether it is the best."""
        with contextlib.suppress(TreeFileError):
            write_tree(self.path / BEST, tree, self._claims(tree))

    def kept_tree(self) -> Tree | None:
        """The best tree that was kept, if there is one that can be read and is of this run."""
        try:
            stored = read_tree(self.path / BEST)
        except TreeFileError:
            return None
        return stored.tree if stored.tree.game == self.job.game and stored.claims == self._claims(stored.tree) else None

    def _claims(self, tree: Tree) -> Claims:
        """What the file of a tree that this run keeps says of it; the manifest's seal tells it from others' trees."""
        facts = {"objective": self.job.objective.name, "total": tree.summary().total, "run": self._seal}
        return Claims("optimal", self.job.objective.pool, TIE_RULE, "upper", None, facts)

    def bound(self, search: str) -> int:
        """Lower bound of all secrets that a search had proven when an earlier session ended; 0 where none had."""
        return self._bounds.get(search, 0)

    def keep_bound(self, search: str, lower: int) -> None:
        """Note what a search has proven of all secrets."""
        if lower > self.bound(search):
            self._bounds[search] = lower
            self._journal.append({"kind": "bound", "search": search, "lower": lower})

    def keep_failure(self, key: str, reason: str) -> None:
        """Note an item that was given up; a later session tries it again."""
        self._journal.append({"kind": "failed", "key": key, "reason": reason})

    def note(self, kind: str, **facts: object) -> None:
        """Note anything else that belongs to the run's history."""
        self._journal.append({"kind": kind, **facts})

    def state(self, **facts: object) -> None:
        """Say in `state.json` how far the run is, once a second at most."""
        now = time.time()
        keys = facts.pop("keys", [])
        self._started = {key: self._started.get(key, now) for key in (keys if isinstance(keys, list) else [])}
        if now - self._written < _STATE_SECONDS:
            return
        self._written = now
        text = json.dumps({**facts, "begun": self._begun, "time": now, "at work": self._started})
        new = self.path / f".{STATE}"
        with contextlib.suppress(OSError):
            new.write_text(text)
            new.replace(self.path / STATE)

    def _learn(self, record: dict[str, Any]) -> None:
        if record["kind"] == "piece":
            self._pieces[record["key"]] = record
        elif record["kind"] == "bound":
            self._bounds[record["search"]] = record["lower"]
        elif record["kind"] == "answer":
            super().keep_answer(**{name: record[name] for name in _ANSWER})


def _check_free(path: Path) -> None:
    """Raise RunError where a new run cannot begin: something is there."""
    if path.exists() and not path.is_dir():
        raise RunError(f"{path}: not an empty folder; a new or empty folder is wanted for a new run")
    if (path / NAME).exists():
        raise RunError(f"{path}: a run is there already: `bcsearch resume` continues it; a new or empty folder is "
                       "wanted for a new run")  # fmt: skip
    if path.exists() and any(file.name != LOCK for file in path.iterdir()):
        raise RunError(f"{path}: not an empty folder; a new or empty folder is wanted for a new run")


def _take_lock(path: Path) -> Any:
    """Hold the directory; RunError naming who holds it already. A dead process holds nothing."""
    try:
        handle = (path / LOCK).open("a+")
        if not any(_try_lock(handle) for _ in range(5)):  # `status` holds it for a moment
            raise RunError(f"{path}: in use by {holder(path) or 'another process'}")
    except OSError as error:
        raise RunError(f"{path / LOCK}: cannot be locked ({error.strerror})") from error
    handle.truncate(0)
    handle.write(f"host {socket.gethostname()} pid {os.getpid()}\n")
    handle.flush()
    return handle


def _try_lock(handle: Any) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        time.sleep(0.1)
        return False
    return True


def holder(path: Path) -> str | None:
    """Host and process that hold a run directory now, None where nobody does."""
    try:
        with (path / LOCK).open("r") as handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return " ".join(handle.read(200).split()) or "another process"
    except (OSError, ValueError):
        return None
    return None
