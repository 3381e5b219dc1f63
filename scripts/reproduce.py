"""Prove the rows of an oracle file anew, one line each: row, value found, as published or not, seconds."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from bcsearch import kernels
from bcsearch.executors import LocalExecutor, available_cpus
from bcsearch.game import parse_game
from bcsearch.optimal.objectives import build_optimal
from bcsearch.store import StoredTree
from bcsearch.verify import verify

ORACLE = Path(__file__).parent.parent / "tests/oracles/optimal.txt"


def optimal(only: list[str]) -> bool:
    """Prove each row (those whose text contains one of `only`, if given); False if one differs."""
    good = True
    for line in ORACLE.read_text().splitlines():
        if line.startswith("#") or (only and not any(text in line for text in only)):
            continue
        game, pool, objective, value = line.split()
        name, _, option = objective.partition(",")
        number = int(option.partition("=")[2] or 0)
        start = time.monotonic()
        with LocalExecutor(available_cpus()) as executor:
            proven = build_optimal(
                parse_game(game),
                name,
                executor,
                consistent=pool == "consistent",
                max_depth=number if option.startswith("max-depth") else None,
                within=number if option.startswith("K") else None,
            )
        summary = proven.tree.summary()
        found = {"worst-case": summary.depth, "win-within": summary.secrets - proven.value}.get(name, proven.value)
        valid = verify(StoredTree(proven.tree, proven.claims, summary, "", Path("-"))).valid
        same = found == int(value) and valid
        good &= same
        seconds = time.monotonic() - start
        verdict = "as published" if same else f"DIFFERS from {value}"
        print(f"{game:7} {pool:10} {objective:22} {found:6}  {verdict}  {summary}  {seconds:.1f} s", flush=True)
    return good


if __name__ == "__main__":
    if sys.argv[1:2] != ["optimal"]:
        sys.exit("usage: scripts/reproduce optimal [TEXT ...]   (only rows that contain a TEXT)")
    kernels.ready(lambda text: print(text, file=sys.stderr))
    sys.exit(not optimal(sys.argv[2:]))
