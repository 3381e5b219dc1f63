"""The one truth of scoring against published cases, and every kernel against the one truth."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bcsearch.assist import reply_row
from bcsearch.game import Game, parse_game
from bcsearch.scoring import _pair_index, fill_replies, packed_candidates, replies_from, reply_matrix, score
from bcsearch.verify import Scorer


@pytest.mark.parametrize(
    ("guess", "secret", "reply"),
    [
        ("1122", "1234", (1, 1)),
        ("447", "277", (1, 0)),
        ("447", "777", (1, 0)),
        ("447", "477", (2, 0)),
        ("RRRR", "RBGY", (1, 0)),
        ("0111", "1123", (1, 1)),
        ("0123", "0123", (4, 0)),
        ("0123", "3210", (0, 4)),
    ],
)
def test_published_cases(guess: str, secret: str, reply: tuple[int, int]) -> None:
    assert score(secret, guess) == reply


SMALL = ["p2c3r", "p3c5n", "p3c4r", "p4c5n-nz", "p5c3r", "p1c4r", "p4c4n", "p2c17n", "p7c2r"]


@pytest.mark.parametrize("name", SMALL)
def test_matrix_equals_score_everywhere(name: str) -> None:
    game = parse_game(name)
    truth = [[game.replies.index(score(s, g)) for s in game.secrets.tolist()] for g in game.guesses.tolist()]
    matrix = reply_matrix(game)
    assert matrix.dtype == np.uint8 and not matrix.flags.writeable
    assert matrix.tolist() == truth
    assert [[_pair_index(g, s) for s in game.secrets] for g in game.guesses] == truth
    everything = np.arange(len(game.secrets), dtype=np.int32)
    assert [reply_row(game, g, everything).tolist() for g in range(len(game.guesses))] == truth


def test_matrix_does_not_depend_on_threads() -> None:
    game = parse_game("p4c7n")
    assert np.array_equal(reply_matrix(game, 1), reply_matrix(game, 2))


@pytest.mark.parametrize("name", ["p6c10n", "p5c8r", "p4c10n-nz", "p4c10r", "p3c36n", "p7c4r"])
def test_packed_replies_equal_score_on_large_games(name: str) -> None:
    game = parse_game(name)
    source = replies_from(game, None)
    chosen = np.random.default_rng(1).integers(0, len(game.secrets), size=60).astype(np.int32)
    out = np.empty(len(chosen), dtype=np.uint8)
    for guess in chosen:
        fill_replies(source, guess, chosen, *packed_candidates(source, chosen), out)
        truth = [score(game.secrets[s].tolist(), game.guesses[guess].tolist()) for s in chosen]
        assert [game.replies[r] for r in out] == truth


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Game, list[int], list[int]]:
    positions = draw(st.integers(1, 9))
    symbols = draw(st.integers(positions, 12))
    repeats = draw(st.booleans())
    codes = st.lists(st.integers(0, symbols - 1), min_size=positions, max_size=positions, unique=not repeats)
    return Game(positions, symbols, repeats), draw(codes), draw(codes)


@given(pairs(), st.randoms())
@settings(max_examples=300, deadline=None)
def test_symmetries_of_score_and_the_verifiers_own_scorer(
    case: tuple[Game, list[int], list[int]], random: object
) -> None:
    game, a, b = case
    reply = score(a, b)
    assert reply == score(b, a)
    names = list(range(game.symbols))
    random.shuffle(names)  # type: ignore[attr-defined]
    assert score([names[s] for s in a], [names[s] for s in b]) == reply
    order = list(range(game.positions))
    random.shuffle(order)  # type: ignore[attr-defined]
    assert score([a[p] for p in order], [b[p] for p in order]) == reply
    assert game.replies[Scorer(game, tuple(b)).reply(tuple(a))] == reply
