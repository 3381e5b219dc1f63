"""What a run directory or a tree file claims of single sets of candidates, for `bcsearch.audit`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from bcsearch.audit import LATE, LOST, TOTAL, Claim
from bcsearch.errors import UsageError
from bcsearch.expand import history_of
from bcsearch.runs import journal
from bcsearch.runs.journal import of_kind, read_journal
from bcsearch.tree import WON

if TYPE_CHECKING:
    from bcsearch.store import StoredTree
    from bcsearch.tree import Tree


def claims_of_run(path: Path, seal: str) -> Iterator[Claim]:
    """Answers of the proofs in a journal; quick passes prove nothing and are left out."""
    records, _, _ = read_journal(path / journal.NAME, seal)
    for record in of_kind(records, "answer"):
        search, _, key = record["key"].partition("/")
        measure, _, guesses = search.partition("-")
        if "-width" in search:
            continue
        history = history_of(key)
        k = None if guesses == "any" else int(guesses) - len(history)
        exact = record["finished"] and record["value"] < record["limit"]
        yield Claim(record["key"], measure, history, k, record["value"], exact)


def claims_of_tree(stored: StoredTree) -> Iterator[Claim]:
    """The value of every node's subtree, which has to be minimal where the whole tree is.

    Raises
    ------
    UsageError
        For a tree that claims no minimum.
    """
    objective = stored.claims.objective
    measure = next((m for m, name in ((TOTAL, "total"), (LOST, "lost"), (LATE, "late")) if name in objective), None)
    if stored.claims.bound != "exact" or measure is None:
        raise UsageError(f"{stored.path}: claims no proven minimum: there is nothing to audit")
    depth = objective.get("within") or objective.get("max_depth")
    tree = stored.tree
    values = _subtree_values(tree, measure, depth)
    parents: dict[int, tuple[int, int]] = {}
    for row, child in enumerate(tree.child.tolist()):
        parents.update({below: (row, reply) for reply, below in enumerate(child) if below >= 0})
    for row in range(len(tree)):
        k = None if depth is None else int(depth) - int(tree.depth[row])
        if tree.size[row] < 3 or (k is not None and k < 1):
            continue
        history: list[tuple[int, int]] = []
        at = row
        while at:
            at, reply = parents[at]
            history.append((int(tree.guess[at]), reply))
        yield Claim(f"row {row}", measure, tuple(reversed(history)), k, values[row], True)


def _subtree_values(tree: Tree, measure: str, depth: int | None) -> list[int]:
    """Value of the subtree of every row, from the leaves up: children stand after their parents."""
    values = [0] * len(tree)
    for row in range(len(tree) - 1, -1, -1):
        child = tree.child[row].tolist()
        values[row] = sum(values[below] for below in child if below >= 0)
        guesses = int(tree.depth[row]) + 1
        won = child[-1] == WON
        if measure == TOTAL:
            values[row] += int(tree.size[row])
        elif measure == LOST:
            values[row] += won and depth is not None and guesses > depth
        else:
            values[row] += won and guesses == depth
    return values
