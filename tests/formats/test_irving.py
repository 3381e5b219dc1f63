"""Strategies in the notation of the literature."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bcsearch.assist import split_by
from bcsearch.formats import export_tree, import_tree
from bcsearch.formats.irving import irving_order
from bcsearch.game import parse_game
from bcsearch.notation import parse_code
from bcsearch.shipped import shipped_tree
from bcsearch.store import read_tree
from bcsearch.verify import verify_file

SMALLEST = "9 (12: 1, 2 (23), 1; 4 (13); 1)\n"  # p2c3r, symbols 1-3, an optimal strategy

SAME = [
    SMALLEST,
    "9(12:1,2(23),1;4(13);1)",
    "9 (12: 1, 2 (23: 0, 1, 0; 0; 1), 1; 4 (13: 0, 1, 1; 1; 1); 1)",
    "9 (12: 1, 2 (23), 1; 0, 4 (13); 1)",  # Knuth writes the impossible reply 1A1B as 0
    "9 (12: 1, 2A, 1;\n4\nB; 1)\n\nB = (13)\nA =\n(23)\n",
    "9 (12: 1, 2 (23x), 1; 4 (13x); 1)",
]


@pytest.mark.parametrize("text", SAME)
def test_the_smallest_example_needs_21_guesses(text: str, run: Any, tmp_path: Path) -> None:
    (tmp_path / "x.irving").write_text(text)
    outcome = run("import", tmp_path / "x.irving", "--game", "p2c3r", "--alphabet", "123")
    assert outcome.code == 0, outcome.err
    assert "total:depth:worst 21:3:4" in outcome.out
    verdict = verify_file(tmp_path / "x.tree")
    assert verdict.valid and verdict.distribution == [1, 4, 4]
    assert str(export_tree(read_tree(tmp_path / "x.tree"), "irving", "123")) == SMALLEST


def test_two_candidates_without_a_guess_are_asked_in_code_order(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("9 (01: 1, 2, 1; 4 (02); 1)")
    stored = import_tree(tmp_path / "x", "irving", parse_game("p2c3r"))
    assert stored.tree.summary().total == 21
    (tmp_path / "y").write_text("9 (00x)")  # leaves 4 after 0A0B
    with pytest.raises(Exception, match="00 leaves 4 candidates after 0A0B"):
        import_tree(tmp_path / "y", "irving", parse_game("p2c3r"))


def test_an_x_can_be_a_symbol(tmp_path: Path) -> None:
    game = parse_game("p1c36n")
    (tmp_path / "t").write_text("36 (x: 35 (0: 34 (1: " + "; 1)" * 0 + "")
    with pytest.raises(Exception, match="line 1"):
        import_tree(tmp_path / "t", "irving", game)
    path = tmp_path / "u"
    chain = "1"
    for n, code in zip(range(2, 37), "wvutsrqponmlkjihgfedcba9876543210zyx", strict=False):
        chain = f"{n} ({code}: {chain}; 1)"
    path.write_text(chain)  # the last one left is z, y or x: whichever the others are not
    stored = import_tree(path, "irving", game)
    assert stored.tree.summary().depth == 36


def test_the_order_of_the_parts_is_that_of_the_literature() -> None:
    game = parse_game("p4c6r")
    sizes = split_by(game, parse_code(game, "0012"), np.arange(1296, dtype=np.int32)).sizes
    published = [
        2,
        44,
        222,
        276,
        81,
        4,
        84,
        230,
        182,
        5,
        40,
        105,
        20,
        1,
    ]  # Irving 1979 and later ones, first guess 1123
    assert [sizes[reply] for reply in irving_order(game)] == published


def test_large_parts_below_the_first_guess_are_labelled() -> None:
    text = str(export_tree(read_tree(shipped_tree("p4c10n-optimal-average")), "irving"))
    assert text.startswith("5040 (0123: 9 (") and "1440B" in text and "\nB = (1456: " in text
    assert max(map(len, text.splitlines())) <= 110
