"""Why a guess: one or two sentences in words, from the figures of a `Position`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bcsearch.advice import FEW, Advice, Position
from bcsearch.assist import Split
from bcsearch.notation import format_code
from bcsearch.plurals import counted
from bcsearch.ranking import rank_guesses

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
        average = _average(at, advice)
        text += f"; {average}" if average else ""
    else:
        text = f"{name} cannot be the secret, {_against_candidates(at, advice)}"
    return text + _against_best(at, advice)


def _parts(split: Split) -> str:
    return f"{counted(split.parts, 'part')}, the largest of {split.largest}"


def _average(at: Position, advice: Advice) -> str:
    """Guesses still needed, where that is known."""
    if advice.average is None or advice.cost is None:
        return ""
    best = bool(at.best) and at.best[0].guess == advice.guess and advice.cost.proven
    least = ", the fewest possible" if best else "" if advice.cost.proven else " at most"
    return f"{advice.average:.2f} guesses are still needed on average{least}"


def _against_candidates(at: Position, advice: Advice) -> str:
    """What it does better than every candidate could, measure by measure."""
    mine = advice.split
    ranking = at.ranking or rank_guesses(at.game, at.candidates, asked=tuple(guess for guess, _ in at.history))
    sizes = ranking.sizes[ranking.is_candidate]
    largest, parts = int(sizes.max(axis=1).min()), int((sizes > 0).sum(axis=1).max())
    bits = _most_bits(sizes)
    measures = []
    if mine.largest < largest:
        measures.append(f"its largest part is {mine.largest} against {largest} for the best candidate")
    if mine.parts > parts:
        measures.append(f"{mine.parts} parts against {parts}")
    if mine.entropy > bits + 0.005:
        measures.append(f"{mine.entropy:.2f} bits against {bits:.2f}")
    average, rival = _average(at, advice), at.best_candidate
    cheaper = False
    if rival is not None and rival.average is not None and advice.average is not None:
        average += f", {rival.average:.2f} after {format_code(at.game, rival.guess)}, which can be"
        cheaper = advice.average < rival.average
    if measures:
        text = "but tells more than any that can: "
    elif cheaper:
        others = "any that can" if len(at.candidates) <= FEW else "the candidate ranked first"
        text = f"but needs fewer guesses than {others}: "
    else:
        measures.append(f"{_parts(mine)}, {mine.entropy:.2f} bits")
        text = "and tells no more at once than a candidate: "
    return text + "; ".join(filter(None, [", ".join(measures), average]))


def _most_bits(sizes: NDArray[np.int64]) -> float:
    """The most that any row of part sizes tells, in bits; the same rule as `assist.Split.entropy`."""
    n = sizes[0].sum()
    terms = sizes * np.log2(np.maximum(sizes, 1))
    return float(np.log2(n) - terms.sum(axis=1).min() / n)


def _against_best(at: Position, advice: Advice) -> str:
    """What the best guess would do better."""
    if not at.best or at.best[0].guess == advice.guess:
        return ""
    best = at.best[0]
    name = format_code(at.game, best.guess)
    if advice.average is not None and best.average is not None:
        if np.isclose(advice.average, best.average):
            return f". As good as {name}"
        return f". {name} is better: {best.average:.2f} guesses on average"
    if advice.split.entropy < best.split.entropy - 0.005:
        return f". {name} tells more: {best.split.entropy:.2f} bits against {advice.split.entropy:.2f}"
    return ""
