"""What the nodes of a Ray cluster have installed: found out before work starts, not by tasks that fail."""

from __future__ import annotations

import platform
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bcsearch.errors import ExecutionError

_SECONDS = 60  # a worker process starts within a few seconds, on a busy machine within some more
_NEEDED = ("numpy", "numba", "pyarrow")


@dataclass(frozen=True)
class Report:
    """What one node said of itself; `bcsearch` is the hash of the package's sources there, None where it has none."""

    address: str
    python: str
    ray: str
    bcsearch: str | None
    missing: tuple[str, ...]


def _looker() -> Callable[[], tuple[str, str, str | None, tuple[str, ...]]]:
    """A function that says what the process it runs in has.

    It travels by value, to nodes that may lack this package: everything it needs is imported inside of it.
    """
    needed = _NEEDED

    def look() -> tuple[str, str, str | None, tuple[str, ...]]:
        import hashlib
        import importlib.util
        import platform
        from pathlib import Path

        import ray

        found = importlib.util.find_spec("bcsearch")
        sources = None
        if found is not None and found.origin is not None:
            digest = hashlib.sha256()
            package = Path(found.origin).parent
            for source in sorted(package.rglob("*.py")):
                digest.update(source.relative_to(package).as_posix().encode() + source.read_bytes())
            sources = digest.hexdigest()
        missing = tuple(name for name in needed if importlib.util.find_spec(name) is None)
        return platform.python_version(), ray.__version__, sources, missing

    return look


def inspect_nodes(ray: Any) -> list[Report]:
    """Ask every node that has processors.

    Raises
    ------
    ExecutionError
        Where a node does not answer.
    """
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    nodes = [node for node in ray.nodes() if node["Alive"] and node["Resources"].get("CPU", 0) > 0]
    asked = {}
    for node in nodes:
        there = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
        task = ray.remote(num_cpus=0, max_retries=2, scheduling_strategy=there)(_looker())
        asked[task.remote()] = node["NodeManagerAddress"]
    done, late = ray.wait(list(asked), num_returns=len(asked), timeout=_SECONDS) if asked else ([], [])
    if late:
        raise ExecutionError(f"node {asked[late[0]]}: no worker process answers within {_SECONDS} s")
    reports = []
    for reference in done:
        try:
            reports.append(Report(asked[reference], *ray.get(reference)))
        except ray.exceptions.RayTaskError as error:
            last = str(error).strip().splitlines()[-1]
            raise ExecutionError(f"node {asked[reference]}: cannot carry out work ({last})") from error
        except ray.exceptions.RayError:
            continue  # the node was lost meanwhile
    return reports


def check_versions(reports: list[Report], ray_version: str) -> None:
    """Raise ExecutionError naming the first node whose Python, Ray or libraries do not fit this process."""
    python = ".".join(platform.python_version_tuple()[:2])
    for report in reports:
        if not report.python.startswith(python + "."):
            raise ExecutionError(f"node {report.address}: Python {report.python} there, {python} here; they must agree")
        if report.ray != ray_version:
            raise ExecutionError(f"node {report.address}: Ray {report.ray} there, {ray_version} here; they must agree")
        if report.missing:
            raise ExecutionError(f"node {report.address}: lacks {', '.join(report.missing)}; scripts/constraints.txt "
                                 "has the versions that are tested")  # fmt: skip


def same_everywhere(reports: list[Report]) -> bool:
    """Whether every node has this very package installed."""
    here = _looker()()[2]
    return all(report.bcsearch == here for report in reports)
