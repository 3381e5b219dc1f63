"""Pictures of the first levels."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

from bcsearch.formats import export_tree
from bcsearch.shipped import shipped_tree
from bcsearch.store import read_tree

SVG = "{http://www.w3.org/2000/svg}"


def test_svg_shows_each_reply_with_the_next_guess() -> None:
    stored = read_tree(shipped_tree("p4c10n-optimal-average"))
    root = ElementTree.fromstring(str(export_tree(stored, "svg")))
    texts = ["".join(element.itertext()) for element in root.iter(f"{SVG}text")]
    assert sum(text in {f"{b}A{c}B" for b, c in stored.tree.game.replies} for text in texts) == 14
    assert "01235040 left, 5.21 to come, at most 7" in texts
    assert "14561440 left, 4.51 to come, at most 6" in texts and "0123found" in texts
    width, height = float(root.get("width", 0)), float(root.get("height", 0))
    for box in root.iter(f"{SVG}rect"):
        x, y = float(box.get("x", 0)), float(box.get("y", 0))
        assert x >= 0 and x + float(box.get("width", 0)) <= width
        assert y >= 0 and y + float(box.get("height", 0)) <= height


def test_levels_and_dot(run: Any) -> None:
    tree = shipped_tree("p4c10n-optimal-average")
    nodes = {}
    for levels in (1, 2, 3):
        text = run("export", tree, "--format", "dot", "--levels", levels).out
        assert text.startswith("digraph") and text.rstrip().endswith("}")
        nodes[levels] = text.count("[label=") - text.count(" -> ")
        assert text.count(" -> ") == nodes[levels] - 1
    assert nodes[1] == 1 and nodes[2] == 15 and nodes[3] > 100
