"""Strategies for the same game, secret by secret."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bcsearch.errors import UsageError
from bcsearch.notation import format_code, format_history, format_secret
from bcsearch.store import StoredTree
from bcsearch.subtrees import guesses_needed
from bcsearch.tree import Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Difference:
    """Where two strategies first ask different guesses, in words: after this history, these guesses."""

    history: str
    guesses: tuple[str, str]


@dataclass(frozen=True)
class Duel:
    """Two strategies on every secret: whoever needs fewer guesses wins it.

    Attributes
    ----------
    names
        The two strategies.
    first_better, second_better
        Secrets, as text, that one finds with fewer guesses than the other.
    draws
        How many secrets cost both the same.
    difference
        The first place where they ask different guesses; None if they are one strategy.
    """

    names: tuple[str, str]
    first_better: list[str]
    second_better: list[str]
    draws: int
    difference: Difference | None


@dataclass(frozen=True)
class Comparison:
    """Several strategies for one game.

    Attributes
    ----------
    names
        One for each tree, all different.
    trees
        The trees, in the order given.
    """

    names: list[str]
    trees: list[StoredTree] = field(repr=False)

    @cached_property
    def needed(self) -> NDArray[np.int64]:
        """Guesses that each strategy needs for each secret, 0 if it never finds it; int64, shape (trees, secrets)."""
        return np.array([guesses_needed(stored.tree) for stored in self.trees])

    @property
    def most(self) -> int:
        """Most guesses that any of the strategies needs."""
        return int(self.needed.max())

    def distributions(self) -> list[list[int]]:
        """For each tree, how many secrets need 1, 2, ... guesses, all lists of the same length."""
        return [np.bincount(row, minlength=self.most + 1)[1:].tolist() for row in self.needed]

    def solved_within(self) -> list[list[float]]:
        """For each tree, the share of the secrets found within 1, 2, ... guesses."""
        return [(np.cumsum(found) / self.needed.shape[1]).tolist() for found in self.distributions()]

    def duels(self) -> list[Duel]:
        """Each strategy against each later one."""
        n = len(self.trees)
        return [self._duel(i, j) for i in range(n) for j in range(i + 1, n)]

    def _duel(self, i: int, j: int) -> Duel:
        endless = np.iinfo(np.int64).max  # what a secret costs that is never found
        first, second = (np.where(row > 0, row, endless) for row in (self.needed[i], self.needed[j]))
        game = self.trees[i].tree.game
        return Duel(
            (self.names[i], self.names[j]),
            [format_secret(game, int(s)) for s in np.flatnonzero(first < second)],
            [format_secret(game, int(s)) for s in np.flatnonzero(second < first)],
            int((first == second).sum()),
            first_difference(self.trees[i].tree, self.trees[j].tree),
        )

    def document(self) -> dict[str, Any]:
        """All of it as plain values."""
        from bcsearch.report import tree_record

        trees = [
            {"name": name, **tree_record(stored), "distribution": found, "solved_within": [round(x, 6) for x in within]}
            for name, stored, found, within in zip(
                self.names, self.trees, self.distributions(), self.solved_within(), strict=True
            )
        ]
        duels = [
            {
                "first": duel.names[0],
                "second": duel.names[1],
                "first_better": len(duel.first_better),
                "draws": duel.draws,
                "second_better": len(duel.second_better),
                "first_difference": None if duel.difference is None else vars(duel.difference),
                "secrets_first_better": duel.first_better,
                "secrets_second_better": duel.second_better,
            }
            for duel in self.duels()
        ]
        return {"game": self.trees[0].tree.game.name, "trees": trees, "duels": duels}


def compare(trees: Sequence[StoredTree]) -> Comparison:
    """Put trees of one game side by side.

    Raises
    ------
    UsageError
        If they are not all of one game.
    """
    first = trees[0]
    for stored in trees[1:]:
        if stored.tree.game != first.tree.game:
            raise UsageError(
                f"{stored.path} is a tree of {stored.tree.game}, {first.path} one of {first.tree.game}: "
                "only trees of one game can be compared"
            )
    return Comparison(short_names([stored.path for stored in trees], first.tree.game.name), list(trees))


def short_names(paths: Sequence[Path], game: str) -> list[str]:
    """Names that tell trees apart: the file's name without the game in front, or, where that is not enough, more."""
    short = [path.stem.removeprefix(f"{game}-") or path.stem for path in paths]
    longer_names = ([path.stem for path in paths], [str(path) for path in paths])
    for longer in longer_names if len(set(paths)) == len(paths) else ():
        if len(set(short)) == len(short):
            return short
        short = [name if short.count(name) == 1 else long for name, long in zip(short, longer, strict=True)]
    seen: dict[str, int] = {}
    for at, name in enumerate(short):
        seen[name] = seen.get(name, 0) + 1
        if seen[name] > 1:
            short[at] = f"{name} ({seen[name]})"
    return short


def first_difference(first: Tree, second: Tree) -> Difference | None:
    """The shortest history after which two strategies ask different guesses, the first one in the order of replies."""
    game = first.game
    level: list[tuple[int, int, tuple[tuple[int, int], ...]]] = [(0, 0, ())]
    while level:
        deeper = []
        for a, b, history in level:
            asked, other = int(first.guess[a]), int(second.guess[b])
            if asked != other:
                return Difference(format_history(game, history), (format_code(game, asked), format_code(game, other)))
            deeper += [
                (below, beside, (*history, (asked, reply)))
                for reply, below, beside in _common(first, a, second, b)
            ]  # fmt: skip
        level = deeper
    return None


def _common(first: Tree, a: int, second: Tree, b: int) -> Iterator[tuple[int, int, int]]:
    """Replies that go on in both trees, with the rows that they lead to."""
    for reply, (below, beside) in enumerate(zip(first.child[a].tolist(), second.child[b].tolist(), strict=True)):
        if below >= 0 and beside >= 0:
            yield reply, below, beside
