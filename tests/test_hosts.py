"""Hosts: honest, evil, lying."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bcsearch.errors import UsageError
from bcsearch.game import parse_game
from bcsearch.hosts import EvilHost, HonestHost, LyingHost, Scorer, branch_heights, check_probability
from bcsearch.players import Consistent, TreeFollower
from bcsearch.scoring import reply_matrix, score
from bcsearch.shipped import shipped_tree
from bcsearch.simulate import play_game
from bcsearch.store import read_tree

GAMES = ["p3c5n", "p3c3r", "p2c4n-nz"]


@settings(deadline=None)
@given(st.sampled_from(GAMES), st.integers(0, 10**6), st.integers(0, 10**6))
def test_an_honest_host_tells_the_truth_with_or_without_a_matrix(name: str, secret: int, guess: int) -> None:
    game = parse_game(name)
    s, g = secret % len(game.secrets), guess % len(game.guesses)
    wanted = score(list(game.secrets[s]), list(game.guesses[g]))
    for scorer in (Scorer(game), Scorer(game, reply_matrix(game))):
        assert game.replies[HonestHost(scorer, s).reply(g)] == wanted


@settings(deadline=None)
@given(st.sampled_from(GAMES), st.lists(st.integers(0, 10**6), max_size=12))
def test_an_evil_host_never_contradicts_itself_and_takes_the_largest_part(name: str, guesses: list[int]) -> None:
    game = parse_game(name)
    host = EvilHost(Scorer(game))
    left = list(range(len(game.secrets)))
    for number in guesses:
        guess = number % len(game.guesses)
        replies = [game.replies.index(score(list(game.secrets[s]), list(game.guesses[guess]))) for s in left]
        given_reply = host.reply(guess)
        left = [s for s, r in zip(left, replies, strict=True) if r == given_reply]
        assert left and host.reveal() in left
        others = [replies.count(r) for r in set(replies) - {game.win}]
        assert given_reply == game.win if not others else len(left) == max(others)


def test_an_evil_host_goes_down_the_deepest_branch_of_the_tree_it_knows() -> None:
    stored = read_tree(shipped_tree("p4c10n-optimal-average"))
    scorer = Scorer(stored.tree.game)
    playing = TreeFollower(stored.tree, "optimal").begin(np.random.default_rng(0))
    assert len(play_game(EvilHost(scorer, stored.tree), playing, stored.tree.game.win)) == 7
    assert branch_heights(stored.tree)[0] == 7
    minimax = read_tree(shipped_tree("p4c10n-minimax")).tree
    off = TreeFollower(minimax, "minimax").begin(np.random.default_rng(0))
    assert len(play_game(EvilHost(scorer, stored.tree), off, stored.tree.game.win)) >= 6


def test_an_evil_host_makes_the_first_consistent_player_need_more_than_average() -> None:
    game = parse_game("p4c10n")
    scorer = Scorer(game)
    rows = play_game(EvilHost(scorer), Consistent(scorer).begin(np.random.default_rng(0)), game.win)
    assert len(rows) > 6


def test_a_lying_host_lies_as_often_as_said_and_never_about_the_win() -> None:
    game = parse_game("p3c6n")
    scorer = Scorer(game)
    host = LyingHost(scorer, 7, 0.3, np.random.default_rng(1))
    replies = [host.reply(8) for _ in range(20_000)]
    true = scorer.one(8, 7)
    counts = np.bincount(replies, minlength=len(game.replies))
    assert counts[game.win] == 0
    other = 0.3 / (len(game.replies) - 1)
    assert abs(counts[true] / 20_000 - (0.7 + other)) < 0.015
    assert all(abs(counts[r] / 20_000 - other) < 0.01 for r in range(game.win) if r != true)
    assert sum(host.lies) == 20_000 - counts[true]
    assert {host.reply(int(game.guess_of_secret[7])) for _ in range(50)} == {game.win}


@pytest.mark.parametrize("q", [-0.1, 1.1, float("nan"), float("inf")])
def test_probabilities_outside_0_to_1_are_refused(q: float) -> None:
    with pytest.raises(UsageError, match="from 0 to 1"):
        check_probability(q)
