"""A tree in the terminal."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bcsearch.shipped import shipped_tree
from bcsearch.store import StoredTree, read_tree
from bcsearch.subtrees import still_to_come
from bcsearch.tree import WON


def plain_costs(stored: StoredTree, row: int) -> list[int]:
    """Guesses from a node on for each candidate there, by walking."""
    costs = []
    for below in stored.tree.child[row].tolist():
        if below == WON:
            costs.append(1)
        elif below >= 0:
            costs += [cost + 1 for cost in plain_costs(stored, below)]
    return costs


def test_what_is_still_to_come_is_what_walking_costs(bulls_cows: StoredTree) -> None:
    come = still_to_come(bulls_cows.tree)
    for row in [0, 1, 5, 17, 300, 2000, len(bulls_cows.tree) - 1]:
        costs = plain_costs(bulls_cows, row)
        assert (sum(costs), max(costs)) == (come.total[row], come.worst[row])


def test_one_line_for_each_reply(run: Any) -> None:
    outcome = run("show")
    lines = outcome.out.splitlines()
    assert lines[0] == "0123            5040 candidates   5.21 more on average, 7 at worst"
    assert len(lines) == 15
    replies = [f"{b}A{c}B" for b, c in read_tree(shipped_tree("p4c10n-optimal-average")).tree.game.replies]
    assert [line.split()[1] for line in lines[1:]] == replies
    counts = [int(line.split()[3]) for line in lines[1:-1]]
    assert counts == [360, 1440, 1260, 264, 9, 480, 720, 216, 8, 180, 72, 6, 24]
    assert lines[-1].split() == ["└─", "4A0B", "0123", "found"]


def test_depth_history_and_json(run: Any, bulls_cows: StoredTree) -> None:
    history = ("--history", "0123 1A1B, 0145=2 0", "--history", "0264 1A0B")
    shown = run("show", bulls_cows.path, *history, "--depth", 1)
    assert shown.out.splitlines()[:2] == [
        "after 0123 1A1B, 0145 2A0B, 0264 1A0B",
        "0378            7 candidates   2.14 more on average, 3 at worst",
    ]
    document = json.loads(run("show", bulls_cows.path, *history, "--depth", 5, "--json").out)
    assert document["history"] == "0123 1A1B, 0145 2A0B, 0264 1A0B"
    node = document["tree"]
    assert (node["guess"], node["candidates"], node["worst"], node["average"]) == ("0378", 7, 3, 2.142857)
    assert node["replies"]["2A0B"] == {
        "guess": "0395", "candidates": 1, "average": 1.0, "worst": 1, "won": False,
        "replies": {"4A0B": {"guess": "0395", "candidates": 1, "average": 0.0, "worst": 0, "won": True, "replies": {}}},
    }  # fmt: skip
    assert len(run("show", bulls_cows.path, "--depth", 0).out.splitlines()) == 1


def test_all_levels_show_every_node_and_every_win(run: Any) -> None:
    stored = read_tree(shipped_tree("p4c10n-optimal-average"))
    lines = run("show", stored.path, "--all").out.splitlines()
    assert len(lines) == len(stored.tree) + 5040
    assert sum(line.endswith("found") for line in lines) == 5040


def test_any_game(run: Any, small: StoredTree) -> None:
    lines = run("show", small.path, "--all").out.splitlines()
    assert lines[0].split()[:3] == ["01", "12", "candidates"]


@pytest.mark.parametrize(
    ("history", "reason"),
    [
        ("0132 1A1B", "this tree asks 0123 first, not 0132"),
        ("0123 1A1B, 0123 1A1B", "this tree asks 0145 after 0123 1A1B, not 0123"),
        ("0123 4A0B", "the game is won with 0123 4A0B"),
        ("0123 0A4B, 1230 0A0B", "no secret gives 0123 0A4B, 1230 0A0B"),
        ("0123 3A1B", "3 in place, 1 misplaced cannot be"),
    ],
)
def test_histories_that_lead_nowhere(run: Any, bulls_cows: StoredTree, history: str, reason: str) -> None:
    outcome = run("show", bulls_cows.path, "--history", history)
    assert (outcome.code, outcome.out) == (2, "") and reason in outcome.err
