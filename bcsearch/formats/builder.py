"""Makes a tree of nodes as a reader finds them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from bcsearch.claims import claims_problem, says_of_what
from bcsearch.errors import TreeFileError
from bcsearch.game import Game
from bcsearch.plurals import be, counted
from bcsearch.store import Claims, content_hash
from bcsearch.tree import NO_CHILD, WON, Tree, breadth_first

MAX_GUESSES = 255  # the depth of a node is a uint8 in tree files

CLAIM_NAMES = tuple(Claims.__dataclass_fields__)


@dataclass(frozen=True)
class Imported:
    """A tree read from another format.

    Attributes
    ----------
    claims
        What the file claims of the tree, or, where it claims nothing that can be held against it, no more than that
        the tree reaches its total (bound "upper").
    note
        What became of the claims, in words.
    """

    tree: Tree
    claims: Claims
    note: str


def without_claims(tree: Tree, note: str) -> Imported:
    """A tree of which nothing is claimed."""
    return Imported(tree, Claims("imported", "all", "as imported"), note)


def with_claims(tree: Tree, document: dict[str, Any]) -> Imported:
    """A tree with the claims of a document, if they were made of this very tree.

    The document's sha256 says of which tree: claims of a tree that was changed since are dropped, and so are claims
    that are not of their kind. "exact" is kept only where the claims say what was minimised.
    """
    if document.get("sha256") != content_hash(tree):
        return without_claims(tree, "claims dropped: the file's sha256 is not that of the tree in it; bound: upper")
    problem = claims_problem(document)
    if problem:
        return without_claims(tree, f"claims dropped: the file {problem}; bound: upper")
    claims = Claims(**{name: document[name] for name in CLAIM_NAMES})
    if claims.bound == "exact" and not says_of_what(document):
        weaker = replace(claims, bound="upper", lower_bound=None)
        note = "claims kept, but not that of an exact value: the file does not say of what; bound: upper"
        return Imported(tree, weaker, note)
    return Imported(tree, claims, f"claims kept, as the file makes them; bound: {claims.bound}")


def wrong_size(claimed: Any, found: int) -> str:
    """What to say where another number of candidates is claimed than is found; `claimed` may be no number at all."""
    counts = counted(claimed, "candidate") if type(claimed) is int else f"{claimed!r} candidates"
    return f"{counts} {be(claimed)} claimed, {found} {be(found)} found from here"


@dataclass
class TreeBuilder:
    """Nodes in any order, the root first; sizes and depths follow from where the wins are."""

    game: Game
    guess: list[int] = field(default_factory=list)
    child: list[list[int]] = field(default_factory=list)
    depth: list[int] = field(default_factory=list)

    def add(self, guess: int, parent: int | None = None, reply: int = 0) -> int:
        """Add a node that asks `guess` after `reply` to its parent's; returns its row.

        Raises
        ------
        TreeFileError
            If it is deeper than a tree file can say.
        """
        row = len(self.guess)
        depth = 0
        if parent is not None:
            self.child[parent][reply] = row
            depth = self.depth[parent] + 1
        if depth >= MAX_GUESSES:
            raise TreeFileError(f"more than {MAX_GUESSES} guesses in a row")
        self.guess.append(guess)
        self.child.append([NO_CHILD] * len(self.game.replies))
        self.depth.append(depth)
        return row

    def win(self, row: int) -> None:
        """Say that the guess of a node can be the secret."""
        self.child[row][self.game.win] = WON

    def sizes(self) -> list[int]:
        """Secrets found at or below each node. Parents stand before their children, so one pass from the end does."""
        size = [0] * len(self.guess)
        for row in range(len(self.guess) - 1, -1, -1):
            size[row] = sum(1 if below == WON else size[below] for below in self.child[row] if below != NO_CHILD)
        return size

    def finish(self) -> Tree:
        """The tree, breadth-first."""
        return breadth_first(
            self.game,
            np.array(self.guess, dtype=np.int32),
            np.array(self.child, dtype=np.int32).reshape(len(self.guess), len(self.game.replies)),
            np.array(self.sizes(), dtype=np.int32),
            np.array(self.depth, dtype=np.uint8),
        )
