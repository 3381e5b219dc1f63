"""Results that take too long for the tests: proofs of published values, a run on a cluster that is treated badly."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from bcsearch import kernels
from bcsearch.executors import LocalExecutor, available_cpus
from bcsearch.game import parse_game
from bcsearch.optimal.objectives import TIE_RULE, solve_game
from bcsearch.optimal.options import Objective
from bcsearch.store import Claims, StoredTree
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
            wanted = Objective(
                name,
                within=number if option.startswith("K") else None,
                max_depth=number if option.startswith("max-depth") else None,
                consistent=pool == "consistent",
            )
            proven = solve_game(parse_game(game), wanted, executor)
        summary = proven.tree.summary()
        found = proven.value if proven.exact else -1
        claims = Claims("optimal", pool, TIE_RULE, "exact", proven.lower_bound, {"objective": name, **proven.facts})
        valid = verify(StoredTree(proven.tree, claims, summary, "", Path("-"))).valid
        same = found == int(value) and valid
        good &= same
        seconds = time.monotonic() - start
        verdict = "as published" if same else f"DIFFERS from {value}"
        print(f"{game:7} {pool:10} {objective:22} {found:6}  {verdict}  {summary}  {seconds:.1f} s", flush=True)
    return good


def _cluster(arguments: list[str]) -> bool:
    from reproduce_cluster import cluster

    return cluster(arguments)


WHAT = {
    "optimal": (optimal, "optimal [TEXT ...]    the rows of the oracle file that contain a TEXT"),
    "cluster": (_cluster, "cluster [GAME] ...    a proof while nodes and drivers are killed; see --help"),
}

if __name__ == "__main__":
    if sys.argv[1:2] and sys.argv[1] in WHAT:
        kernels.ready(lambda text: print(text, file=sys.stderr))
        sys.exit(not WHAT[sys.argv[1]][0](sys.argv[2:]))
    sys.exit("\n".join(["usage: scripts/reproduce WHAT", *(f"  {text}" for _, text in WHAT.values())]))
