"""No candidate left: found exactly when it is so, and explained."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bcsearch.codelists import lists_of
from bcsearch.contradictions import explain, find_contradiction, slip_kind
from bcsearch.game import Game, list_game, parse_game
from bcsearch.notation import format_code, parse_history, parse_reply
from bcsearch.scoring import score

GAMES = ["p3c5n", "p3c3r", "p3c4n-nz", "p2c6n"]


def true_reply(game: Game, secret: int, guess: int) -> int:
    return game.replies.index(score(list(game.secrets[secret]), list(game.guesses[guess])))


@settings(deadline=None)
@given(st.sampled_from(GAMES), st.integers(0, 10**6), st.lists(st.integers(0, 10**6), max_size=8))
def test_true_replies_never_contradict(name: str, secret: int, guesses: list[int]) -> None:
    game = parse_game(name)
    hidden = secret % len(game.secrets)
    asked = [guess % len(game.guesses) for guess in guesses]
    assert find_contradiction(game, tuple((g, true_reply(game, hidden, g)) for g in asked)) is None


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(GAMES), st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)), min_size=1, max_size=5)
)
def test_a_history_is_contradictory_exactly_when_no_secret_gives_it(name: str, rows: list[tuple[int, int]]) -> None:
    game = parse_game(name)
    history = tuple((g % len(game.guesses), r % len(game.replies)) for g, r in rows)

    def left(some: tuple[tuple[int, int], ...]) -> int:
        return sum(all(true_reply(game, s, g) == r for g, r in some) for s in range(len(game.secrets)))

    found = find_contradiction(game, history)
    assert (found is None) == (left(history) > 0)
    if found is None:
        return
    assert left(history[: found.row]) > 0 or found.row == 0
    assert left(history[: found.row + 1]) == 0
    without = {i: left(history[:i] + history[i + 1 :]) for i in range(len(history))}
    assert dict(found.dropped) == {i: n for i, n in without.items() if n}
    for i, reply in itertools.product(range(len(history)), range(len(game.replies))):
        read_so = left((*history[:i], (history[i][0], reply), *history[i + 1 :]))
        named = [r.candidates for r in found.rereadings if (r.row, r.reply) == (i, reply)]
        assert named == ([read_so] if read_so else [])
    assert (found.fewest_wrong == 1) == bool(found.dropped)


def test_no_candidates_left_names_the_rows_and_the_slips() -> None:
    game = parse_game("p4c10n")
    true_rows = parse_history(game, ["1234 0A3B, 4321 1A2B, 3241 0A3B, 2341 1A2B, 3412 2A1B, 3456 0A1B"])
    typed = (*true_rows[:4], (true_rows[4][0], game.replies.index((1, 2))), true_rows[5])
    found = find_contradiction(game, typed)
    assert found is not None
    lines = "\n".join(explain(game, typed, found))
    assert "without row 5 (3412 1A2B)" in lines
    assert "swapped: row 5 (3412 1A2B) read as 2A1B (2 in place, 1 misplaced): 4 candidates" in lines
    assert "outside the rules of p4c10n" in lines


def test_no_candidates_left_because_the_secret_is_outside_the_rules() -> None:
    game = parse_game("p4c10n")
    asked = parse_history(game, ["0123 0A0B, 1456 0A0B, 7890 0A0B, 0127 0A0B"])
    outside = "1123"
    rows = tuple((g, game.replies.index(score(outside, format_code(game, g)))) for g, _ in asked)
    more = tuple((g, game.replies.index(score(outside, format_code(game, g)))) for g in range(0, 5040, 311))
    found = find_contradiction(game, rows + more)
    assert found is not None and found.outside is not None
    assert found.outside == ("p4c10r", 1)
    assert "under p4c10r, 1 code gives all replies" in explain(game, rows + more, found)[-1]


def test_leading_zero_is_a_way_out_where_the_rules_forbid_it() -> None:
    game = parse_game("p3c4n-nz")
    rows = tuple((g, game.replies.index(score("012", format_code(game, g)))) for g in range(len(game.guesses)))
    found = find_contradiction(game, rows)
    assert found is not None and found.outside == ("p3c4n", 1)


@pytest.mark.parametrize(
    ("given_reply", "meant", "kind"),
    [("-YYYY", "-YYYG", "off by one"), ("-----", "----G", "off by one"), ("-YYYY", "-Y--G", "otherwise"),
     ("YG---", "GY---", "swapped"), ("Y---G", "G---Y", "swapped"), ("YG---", "G--Y-", "otherwise"),
     ("YY---", "GG---", "otherwise"), ("Y----", "-G---", "otherwise")],
)  # fmt: skip
def test_slips_in_marks_have_names(given_reply: str, meant: str, kind: str) -> None:
    game = list_game(lists_of([tuple("crane"), tuple("slate")], None), marks=True)
    assert slip_kind(game, parse_reply(game, given_reply), parse_reply(game, meant)) == kind


def test_in_marks_the_nearest_slips_are_named_first() -> None:
    words = map("".join, itertools.product("abc", repeat=4))
    game = list_game(lists_of(map(tuple, words), None), marks=True)
    history = parse_history(game, ["aaba ---Y, bcbb -G--"])
    found = find_contradiction(game, history)
    assert found is not None
    kinds = [r.kind for r in found.rereadings]
    assert kinds == ["off by one"] * 2 + ["swapped"] + ["otherwise"] * 5
    for r in found.rereadings:
        read = zip(game.replies[history[r.row][1]], game.replies[r.reply], strict=True)
        differ = [pair for pair in read if pair[0] != pair[1]]
        exchanged = len(differ) == 2 and differ[0] == differ[1][::-1]
        assert r.kind == ("off by one" if len(differ) == 1 else "swapped" if exchanged else "otherwise")


def test_two_wrong_rows_are_said_to_be_two() -> None:
    game = parse_game("p4c10n")
    history = parse_history(game, ["0123 4A0B, 0123 4A0B, 4567 4A0B, 4567 4A0B"])
    found = find_contradiction(game, history)
    assert found is not None and found.dropped == () and found.fewest_wrong == 2
    assert "no single row is to blame: at least 2 of the 4 replies are wrong" in explain(game, history, found)


@pytest.mark.parametrize(
    ("given_reply", "meant", "kind"),
    [((1, 2), (2, 1), "swapped"), ((1, 2), (1, 1), "off by one"), ((0, 2), (1, 1), "off by one"),
     ((0, 0), (1, 1), "otherwise"), ((0, 3), (2, 1), "otherwise"), ((0, 1), (1, 0), "swapped")],
)  # fmt: skip
def test_slips_have_names(given_reply: tuple[int, int], meant: tuple[int, int], kind: str) -> None:
    game = parse_game("p4c10n")
    assert slip_kind(game, game.replies.index(given_reply), game.replies.index(meant)) == kind
