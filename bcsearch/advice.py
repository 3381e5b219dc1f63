"""What now? A position in a game, the best guesses in it, and why they are best.

Three sources answer, the quickest first: a tree file on whose path the history lies; the exact search, where the
candidates are few enough for its budget; else the ranking of all guesses by a greedy strategy. Guesses made need not be
ours. Compiled kernels are used only by the exact search, and only where closed forms do not settle a set.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from bcsearch.assist import Split, candidates_after, reply_row, split_by
from bcsearch.errors import UsageError
from bcsearch.game import Game
from bcsearch.hard import allowed_after, broken_rule, check_hard, check_tree
from bcsearch.notation import format_code
from bcsearch.plurals import counted
from bcsearch.ranking import Ranking, rank_guesses, reply_rows
from bcsearch.tree import WON, Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bcsearch.store import Claims, StoredTree

History = tuple[tuple[int, int], ...]

Value = tuple[int, int, int]  #: least total, least worst at that total, a guess that reaches both

EXACT_SCANS = 3_000  #: budget of one exact value: well under a tenth of a second for Bulls and Cows
SURE = 80  #: candidates; up to here the exact value is found whatever it takes
_SURE_SCANS = 1 << 40
_MOST_TRIED = 160  # candidates; beyond, the budget would only be wasted
_MOST_CELLS = 1 << 22  # guesses x candidates of the exact search, which needs some hundred bytes for each
_MOST_COSTED = 100  # candidates; beyond, only the best guess's cost is looked for
_QUICK = 1 << 23  # replies that are looked at even when a tree has answered already
_LONG = 1 << 44  # replies; beyond, even looking at equivalent guesses once takes long
FEW = 20  #: candidates; up to here the best candidate is found exactly too


@dataclass(frozen=True)
class Cost:
    """Guesses still needed over all candidates, the next one counted.

    Attributes
    ----------
    total, worst
        Their sum, and the most any candidate needs.
    proven
        Whether no smaller total is possible after this guess.
    """

    total: int
    worst: int
    proven: bool


@dataclass(frozen=True)
class Advice:
    """A guess with what it tells, and what it costs where that is known."""

    guess: int
    split: Split
    cost: Cost | None = None

    @property
    def average(self) -> float | None:
        """Guesses still needed on average, this one counted."""
        return self.cost.total / self.split.candidates if self.cost else None


@dataclass(frozen=True)
class Position:
    """A situation in a game.

    Attributes
    ----------
    history
        (guess, reply) indices.
    left
        Number of candidates after each row.
    candidates
        Secrets still possible, int32, ascending.
    best
        Guesses, best first; empty when the game is won or contradictory.
    best_candidate
        The best guess that can be the secret, for comparison: the cheapest where candidates are few, else the first of
        the ranking.
    source
        "tree", "exact" or "ranking": where the first guess of `best` comes from.
    ranking
        All guesses, where they were looked at.
    """

    game: Game
    history: History
    left: tuple[int, ...]
    candidates: NDArray[np.int32]
    best: tuple[Advice, ...] = ()
    best_candidate: Advice | None = None
    source: str = ""
    ranking: Ranking | None = None

    @property
    def won(self) -> bool:
        """Whether some reply was the win."""
        return bool(len(self.candidates)) and any(reply == self.game.win for _, reply in self.history)


@dataclass
class Adviser:
    """Answers questions about one game.

    Attributes
    ----------
    tree
        A tree file whose answers are used on its path, or None.
    strategy
        Greedy strategy that ranks guesses where nothing exact is known.
    scans
        Budget of each exact value; 0 for closed forms only, which need no compiled kernel.
    say
        Told when kernels have to be compiled first.
    hard
        Advise only what hard mode of word games allows.
    """

    game: Game
    tree: StoredTree | None = None
    strategy: str = "entropy"
    scans: int = EXACT_SCANS
    say: Callable[[str], None] | None = None
    hard: bool = False
    _known: dict[tuple[bytes, frozenset[tuple[int, int]] | None], Value | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.hard:
            check_hard(self.game)
        if self.hard and self.tree is not None:
            check_tree(self.tree.path, self.tree.claims.pool)

    def check(self, history: History, guess: int) -> None:
        """Raise UsageError, saying why, where hard mode forbids a guess."""
        broken = broken_rule(self.game, guess, history) if self.hard else None
        if broken is not None:
            raise UsageError(f"{format_code(self.game, guess)} may not be asked in hard mode: {broken}")

    def broken_rows(self, history: History) -> list[tuple[int, str]]:
        """Rows (counted from 0) whose guess hard mode forbids after those before, each with the reason."""
        broken = [broken_rule(self.game, history[row][0], history[:row]) for row in range(len(history) * self.hard)]
        return [(row, reason) for row, reason in enumerate(broken) if reason is not None]

    def position(self, history: History) -> Position:
        """The candidates after each row of a history, without advice."""
        everyone = np.arange(len(self.game.secrets), dtype=np.int32)
        left, candidates = [], everyone
        for guess, reply in history:
            candidates = candidates[reply_row(self.game, guess, candidates) == reply]
            left.append(len(candidates))
        return Position(self.game, history, tuple(left), candidates)

    def advise(self, history: History, count: int = 5) -> Position:
        """The position with its best guesses, at most `count` of them (one where a tree answers a large position)."""
        at = self.position(history)
        if not len(at.candidates) or at.won:
            return at
        from_tree = self._from_tree(history)
        n = len(at.candidates)
        if from_tree and n * len(self.game.guesses) > _QUICK:
            return replace(at, best=(from_tree,), source="tree")
        asked = tuple(guess for guess, _ in history)
        if self.say is not None and n * len(self.game.guesses) > _LONG:
            self.say(f"{counted(len(self.game.guesses), 'guess')} and {counted(n, 'candidate')}: this takes minutes")
        ranking = rank_guesses(self.game, at.candidates, self.strategy, asked,
                               only=allowed_after(self.game, history) if self.hard else None)  # fmt: skip
        those = self._set(at.candidates, history)
        value = None if from_tree else self._value(those)
        first = [from_tree.guess] if from_tree else [value[2]] if value else []
        names = list(dict.fromkeys([*first, *ranking.best(count)]))[: max(1, count)]
        best = [self._advice(guess, those, ranking) for guess in names]
        if from_tree:
            best[0] = from_tree
        if value and best[0].cost is None:
            best[0] = replace(best[0], cost=Cost(value[0], value[1], True))
        best = _by_cost(best, keep_first=from_tree is not None)
        source = "tree" if from_tree else "exact" if value else "ranking"
        return replace(at, best=tuple(best), best_candidate=self._best_candidate(those, ranking), source=source,
                       ranking=ranking)  # fmt: skip

    def explain(self, at: Position, guess: int) -> Advice:
        """Any guess, looked at like the best ones."""
        those = self._set(at.candidates, at.history)
        return Advice(guess, split_by(self.game, guess, at.candidates), self._cost(guess, those))

    def value(self, candidates: NDArray[np.int32], history: History = ()) -> Value | None:
        """(least total, then least worst, guess) of a set of candidates; None where the budget does not suffice.

        In hard mode it depends on the `history` that led to the set.
        """
        return self._value(self._set(candidates, history))

    def _set(self, candidates: NDArray[np.int32], history: History) -> CandidateSet:
        return CandidateSet(self.game, candidates, history=history)

    def _value(self, those: CandidateSet) -> Value | None:
        key = those.candidates.tobytes(), frozenset(those.history) if self.hard else None
        if key not in self._known:
            known = closed_form(those, self.hard)
            small = len(those) <= _MOST_TRIED and len(those) * len(self.game.guesses) <= _MOST_CELLS
            if known is None and self.scans and small:
                known = self._search(those)
            self._known[key] = known
        return self._known[key]

    def _search(self, those: CandidateSet) -> Value | None:
        from bcsearch.optimal.small import exact_value, exact_value_in_hard_mode

        if self.hard:
            asked = tuple(guess for guess, _ in those.history)
            return exact_value_in_hard_mode(self.game, asked, those.candidates, self.scans, self.say)
        scans = self.scans if len(those) > SURE else max(self.scans, _SURE_SCANS)
        return exact_value(self.game, those.rows, scans, self.say)

    def _advice(self, guess: int, those: CandidateSet, ranking: Ranking) -> Advice:
        at = int(np.searchsorted(ranking.guesses, guess))
        listed = at < len(ranking.guesses) and ranking.guesses[at] == guess
        split = ranking.split(guess) if listed else split_by(self.game, guess, those.candidates)
        return Advice(guess, split, self._cost(guess, those))

    def _cost(self, guess: int, those: CandidateSet) -> Cost | None:
        """What a guess costs with the best play after it; None where that is not known, or the guess tells nothing."""
        if len(those) > _MOST_COSTED:
            return None
        row = reply_row(self.game, guess, those.candidates)
        total, worst = len(those), 1
        for reply in np.unique(row):
            if reply == self.game.win:
                continue
            columns = np.flatnonzero(row == reply)
            part = those.part(columns, (guess, int(reply)))
            value = self._value(part) if len(columns) < len(those) else None
            if value is None:
                return None
            total, worst = total + value[0], max(worst, 1 + value[1])
        return Cost(int(total), int(worst), True)

    def _from_tree(self, history: History) -> Advice | None:
        if self.tree is None or self.tree.tree.game != self.game:
            return None
        tree = self.tree.tree
        row = tree_row(tree, history)
        if row is None:
            return None
        total, worst = cost_below(tree, row)
        candidates = candidates_after(self.game, history)
        split = split_by(self.game, int(tree.guess[row]), candidates)
        return Advice(int(tree.guess[row]), split, Cost(total, worst, self._is_the_least(self.tree.claims)))

    def _is_the_least(self, claims: Claims) -> bool:
        """Whether a tree's totals are proven minimal here, and not only under a depth, or among fewer guesses."""
        objective = claims.objective
        free = objective.get("objective") == "average" and objective.get("max_depth") is None
        return claims.bound == "exact" and free and claims.pool == ("hard" if self.hard else "all")

    def _best_candidate(self, those: CandidateSet, ranking: Ranking) -> Advice | None:
        """The candidate that costs least, where candidates are few; else the first of the ranking."""
        names = ranking.best_candidates(FEW if len(those) <= FEW else 1)
        found = [self._advice(guess, those, ranking) for guess in names]
        return _by_cost(found)[0] if found else None


