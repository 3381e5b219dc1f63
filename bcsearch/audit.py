"""A second opinion on proven values: random subproblems solved again, by a solver that shares nothing with the first.

The search is fast because of bounds, fingerprints, caches and merged rows; each is a place for a mistake that a replay
of the tree cannot show. The solver here has none of them. It knows the rules (`verify.Scorer`, which scores on its
own), tries every guess that splits a set, and cuts off only by a bound from the number of replies:

    of m candidates at most 1 is found with the first guess, R - 1 more with the second, and so on, R - 1 times each
    time (R replies, of which one is the win).

It is slow and meant to be.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from bcsearch.verify import Scorer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bcsearch.game import Game

IMPOSSIBLE = 10**9
TOTAL, LOST, LATE = "total", "lost", "late"
_UNLIMITED = 10**6


class OutOfTime(Exception):
    """The solver was told to stop."""


@dataclass
class Auditor:
    """Values of sets of candidates of one game under one measure.

    Attributes
    ----------
    measure
        "total": sum of guesses; "lost": secrets not found within k guesses; "late": secrets found with the last of k
        guesses only, where all are found.
    consistent
        Ask candidates only.
    """

    game: Game
    measure: str
    consistent: bool = False

    def __post_init__(self) -> None:
        self.codes = [tuple(int(s) for s in code) for code in self.game.secrets]
        self.guesses = [tuple(int(s) for s in code) for code in self.game.guesses]
        self.scorers: dict[int, Scorer] = {}
        self.rows: dict[tuple[int, int], int] = {}
        self.deadline = float("inf")

    def reply(self, guess: int, secret: int) -> int:
        """Reply index of a guess to a secret."""
        found = self.rows.get((guess, secret))
        if found is None:
            scorer = self.scorers.get(guess)
            if scorer is None:
                scorer = self.scorers[guess] = Scorer(self.game, self.guesses[guess])
            found = self.rows[guess, secret] = scorer.reply(self.codes[secret])
        return found

    def candidates(self, history: tuple[tuple[int, int], ...]) -> tuple[int, ...]:
        """Secrets that give all replies of a history."""
        left = range(len(self.codes))
        for guess, reply in history:
            left = [s for s in left if self.reply(guess, s) == reply]  # type: ignore[assignment]
        return tuple(left)

    def value(self, candidates: tuple[int, ...], k: int | None, limit: int, seconds: float) -> int:
        """The value of a set with k guesses left (None: no limit) where it is below `limit`, else at least `limit`.

        Raises
        ------
        OutOfTime
            When that takes more than `seconds`.
        """
        self.deadline = time.monotonic() + seconds
        left = _UNLIMITED if k is None else k
        table = np.array([[self.reply(g, s) for s in candidates] for g in self._asked(candidates)], dtype=np.uint8)
        return _Solver(self, table).value(tuple(range(len(candidates))), left, limit)

    def _asked(self, candidates: tuple[int, ...]) -> list[int]:
        own = [int(g) for g in self.game.guess_of_secret[list(candidates)]]
        return own if self.consistent else list(range(len(self.guesses)))


class _Solver:
    """One question: sets are tuples of places among the candidates; table[g, place] is a reply index."""

    def __init__(self, auditor: Auditor, table: NDArray[np.uint8]) -> None:
        self.auditor, self.table = auditor, table
        self.measure, self.replies = auditor.measure, len(auditor.game.replies)
        self.values: dict[tuple[tuple[int, ...], int], tuple[int, bool]] = {}

    def value(self, members: tuple[int, ...], k: int, limit: int) -> int:
        """The value where it is below `limit`, else something that is at least `limit`."""
        m = len(members)
        if m == 0:
            return 0
        if k == 0:
            return m if self.measure == LOST else IMPOSSIBLE
        if m == 1:
            return 1 if self.measure == TOTAL or (self.measure == LATE and k == 1) else 0
        low = least(self.measure, m, k, self.replies)
        if low >= limit:
            return low
        known = self.values.get((members, k))
        if known is not None and (known[1] or known[0] >= limit):
            return known[0]
        if time.monotonic() > self.auditor.deadline:
            raise OutOfTime
        found = self._try_all(members, k, limit)
        self.values[members, k] = (found, found < limit)
        return found

    def _try_all(self, members: tuple[int, ...], k: int, limit: int) -> int:
        m, win = len(members), self.replies - 1
        below = k if k >= _UNLIMITED else k - 1
        rows = np.unique(self.table[:, members], axis=0)
        if self.auditor.consistent:
            rows = rows[(rows == win).any(axis=1)]
        flat = rows + np.arange(len(rows))[:, None] * self.replies
        sizes = np.bincount(flat.ravel(), minlength=len(rows) * self.replies).reshape(len(rows), -1)
        lows = np.array([least(self.measure, size, below, self.replies) for size in range(m + 1)])
        bounds = lows[sizes[:, :win]].sum(axis=1) + (m if self.measure == TOTAL else 0)
        best = limit
        splits = sizes[:, :win].max(axis=1) < m
        for row in np.argsort(bounds, kind="stable"):
            bound = int(bounds[row])
            if bound >= best:
                break
            if not splits[row]:
                continue
            for reply in np.argsort(sizes[row, :win]):
                size = int(sizes[row, reply])
                if size == 0:
                    continue
                part = tuple(s for s, r in zip(members, rows[row], strict=True) if r == reply)
                bound += self.value(part, below, best - (bound - int(lows[size]))) - int(lows[size])
                if bound >= best:
                    break
            best = min(best, bound)
        return best


@dataclass(frozen=True)
class Claim:
    """What a run or a tree says of one set: the value (`exact`), or that it is at least so much.

    `history` are (guess, reply) indices; k is None where the number of guesses is not limited.
    """

    name: str
    measure: str
    history: tuple[tuple[int, int], ...]
    k: int | None
    value: int
    exact: bool


@dataclass(frozen=True)
class Finding:
    """What came of a claim: "re-proved", "refuted", or "not settled" in the time there was."""

    claim: Claim
    size: int
    verdict: str
    found: int | None
    seconds: float


def audit(
    game: Game, consistent: bool, claims: Iterable[Claim], sample: int, seed: int, largest: int, seconds: float
) -> Iterator[Finding]:
    """Take random claims about sets of 3 to `largest` candidates and prove each anew within `seconds`."""
    chosen = sorted(claims, key=lambda claim: (claim.name, claim.measure, claim.value))
    random.Random(seed).shuffle(chosen)
    auditors: dict[str, Auditor] = {}
    done = 0
    for claim in chosen:
        if done == sample:
            return
        auditor = auditors.setdefault(claim.measure, Auditor(game, claim.measure, consistent))
        candidates = auditor.candidates(claim.history)
        if not 3 <= len(candidates) <= largest:
            continue
        done += 1
        yield _judge(auditor, claim, candidates, seconds)


def _judge(auditor: Auditor, claim: Claim, candidates: tuple[int, ...], seconds: float) -> Finding:
    start = time.monotonic()
    limit = claim.value + 1 if claim.exact else claim.value
    try:
        found = auditor.value(candidates, claim.k, min(limit, IMPOSSIBLE), seconds)
    except OutOfTime:
        return Finding(claim, len(candidates), "not settled", None, time.monotonic() - start)
    right = found == claim.value if claim.exact else found >= min(limit, IMPOSSIBLE)
    verdict = "re-proved" if right else "refuted"
    return Finding(claim, len(candidates), verdict, found, time.monotonic() - start)


@lru_cache(maxsize=100_000)
def least(measure: str, m: int, k: int, replies: int) -> int:
    """Lower bound of the value of any m candidates with k guesses left."""
    if m == 0:
        return 0
    found, new, total, guesses = 0, 1, 0, 0
    while found < m and guesses < k:
        guesses += 1
        now = min(new, m - found)
        total += now * guesses
        found += now
        new *= replies - 1
    if measure == LOST:
        return m - found
    if found < m:
        return IMPOSSIBLE
    if measure == TOTAL:
        return total
    return max(0, m - sum((replies - 1) ** i for i in range(k - 1))) if k < 60 else 0
