"""Published and recomputed minima, the same tree for any number of workers, and searches that are cut short."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bcsearch.errors import BcsearchError
from bcsearch.executors import LocalExecutor
from bcsearch.game import parse_game
from bcsearch.optimal.objectives import Result, solve_game
from bcsearch.optimal.options import Objective
from bcsearch.optimal.tables import INFINITE, lower_bounds, most_found
from bcsearch.signals import Stop
from bcsearch.store import content_hash

ORACLE = Path(__file__).parent.parent / "oracles" / "optimal.txt"


def rows() -> list[tuple[str, str, str, int]]:
    lines = [line.split() for line in ORACLE.read_text().splitlines() if line and not line.startswith("#")]
    return [(game, pool, objective, int(value)) for game, pool, objective, value in lines]


def solve(game: str, workers: int = 2, time_limit: float | None = None, **options: Any) -> Result:
    with LocalExecutor(workers) as executor:
        return solve_game(parse_game(game), Objective(**options), executor, time_limit=time_limit)


def options_of(pool: str, text: str) -> dict[str, Any]:
    name, *conditions = text.split(",")
    options: dict[str, Any] = {"name": name, "consistent": pool == "consistent"}
    for condition in conditions:
        key, value = condition.split("=")
        options[{"K": "within", "max-depth": "max_depth"}[key]] = int(value)
    return options


def checked(row: tuple[str, str, str, int], workers: int = 2) -> Result:
    game, pool, text, value = row
    result = solve(game, workers, **options_of(pool, text))
    assert result.exact
    assert result.value == result.bound == value
    summary = result.tree.summary()
    assert summary.secrets == len(parse_game(game).secrets)
    if text.startswith("average"):
        assert summary.total == value
    return result


@pytest.mark.parametrize("row", [r for r in rows() if r[0] != "p4c10n"], ids=str)
def test_minima_of_smaller_games(row: tuple[str, str, str, int]) -> None:
    checked(row)


@pytest.mark.slow
@pytest.mark.parametrize("row", [r for r in rows() if r[0] == "p4c10n"], ids=str)
def test_minima_of_bulls_and_cows(row: tuple[str, str, str, int]) -> None:
    checked(row)


def test_depths_of_known_trees() -> None:
    assert str(solve("p4c6r").tree.summary()).startswith("5625:6:")
    assert str(solve("p4c6r", name="worst-case").tree.summary()).startswith("5626:5:")


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("p4c6r", {}),
        ("p3c10n", {}),
        ("p4c6r", {"name": "fewest-at-worst"}),
        ("p4c7n", {"name": "win-within", "within": 4}),
        ("p4c5r", {"consistent": True}),
        ("p4c6r", {"width": 2}),
    ],
)
def test_same_tree_for_any_number_of_workers(game: str, options: dict[str, Any]) -> None:
    hashes = {content_hash(solve(game, workers, **options).tree) for workers in (1, 2, 3, 1)}
    assert len(hashes) == 1


def test_work_counters_of_one_worker_repeat() -> None:
    # The cache of a process outlives a search, so a repetition starts from it: twice the same after a first run.
    solve("p3c8n", 1)
    first, second = solve("p3c8n", 1), solve("p3c8n", 1)
    assert (first.nodes, first.scans, first.tried, first.items) == (
        second.nodes, second.scans, second.tried, second.items,
    )  # fmt: skip


def test_a_search_cut_short_has_a_complete_tree_and_a_true_bound() -> None:
    result = solve("p4c8r", time_limit=3)
    summary = result.tree.summary()
    assert summary.secrets == 4096 and not result.exact
    assert 4096 < result.bound <= result.value == summary.total < 25_000
    assert result.seconds < 30


def test_a_stopped_search_of_a_known_game_brackets_the_value() -> None:
    flag = np.ones(1, dtype=np.int8)
    with LocalExecutor(1) as executor:
        result = solve_game(parse_game("p4c6r"), Objective(), executor, stop=Stop(flag))
    assert not result.exact and result.bound <= 5625 <= result.value
    assert result.tree.summary().secrets == 1296


def test_a_narrow_search_is_an_upper_bound() -> None:
    result = solve("p4c6r", width=1)
    assert not result.exact and result.bound <= 5625 <= result.value == result.tree.summary().total


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": "win-within"}, "--within K"),
        ({"within": 3}, "--within K"),
        ({"name": "best"}, "one of average"),
        ({"max_depth": 0}, "1 to 39"),
        ({"max_depth": 4}, "finds every secret within"),
        ({"name": "win-within", "within": 3, "max_depth": 5}, "does not go with"),
    ],
)
def test_wrong_options_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(BcsearchError, match=message):
        solve("p4c6r", **options)


def test_bounds_from_sizes() -> None:
    largest = (3, 2, 1)
    assert [most_found(largest, 100, k) for k in range(5)] == [0, 1, 4, 7, 7]
    low = lower_bounds((3, 2, 2), 6, 0, 4)
    assert low[4].tolist() == [0, 1, 3, 5, 7, 10, 13]
    assert low[2, 4] == 7 and low[2, 5] == INFINITE