def _by_cost(those: list[Advice], keep_first: bool = False) -> list[Advice]:
    """Cheapest first, candidates first among equals, then as they come; guesses of unknown cost last."""

    def key(advice: Advice) -> tuple[int, int, int]:
        cost = advice.cost
        return (cost.total, cost.worst, not advice.split.is_candidate) if cost else (1 << 62, 0, 0)

    return those[:1] + sorted(those[1:], key=key) if keep_first else sorted(those, key=key)


class CandidateSet:
    """Candidates with the replies of all guesses to them, made when they are first asked for; and what led to them."""

    def __init__(
        self, game: Game, candidates: NDArray[np.int32], rows: NDArray[np.uint8] | None = None, history: History = ()
    ) -> None:
        self.game, self.candidates, self._rows, self.history = game, candidates, rows, history

    def __len__(self) -> int:
        return len(self.candidates)

    @property
    def own(self) -> NDArray[np.int32]:
        """The guess that each candidate is."""
        return self.game.guess_of_secret[self.candidates]

    @property
    def rows(self) -> NDArray[np.uint8]:
        """Replies, shape (guesses, candidates), uint8."""
        if self._rows is None:
            self._rows = reply_rows(self.game, np.arange(len(self.game.guesses), dtype=np.int32), self.candidates)
        return self._rows

    def part(self, columns: NDArray[np.intp], row: tuple[int, int]) -> CandidateSet:
        """Some of the candidates: those left after one more (guess, reply)."""
        return CandidateSet(self.game, self.candidates[columns], self.rows[:, columns], (*self.history, row))

    def own_rows(self) -> NDArray[np.uint8]:
        """Replies of the candidates to each other."""
        if self._rows is None:
            return reply_rows(self.game, self.own, self.candidates)
        return self._rows[self.own]


