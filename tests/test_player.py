"""Playing from a file through the library."""

from __future__ import annotations

import subprocess
import sys

import pytest

import bcsearch
from bcsearch.player import ContradictionError
from bcsearch.scoring import score
from bcsearch.store import StoredTree


def test_every_secret_is_found_as_the_distribution_says(bulls_cows: StoredTree) -> None:
    player = bcsearch.open_tree(bulls_cows.path)
    found = [0] * 9
    for code in player.game.secrets.tolist():
        secret = "".join(map(str, code))
        node = player.root
        while not node.won:
            node = node.reply(score(secret, node.guess))
        assert node.guess == secret and node.candidates == 1
        found[node.depth] += 1
    assert found[1:] == bulls_cows.tree.distribution()


def test_first_steps(bulls_cows: StoredTree) -> None:
    node = bcsearch.open_tree(str(bulls_cows.path)).root
    assert (node.guess, node.candidates, node.depth, node.won) == ("0123", 5040, 0, False)
    node = node.reply((1, 2))
    assert (node.candidates, node.depth) == (216, 1)


def test_replies_that_cannot_be(bulls_cows: StoredTree) -> None:
    node = bcsearch.open_tree(bulls_cows.path).root
    with pytest.raises(bcsearch.UsageError, match="possible: 0A0B"):
        node.reply((3, 1))
    with pytest.raises(ContradictionError, match="no secret gives all these replies"):
        node.reply((0, 4)).reply((0, 0))
    with pytest.raises(bcsearch.UsageError, match="won"):
        node.reply((4, 0)).reply((4, 0))


def test_a_reply_may_be_a_text_and_what_is_no_reply_is_said(bulls_cows: StoredTree) -> None:
    root = bcsearch.open_tree(bulls_cows.path).root
    wanted = root.reply((1, 2)).row
    assert root.reply("1A2B").row == root.reply("1 2").row == root.reply([1, 2]).row == wanted  # type: ignore[arg-type]
    assert root.reply("4A0B").won
    for wrong in ((1,), (1, 2, 3), 12, None, ("1", "2"), [[1], 2], {}):
        with pytest.raises(bcsearch.UsageError, match=r"a pair \(bulls, cows\) is wanted, like \(1, 2\)"):
            root.reply(wrong)  # type: ignore[arg-type]
    with pytest.raises(bcsearch.UsageError, match="written 1A2B"):
        root.reply("hello")
    with pytest.raises(bcsearch.UsageError, match="more than one way"):
        root.reply("1B")
    with pytest.raises(ContradictionError, match="reply 0A0B to"):
        root.reply("0A4B").reply("0A0B")


def test_play_needs_neither_ray_nor_a_compiler(bulls_cows: StoredTree) -> None:
    program = (
        f"import sys, bcsearch; bcsearch.open_tree({str(bulls_cows.path)!r}).root.reply((0, 1)); "
        "sys.exit(any(m in sys.modules for m in ('ray', 'numba')))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
