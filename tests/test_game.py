"""Rules: which codes and replies they fix, and which rules are refused."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest

from bcsearch.errors import UsageError
from bcsearch.game import Game, parse_game


@pytest.mark.parametrize(
    ("text", "codes", "replies"),
    [
        ("p4c10n", 5040, 14),
        ("p4c6r", 1296, 14),
        ("p3c10n", 720, 9),
        ("p4c10n-nz", 4536, 14),
        ("p2c3r", 9, 5),
        ("p5c8r", 32768, 20),
        ("p1c1n", 1, 2),
    ],
)
def test_sizes(text: str, codes: int, replies: int) -> None:
    game = parse_game(text)
    assert game.name == text
    assert len(game.secrets) == game.code_count == codes
    assert len(game.replies) == replies
    assert game.replies[game.win] == (game.positions, 0)


@pytest.mark.parametrize("text", ["p3c5n", "p3c4r", "p2c10n", "p4c4n", "p3c4r-nz", "p3c5n-nz", "p1c3r"])
def test_codes_are_all_legal_sequences_in_order(text: str) -> None:
    game = parse_game(text)
    sequences = product(range(game.symbols), repeat=game.positions)
    legal = [s for s in sequences if (game.repeats or len(set(s)) == len(s)) and (game.leading_zero or s[0] != 0)]
    assert game.secrets.tolist() == [list(s) for s in legal]
    assert (np.diff(game.keys.astype(np.int64)) > 0).all()


def test_replies_are_sorted_and_leave_the_impossible_out() -> None:
    assert parse_game("p4c10n").replies == (
        (0, 0), (0, 1), (0, 2), (0, 3), (0, 4), (1, 0), (1, 1), (1, 2), (1, 3), (2, 0), (2, 1), (2, 2), (3, 0), (4, 0),
    )  # fmt: skip


def test_aliases_and_spelling() -> None:
    assert parse_game("bulls-cows") == parse_game(" P4C10N ") == Game(4, 10, repeats=False)
    assert parse_game("mastermind").name == "p4c6r"
    assert parse_game("logik").name == "p5c8r"


def test_permutations_are_counted_without_listing() -> None:
    assert parse_game("p6c10n").code_count == sum(1 for _ in permutations(range(10), 6))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("p4c10", "rules read"),
        ("", "rules read"),
        ("chess", "bulls-cows"),
        ("p5c4n", "need at least 5 symbols"),
        ("p0c4r", "at least 1 position"),
        ("p2c37r", "1 to 36 symbols"),
        ("p2c0r", "1 to 36 symbols"),
        ("p1c1n-nz", "leave no code"),
        ("p22c2r", "different replies"),
        ("p10c36r", "can be numbered"),
        ("p٤c10n", "rules read"),
    ],
)
def test_refused_rules_say_why(text: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        parse_game(text)
