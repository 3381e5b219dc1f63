"""Why a guess: one or two sentences in words, from the figures of a `Position`."""

from __future__ import annotations

import numpy as np

from bcsearch.advice import Advice, Position
from bcsearch.assist import Split
from bcsearch.notation import format_code
from bcsearch.ranking import rank_guesses


def why(at: Position, advice: Advice) -> str:
    """Why this guess is good, or what it misses: against the best any candidate does, and against the best guess."""
    game, n = at.game, len(at.candidates)
    name = format_code(game, advice.guess)
    if n == 1:
        return f"{name} is the only candidate left" if advice.split.is_candidate else f"{name} cannot be the secret"
    if n == 2 and advice.split.is_candidate:
        return f"{name} is one of two candidates: right at once, or with the next guess"
    if advice.split.is_candidate:
        text = f"{name} can be the secret, and splits the {n} candidates into {_parts(advice.split)}"
    else:
        text = f"{name} cannot be the secret, {_against_candidates(at, advice)}"
    return text + _against_best(at, advice)


def _parts(split: Split) -> str:
    return f"{split.parts} part{'s' if split.parts != 1 else ''}, the largest of {split.largest}"


def _against_candidates(at: Position, advice: Advice) -> str:
    """What it does better than every candidate could, measure by measure."""
    mine = advice.split
    ranking = at.ranking or rank_guesses(at.game, at.candidates, asked=tuple(guess for guess, _ in at.history))
    sizes = ranking.sizes[ranking.is_candidate]
    largest, parts = int(sizes.max(axis=1).min()), int((sizes > 0).sum(axis=1).max())
    bits = ranking.split(ranking.best_candidates(1)[0]).entropy
    measures = []
    if mine.largest < largest:
        measures.append(f"its largest part is {mine.largest} against {largest} for the best candidate")
    if mine.parts > parts:
        measures.append(f"it makes {mine.parts} parts against {parts}")
    if mine.entropy > bits + 0.005:
        measures.append(f"it tells {mine.entropy:.2f} bits against {bits:.2f}")
    rival = at.best_candidate
    costs = (advice.average, rival.average) if rival else (None, None)
    if rival and costs[0] is not None and costs[1] is not None and costs[0] < costs[1]:
        measures.append(
            f"{costs[0]:.2f} guesses are still needed on average, {costs[1]:.2f} after "
            f"{format_code(at.game, rival.guess)}, which can be"
        )
    if not measures:
        return f"and tells no more at once than a candidate: {_parts(mine)}, {mine.entropy:.2f} bits"
    return "but is better than any that can: " + "; ".join(measures)


def _against_best(at: Position, advice: Advice) -> str:
    """What the best guess would do better."""
    if not at.best:
        return ""
    if at.best[0].guess == advice.guess:
        cost = advice.cost
        return f". {advice.average:.2f} guesses on average are the fewest possible" if cost and cost.proven else ""
    best = at.best[0]
    name = format_code(at.game, best.guess)
    if advice.average is not None and best.average is not None:
        if np.isclose(advice.average, best.average):
            return f". As good as {name}"
        return f". {name} is better: {best.average:.2f} guesses on average against {advice.average:.2f}"
    if advice.split.entropy < best.split.entropy - 0.005:
        return f". {name} tells more: {best.split.entropy:.2f} bits against {advice.split.entropy:.2f}"
    return ""
