"""Looking at a run, alive or dead, without touching it and without Ray."""

from __future__ import annotations

import json
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bcsearch.errors import RunError
from bcsearch.game import name_of
from bcsearch.runs import journal
from bcsearch.runs.directory import STATE, holder
from bcsearch.runs.journal import of_kind, read_journal
from bcsearch.runs.manifest import read_manifest

_SLOWEST = 5


@dataclass
class Status:
    """How far a run is.

    Attributes
    ----------
    phase
        running, complete, stopped, incomplete, failed, or killed: nobody works on it and no end was noted.
    done
        Finished work items, by all sessions; `seconds` is what they took, `again` how many were asked more than once
        (with a higher limit, or after damage).
    live
        What the process at work said last: stage, best, bound, running, left, scans, workers, retries; empty where
        nobody is at work.
    rate
        Items a second of this session, None where unknown.
    """

    path: Path
    phase: str
    holder: str | None
    manifest: dict[str, Any]
    done: int
    again: int
    seconds: float
    sessions: int
    slowest: list[tuple[str, float]]
    failed: dict[str, str]
    torn: bool
    live: dict[str, Any] = field(default_factory=dict)
    at_work: list[tuple[str, float]] = field(default_factory=list)
    rate: float | None = None

    def record(self) -> dict[str, Any]:
        """As a JSON document."""
        return {
            "run": str(self.path),
            "phase": self.phase,
            "holder": self.holder,
            "game": name_of(self.manifest["game"]),
            "strategies": self.manifest["strategies"],
            "objective": self.manifest["objective"],
            "items": {"done": self.done, "asked again": self.again, "seconds": round(self.seconds, 1)},
            "sessions": self.sessions,
            "slowest": [{"item": key, "seconds": seconds} for key, seconds in self.slowest],
            "failed": self.failed,
            "live": self.live,
            "at work": [{"item": key, "seconds": round(seconds, 1)} for key, seconds in self.at_work],
            "items per second": self.rate,
        }


def read_status(path: Path) -> Status:
    """Look at a run directory; RunError where its manifest or journal is damaged."""
    manifest, seal = read_manifest(path)
    records, _, torn = read_journal(path / journal.NAME, seal)
    who = holder(path)
    items = list(of_kind(records, "answer", "piece"))
    names = Counter(record["key"] for record in items)
    finished = set(names)
    ends = list(of_kind(records, "end", "session"))
    phase = "running" if who else ends[-1].get("how", "killed") if ends else "killed"
    status = Status(
        path, phase, who, manifest, len(items), len(items) - len(names), sum(record["seconds"] for record in items),
        sum(record["kind"] == "session" for record in ends),
        sorted(((r["key"], r["seconds"]) for r in items), key=lambda pair: -pair[1])[:_SLOWEST],
        {r["key"]: r["reason"] for r in of_kind(records, "failed") if r["key"] not in finished}, torn,
    )  # fmt: skip
    if who:
        _add_live(status)
    return status


def is_complete(path: Path) -> bool:
    """Whether a folder holds a run that has ended well."""
    try:
        return read_status(path).phase == "complete"
    except RunError:
        return False


def _add_live(status: Status) -> None:
    """What the working process said last; nothing where that cannot be read."""
    try:
        live = json.loads((status.path / STATE).read_bytes())
        now = time.time()
        status.at_work = sorted(((key, now - begun) for key, begun in live.pop("at work").items()), key=lambda p: -p[1])
        live["seconds"] = now - live.pop("begun")
        live["said"] = round(now - live.pop("time"), 1)
        status.rate = round((live["done"] - live.get("kept", 0)) / max(live["seconds"], 1e-3), 2)
        status.live = live
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        status.live, status.at_work = {}, []
