"""Greedy trees: the oracle rows, a slow plain reference, and every fast path equal to every other."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bcsearch.expand import Plan, expand, root_item
from bcsearch.game import Game, parse_game
from bcsearch.scoring import replies_from, reply_matrix, score
from bcsearch.store import content_hash
from bcsearch.strategies import BY_MAX, BY_ORDER, STRATEGIES
from bcsearch.tree import Piece, Tree, assemble

ORACLE = [
    line.split()
    for line in (Path(__file__).parent / "oracles/greedy.txt").read_text().splitlines()
    if not line.startswith("#")
]


@cache
def matrix_of(name: str) -> Any:
    return reply_matrix(parse_game(name))


def grow(name: str, strategy: str, pool: str = "all", packed: bool = False, **options: Any) -> Tree:
    game = parse_game(name)
    plan = Plan(game, strategy, pool == "consistent", **options)
    source = replies_from(game, None if packed else matrix_of(name))
    todo, pieces = [root_item(game)], {}
    while todo:
        item = todo.pop()
        pieces[item.key], more, _ = expand(plan, source, item)
        todo += more
    return assemble(game, pieces, "root")


@pytest.mark.parametrize("packed", [False, True], ids=["matrix", "packed"])
@pytest.mark.parametrize("row", ORACLE, ids=["-".join(row[:3]) for row in ORACLE])
def test_oracle(row: list[str], packed: bool) -> None:
    name, pool, strategy, summary, distribution = row
    tree = grow(name, strategy, pool, packed)
    assert str(tree.summary()) == summary
    assert ",".join(map(str, tree.distribution())) == distribution


def plain_tree(game: Game, strategy: str, pool: str) -> dict[tuple[tuple[int, int], ...], int]:
    """The definition, in plain Python: the guess asked after each history."""
    codes = game.secrets.tolist()
    table = STRATEGIES[strategy].weights(len(codes))
    combine = STRATEGIES[strategy].combine
    asked: dict[tuple[tuple[int, int], ...], int] = {}

    def parts_of(guess: int, left: list[int]) -> dict[int, list[int]]:
        parts = defaultdict(list)
        for s in left:
            parts[game.replies.index(score(codes[s], codes[guess]))].append(s)
        return parts

    def rank(guess: int, left: list[int]) -> tuple[int, bool, int]:
        weights = [int(table[len(part)]) for part in parts_of(guess, left).values()]
        return (max(weights) if combine == BY_MAX else sum(weights)), guess not in left, guess

    def visit(history: tuple[tuple[int, int], ...], left: list[int]) -> None:
        pool_now = left if pool == "consistent" else range(len(codes))
        guess = left[0] if combine == BY_ORDER else min(pool_now, key=lambda g: rank(g, left))
        asked[history] = guess
        for reply, part in parts_of(guess, left).items():
            if reply != game.win:
                visit((*history, (guess, reply)), part)

    visit((), list(range(len(codes))))
    return asked


def asked_in(tree: Tree) -> dict[tuple[tuple[int, int], ...], int]:
    asked = {}
    stack: list[tuple[int, tuple[tuple[int, int], ...]]] = [(0, ())]
    while stack:
        row, history = stack.pop()
        guess = int(tree.guess[row])
        asked[history] = guess
        assert tree.depth[row] == len(history)
        stack += [(int(below), (*history, (guess, r))) for r, below in enumerate(tree.child[row]) if below >= 0]
    return asked


@pytest.mark.parametrize("pool", ["all", "consistent"])
@pytest.mark.parametrize("strategy", list(STRATEGIES))
@pytest.mark.parametrize("name", ["p3c5n", "p3c4r", "p2c6n", "p3c4r-nz", "p4c5n-nz", "p1c5n", "p2c1r"])
def test_the_tree_is_the_one_the_definition_gives(name: str, strategy: str, pool: str) -> None:
    assert asked_in(grow(name, strategy, pool)) == plain_tree(parse_game(name), strategy, pool)


@pytest.mark.parametrize("pool", ["all", "consistent"])
@pytest.mark.parametrize("strategy", list(STRATEGIES))
@pytest.mark.parametrize("name", ["p4c6r", "p3c10n", "p4c7n", "p4c6n-nz", "p5c3r"])
def test_symmetry_and_cutting_into_items_change_nothing(name: str, strategy: str, pool: str) -> None:
    wanted = content_hash(grow(name, strategy, pool))
    assert content_hash(grow(name, strategy, pool, use_symmetry=False)) == wanted
    assert content_hash(grow(name, strategy, pool, open_above=30)) == wanted
    assert content_hash(grow(name, strategy, pool, open_above=1)) == wanted
    assert content_hash(grow(name, strategy, pool, packed=True)) == wanted


def test_a_missing_piece_is_noticed() -> None:
    game = parse_game("p3c5n")
    piece, left, _ = expand(
        Plan(game, "minimax", open_above=5), replies_from(game, matrix_of("p3c5n")), root_item(game)
    )
    assert left
    with pytest.raises(Exception, match="hole"):
        assemble(game, {"root": piece}, "root")


def test_work_counter_is_a_signature() -> None:
    """Guesses scanned for the p4c10n entropy tree; a change means that the search does more, or less, work."""
    game = parse_game("p4c10n")
    _, _, scans = expand(Plan(game, "entropy"), replies_from(game, matrix_of("p4c10n")), root_item(game))
    assert scans == 673661


def test_pieces_join_in_any_order() -> None:
    game = parse_game("p3c6n")
    plan, source = Plan(game, "entropy", open_above=3), replies_from(game, reply_matrix(game))
    todo, pieces = [root_item(game)], {}
    while todo:
        item = todo.pop(0)
        pieces[item.key], more, _ = expand(plan, source, item)
        todo += more
    keys = list(pieces)
    np.random.default_rng(5).shuffle(keys)
    shuffled: dict[str, Piece] = {key: pieces[key] for key in keys}
    assert content_hash(assemble(game, shuffled, "root")) == content_hash(assemble(game, pieces, "root"))
