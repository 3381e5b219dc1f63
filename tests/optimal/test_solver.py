"""Exact search against brute force written here: no pruning, no symmetry, no bounds, plain Python."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bcsearch.errors import BcsearchError, UsageError
from bcsearch.executors import LocalExecutor
from bcsearch.game import Game, parse_game
from bcsearch.optimal import split
from bcsearch.optimal.objectives import OptimalTree, build_optimal
from bcsearch.optimal.search import FULL, INFINITE, LATE, LOST, TOTAL, UNBOUNDED
from bcsearch.optimal.split import Subproblem, Task, forget, solve_subproblem
from bcsearch.scoring import replies_from, reply_matrix, score
from bcsearch.store import StoredTree, content_hash
from bcsearch.verify import verify


class Brute:
    """The formula of the game, memoised on (candidates, guesses left) and on nothing else."""

    def __init__(self, game: Game, consistent: bool) -> None:
        codes = game.secrets.tolist()
        self.win = game.win
        self.table = [[game.replies.index(score(s, g)) for s in codes] for g in codes]
        self.consistent = consistent
        self.total = cache(self._total)
        self.lost = cache(self._lost)
        self.late = cache(self._late)

    def _late(self, left: frozenset[int], k: int) -> int:
        if k == 0:
            return INFINITE
        if k == 1:
            return 1 if len(left) == 1 else INFINITE
        return min(INFINITE, min(sum(self.late(p, k - 1) for p in self.parts(g, left)) for g in self.guesses(left)))

    def parts(self, guess: int, left: frozenset[int]) -> list[frozenset[int]]:
        parts: dict[int, set[int]] = {}
        for s in left:
            parts.setdefault(self.table[guess][s], set()).add(s)
        parts.pop(self.win, None)
        return [frozenset(part) for part in parts.values()]

    def guesses(self, left: frozenset[int]) -> list[int]:
        pool = sorted(left) if self.consistent else range(len(self.table))
        return [g for g in pool if self.parts(g, left) != [left]]

    def _total(self, left: frozenset[int], k: int) -> int:
        if k == 0:
            return INFINITE
        values = (sum(self.total(p, k - 1) for p in self.parts(g, left)) for g in self.guesses(left))
        return min(INFINITE, len(left) + min(values))

    def _lost(self, left: frozenset[int], k: int) -> int:
        if k == 0:
            return len(left)
        return min(sum(self.lost(p, k - 1) for p in self.parts(g, left)) for g in self.guesses(left))


def prove(name: str, objective: str = "average", pool: str = "all", workers: int = 1, **options: int) -> OptimalTree:
    with LocalExecutor(workers) as executor:
        proven = build_optimal(parse_game(name), objective, executor, consistent=pool == "consistent", **options)
    stored = StoredTree(proven.tree, proven.claims, proven.tree.summary(), "", Path("x"))
    assert verify(stored).problems == []
    assert proven.claims.bound == "exact" and proven.claims.lower_bound == proven.value
    return proven


SMALL = ["p2c3r", "p2c4n", "p2c5n", "p2c5r", "p3c3r", "p3c4n", "p1c6n", "p4c2r", "p3c3n", "p2c5n-nz", "p4c4n", "p1c1n"]


@pytest.mark.parametrize("pool", ["all", "consistent"])
@pytest.mark.parametrize("name", SMALL)
def test_brute_force_agrees(name: str, pool: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(split, "_SMALL", 4)  # so that these small games go through the split search too
    game = parse_game(name)
    brute = Brute(game, pool == "consistent")
    everything = frozenset(range(len(game.secrets)))
    n = len(everything)
    proven = prove(name, pool=pool)
    total = brute.total(everything, n)
    depth = next(k for k in range(1, n + 1) if brute.total(everything, k) == total)
    assert (proven.value, proven.tree.summary().depth) == (total, depth)
    smallest = next(k for k in range(1, n + 1) if brute.lost(everything, k) == 0)
    worst = prove(name, "worst-case", pool)
    assert (worst.value, worst.tree.summary().depth) == (brute.total(everything, smallest), smallest)
    fewest = prove(name, "fewest-at-worst", pool)
    assert (fewest.value, fewest.tree.summary().depth) == (brute.late(everything, smallest), smallest)
    for k in range(1, smallest + 2):
        if k < smallest:
            with pytest.raises(BcsearchError, match=f"within {k} guesses"):
                prove(name, pool=pool, max_depth=k)
        else:
            limited = prove(name, pool=pool, max_depth=k)
            assert limited.value == brute.total(everything, k) and limited.tree.summary().depth <= k
        assert prove(name, "win-within", pool, within=k).value == brute.lost(everything, k)


@cache
def setting(name: str, consistent: bool) -> tuple[Game, Brute]:
    game = parse_game(name)
    return game, Brute(game, consistent)


@given(st.data(), st.sampled_from(["p3c5n", "p3c4r"]), st.booleans(), st.sampled_from([TOTAL, LOST, LATE]))
@settings(max_examples=120, deadline=None)
def test_any_set_at_every_limit(data: st.DataObject, name: str, consistent: bool, mode: int) -> None:
    game, brute = setting(name, consistent)
    members = st.sets(st.integers(0, len(game.secrets) - 1), min_size=1, max_size=14 if consistent else 8)
    left = sorted(data.draw(members))
    k = data.draw(st.sampled_from([0, 1, 2, 3, 4, UNBOUNDED]))
    value = {TOTAL: brute.total, LOST: brute.lost, LATE: brute.late}[mode](frozenset(left), min(k, 20))
    source = replies_from(game, reply_matrix(game))
    candidates = np.array(left, dtype=np.int32)
    forget()
    for limit in [*range(0, min(value, 60) + 3), INFINITE]:
        task = Task(game, mode, consistent)
        history = ((0, 0), (0, 0), (0, 0))  # long enough that no symmetry is assumed of an arbitrary set
        answer, guess, exact = solve_subproblem(task, source, Subproblem(history, candidates, k, limit, FULL))
        if exact:
            assert answer == value
            assert value >= INFINITE or k == 0 or guess >= 0
        else:
            assert limit <= answer <= value


QUICK = [
    ("p2c3r", "average", {}, 21),
    ("p2c10n", "average", {}, 451),
    ("p3c6r", "average", {}, 854),
    ("p3c6n", "average", {}, 436),
    ("p3c7n", "average", {}, 836),
    ("p4c6n", "average", {}, 1446),
    ("p4c7n", "average", {}, 3639),
    ("p4c6r", "average", {}, 5625),
    ("p4c6r", "average", {"max_depth": 5}, 5626),
    ("p4c6r", "average", {"pool": "consistent"}, 5660),
]


@pytest.mark.parametrize(("name", "objective", "options", "value"), QUICK)
def test_oracle(name: str, objective: str, options: dict[str, int], value: int) -> None:
    assert prove(name, objective, **options).value == value  # type: ignore[arg-type]


def test_mastermind_needs_five_guesses() -> None:
    proven = prove("p4c6r", "worst-case")
    assert (proven.value, proven.tree.summary().depth) == (5626, 5)


def test_fewest_secrets_of_mastermind_that_need_five() -> None:
    proven = prove("p4c6r", "fewest-at-worst")
    assert (proven.value, proven.tree.summary().depth) == (539, 5)


def test_first_row_of_mastermind_has_depth_six() -> None:
    assert str(prove("p4c6r").tree.summary()) == "5625:6:2"


@pytest.mark.parametrize("name", ["p4c6r", "p4c7n"])
def test_workers_change_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(split, "_SMALL", 40)
    trees = {content_hash(prove(name, workers=workers).tree) for workers in (1, 2, 4)}
    assert len(trees) == 1


def test_work_counters_are_a_signature() -> None:
    game = parse_game("p3c6r")
    forget()
    source = replies_from(game, reply_matrix(game))
    task, everything = Task(game), np.arange(len(game.secrets), dtype=np.int32)
    first = solve_subproblem(task, source, Subproblem((), everything, UNBOUNDED, INFINITE, FULL))
    counted = split.context_of(task, source).counters.tolist()
    forget()
    assert solve_subproblem(task, source, Subproblem((), everything, UNBOUNDED, INFINITE, FULL)) == first
    assert split.context_of(task, source).counters.tolist() == counted and counted[0] > 1


def test_options_that_do_not_go_together() -> None:
    with pytest.raises(UsageError, match="needs --within"):
        prove("p2c3r", "win-within")
    with pytest.raises(UsageError, match="needs --within"):
        prove("p2c3r", "average", within=3)
    with pytest.raises(UsageError, match="--max-depth goes with"):
        prove("p2c3r", "worst-case", max_depth=3)
    with pytest.raises(UsageError, match="--within 40"):
        prove("p2c3r", "win-within", within=40)


@pytest.mark.slow
def test_bulls_and_cows() -> None:
    """Minutes: the published minimum of p4c10n, and that 6 guesses do not suffice for all its secrets."""
    proven = prove("p4c10n", workers=2)
    assert (proven.value, proven.tree.summary().depth) == (26274, 7)
