"""Playing from a tree file: open it, stand at a node, go where a reply leads. Two look-ups a turn, no search."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from bcsearch.errors import UsageError
from bcsearch.game import Game, Reply
from bcsearch.notation import format_code, format_reply, parse_reply, reply_example
from bcsearch.store import StoredTree, read_tree


class ContradictionError(UsageError):
    """No secret gives these replies."""


class TreePlayer:
    """A checked, memory-mapped tree, ready for play.

    Attributes
    ----------
    stored
        The tree with its claims.
    root
        The node before the first guess.
    """

    def __init__(self, stored: StoredTree) -> None:
        self.stored = stored
        tree = stored.tree
        self.game: Game = tree.game
        # Plain views: indexing one takes a twentieth of a microsecond, a numpy scalar several times that.
        self.guesses = np.ascontiguousarray(tree.guess).data
        self.children = np.ascontiguousarray(tree.child).reshape(-1).data
        self.sizes = np.ascontiguousarray(tree.size).data
        self.width = len(self.game.replies)
        self.reply_index = {reply: i for i, reply in enumerate(self.game.replies)}
        self.text = _code_texts(self.game)
        self.root = Node(self, 0, 0)


class Node:
    """A situation in a game played from a tree: immutable, cheap to make.

    `row` is the node's row in the file, `depth` the guesses made before it.
    """

    __slots__ = ("_player", "depth", "row")

    def __init__(self, player: TreePlayer, row: int, depth: int) -> None:
        self._player = player
        self.row = row
        self.depth = depth

    @property
    def guess(self) -> str:
        """The guess to ask, as text; once the game is won, the secret."""
        player = self._player
        return player.text(player.guesses[abs(self.row)])

    @property
    def candidates(self) -> int:
        """How many secrets are still possible."""
        return 1 if self.won else self._player.sizes[self.row]

    @property
    def won(self) -> bool:
        """Whether the last reply was the win."""
        return False

    def reply(self, reply: Reply | str) -> Node:
        """Node after a reply to `guess`: (bulls, cows), a mark for each letter in word games, or a text like ``1A2B``.

        Raises
        ------
        UsageError
            If the game has no such reply, or it is no reply at all.
        ContradictionError
            If no secret is left that gives it.
        """
        player = self._player
        try:
            index = player.reply_index[reply]  # type: ignore[index]  # a text is not in it
        except (KeyError, TypeError):
            index = _reply_index(player, reply)
        below = player.children[self.row * player.width + index]
        if below >= 0:
            return Node(player, below, self.depth + 1)
        if below == -2:
            return WonNode(player, self.row, self.depth + 1)
        raise ContradictionError(
            f"reply {format_reply(player.game, index)} to {self.guess}: no secret gives all these replies; "
            f"one of them is wrong, or the secret is outside {player.game}"
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} guess={self.guess} candidates={self.candidates} depth={self.depth}>"


class WonNode(Node):
    """The end of a game; `depth` is the number of guesses it took."""

    __slots__ = ()

    @property
    def won(self) -> bool:
        """True: the secret is `guess`."""
        return True

    def reply(self, reply: Reply | str) -> Node:
        """Refuse: the game is over."""
        raise UsageError(f"the game is won with {self.guess}: there is nothing more to reply")


def _code_texts(game: Game) -> Callable[[int], str]:
    """Text of a guess by its index; plain slices of one long text where every symbol is one character."""
    if game.separator:
        return lambda guess: format_code(game, guess)
    symbols = np.array(list(game.alphabet), dtype="U1")
    text = symbols[game.guesses].tobytes().decode("utf-32-le" if sys.byteorder == "little" else "utf-32-be")
    length = game.positions
    return lambda guess: text[guess * length : (guess + 1) * length]


def _reply_index(player: TreePlayer, reply: object) -> int:
    """Index of a reply given otherwise than as the tuple itself; raises UsageError for what the game does not have."""
    game = player.game
    if isinstance(reply, str):
        return parse_reply(game, reply)
    given = tuple(reply) if isinstance(reply, (list, tuple)) else ()
    if len(given) != (game.positions if game.marks else 2) or not all(isinstance(n, (int, np.integer)) for n in given):
        wanted = f"{game.positions} marks of 2, 1, 0 are" if game.marks else "a pair (bulls, cows) is"
        pair = "" if game.marks else ", like (1, 2)"
        raise UsageError(f"reply {reply!r}: {wanted} wanted{pair}, or a text, like {reply_example(game)}")
    index = player.reply_index.get(given)
    if index is None:
        possible = "marks of 2, 1, 0" if game.marks else " ".join(f"{b}A{c}B" for b, c in game.replies)
        raise UsageError(f"reply {given}: cannot be in {game}; possible: {possible}")
    return index


def open_tree(path: str | os.PathLike[str]) -> TreePlayer:
    """Open a tree file for play; raises TreeFileError if it is damaged or not a tree file."""
    return TreePlayer(read_tree(Path(path)))
