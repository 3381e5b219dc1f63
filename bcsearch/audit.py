"""A second opinion on proven values: random subproblems solved again, by a solver that shares nothing with the first.

The search is fast because of bounds, fingerprints, caches and merged rows; each is a place for a mistake that a replay
of the tree cannot show. The solver here has none of them. It knows the rules (those of `verify`, which scores on its
own and has a hard mode of its own), tries every guess that splits a set, and cuts off only by a bound from the number
of replies:

    of m candidates at most 1 is found with the first guess, R - 1 more with the second, and so on, R - 1 times each
    time (R replies, of which one is the win).

It is slow and meant to be; in hard mode most of all, where a set's value depends on what may still be asked.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from bcsearch.verify import Scorer, keeps_to_hard_mode

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bcsearch.game import Game

History = tuple[tuple[int, int], ...]  #: (guess, reply) indices

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
    hard
        Ask what hard mode of word games allows after a set's history.
    """

    game: Game
    measure: str
    consistent: bool = False
    hard: bool = False

    def __post_init__(self) -> None:
        self.codes = [tuple(int(s) for s in code) for code in self.game.secrets]
        self.guesses = [tuple(int(s) for s in code) for code in self.game.guesses]
        self.scorers: dict[int, Scorer] = {}
        self.rows: dict[tuple[int, int], int] = {}
        self.following: dict[tuple[int, int], frozenset[int]] = {}
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

    def may_follow(self, guess: int, reply: int) -> frozenset[int]:
        """Guesses that hard mode allows after a reply to a guess."""
        found = self.following.get((guess, reply))
        if found is None:
            row = ((self.guesses[guess], reply),)
            found = frozenset(g for g, code in enumerate(self.guesses) if keeps_to_hard_mode(self.game, row, code))
            self.following[guess, reply] = found
        return found

    def candidates(self, history: History) -> tuple[int, ...]:
        """Secrets that give all replies of a history."""
        left = range(len(self.codes))
        for guess, reply in history:
            left = [s for s in left if self.reply(guess, s) == reply]  # type: ignore[assignment]
        return tuple(left)

    def value(
        self, candidates: tuple[int, ...], k: int | None, limit: int, seconds: float, history: History = ()
    ) -> int:
        """The value of a set with k guesses left (None: no limit) where it is below `limit`, else at least `limit`.

        The `history` that led to the set matters in hard mode only.

        Raises
        ------
        OutOfTime
            When that takes more than `seconds`.
        """
        self.deadline = time.monotonic() + seconds
        left = _UNLIMITED if k is None else k
        asked = self._asked(candidates, history)
        table = np.array([[self.reply(g, s) for s in candidates] for g in asked], dtype=np.uint8)
        solver = _HardSolver(self, table, asked) if self.hard else _Solver(self, table)
        return solver.value(tuple(range(len(candidates))), left, limit, solver.everything)

    def _asked(self, candidates: tuple[int, ...], history: History) -> list[int]:
        if self.consistent:
            return [int(g) for g in self.game.guess_of_secret[list(candidates)]]
        asked = set(range(len(self.guesses)))
        for guess, reply in history if self.hard else ():
            asked &= self.may_follow(guess, reply)
        return sorted(asked)


