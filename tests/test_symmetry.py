"""Classes of equivalent guesses: published counts, and orbits computed the slow way."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import numpy as np
import pytest

from bcsearch.game import Game, parse_game
from bcsearch.scoring import score
from bcsearch.symmetry import canonical_guesses


def orbit_minima(game: Game, asked: tuple[int, ...]) -> list[int]:
    """Smallest guess of every orbit, from all position permutations and symbol renamings of the game."""
    codes = [tuple(code) for code in game.guesses.tolist()]
    index = {code: i for i, code in enumerate(codes)}
    smallest = list(range(len(codes)))
    for places in permutations(range(game.positions)):
        for names in permutations(range(game.symbols)):
            if any(places[p] != p for p in game.fixed_positions) or any(names[s] != s for s in game.fixed_symbols):
                continue
            image = [tuple(names[code[p]] for p in places) for code in codes]
            if all(image[a] == codes[a] for a in asked):
                for i, code in enumerate(image):
                    smallest[i] = min(smallest[i], index[code])
    return sorted(set(smallest))


@pytest.mark.parametrize("name", ["p3c5n", "p3c4r", "p2c4r-nz", "p3c4n-nz", "p4c3r"])
def test_classes_are_the_orbits(name: str) -> None:
    game = parse_game(name)
    histories = [(), (0,), (3,), (0, 5), (5, 0), (1, 7), (0, 1, 8)]
    for asked in histories:
        assert canonical_guesses(game, asked).tolist() == orbit_minima(game, asked)


def test_published_counts_for_bulls_and_cows() -> None:
    game = parse_game("p4c10n")
    second = canonical_guesses(game, (0,))
    assert len(canonical_guesses(game, ())) == 1
    assert len(second) == 20
    assert sum(len(canonical_guesses(game, (0, int(g)))) for g in second) == 7130


def test_every_guess_splits_like_one_of_the_kept() -> None:
    game = parse_game("p3c6n")
    codes = game.secrets.tolist()
    left = [s for s in codes if score(s, codes[0]) == (1, 1) and score(s, codes[31]) == (0, 2)]
    assert left

    def split(guess: list[int]) -> tuple[tuple[int, ...], bool]:
        return tuple(sorted(Counter(score(s, guess) for s in left).values())), guess in left

    kept = {split(codes[g]) for g in canonical_guesses(game, (0, 31))}
    assert {split(g) for g in codes} == kept


def test_long_codes_use_some_symmetries_only_and_lose_no_class() -> None:
    game = parse_game("p9c2r")
    kept = canonical_guesses(game, ())
    ones = np.minimum(game.guesses.sum(axis=1), 9 - game.guesses.sum(axis=1))
    assert set(ones[kept]) == {0, 1, 2, 3, 4}
    assert len(kept) < 40
