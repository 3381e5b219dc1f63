"""What to ask in the middle of a game, what it costs, and why."""

from __future__ import annotations

import time
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bcsearch.advice import Adviser, CandidateSet, closed_form, cost_below, tree_row
from bcsearch.assist import candidates_after, reply_row, split_by
from bcsearch.build import build_greedy
from bcsearch.codelists import lists_of
from bcsearch.executors import LocalExecutor
from bcsearch.game import Game, list_game, parse_game
from bcsearch.hard import allowed_after
from bcsearch.marks import mark
from bcsearch.notation import format_code, format_secret, parse_code, parse_history
from bcsearch.optimal.objectives import solve_game
from bcsearch.optimal.options import Objective
from bcsearch.optimal.small import exact_value_in_hard_mode
from bcsearch.ranking import part_sizes, rank_guesses, reply_rows
from bcsearch.reasons import why
from bcsearch.scoring import score
from bcsearch.shipped import shipped_tree
from bcsearch.store import Claims, StoredTree, read_tree
from tests.brute import Brute
from tests.made_words import made_words

BULLS_COWS = parse_game("p4c10n")
WORDS = made_words(60)


@pytest.fixture(scope="module")
def optimal() -> StoredTree:
    return read_tree(shipped_tree("p4c10n-optimal-average"))


def least(game: Game, candidates: frozenset[int]) -> tuple[int, int]:
    """(total, worst) by trying everything: the definition."""
    replies = [[score(list(s), list(g)) for s in game.secrets] for g in game.guesses]

    @cache
    def value(those: frozenset[int], depth: int) -> tuple[float, int]:
        if len(those) == 1:
            return 1, 1
        if depth == 0:
            return float("inf"), 0
        best: tuple[float, int] = (float("inf"), 0)
        for row in replies:
            parts: dict[tuple[int, int], set[int]] = {}
            for s in those:
                parts.setdefault(row[s], set()).add(s)
            if len(parts) == 1:
                continue
            total, worst = float(len(those)), 1
            for reply, part in parts.items():
                if reply != game.replies[-1]:
                    below = value(frozenset(part), depth - 1)
                    total, worst = total + below[0], max(worst, 1 + below[1])
            best = min(best, (total, worst))
        return best

    found = value(candidates, 6)
    return int(found[0]), found[1]


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(["p2c4r", "p3c4n", "p2c5n"]), st.sets(st.integers(0, 15), min_size=1, max_size=9))
def test_exact_values_are_those_of_the_definition(name: str, secrets: set[int]) -> None:
    game = parse_game(name)
    candidates = np.array(sorted(s % len(game.secrets) for s in secrets), dtype=np.int32)
    candidates = np.unique(candidates)
    value = Adviser(game).value(candidates)
    assert value is not None and value[:2] == least(game, frozenset(candidates.tolist()))
    closed = closed_form(CandidateSet(game, candidates))
    assert closed is None or closed[:2] == value[:2]


