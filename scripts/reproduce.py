"""What is published here, made anew: proofs, a badly treated cluster, transcripts, tables, pictures, the wheel.

`optimal` proves the rows of two files of minima, one line each: row, value found, as known or not, seconds.
"""

from __future__ import annotations

import sys
import time
from importlib import import_module
from pathlib import Path

from bcsearch import kernels
from bcsearch.executors import LocalExecutor, available_cpus
from bcsearch.game import parse_game
from bcsearch.optimal.objectives import TIE_RULE, solve_game
from bcsearch.optimal.options import Objective
from bcsearch.store import Claims, StoredTree
from bcsearch.verify import verify

PUBLISHED = Path(__file__).parent.parent / "tests/oracles/optimal.txt"
PROVEN_HERE = Path(__file__).parent / "minima.txt"


def optimal(only: list[str]) -> bool:
    """Prove each row (those whose text contains one of `only`, if given); False if one differs."""
    good = True
    known = [(line, "published") for line in PUBLISHED.read_text().splitlines()]
    known += [(line, "recorded") for line in PROVEN_HERE.read_text().splitlines()]
    for line, source in known:
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
        verdict = f"as {source}" if same else f"DIFFERS from {value}"
        print(f"{game:7} {pool:10} {objective:22} {found:6}  {verdict}  {summary}  {seconds:.1f} s", flush=True)
    return good


USAGE = """usage: scripts/reproduce optimal [TEXT ...]    prove the known minima (only rows that contain a TEXT)
       scripts/reproduce cluster [GAME] ...    a proof while nodes and drivers are killed; see its --help
       scripts/reproduce scaling RUN_DIR       what more workers would give, from the item times of a run
       scripts/reproduce speedup [GAME]        one worker against two, threads against Ray
       scripts/reproduce large [GAME ...]      large games: one worker against two, threads against Ray
       scripts/reproduce noise [GAMES]         play with wrong replies and hold the posterior to the truth
       scripts/reproduce transcripts [TEXT ...]  run what README and docs show that takes long or needs a cluster
       scripts/reproduce tables [--check]      write, or check, the tables of results in README and docs
       scripts/reproduce times [--anyway]      measure what the table of other programs says of bcsearch
       scripts/reproduce pictures              make the pictures in docs
       scripts/reproduce readers               run the readers of the tree file in polars, DuckDB and JavaScript
       scripts/reproduce wheel                 build the wheel and use it in a clean environment"""


def main(arguments: list[str]) -> bool:
    """Run one of the parts; True if all is as it should be."""
    part, rest = (arguments or [""])[0], arguments[1:]
    if part == "pictures":
        return import_module("pictures").pictures()
    if part in ("readers", "wheel"):
        return getattr(import_module(part), part)()
    if part in ("large", "scaling", "speedup", "times"):
        return getattr(import_module(part), part)(rest)
    if part not in ("optimal", "tables", "transcripts", "cluster", "noise"):
        sys.exit(USAGE)
    kernels.ready(lambda text: print(text, file=sys.stderr))
    if part in ("cluster", "noise", "transcripts"):
        return getattr(import_module(part), part)(rest)
    return optimal(rest) if part == "optimal" else import_module("tables").tables(rest)


if __name__ == "__main__":
    sys.exit(not main(sys.argv[1:]))
