"""Replies as people write them: each convention by name, what is ambiguous, what is impossible."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bcsearch.assist import candidates_after
from bcsearch.conventions import CONVENTIONS, NOTATIONS, write_pair
from bcsearch.errors import UsageError
from bcsearch.game import parse_game
from bcsearch.notation import (
    AmbiguousReplyError,
    describe_reply,
    format_code,
    format_secret,
    parse_code,
    parse_history,
    parse_reply,
)
from bcsearch.scoring import score

BULLS_COWS = parse_game("p4c10n")


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("name", ["p4c10n", "p2c5r", "p12c3r"])
def test_every_convention_reads_what_it_writes(notation: str, name: str) -> None:
    game = parse_game(name)
    for index, pair in enumerate(game.replies):
        assert parse_reply(game, write_pair(pair, notation), notation) == index


@pytest.mark.parametrize("notation", CONVENTIONS)
def test_the_documented_example_means_one_in_place_two_misplaced(notation: str) -> None:
    reply = parse_reply(BULLS_COWS, CONVENTIONS[notation].example, notation)
    assert describe_reply(BULLS_COWS, reply) == "1 in place, 2 misplaced"


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("1A2B", (1, 2)),
        ("1S2B", (1, 2)),
        ("0B2C", (0, 2)),
        ("+1 -2", (1, 2)),
        ("-2 +1", (1, 2)),
        ("+2", (2, 0)),
        ("−1", (0, 1)),
        ("0", (0, 0)),
        ("12", (1, 2)),
        ("1 2", (1, 2)),
        ("bbw", (2, 1)),
        ("bcc", (1, 2)),
        ("w b w", (1, 2)),
        ("1b2w", (1, 2)),
        ("none", (0, 0)),
        ("2A", (2, 0)),
        ("2C", (0, 2)),
        ("１Ａ２Ｂ", (1, 2)),
    ],
)
def test_replies_in_the_wild_are_read_without_naming_the_convention(text: str, pair: tuple[int, int]) -> None:
    assert BULLS_COWS.replies[parse_reply(BULLS_COWS, text)] == pair


@pytest.mark.parametrize("text", ["1B", "2b", "1 B"])
def test_a_letter_that_conventions_read_differently_is_refused_with_both_readings(text: str) -> None:
    with pytest.raises(AmbiguousReplyError, match=r"AB reads 0 in place, . misplaced.*BC reads . in place, 0") as why:
        parse_reply(BULLS_COWS, text)
    assert why.value.readings["AB"] == why.value.readings["SB"] != why.value.readings["BC"]
    number = int(text[0])
    assert BULLS_COWS.replies[parse_reply(BULLS_COWS, text, "AB")] == (0, number)
    assert BULLS_COWS.replies[parse_reply(BULLS_COWS, text, "BC")] == (number, 0)


def test_a_reading_that_the_game_does_not_have_is_no_reading() -> None:
    game = parse_game("p2c4n")
    assert game.replies[parse_reply(game, "2B", "AB")] == (0, 2)
    three = parse_game("p1c4n")  # a single position has no misplaced symbols: only BC can be meant
    assert three.replies[parse_reply(three, "1B")] == (1, 0)


def test_misplaced_first_is_read_only_when_asked_for_and_hinted_at() -> None:
    assert BULLS_COWS.replies[parse_reply(BULLS_COWS, "2 1", "pairs-reversed")] == (1, 2)
    assert BULLS_COWS.replies[parse_reply(BULLS_COWS, "2 1")] == (2, 1)
    with pytest.raises(UsageError, match=r"misplaced first, it would be 1A3B: notation pairs-reversed"):
        parse_reply(BULLS_COWS, "31")


@pytest.mark.parametrize("notation", CONVENTIONS)
def test_three_in_place_and_one_misplaced_cannot_be(notation: str) -> None:
    with pytest.raises(UsageError, match=r"3 in place, 1 misplaced cannot be .* possible: 0A0B 0A1B .* 4A0B"):
        parse_reply(BULLS_COWS, write_pair((3, 1), notation), notation)


def test_a_named_convention_reads_no_other_and_says_which_would() -> None:
    with pytest.raises(UsageError, match=r"not of notation AB, which writes 1A2B .* can read it: BC"):
        parse_reply(BULLS_COWS, "1B2C", "AB")
    with pytest.raises(UsageError, match="can read it: none"):
        parse_reply(BULLS_COWS, "", "pegs")


@pytest.mark.parametrize("text", ["1²", "²", "+1 +2", "- 1 2", "bwc", "1A2C", "+", "1+2"])
def test_texts_that_are_no_reply_in_any_convention(text: str) -> None:
    with pytest.raises(UsageError, match="written 1A2B or 1 2"):
        parse_reply(BULLS_COWS, text)


@pytest.mark.parametrize(
    ("secret", "guess", "pair"),
    [
        ("1234", "1122", (1, 1)),
        ("277", "447", (1, 0)),
        ("777", "447", (1, 0)),
        ("477", "447", (2, 0)),
        ("RBGY", "RRRR", (1, 0)),
        ("1123", "0111", (1, 1)),
    ],
)
def test_repeated_symbols_are_counted_as_often_as_both_hold_them(
    secret: str, guess: str, pair: tuple[int, int]
) -> None:
    assert score(secret, guess) == pair


def test_plus_minus_history_with_an_empty_reply_leaves_923() -> None:
    game = parse_game("p3c10n")
    rows = "123 +2, 456 0, 789 -1, 127 +1, 193 +1 -1"
    for texts in ([rows], rows.split(", "), [rows.replace(",", "")]):
        history = parse_history(game, texts)
        assert [format_secret(game, int(s)) for s in candidates_after(game, history)] == ["923"]
    with pytest.raises(UsageError, match="not of notation pairs"):
        parse_history(game, [rows], "pairs")


def test_histories_in_every_convention_come_back() -> None:
    for notation in NOTATIONS:
        texts = [f"{format_code(BULLS_COWS, 7 * r)} {write_pair(BULLS_COWS.replies[r], notation)}" for r in range(14)]
        wanted = tuple((7 * r, r) for r in range(14))
        assert parse_history(BULLS_COWS, texts, notation) == wanted
        assert parse_history(BULLS_COWS, ["\n".join(texts) + "  # the end"], notation) == wanted


def test_rows_that_can_be_cut_in_two_ways_are_refused() -> None:
    game = parse_game("p1c3n")
    with pytest.raises(UsageError, match="more than one way"):
        parse_history(game, ["1 0 0 1 0"])  # 1: 0, 0: 1 0? or 1: 0 0, 1: 0?


@settings(deadline=None)
@given(st.integers(0, 5039), st.sampled_from(NOTATIONS), st.integers(0, 13))
def test_any_row_is_read_back(guess: int, notation: str, reply: int) -> None:
    text = f"{format_code(BULLS_COWS, guess)} {write_pair(BULLS_COWS.replies[reply], notation)}"
    assert parse_history(BULLS_COWS, [text], notation) == ((guess, reply),)
    assert parse_code(BULLS_COWS, text.split()[0]) == guess


def test_the_convention_once_named_decides_only_where_others_disagree() -> None:
    assert BULLS_COWS.replies[parse_reply(BULLS_COWS, "1B", preferred="BC")] == (1, 0)
    assert BULLS_COWS.replies[parse_reply(BULLS_COWS, "1B", preferred="AB")] == (0, 1)
    assert BULLS_COWS.replies[parse_reply(BULLS_COWS, "2 1", preferred="BC")] == (2, 1)
    assert parse_history(BULLS_COWS, ["0123 1B 0124 +1"], preferred="BC") == ((0, 5), (1, 5))