@pytest.mark.parametrize("name", ["p4c10n", "p4c6r", "p3c5n-nz", "p12c2r"])
def test_the_ranking_sees_the_parts_that_scoring_makes(name: str) -> None:
    game = parse_game(name)
    some = np.arange(0, len(game.secrets), 1 + len(game.secrets) // 40, dtype=np.int32)
    guesses = np.arange(0, len(game.guesses), 1 + len(game.guesses) // 25, dtype=np.int32)
    rows, sizes = reply_rows(game, guesses, some), part_sizes(game, guesses, some)
    for i, guess in enumerate(guesses):
        wanted = [game.replies.index(score(list(game.secrets[s]), list(game.guesses[guess]))) for s in some]
        assert rows[i].tolist() == wanted
        assert sizes[i].tolist() == list(split_by(game, int(guess), some).sizes)


def test_equivalent_guesses_are_ranked_once_where_there_are_very_many(monkeypatch: pytest.MonkeyPatch) -> None:
    everyone = np.arange(1296, dtype=np.int32)
    game = parse_game("p4c6r")
    full = rank_guesses(game, everyone, "entropy")
    monkeypatch.setattr("bcsearch.ranking._DIRECT", 0)
    few = rank_guesses(game, everyone, "entropy")
    assert len(few.guesses) == 5 and len(full.guesses) == 1296
    assert few.best(1) == full.best(1)


@pytest.mark.parametrize("strategy", ["minimax", "entropy", "expected-size", "max-parts", "first"])
def test_the_first_of_the_ranking_is_what_the_greedy_tree_asks(strategy: str) -> None:
    game = parse_game("p3c5r")
    with LocalExecutor(1) as executor:
        (built,) = build_greedy(game, [strategy], executor, consistent=False)
    checked = [(0, tuple[tuple[int, int], ...]())]
    for row, history in checked:
        ranking = rank_guesses(game, candidates_after(game, history), strategy)
        assert ranking.best(1) == [int(built.tree.guess[row])]
        below = [(int(c), r) for r, c in enumerate(built.tree.child[row]) if c >= 0]
        checked += [(child, (*history, (int(built.tree.guess[row]), reply))) for child, reply in below]
    assert len(checked) == len(built.tree)


def test_why_1213_is_better_than_any_candidate() -> None:
    game = parse_game("p4c6r")
    adviser = Adviser(game)
    at = adviser.advise(parse_history(game, ["1122 0 3"]))
    assert len(at.candidates) == 16 and at.source == "exact"
    text = why(at, adviser.explain(at, parse_code(game, "1213")))
    assert "1213 cannot be the secret" in text
    assert "its largest part is 4 against 6 for the best candidate" in text
    assert all(split_by(game, int(s), at.candidates).largest >= 6 for s in at.candidates)


def test_why_9054_is_better_than_1234_for_four_that_differ_in_the_last_digit() -> None:
    codes = ["1234", "1235", "1236", "1237"]
    adviser = Adviser(BULLS_COWS)
    candidates = np.array([parse_code(BULLS_COWS, code) for code in codes], dtype=np.int32)
    # rows after which just these four are left
    rows = parse_history(BULLS_COWS, ["1238 3A0B, 1239 3A0B, 1230 3A0B"])
    at = adviser.advise(rows)
    assert at.candidates.tolist() == candidates.tolist()
    assert at.best[0].average == 2.25 and not at.best[0].split.is_candidate
    outside = adviser.explain(at, parse_code(BULLS_COWS, "9054"))
    inside = adviser.explain(at, parse_code(BULLS_COWS, "1234"))
    assert (outside.average, inside.average) == (2.25, 2.5)
    assert "9054 cannot be the secret, but tells more than any that can" in why(at, outside)
    assert "2.25 guesses are still needed on average, 2.50 after 1234" in why(at, outside)
    assert "0145 is better: 2.25 guesses on average" in why(at, inside)


def test_a_guess_that_tells_nothing_has_no_cost_and_says_so() -> None:
    adviser = Adviser(BULLS_COWS)
    at = adviser.advise(parse_history(BULLS_COWS, ["1238 3A0B, 1239 3A0B, 1230 3A0B"]))
    useless = adviser.explain(at, parse_code(BULLS_COWS, "1230"))
    assert useless.cost is None and "tells no more at once than a candidate" in why(at, useless)


def test_on_a_tree_s_path_the_tree_answers(optimal: StoredTree) -> None:
    adviser = Adviser(BULLS_COWS, optimal)
    at = adviser.advise(())
    assert at.source == "tree" and format_code(BULLS_COWS, at.best[0].guess) == "0123"
    assert at.best[0].cost is not None and (at.best[0].cost.total, at.best[0].cost.worst) == (26274, 7)
    history = parse_history(BULLS_COWS, ["0123 0A1B"])
    row = tree_row(optimal.tree, history)
    assert row is not None
    at = adviser.advise(history)
    assert at.source == "tree" and at.best[0].guess == optimal.tree.guess[row] and len(at.best) == 5
    assert cost_below(optimal.tree, row) == (at.best[0].cost.total, at.best[0].cost.worst)  # type: ignore[union-attr]
    off = adviser.advise(parse_history(BULLS_COWS, ["0124 0A1B"]))
    assert off.source == "ranking"


def test_trees_and_the_exact_search_agree_below_the_root(optimal: StoredTree) -> None:
    adviser = Adviser(BULLS_COWS)
    checked = 0
    for row in range(len(optimal.tree)):
        if 20 <= optimal.tree.size[row] <= 40 and checked < 12:
            checked += 1
            history = _path(optimal, row)
            value = adviser.value(candidates_after(BULLS_COWS, history))
            assert value is not None and value[0] == cost_below(optimal.tree, row)[0]
    assert checked == 12


def _path(stored: StoredTree, row: int) -> tuple[tuple[int, int], ...]:
    rows: list[tuple[int, int]] = []
    while row:
        parents, replies = np.nonzero(stored.tree.child == row)
        row = int(parents[0])
        rows.insert(0, (int(stored.tree.guess[row]), int(replies[0])))
    return tuple(rows)


def test_any_history_is_answered_at_once_and_exactly_up_to_60_candidates(optimal: StoredTree) -> None:
    random = np.random.default_rng(5)
    near = np.array([0, 1, 6, 7, 24, 504, 700, 1234, 5038, 5039])
    Adviser(BULLS_COWS, optimal).advise(((1, 1), (700, 3), (3000, 2)))  # warm
    seconds = []
    for trial in range(60):
        secret = np.array([random.integers(5040)])
        asked = random.choice(near if trial % 2 else 5040, int(random.integers(1, 6)), replace=False)
        history = tuple((int(g), int(reply_row(BULLS_COWS, int(g), secret)[0])) for g in asked)
        start = time.thread_time()
        at = Adviser(BULLS_COWS, optimal).advise(history)
        seconds.append(time.thread_time() - start)
        assert at.won or at.source in ("tree", "exact") or len(at.candidates) > 80
        assert at.won or at.best
    assert np.median(seconds) < 0.2  # of this thread: the rest depends on what else the machine does


@given(st.integers(0, 5039), st.lists(st.integers(0, 5039), min_size=0, max_size=4))
@settings(max_examples=30, deadline=None)
def test_advice_always_tells_something(secret: int, guesses: list[int]) -> None:
    history = tuple((g, int(reply_row(BULLS_COWS, g, np.array([secret]))[0])) for g in guesses)
    at = Adviser(BULLS_COWS, scans=0).advise(history, 2)
    assert secret in at.candidates
    if not at.won and len(at.candidates) > 1:
        assert at.best[0].split.parts > 1


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_exact_values_in_hard_mode_are_those_of_the_brute_recursion(data: st.DataObject) -> None:
    guesses = sorted(data.draw(st.sets(st.sampled_from(WORDS), min_size=8, max_size=20)))
    secrets = sorted(data.draw(st.sets(st.sampled_from(guesses), min_size=3, max_size=9)))
    game = list_game(lists_of(map(tuple, secrets), map(tuple, guesses)), marks=True)
    first, told = data.draw(st.sampled_from(guesses)), data.draw(st.sampled_from(secrets))
    history = ((guesses.index(first), game.replies.index(mark(told, first))),)
    if history[0][1] == game.win:
        return
    at = Adviser(game, hard=True).advise(history, 3)
    allowed = [format_code(game, g) for g in allowed_after(game, history)]
    left = [format_secret(game, int(s)) for s in at.candidates]
    brute = Brute(allowed, mark, hard=True)
    best = at.best[0]
    assert at.source == "exact" and best.cost is not None and best.cost.proven
    assert format_code(game, best.guess) in allowed
    assert best.cost.total == brute.total(left) == brute.total(left, best.cost.worst)
    assert best.cost.worst == 1 or brute.total(left, best.cost.worst - 1) > best.cost.total


def test_a_search_that_is_out_of_its_budget_says_nothing_in_hard_mode() -> None:
    many = [tuple(word) for word in made_words(150)]
    game = list_game(lists_of(many, many), marks=True)
    everyone = np.arange(len(many), dtype=np.int32)
    assert exact_value_in_hard_mode(game, (), everyone, 1) is None
    found = exact_value_in_hard_mode(game, (), everyone, 1 << 40)
    assert found is not None and found.total < 3 * len(many)


@pytest.mark.parametrize("objective", [Objective(), Objective(consistent=True), Objective(max_depth=5)])
def test_a_tree_is_the_least_only_among_all_strategies(objective: Objective) -> None:
    game = parse_game("p3c6n")
    with LocalExecutor(1) as executor:
        result = solve_game(game, objective, executor)
    facts = {"objective": objective.name, **result.facts}
    claims = Claims("optimal", objective.pool, "", "exact", result.lower_bound, facts)
    stored = StoredTree(result.tree, claims, result.tree.summary(), "", Path("x.tree"))
    best = Adviser(game, stored).advise((), 1).best[0]
    assert best.cost is not None and best.cost.proven == (objective == Objective())


@pytest.mark.parametrize("name", ["p3c4n", "p3c3r", "p2c3n+p2c3r"])
@pytest.mark.parametrize("chunk", [1, 7, 1000])
def test_working_in_blocks_changes_nothing(name: str, chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Large games are looked at some candidates, and some guesses, at a time; against the plain definition."""
    game = parse_game(name)
    for module in ("assist", "ranking"):
        monkeypatch.setattr(f"bcsearch.{module}._CHUNK", chunk)
    monkeypatch.setattr("bcsearch.ranking._BLOCK", 2 * chunk)
    every = np.arange(len(game.guesses), dtype=np.int32)
    candidates = np.arange(0, len(game.secrets), 2, dtype=np.int32)
    truth = np.array([[_reply(game, g, s) for s in candidates] for g in every])
    assert (reply_rows(game, every, candidates) == truth).all()
    assert all((reply_row(game, int(g), candidates) == truth[g]).all() for g in every)
    counted = np.array([np.bincount(row, minlength=len(game.replies)) for row in truth])
    assert (part_sizes(game, every, candidates) == counted).all()


def _reply(game: Game, guess: int, secret: int) -> int:
    asked, hidden = game.guesses[guess].tolist(), game.secrets[secret].tolist()
    bulls = sum(a == b for a, b in zip(asked, hidden, strict=True))
    common = sum(min(asked.count(symbol), hidden.count(symbol)) for symbol in set(asked))
    return game.replies.index((bulls, common - bulls))
