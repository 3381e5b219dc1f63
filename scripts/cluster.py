"""A proof on a simulated cluster that is treated badly: nodes killed and added, the driver killed and resumed.

    scripts/reproduce cluster [GAME] [--nodes N] [--kills K] [--drivers D] [--every S] [--seed S] [--run-dir DIR]

K times a random node is killed, with all it was doing, and another one is added; D times the driver is killed with
SIGKILL and the run resumed. Then the tree is compared with that of an undisturbed run on threads (--compare), and the
journal is checked: no item that had its answer was asked with the same limit again.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from bcsearch.runs import journal
from bcsearch.runs.journal import of_kind, read_journal
from bcsearch.runs.manifest import read_manifest
from bcsearch.store import read_tree

# Bytes of a node's object store. What a killed driver put there is not given back at once: room for several matrices.
_STORE = 1 << 30
BCSEARCH = [sys.executable, "-m", "bcsearch"]


def cluster(arguments: list[str]) -> bool:
    """Run it; False where something is not as it should be."""
    parser = argparse.ArgumentParser(prog="scripts/reproduce cluster")
    parser.add_argument("game", nargs="?", default="p4c10n")
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--cpus", type=int, default=1, help="of each node")
    parser.add_argument("--kills", type=int, default=3, help="nodes to kill")
    parser.add_argument("--drivers", type=int, default=5, help="drivers to kill")
    parser.add_argument("--every", type=float, default=8.0, help="seconds between two disasters, on average")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--run-dir", type=Path, default=Path("runs/disturbed"))
    parser.add_argument("--compare", action="store_true", help="with an undisturbed run on threads")
    options = parser.parse_args(arguments)
    out = options.run_dir.with_suffix(".tree")
    nodes = _Nodes(options.nodes, options.cpus, random.Random(options.seed))
    start = time.monotonic()
    try:
        ended = _disturbed(options, nodes, out)
    finally:
        nodes.shutdown()
    print(f"{options.game}: run ended with exit code {ended} after {time.monotonic() - start:.0f} s; nodes killed: "
          f"{nodes.killed}, added: {nodes.added}", flush=True)  # fmt: skip
    good = ended == 0 and _nothing_twice(options.run_dir)
    stored = read_tree(out)
    print(f"{options.game}: {stored.summary}, bound {stored.claims.bound}, sha256 {stored.sha256}")
    if options.compare:
        plain = out.with_name("undisturbed.tree")
        command = ["build-tree", "--game", options.game, "--strategy", "optimal", "--executor", "local"]
        subprocess.run([*BCSEARCH, *command, "--out", str(plain)], check=True, stdout=subprocess.DEVNULL)
        same = read_tree(plain).sha256 == stored.sha256
        print(f"{options.game}: the tree is {'the same as' if same else 'NOT that of'} an undisturbed run")
        good &= same
    return good


def _disturbed(options: argparse.Namespace, nodes: _Nodes, out: Path) -> int:
    """Drive the run through its disasters; returns the exit code of its last process."""
    disasters = ["node"] * options.kills + ["driver"] * options.drivers
    nodes.chance.shuffle(disasters)
    again = ["resume", str(options.run_dir), "--address", nodes.address]
    first = ["build-tree", "--game", options.game, "--strategy", "optimal", "--address", nodes.address,
             "--run-dir", str(options.run_dir), "--out", str(out)]  # fmt: skip
    process = _start(again if options.run_dir.exists() else first)
    for disaster in disasters:
        try:
            return process.wait(nodes.chance.uniform(0.3, 1.7) * options.every)
        except subprocess.TimeoutExpired:
            pass
        if disaster == "node":
            nodes.kill_one()
            nodes.add()
        else:
            process.send_signal(signal.SIGKILL)
            process.wait()
            print("driver killed, resuming", flush=True)
            process = _start(again)
    return process.wait()


def _start(arguments: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen([*BCSEARCH, *arguments], stdout=subprocess.DEVNULL)


class _Nodes:
    """Simulated nodes, each with processes of its own; the head does no work."""

    def __init__(self, count: int, cpus: int, chance: random.Random) -> None:
        os.environ.update(RAY_USAGE_STATS_ENABLED="0", RAY_ENABLE_UV_RUN_RUNTIME_ENV="0")
        from ray.cluster_utils import Cluster

        self.cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "object_store_memory": _STORE})
        self.cpus, self.chance = cpus, chance
        self.killed = self.added = 0
        self.nodes = [self._new() for _ in range(count)]
        self.address: str = self.cluster.address

    def _new(self) -> object:
        return self.cluster.add_node(num_cpus=self.cpus, object_store_memory=_STORE)

    def kill_one(self) -> None:
        """Kill a random node."""
        node = self.nodes.pop(self.chance.randrange(len(self.nodes)))
        self.cluster.remove_node(node, allow_graceful=False)
        self.killed += 1
        print("node killed", flush=True)

    def add(self) -> None:
        """Add a node."""
        self.nodes.append(self._new())
        self.added += 1
        print("node added", flush=True)

    def shutdown(self) -> None:
        """End the cluster."""
        self.cluster.shutdown()


def _nothing_twice(run_dir: Path) -> bool:
    """Whether no item that had its answer was carried out again with the same limit; prints the counts."""
    _, seal = read_manifest(run_dir)
    records, _, _ = read_journal(run_dir / journal.NAME, seal)
    asked = Counter((record["key"], record.get("limit")) for record in of_kind(records, "answer", "piece"))
    twice = sum(count - 1 for count in asked.values())
    sessions = sum(record["kind"] == "session" for record in records)
    print(f"{asked.total()} work items in {sessions} sessions, computed twice: {twice}", flush=True)
    return twice == 0