class _Solver:
    """One question: sets are tuples of places among the candidates; table[g, place] is a reply index."""

    def __init__(self, auditor: Auditor, table: NDArray[np.uint8]) -> None:
        self.auditor, self.table = auditor, table
        self.measure, self.replies = auditor.measure, len(auditor.game.replies)
        self.values: dict[tuple[tuple[int, ...], int, bytes], tuple[int, bool]] = {}
        self.everything = np.ones(len(table), dtype=np.bool_)

    def rows_for(self, members: tuple[int, ...], allowed: NDArray[np.bool_]) -> tuple[NDArray[np.uint8], list[int]]:
        """Replies of the guesses worth trying to the members, a row each; and the guesses, as rows of the table."""
        rows, first = np.unique(self.table[:, members], axis=0, return_index=True)  # equal rows are one guess
        return rows, first.tolist()

    def allowed_after(self, allowed: NDArray[np.bool_], row: int, reply: int) -> NDArray[np.bool_]:
        """Rows of the table that may be asked after a reply to one of them."""
        return allowed

    def value(self, members: tuple[int, ...], k: int, limit: int, allowed: NDArray[np.bool_]) -> int:
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
        key = members, k, allowed.tobytes()
        known = self.values.get(key)
        if known is not None and (known[1] or known[0] >= limit):
            return known[0]
        if time.monotonic() > self.auditor.deadline:
            raise OutOfTime
        found = self._try_all(members, k, limit, allowed)
        self.values[key] = (found, found < limit)
        return found

    def _try_all(self, members: tuple[int, ...], k: int, limit: int, allowed: NDArray[np.bool_]) -> int:
        m, win = len(members), self.replies - 1
        below = k if k >= _UNLIMITED else k - 1
        rows, guesses = self.rows_for(members, allowed)
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
                later = self.allowed_after(allowed, guesses[row], int(reply))
                bound += self.value(part, below, best - (bound - int(lows[size])), later) - int(lows[size])
                if bound >= best:
                    break
            best = min(best, bound)
        return best


class _HardSolver(_Solver):
    """The same question in hard mode: what may be asked shrinks on the way down, and belongs to what is remembered.

    `asked` are the guesses whose rows the table holds. Guesses with equal replies stay apart: each allows others.
    """

    def __init__(self, auditor: Auditor, table: NDArray[np.uint8], asked: list[int]) -> None:
        super().__init__(auditor, table)
        self.asked = asked
        self.masks: dict[tuple[int, int], NDArray[np.bool_]] = {}

    def rows_for(self, members: tuple[int, ...], allowed: NDArray[np.bool_]) -> tuple[NDArray[np.uint8], list[int]]:
        left = np.flatnonzero(allowed)
        return self.table[np.ix_(left, np.array(members))], left.tolist()

    def allowed_after(self, allowed: NDArray[np.bool_], row: int, reply: int) -> NDArray[np.bool_]:
        mask = self.masks.get((row, reply))
        if mask is None:
            if time.monotonic() > self.auditor.deadline:
                raise OutOfTime
            following = self.auditor.may_follow(self.asked[row], reply)
            mask = self.masks[row, reply] = np.array([guess in following for guess in self.asked])
        return np.asarray(allowed & mask)


@dataclass(frozen=True)
class Claim:
    """What a run or a tree says of one set: the value (`exact`), or that it is at least so much.

    `history` are (guess, reply) indices; k is None where the number of guesses is not limited.
    """

    name: str
    measure: str
    history: History
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
    game: Game, pool: str, claims: Iterable[Claim], sample: int, seed: int, largest: int, seconds: float
) -> Iterator[Finding]:
    """Take random claims about sets of 3 to `largest` candidates and prove each anew within `seconds`.

    `pool` says which guesses may be asked, as tree files do: all, consistent or hard.
    """
    chosen = sorted(claims, key=lambda claim: (claim.name, claim.measure, claim.value))
    random.Random(seed).shuffle(chosen)
    auditors: dict[str, Auditor] = {}
    done = 0
    for claim in chosen:
        if done == sample:
            return
        auditor = auditors.setdefault(claim.measure, Auditor(game, claim.measure, pool == "consistent", pool == "hard"))
        candidates = auditor.candidates(claim.history)
        if not 3 <= len(candidates) <= largest:
            continue
        done += 1
        yield _judge(auditor, claim, candidates, seconds)


def _judge(auditor: Auditor, claim: Claim, candidates: tuple[int, ...], seconds: float) -> Finding:
    start = time.monotonic()
    limit = claim.value + 1 if claim.exact else claim.value
    try:
        found = auditor.value(candidates, claim.k, min(limit, IMPOSSIBLE), seconds, claim.history)
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
