"""Exact values where guesses are more than secrets, in hard mode, of word lists: against a brute recursion."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING

import numpy as np
import pytest

from bcsearch.codelists import lists_of
from bcsearch.executors import LocalExecutor
from bcsearch.game import Game, list_game, parse_game
from bcsearch.marks import mark
from bcsearch.notation import format_code, format_secret
from bcsearch.optimal.columns import Columns
from bcsearch.optimal.objectives import Result, solve_game
from bcsearch.optimal.options import Objective
from bcsearch.optimal.small import exact_value
from bcsearch.optimal.tables import INFINITE, TOTAL, UNLIMITED
from bcsearch.optimal.task import Item, Question, reply_columns, run_item
from bcsearch.ranking import reply_rows
from bcsearch.scoring import score
from bcsearch.tree import WON
from tests.brute import Brute, keeps_to
from tests.made_words import made_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

WORDS = made_words(500)


def rows_of(game: Game, candidates: NDArray[np.int32]) -> NDArray[np.uint8]:
    return reply_rows(game, np.arange(len(game.guesses), dtype=np.int32), candidates)


def solved(game: Game, memory: int | None = None, **options: object) -> Result:
    with LocalExecutor(1) as executor:
        return solve_game(game, Objective(**options), executor, memory=memory)  # type: ignore[arg-type]


def close_words(seed: int, count: int) -> list[str]:
    """Some of the 500 words that are hard to tell apart: those most like one of them."""
    chance = random.Random(seed)
    middle = chance.choice(WORDS)
    return sorted(sorted(WORDS, key=lambda w: (-sum(a == b for a, b in zip(w, middle, strict=True)), w))[:count])


def game_of_words(secrets: list[str], guesses: list[str]) -> Game:
    return list_game(lists_of(map(tuple, secrets), map(tuple, guesses)), marks=True)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("pool", ["all", "hard", "consistent"])
def test_totals_of_sublists_of_500_words_equal_the_brute_recursion(seed: int, pool: str) -> None:
    secrets = close_words(seed, 9)
    guesses = sorted({*secrets, *random.Random(seed).sample(WORDS, 25)})
    brute = Brute(guesses, mark, hard=pool == "hard", consistent=pool == "consistent").total(secrets)
    game = game_of_words(secrets, guesses)
    result = solved(game, hard=pool == "hard", consistent=pool == "consistent")
    assert result.exact and result.value == brute == result.tree.summary().total


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("depth", [2, 3])
def test_totals_under_a_depth_equal_the_brute_recursion_in_hard_mode(seed: int, depth: int) -> None:
    from bcsearch.errors import BcsearchError

    secrets = close_words(seed, 8)
    guesses = sorted({*secrets, *random.Random(seed).sample(WORDS, 20)})
    brute = Brute(guesses, mark, hard=True).total(secrets, depth)
    game = game_of_words(secrets, guesses)
    if brute >= 10**9:
        with pytest.raises(BcsearchError, match="no strategy"):
            solved(game, hard=True, max_depth=depth)
    else:
        assert solved(game, hard=True, max_depth=depth).value == brute


def test_sets_of_the_whole_list_of_500_words_have_the_brute_value() -> None:
    game = game_of_words(WORDS, WORDS)
    chance = random.Random(3)
    brute = Brute(WORDS, mark)
    for _ in range(4):
        secrets = close_words(chance.randrange(1000), 7)
        candidates = np.array([WORDS.index(w) for w in secrets], dtype=np.int32)
        found = exact_value(game, rows_of(game, candidates), 1 << 40)
        assert found is not None and found.total == brute.total(secrets)


def test_hard_trees_never_ask_a_forbidden_word() -> None:
    game = game_of_words(WORDS[::6], WORDS)
    result = solved(game, hard=True, width=2)
    tree = result.tree
    waiting: list[tuple[int, list[tuple[str, tuple[int, ...]]]]] = [(0, [])]
    visited = 0
    while waiting:
        row, history = waiting.pop()
        visited += 1
        guess = format_code(game, int(tree.guess[row]))
        assert all(keeps_to(guess, before, marks) for before, marks in history)
        waiting += [(int(below), [*history, (guess, game.replies[reply])])
                    for reply, below in enumerate(tree.child[row]) if below >= 0]  # fmt: skip
    assert visited == len(tree)


@pytest.mark.parametrize("name", ["p2c4n+p2c4r", "p3c4n+p3c4r", "p3c5n+p3c5r", "p2c3r+p2c5r", "p3c3n-nz+p3c4r"])
def test_games_with_other_guesses_equal_the_brute_recursion(name: str) -> None:
    game = parse_game(name)
    secrets = [format_secret(game, s) for s in range(len(game.secrets))]
    guesses = [format_code(game, g) for g in range(len(game.guesses))]
    if len(secrets) > 30:  # the brute recursion takes a while
        candidates = np.array(sorted(random.Random(1).sample(range(len(secrets)), 9)), dtype=np.int32)
        found = exact_value(game, rows_of(game, candidates), 1 << 40)
        assert found is not None
        assert found.total == Brute(guesses, score).total([secrets[s] for s in candidates])
    else:
        brute = Brute(guesses, score).total(secrets)
        result = solved(game)
        assert result.exact and result.value == brute == result.tree.summary().total
    result = solved(game)
    assert result.exact and (result.tree.child[:, game.win] == WON).sum() == len(secrets)


@pytest.mark.parametrize("objective", [{}, {"name": "worst-case"}, {"name": "win-within", "within": 4},
                                       {"name": "fewest-at-worst"}])  # fmt: skip
@pytest.mark.parametrize("name", ["p3c6n", "p3c5n+p3c5r", "p3c4r"])
def test_replies_made_item_by_item_give_the_same_result(name: str, objective: dict[str, object]) -> None:
    game = parse_game(name)
    with_matrix, without = solved(game, **objective), solved(game, memory=1000, **objective)
    assert with_matrix.exact and without.exact
    assert (with_matrix.value, with_matrix.bound) == (without.value, without.bound)
    for column in ("guess", "child", "size", "depth"):
        assert np.array_equal(getattr(with_matrix.tree, column), getattr(without.tree, column))


def test_an_item_needs_no_matrix() -> None:
    game = parse_game("p4c7n")
    whole = reply_columns(game)
    candidates = np.flatnonzero(whole[:, 0] == 5).astype(np.int32)
    item, stop = Item((0,), candidates, UNLIMITED, INFINITE, 1 << 40), np.zeros(1, dtype=np.int8)
    a, b = (run_item(Question(game, TOTAL), columns, item, stop) for columns in (whole, None))
    assert (a.value, a.guess) == (b.value, b.guess)
    assert np.array_equal(Columns(game, None).block(candidates, np.arange(840, dtype=np.int32)), whole[candidates])


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"name": "worst-case"},
        {"name": "win-within", "within": 4},
        {"consistent": True},
        {"name": "fewest-at-worst"},
    ],
)
def test_sets_too_large_for_an_item_begin_with_a_greedy_tree(
    options: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    game = parse_game("p3c6n")
    usual = solved(game, **options)
    monkeypatch.setattr("bcsearch.optimal.large.MOST_ITEM_BYTES", 8 * 120 * 6)
    split = solved(game, memory=1000, **options)
    assert split.exact and (split.value, split.bound) == (usual.value, usual.bound)
    assert split.tree.summary().secrets == 120


def test_a_search_of_large_sets_that_is_stopped_has_a_whole_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    from bcsearch.signals import Stop

    monkeypatch.setattr("bcsearch.optimal.large.MOST_ITEM_BYTES", 30 * 840 * 6)
    monkeypatch.setattr("bcsearch.optimal.session._TELL_SECONDS", 0.0)
    stop = Stop()
    with LocalExecutor(1) as executor:
        result = solve_game(
            parse_game("p4c7n"), Objective(), executor, stop=stop, memory=1000,
            report=lambda progress: stop.flag.__setitem__(0, progress.stage.endswith("proof")),
        )  # fmt: skip
    assert not result.exact and result.bound <= 3639 <= result.value == result.tree.summary().total
    assert result.tree.summary().secrets == 840


@pytest.mark.parametrize("letters", [("bcdf", "aei", "ln"), ("bcdf", "aeio", "l"), ("bcdfg", "aeio", "ln")])
def test_lists_in_which_few_replies_occur(letters: tuple[str, str, str]) -> None:
    # Words of a grid: yellow never occurs, so sets fall apart into far fewer parts than there are replies.
    words = sorted(a + b + c for a in letters[0] for b in letters[1] for c in letters[2])
    result = solved(game_of_words(words, words))
    assert result.exact and result.value == result.bound == result.tree.summary().total == grid_total(letters)


def grid_total(letters: tuple[str, str, str]) -> int:
    """Least total of a grid: what counts is how many letters are left at each place, and if one is asked."""
    from functools import cache
    from itertools import product

    whole = tuple(map(len, letters))

    @cache
    def total(left: tuple[int, ...]) -> int:
        if math.prod(left) <= 1:
            return math.prod(left)
        return min(after(left, asked) for asked in product((0, 1), repeat=3))

    def after(left: tuple[int, ...], asked: tuple[int, ...]) -> int:
        if any(not a and n == w for a, n, w in zip(asked, left, whole, strict=True)):
            return 10**9  # no letter that is known to be wrong
        sum_ = math.prod(left)
        for green in product(*((0, 1) if a else (0,) for a in asked)):
            below = tuple(1 if g else n - a for g, n, a in zip(green, left, asked, strict=True))
            if below == left and green != (1, 1, 1):
                return 10**9
            sum_ += total(below) if green != (1, 1, 1) else 0
        return sum_

    return total(whole)


def test_a_permutation_game_whose_tree_could_not_be_made() -> None:
    result = solved(parse_game("p5c5n"))
    assert result.exact and result.value == result.bound == result.tree.summary().total


@pytest.mark.parametrize("name", ["p3c3n", "p4c4n", "p2c2r", "p5c2r"])
def test_games_in_which_few_replies_occur(name: str) -> None:
    game = parse_game(name)
    secrets = [format_secret(game, s) for s in range(len(game.secrets))]
    result = solved(game)
    assert result.exact and result.value == result.tree.summary().total == Brute(secrets, score).total(secrets)
