"""Trees that nobody would play, but that find every secret: for tests of what must hold for any tree."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np

from bcsearch.assist import reply_row
from bcsearch.formats.builder import TreeBuilder
from bcsearch.game import Game, parse_game
from bcsearch.store import Claims, StoredTree, content_hash
from bcsearch.tree import Tree

GAMES = ["p1c4n", "p2c3r", "p2c4n", "p2c5n-nz", "p3c3r", "p3c4n", "p4c2r", "p2c12n"]


def random_tree(game: Game, random: Random) -> Tree:
    """Ask guesses at random, useless ones too, but never twice the same on a path."""
    builder = TreeBuilder(game)

    def grow(candidates: np.ndarray, asked: set[int], parent: int | None, reply: int) -> None:
        wild = random.random() < 0.4
        choice = range(len(game.guesses)) if wild else game.guess_of_secret[candidates].tolist()
        guess = random.choice([g for g in choice if g not in asked])
        row = builder.add(guess, parent, reply)
        replies = reply_row(game, guess, candidates)
        for index in sorted(set(replies.tolist())):
            if index == game.win:
                builder.win(row)
            else:
                grow(candidates[replies == index], asked | {guess}, row, index)

    grow(np.arange(len(game.secrets), dtype=np.int32), set(), None, 0)
    return builder.finish()


def random_stored(name: str, seed: int) -> StoredTree:
    tree = random_tree(parse_game(name), Random(seed))
    claims = Claims("random", "all", "none", objective={"total": tree.summary().total})
    return StoredTree(tree, claims, tree.summary(), content_hash(tree), Path("-"))