def closed_form(those: CandidateSet, hard: bool = False) -> Value | None:
    """Value of sets that the number of parts settles (see docs/algorithms.md); None for others.

    n candidates cost 2n-1 if a candidate tells all apart, else 2n if another guess does or a candidate leaves one pair,
    else 2n+1 if another guess leaves one pair. In `hard` mode only candidates are sure to be allowed.
    """
    n, own, replies = len(those), those.own, len(those.game.replies)
    if n <= 2:
        return 2 * n - 1, n, int(own[0])
    if n > 2 * replies:
        return None
    inside = _parts(those.own_rows(), replies)
    if inside.max() == n:
        return 2 * n - 1, 2, int(own[int(np.argmax(inside))])
    if hard:
        return None
    every = _parts(those.rows, replies)
    every[own] = 0
    if every.max() == n:
        return 2 * n, 2, int(np.argmax(every))
    if inside.max() == n - 1:
        return 2 * n, 3, int(own[int(np.argmax(inside))])
    if every.max() == n - 1:
        return 2 * n + 1, 3, int(np.argmax(every))
    return None


def _parts(rows: NDArray[np.uint8], replies: int) -> NDArray[np.intp]:
    """Number of different replies in each row."""
    seen = np.zeros((len(rows), replies), dtype=bool)
    seen[np.arange(len(rows))[:, None], rows] = True
    counts: NDArray[np.intp] = seen.sum(axis=1)
    return counts


def tree_row(tree: Tree, history: History) -> int | None:
    """Row of the node that a history leads to; None where it leaves the tree's path or has won."""
    row = 0
    for guess, reply in history:
        if tree.guess[row] != guess or tree.child[row, reply] < 0:
            return None
        row = int(tree.child[row, reply])
    return row


def cost_below(tree: Tree, row: int) -> tuple[int, int]:
    """(total, worst) of a subtree: guesses over all its secrets, and the most any of them needs."""
    rows, total, depth = np.array([row]), 0, 0
    while len(rows):
        depth += 1
        children = tree.child[rows]
        total += depth * int((children[:, -1] == WON).sum())
        rows = children[children >= 0]
    return total, depth
