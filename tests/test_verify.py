"""The verifier finds what a reader's structure check cannot: trees that are well formed and wrong."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bcsearch.verify
from bcsearch.errors import TreeFileError
from bcsearch.game import parse_game
from bcsearch.shipped import shipped_tree
from bcsearch.store import Claims, StoredTree, read_tree, write_tree
from bcsearch.tree import NO_CHILD, WON, Summary, Tree
from bcsearch.verify import legal_codes, verify, verify_file


def test_it_imports_nothing_of_what_builds_trees() -> None:
    names = set()
    for node in ast.walk(ast.parse(Path(bcsearch.verify.__file__).read_text())):
        if isinstance(node, ast.ImportFrom):
            names.add(node.module)
        elif isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
    ours = {name for name in names if name and name.startswith("bcsearch")}
    assert ours == {"bcsearch.errors", "bcsearch.game", "bcsearch.plurals", "bcsearch.store", "bcsearch.tree"}


def test_a_good_tree_is_valid(bulls_cows: StoredTree) -> None:
    verdict = verify_file(bulls_cows.path, max_depth=8, max_total=26424)
    assert verdict.valid and verdict.problems == []
    assert (verdict.total, verdict.depth, verdict.worst) == (26424, 8, 1)
    assert verdict.distribution == [1, 5, 62, 611, 2483, 1779, 98, 1]


def test_bounds_that_do_not_hold_are_said(bulls_cows: StoredTree) -> None:
    verdict = verify_file(bulls_cows.path, max_depth=7, max_total=26423)
    assert not verdict.valid
    assert verdict.problems == ["depth is 8, more than 7: 1 secret needs it", "total is 26424, more than 26423"]


@pytest.mark.parametrize("name", ["p3c4r", "p3c5n-nz", "p4c10n"])
def test_its_own_list_of_codes_is_the_games(name: str) -> None:
    game = parse_game(name)
    assert [list(code) for code in legal_codes(game)] == game.secrets.tolist()


def altered(stored: StoredTree, path: Path, **arrays: Any) -> StoredTree:
    """A forged file: other arrays, rightly hashed and sealed."""
    tree = replace(stored.tree, **arrays)
    write_tree(path, tree, stored.claims)
    return read_tree(path)


@pytest.mark.parametrize("claim", ["total", "depth", "worst", "secrets"])
def test_wrong_sums_are_said(small: StoredTree, claim: str) -> None:
    wrong = replace(small.summary, **{claim: getattr(small.summary, claim) + 1})
    problems = verify(replace(small, summary=wrong)).problems
    assert len(problems) == 1 and problems[0].startswith(f"claims {claim} ")


def test_another_guess_is_noticed(small: StoredTree, tmp_path: Path) -> None:
    for row in range(len(small.tree)):
        for other in range(12):
            guess = small.tree.guess.copy()
            if guess[row] == other:
                continue
            guess[row] = other
            verdict = verify(altered(small, tmp_path / "guess.tree", guess=guess))
            assert not verdict.valid, (row, other)


def test_exchanged_branches_are_noticed(small: StoredTree, tmp_path: Path) -> None:
    child = small.tree.child.copy()
    first, second = np.flatnonzero(child[0] >= 0)[:2]
    child[0, [first, second]] = child[0, [second, first]]
    assert not verify(altered(small, tmp_path / "swapped.tree", child=child)).valid


def test_a_secret_never_found_is_named() -> None:
    """p1c3n asked 0, then 1, and no more: 2 has no branch. Built by hand; no reader would let it pass."""
    game = parse_game("p1c3n")
    tree = Tree(
        game,
        np.array([0, 1], dtype=np.int32),
        np.array([[1, WON], [NO_CHILD, WON]], dtype=np.int32),
        np.array([3, 2], dtype=np.int32),
        np.array([0, 1], dtype=np.uint8),
    )
    stored = StoredTree(tree, Claims("first", "all", ""), Summary.of([1, 1]), "", Path("x"))
    problems = verify(stored).problems
    assert "row 1: secret 2 is never found (no branch)" in problems
    assert "2 of 3 secrets are found" in problems


def test_a_secret_found_twice_and_an_illegal_branch_are_named() -> None:
    """p1c2n with a third node that no secret reaches, and a root that calls a lost secret won."""
    game = parse_game("p1c2n")
    tree = Tree(
        game,
        np.array([0, 1, 0], dtype=np.int32),
        np.array([[1, WON], [2, WON], [NO_CHILD, WON]], dtype=np.int32),
        np.array([2, 1, 1], dtype=np.int32),
        np.array([0, 1, 2], dtype=np.uint8),
    )
    stored = StoredTree(tree, Claims("first", "all", ""), Summary.of([1, 1]), "", Path("x"))
    problems = verify(stored).problems
    assert "row 1: illegal reply branch: no secret gives 0A0B" in problems
    assert "3 nodes stored, 2 reached" in problems


def test_claims_of_unknown_kind_are_said(small: StoredTree) -> None:
    claims = replace(small.claims, bound="optimal", pool="some")
    problems = " ".join(verify(replace(small, claims=claims)).problems)
    assert "bound of unknown kind 'optimal'" in problems and "unknown guess pool 'some'" in problems


def test_a_claim_of_consistent_guesses_is_checked(bulls_cows: StoredTree) -> None:
    claims = replace(bulls_cows.claims, pool="consistent")
    assert "consistent guesses only" in verify(replace(bulls_cows, claims=claims)).problems[0]


SHIPPED = {
    "p4c10n-minimax": "27139:7:202",
    "p4c10n-entropy": "26424:8:1",
    "p4c10n-expected-size": "26551:7:87",
    "p4c10n-optimal-average": "26274:7:93",
    "p4c10n-optimal-worst-case": "26274:7:93",
    "p4c10n-optimal-fewest-at-worst": "27313:7:50",
    "p4c11n-optimal-average": "43537:8:7",
}
MINIMA = {
    "p4c10n-optimal-average": 26274,
    "p4c10n-optimal-worst-case": 26274,
    "p4c10n-optimal-fewest-at-worst": 50,
    "p4c11n-optimal-average": 43537,
}


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_trees_are_valid(name: str) -> None:
    stored = read_tree(shipped_tree(name))
    assert verify(stored).problems == []
    assert str(stored.summary) == SHIPPED[name]
    minimum = MINIMA.get(name)
    assert (stored.claims.bound, stored.claims.lower_bound) == ("upper" if minimum is None else "exact", minimum)


def test_objectives_claimed_wrongly_are_said() -> None:
    stored = read_tree(shipped_tree("p4c10n-optimal-average"))
    wrong = [
        {"lower_bound": 26273},
        {"lower_bound": 26275},
        {"objective": {"total": 26273}},
        {"objective": {"lost": 50, "within": 6}, "lower_bound": 50},
        {"objective": {"late": 50, "max_depth": 7}, "lower_bound": 50},
        {"objective": {}},
        {"objective": {"total": 26274, "max_depth": 6}},
    ]
    for changes in wrong:
        assert verify(replace(stored, claims=replace(stored.claims, **changes))).problems, changes


def test_a_tree_that_is_not_shipped_is_named() -> None:
    with pytest.raises(TreeFileError, match="p4c10n-optimal-average"):
        shipped_tree("p9c9n")
