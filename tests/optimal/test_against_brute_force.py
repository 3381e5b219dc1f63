"""The exact search against plain recursions without pruning, bounds, symmetry or caching across questions."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bcsearch.errors import BcsearchError
from bcsearch.executors import LocalExecutor
from bcsearch.game import Game, parse_game
from bcsearch.optimal.objectives import solve_game
from bcsearch.optimal.options import Objective
from bcsearch.optimal.tables import INFINITE, LOST, TOTAL, UNLIMITED, WORST
from bcsearch.optimal.task import Item, Question, reply_columns, run_item
from bcsearch.scoring import score

SMALL_GAMES = ["p1c5n", "p2c3r", "p2c4r", "p2c4n", "p2c5r", "p2c5n", "p2c5n-nz", "p3c3r", "p3c3n", "p3c4n", "p3c3r-nz",
               "p2c6n", "p4c2r", "p4c4n"]  # fmt: skip


class Plain:
    """V_k(S) as it is written down, remembering only what has been computed."""

    def __init__(self, game: Game, consistent: bool) -> None:
        codes = [tuple(map(int, code)) for code in game.secrets]
        self.win = game.win
        self.consistent = consistent
        self.reply = [[game.replies.index(score(s, g)) for s in codes] for g in codes]
        self.value = lru_cache(maxsize=None)(self._value)

    def _value(self, candidates: frozenset[int], k: int, mode: int) -> int:
        if k == 0:
            return len(candidates) if mode == LOST else INFINITE
        best = INFINITE
        for g in candidates if self.consistent else range(len(self.reply)):
            parts: dict[int, set[int]] = {}
            for s in candidates:
                parts.setdefault(self.reply[g][s], set()).add(s)
            if len(parts) == 1 and self.win not in parts:
                continue
            if mode == WORST and k == 1:
                total = len(parts.pop(self.win, set()))
            else:
                total = len(candidates) if mode == TOTAL else 0
                parts.pop(self.win, None)
            for part in parts.values():
                total += self.value(frozenset(part), k - 1, mode)
            best = min(best, total)
        return min(best, INFINITE)


def outcome(game: Game, **options: Any) -> Any:
    with LocalExecutor(1) as executor:
        return solve_game(game, Objective(**options), executor)


@pytest.mark.parametrize("consistent", [False, True])
@pytest.mark.parametrize("name", SMALL_GAMES)
def test_every_objective_of_every_small_game(name: str, consistent: bool) -> None:
    game = parse_game(name)
    plain = Plain(game, consistent)
    everyone = frozenset(range(len(game.secrets)))
    total = [plain.value(everyone, k, TOTAL) for k in range(8)]
    least = min(total)
    result = outcome(game, consistent=consistent)
    assert result.exact and result.value == result.bound == least
    assert result.tree.summary().total == least
    assert result.tree.summary().depth == total.index(least)
    depth = next(k for k, value in enumerate(total) if value < INFINITE)
    for limit in range(1, 8):
        if total[limit] == INFINITE:
            with pytest.raises(BcsearchError, match="finds every secret within"):
                outcome(game, consistent=consistent, max_depth=limit)
        else:
            assert outcome(game, consistent=consistent, max_depth=limit).value == total[limit]
    worst = outcome(game, name="worst-case", consistent=consistent)
    assert worst.exact and (worst.value, worst.tree.summary().total) == (depth, total[depth])
    fewest = outcome(game, name="fewest-at-worst", consistent=consistent)
    assert fewest.exact and fewest.tree.summary().depth == depth
    assert fewest.value == fewest.bound == fewest.tree.summary().worst == plain.value(everyone, depth, WORST)
    for k in range(1, 7):
        within = outcome(game, name="win-within", within=k, consistent=consistent)
        lost = plain.value(everyone, k, LOST)
        assert within.exact and within.value == within.bound == len(everyone) - lost
        assert sum(within.tree.distribution()[:k]) == within.value
        assert sum(within.tree.distribution()) == len(everyone)


GAMES = {name: parse_game(name) for name in ("p3c5n", "p3c4r")}
COLUMNS = {name: reply_columns(game) for name, game in GAMES.items()}
PLAIN = {(name, pool): Plain(game, pool) for name, game in GAMES.items() for pool in (False, True)}


@st.composite
def sets(draw: st.DrawFn) -> tuple[str, list[int]]:
    name = draw(st.sampled_from(sorted(GAMES)))
    most = len(GAMES[name].secrets)
    return name, sorted(draw(st.sets(st.integers(0, most - 1), min_size=3, max_size=11)))


@settings(max_examples=60, deadline=None)
@given(sets(), st.booleans(), st.sampled_from([TOTAL, LOST, WORST]), st.integers(2, 5))
def test_any_set_at_every_limit(chosen: tuple[str, list[int]], consistent: bool, mode: int, k: int) -> None:
    name, candidates = chosen
    game = GAMES[name]
    value = PLAIN[name, consistent].value(frozenset(candidates), k, mode)
    question = Question(game, mode, consistent)
    stop = np.zeros(1, dtype=np.int8)
    finite = value if value < INFINITE else 4 * len(candidates)
    for limit in [*range(max(0, finite - 6), finite + 6), INFINITE]:
        # A history of three guesses: no symmetry, every guess is tried.
        item = Item((0, 1, 2), np.array(candidates, dtype=np.int32), k, limit, 1 << 60)
        answer = run_item(question, COLUMNS[name], item, stop)
        assert answer.finished
        if value < limit:
            assert answer.value == value
            assert answer.guess >= 0
        else:
            assert limit <= answer.value <= value or answer.value >= INFINITE <= value


def test_unlimited_depth_is_the_least_over_all_depths() -> None:
    candidates = list(range(0, 60, 5))
    value = min(PLAIN["p3c5n", False].value(frozenset(candidates), k, TOTAL) for k in range(2, 6))
    item = Item((0, 1, 2), np.array(candidates, dtype=np.int32), UNLIMITED, INFINITE, 1 << 60)
    answer = run_item(Question(GAMES["p3c5n"], TOTAL), COLUMNS["p3c5n"], item, np.zeros(1, dtype=np.int8))
    assert answer.value == value


def test_the_plain_recursion_knows_a_published_value() -> None:
    assert Plain(parse_game("p2c3r"), False).value(frozenset(range(9)), 4, TOTAL) == 21
