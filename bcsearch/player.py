"""Playing from a tree file: open it, stand at a node, go where a reply leads. Two look-ups a turn, no search."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from bcsearch.errors import UsageError
from bcsearch.game import Game, Reply
from bcsearch.notation import format_reply, parse_reply
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
        symbols = np.frombuffer(self.game.alphabet.encode(), dtype=np.uint8)
        self.text = symbols[self.game.guesses].tobytes().decode()
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
        length = player.game.positions
        at = player.guesses[abs(self.row)] * length
        return player.text[at : at + length]

    @property
    def candidates(self) -> int:
        """How many secrets are still possible."""
        return 1 if self.won else self._player.sizes[self.row]

    @property
    def won(self) -> bool:
        """Whether the last reply was the win."""
        return False

    def reply(self, reply: Reply | str) -> Node:
        """Node after a reply to `guess`: a pair (bulls, cows), or a text such as ``1A2B``.

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
            index = _reply_index(player.game, reply)
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


def _reply_index(game: Game, reply: object) -> int:
    """Index of a reply given otherwise than as the pair itself; raises UsageError for what the game does not have."""
    if isinstance(reply, str):
        return parse_reply(game, reply)
    pair = tuple(reply) if isinstance(reply, (list, tuple)) else ()
    if len(pair) != 2 or not all(isinstance(n, (int, np.integer)) for n in pair):
        raise UsageError(f"reply {reply!r}: a pair (bulls, cows) is wanted, like (1, 2), or a text, like '1A2B'")
    if pair in game.replies:
        return game.replies.index(pair)
    possible = " ".join(format_reply(game, i) for i in range(len(game.replies)))
    raise UsageError(f"reply {pair}: cannot be in {game}; possible: {possible}")


def open_tree(path: str | os.PathLike[str]) -> TreePlayer:
    """Open a tree file for play; raises TreeFileError if it is damaged or not a tree file."""
    return TreePlayer(read_tree(Path(path)))
