"""A player against wrong replies: the Bayesian player at q = 0.05, and how reliable its probabilities are."""

from __future__ import annotations

import sys
import time

from bcsearch.bayes import whole_matrix
from bcsearch.calibration import calibrate
from bcsearch.executors import available_cpus
from bcsearch.game import parse_game
from bcsearch.hosts import Scorer
from bcsearch.players import Bayesian
from bcsearch.simulate import simulate

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
