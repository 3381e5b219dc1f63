"""Recompute published and documented values.

optimal  prove the rows of the oracle file anew, one line each: row, value found, as published or not, seconds
noise    play against a host whose replies are wrong with probability 0.05, and hold the posterior to the truth
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from bcsearch import kernels
from bcsearch.bayes import whole_matrix
from bcsearch.calibration import calibrate
from bcsearch.executors import LocalExecutor, available_cpus
from bcsearch.game import parse_game
from bcsearch.hosts import Scorer
from bcsearch.optimal.objectives import TIE_RULE, solve_game
from bcsearch.optimal.options import Objective
from bcsearch.players import Bayesian
from bcsearch.simulate import simulate
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


NOISE, NOISY_GAMES, NOISE_SEED = 0.05, 2000, 1


def noise(only: list[str]) -> bool:
    """Bayesian player at q = 0.05, next to the noiseless one, and the reliability of its posterior; False if lost."""
    scorer = Scorer(parse_game("p4c10n"), whole_matrix(parse_game("p4c10n")))
    start = time.monotonic()
    quiet = simulate(scorer, Bayesian(scorer, 0.0), workers=available_cpus())
    games = int(only[0]) if only else NOISY_GAMES
    noisy, seen = calibrate(Bayesian(scorer, NOISE), games, NOISE_SEED, available_cpus())
    print(f"q = 0     {len(quiet.found)} of {len(quiet.games)} found, mean {quiet.mean:.4f}")
    print(f"q = {NOISE}  {len(noisy.found)} of {len(noisy.games)} found, mean {noisy.mean:.4f} "
          f"± {noisy.standard_error:.4f}, distribution {','.join(map(str, noisy.distribution()))}")  # fmt: skip
    print("\nprobability given    how often   mean given   came true   off by (standard errors)")
    good = noisy.lost == 0
    for i, count in enumerate(seen.count):
        if count:
            off = (seen.true[i] - seen.given[i]) / max(seen.spread[i], 1e-12) ** 0.5
            print(f"{seen.edges[i]:5.3f} to {seen.edges[i + 1]:5.3f} {count:16} {seen.given[i] / count:12.4f} "
                  f"{seen.true[i] / count:11.4f} {off:12.1f}")  # fmt: skip
            good &= abs(off) < 4
    print(f"\n{time.monotonic() - start:.0f} s", file=sys.stderr)
    return good


COMMANDS = {"optimal": optimal, "noise": noise}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in COMMANDS:
        sys.exit("usage: scripts/reproduce optimal [TEXT ...]   (only rows that contain a TEXT)\n"
                 "       scripts/reproduce noise [GAMES]")  # fmt: skip
    kernels.ready(lambda text: print(text, file=sys.stderr))
    sys.exit(not COMMANDS[sys.argv[1]](sys.argv[2:]))
