"""A part of a tree as lines to read: where a history leads, and what is asked below."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bcsearch.errors import UsageError
from bcsearch.notation import format_code, format_history, format_reply
from bcsearch.subtrees import still_to_come
from bcsearch.tree import NO_CHILD, WON, Tree


@dataclass(frozen=True)
class OutlineNode:
    """A node as it is shown.

    Attributes
    ----------
    level
        Levels below the node that the outline begins with.
    reply
        Reply that leads here; None for the first node.
    guess
        What is asked next; for a win, the secret.
    candidates
        Secrets that are left.
    worst, average
        Guesses still to come, `guess` counted; 0 for a win.
    won
        Whether the reply was the win.
    last
        For each level down to this one, whether its node is the last of its parent's.
    """

    level: int
    reply: str | None
    guess: str
    candidates: int
    worst: int
    average: float
    won: bool
    last: tuple[bool, ...] = ()


def row_after(tree: Tree, history: Iterable[tuple[int, int]]) -> int:
    """Row of the node that a history of (guess, reply) indices leads to.

    Raises
    ------
    UsageError
        If the tree asks something else there, or no secret gives these replies, or the game is won.
    """
    row = 0
    before: list[tuple[int, int]] = []
    for guess, reply in history:
        asked = int(tree.guess[row])
        where = f"after {format_history(tree.game, before)}" if before else "first"
        if guess != asked:
            other, wanted = format_code(tree.game, asked), format_code(tree.game, guess)
            raise UsageError(f"history: this tree asks {other} {where}, not {wanted}")
        below = int(tree.child[row, reply])
        before.append((guess, reply))
        if below == WON:
            raise UsageError(
                f"history: the game is won with {format_history(tree.game, before)}: nothing comes after it"
            )
        if below == NO_CHILD:
            raise UsageError(f"history: no secret gives {format_history(tree.game, before)}")
        row = below
    return row


def outline(tree: Tree, row: int, depth: int | None) -> Iterator[OutlineNode]:
    """The nodes from a row on, each before its parts, `depth` levels below it (None: all)."""
    come = still_to_come(tree)

    def node(row: int, level: int, reply: str | None, last: tuple[bool, ...]) -> Iterator[OutlineNode]:
        n = int(tree.size[row])
        guess = format_code(tree.game, int(tree.guess[row]))
        yield OutlineNode(level, reply, guess, n, int(come.worst[row]), int(come.total[row]) / n, False, last)
        if depth is not None and level >= depth:
            return
        parts = [(index, below) for index, below in enumerate(tree.child[row].tolist()) if below != NO_CHILD]
        for index, below in parts:
            text, end = format_reply(tree.game, index), (*last, index == parts[-1][0])
            if below == WON:
                yield OutlineNode(level + 1, text, guess, 1, 0, 0.0, True, end)
            else:
                yield from node(below, level + 1, text, end)

    yield from node(row, 0, None, ())
