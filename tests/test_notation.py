"""Reading and writing codes, replies and histories."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bcsearch.assist import candidates_after, split_by
from bcsearch.errors import UsageError
from bcsearch.game import parse_game
from bcsearch.notation import (
    format_code,
    format_history,
    format_reply,
    format_secret,
    parse_code,
    parse_history,
    parse_reply,
)

GAMES = ["p4c10n", "p4c6r", "p4c10n-nz", "p2c36n"]


@given(st.sampled_from(GAMES), st.integers(0, 10**9))
def test_codes_come_back(name: str, number: int) -> None:
    game = parse_game(name)
    index = number % len(game.guesses)
    assert parse_code(game, format_code(game, index)) == index


@pytest.mark.parametrize("name", GAMES)
def test_replies_come_back(name: str) -> None:
    game = parse_game(name)
    for index, (bulls, cows) in enumerate(game.replies):
        for text in (
            format_reply(game, index),
            f"{bulls} {cows}",
            f"{bulls},{cows}",
            f"{bulls}{cows}",
            f"{bulls}a {cows}b",
        ):
            assert parse_reply(game, text) == index


def test_leading_zero_is_a_symbol_like_any_other() -> None:
    game = parse_game("p4c10n")
    assert format_code(game, parse_code(game, "0395")) == "0395"


def test_full_width_digits_are_digits_and_superscripts_are_not() -> None:
    game = parse_game("p4c10n")
    assert parse_code(game, "０１２３") == 0
    with pytest.raises(UsageError, match="'²' is no symbol"):
        parse_code(game, "013²")


@pytest.mark.parametrize(
    ("game", "text", "reason"),
    [
        ("p4c10n", "1123", "repeats 1"),
        ("p4c10n", "01", "has 2 symbols, 4 wanted"),
        ("p4c10n", "12x4", "'x' is no symbol"),
        ("p4c10n", "", "has 0 symbols"),
        ("p4c10n", "-123", "'-' is no symbol"),
        ("p4c6r", "1126", "'6' is no symbol of p4c6r"),
        ("p4c10n-nz", "0123", "starts with 0"),
    ],
)
def test_codes_refused_with_the_reason(game: str, text: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        parse_code(parse_game(game), text)


@pytest.mark.parametrize("text", ["3A1B", "5 0", "31", "2A3B"])
def test_impossible_replies_list_the_possible_ones(text: str) -> None:
    with pytest.raises(UsageError, match=r"possible: 0A0B 0A1B .* 4A0B"):
        parse_reply(parse_game("p4c10n"), text)


@pytest.mark.parametrize("text", ["", "1", "one two", "1B2A", "A1B2", "1 2 3", "-1 2", "123"])
def test_texts_that_are_no_reply(text: str) -> None:
    with pytest.raises(UsageError, match="written 1A2B or 1 2"):
        parse_reply(parse_game("p4c10n"), text)


HISTORY = "1234 0A3B, 4321 1A2B, 3241 0A3B, 2341 1A2B, 3412 2A1B, 3456 0A1B"


@pytest.mark.parametrize(
    "texts",
    [
        [HISTORY],
        HISTORY.split(", "),
        [HISTORY.replace(", ", "\n")],
        [HISTORY.replace(" ", "=").replace(",=", ";")],
        [HISTORY.replace(",", "")],
        ["1234 0 3; 4321 1 2; 3241 03; 2341:12", "3412 2a1b,3456 0A1B"],
    ],
)
def test_a_game_that_really_happened_leaves_four(texts: list[str]) -> None:
    game = parse_game("p4c10n")
    left = candidates_after(game, parse_history(game, texts))
    assert [format_secret(game, int(s)) for s in left] == ["0312", "7312", "8312", "9312"]


def test_histories_come_back() -> None:
    game = parse_game("p4c10n")
    assert format_history(game, parse_history(game, [HISTORY])) == HISTORY
    assert parse_history(game, []) == parse_history(game, [" , "]) == ()


@pytest.mark.parametrize("text", ["1234", "1234 0A3B 4321", "1234 x", "0A3B 1234"])
def test_broken_histories_are_named(text: str) -> None:
    with pytest.raises(UsageError):
        parse_history(parse_game("p4c10n"), [text])


def test_three_position_history_leaves_923() -> None:
    game = parse_game("p3c10n")
    history = parse_history(game, ["123 2A0B, 456 0A0B, 789 0A1B, 127 1A0B, 193 1A1B"])
    assert [format_secret(game, int(s)) for s in candidates_after(game, history)] == ["923"]


def test_why_a_guess_that_cannot_win_is_best() -> None:
    game = parse_game("p4c6r")
    left = candidates_after(game, parse_history(game, ["1122 0A3B"]))
    outside = split_by(game, parse_code(game, "1213"), left)
    assert (len(left), outside.largest, outside.is_candidate) == (16, 4, False)
    assert min(split_by(game, int(s), left).largest for s in left) == 6


def test_first_guess_partition_of_bulls_and_cows() -> None:
    game = parse_game("p4c10n")
    split = split_by(game, 0, candidates_after(game, ()))
    assert split.sizes == (360, 1440, 1260, 264, 9, 480, 720, 216, 8, 180, 72, 6, 24, 1)
    assert (round(split.entropy, 2), split.parts, split.largest) == (2.77, 14, 1440)
