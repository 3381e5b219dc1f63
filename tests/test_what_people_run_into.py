"""Mistakes that people and programs make about these games, one test each; the others are named where they belong."""

from __future__ import annotations

import numpy as np
import pytest

from bcsearch.advice import Adviser
from bcsearch.assist import candidates_after
from bcsearch.bayes import whole_matrix
from bcsearch.game import parse_game
from bcsearch.hosts import Scorer
from bcsearch.notation import format_secret, parse_code, parse_history
from bcsearch.players import Consistent, TreeFollower
from bcsearch.shipped import shipped_tree
from bcsearch.simulate import simulate
from bcsearch.store import read_tree


def test_the_winning_guess_is_counted_once() -> None:
    """Counting the winning reply as one more guess gives 5933 for 5626; here a sure hit costs 1, a pair 3 in all."""
    adviser = Adviser(parse_game("p4c6r"))
    assert adviser.value(np.array([5], dtype=np.int32)) == (1, 1, 5)
    assert adviser.value(np.array([5, 9], dtype=np.int32)) == (3, 2, 5)
    tree = read_tree(shipped_tree("p4c10n-optimal-average")).tree
    scorer = Scorer(tree.game, whole_matrix(tree.game))
    assert int(simulate(scorer, TreeFollower(tree, "")).found.sum()) == tree.summary().total == 26274


def test_among_equal_totals_the_smaller_depth_is_taken() -> None:
    """Five candidates cost 10 with depth 3 by asking 241, and 10 with depth 2 by asking 124."""
    game = parse_game("p3c6n")
    at = Adviser(game).advise(parse_history(game, ["012 0A2B, 134 0A2B"]))
    costs = {advice.guess: advice.cost for advice in [*at.best, at.best_candidate] if advice and advice.cost}
    assert at.best[0].cost is not None and (at.best[0].cost.total, at.best[0].cost.worst) == (10, 2)
    inside = costs[parse_code(game, "241")]
    assert inside is not None and (inside.total, inside.worst) == (10, 3)


def test_a_leading_zero_is_part_of_the_code() -> None:
    game = parse_game("p4c10n")
    left = candidates_after(game, parse_history(game, ["0395 4A0B"]))
    assert [format_secret(game, int(s)) for s in left] == ["0395"]


def test_the_order_of_rows_does_not_matter_to_what_is_left() -> None:
    game = parse_game("p4c10n")
    rows = parse_history(game, ["1234 0A3B, 4321 1A2B, 3241 0A3B, 2341 1A2B, 3412 2A1B, 3456 0A1B"])
    assert candidates_after(game, rows).tolist() == candidates_after(game, rows[::-1]).tolist()


@pytest.mark.parametrize("workers", [1, 3])
def test_no_hash_order_and_no_thread_changes_a_result(workers: int) -> None:
    game = parse_game("p3c6r")
    scorer = Scorer(game)
    results = simulate(scorer, Consistent(scorer), workers=workers)
    assert results.distribution() == simulate(scorer, Consistent(scorer)).distribution()
    assert [played.secret for played in results.games] == list(range(216))
