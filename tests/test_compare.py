"""Strategies side by side."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import bcsearch
from bcsearch.compare import compare, short_names
from bcsearch.notation import parse_history
from bcsearch.outline import row_after
from bcsearch.scoring import score
from bcsearch.shipped import shipped_tree
from bcsearch.store import StoredTree, read_tree, write_tree

ORACLE = Path(__file__).parent / "oracles" / "greedy.txt"
GREEDY = ("minimax", "entropy", "expected-size")
PNG, SVG = b"\x89PNG\r\n", b"<?xml"


def played(path: Path, secret: str) -> int:
    """Guesses needed, by playing."""
    node = bcsearch.open_tree(path).root
    while not node.won:
        node = node.reply(score(secret, node.guess))
    return node.depth


def test_the_shipped_trees_print_the_figures_of_the_oracles(run: Any) -> None:
    trees = [shipped_tree(f"p4c10n-{name}") for name in (*GREEDY, "optimal-average")]
    table = run("compare", *trees).out.split("\n\n")[0].splitlines()
    rows = {line.split()[0]: line.split()[1:] for line in table}
    for line in ORACLE.read_text().splitlines():
        words = line.split()
        if words[:2] == ["p4c10n", "all"] and words[2] in GREEDY:
            name, summary, distribution = words[2:]
            average = f"{int(summary.split(':')[0]) / 5040:.4f}"
            assert rows[name] == [summary, average, distribution, "upper"]
    assert rows["optimal-average"][0].startswith("26274:7:") and rows["optimal-average"][-1] == "exact"


def test_duels_are_what_playing_gives(run: Any) -> None:
    one, other = shipped_tree("p4c10n-entropy"), shipped_tree("p4c10n-optimal-average")
    document = json.loads(run("compare", one, other, "--json").out)
    assert [tree["name"] for tree in document["trees"]] == ["entropy", "optimal-average"]
    (duel,) = document["duels"]
    assert duel["first_better"] + duel["draws"] + duel["second_better"] == 5040
    assert (len(duel["secrets_first_better"]), len(duel["secrets_second_better"])) == (
        duel["first_better"], duel["second_better"],
    )  # fmt: skip
    better = set(duel["secrets_first_better"]), set(duel["secrets_second_better"])
    for secret in [*duel["secrets_first_better"][::60], *duel["secrets_second_better"][::60], "0123", "9876", "4567"]:
        a, b = played(one, secret), played(other, secret)
        assert ((a < b), (b < a)) == (secret in better[0], secret in better[1])
    saved = sum(k * (b - a) for k, (a, b) in enumerate(
        zip(document["trees"][0]["distribution"], document["trees"][1]["distribution"], strict=True), 1))  # fmt: skip
    assert saved == 26274 - 26424
    within = document["trees"][0]["solved_within"]
    assert within[-1] == 1 and within[6] == pytest.approx(5039 / 5040, abs=1e-6)


def test_where_strategies_first_differ(run: Any) -> None:
    one, other = (read_tree(shipped_tree(f"p4c10n-{name}")) for name in ("entropy", "optimal-average"))
    (duel,) = compare([one, other]).duels()
    assert duel.difference is not None
    history = parse_history(one.tree.game, [duel.difference.history])
    asked = [stored.tree.guess[row_after(stored.tree, history)] for stored in (one, other)]
    assert asked[0] != asked[1]
    assert len(history) == 1  # both begin with 0123
    assert f"first differ after {duel.difference.history}: " in run("compare", one.path, other.path).out


def test_a_strategy_and_itself(run: Any) -> None:
    tree = shipped_tree("p4c10n-entropy")
    outcome = run("compare", tree, tree)
    assert "entropy and entropy (2) are the same strategy" in outcome.out
    assert "5040 (100.0 %)" in outcome.out


def test_secrets_that_a_tree_never_finds_are_lost_for_it(bulls_cows: StoredTree, tmp_path: Path) -> None:
    from bcsearch.formats import export_tree, import_tree

    (tmp_path / "x.paths").write_text("".join(str(export_tree(bulls_cows, "paths")).splitlines(keepends=True)[:-2]))
    cut = import_tree(tmp_path / "x.paths", "paths", bulls_cows.tree.game)
    write_tree(tmp_path / "cut.tree", cut.tree, cut.claims)
    (duel,) = compare([read_tree(tmp_path / "cut.tree"), bulls_cows]).duels()
    assert (duel.first_better, duel.second_better) == ([], ["9875", "9876"])


def test_only_trees_of_one_game(run: Any, small: StoredTree, bulls_cows: StoredTree) -> None:
    outcome = run("compare", small.path, bulls_cows.path)
    assert outcome.code == 2 and "only trees of one game can be compared" in outcome.err
    assert outcome.err.count("\n") == 1


def test_names_tell_trees_apart() -> None:
    paths = [Path("a/p2c3r-x.tree"), Path("b/p2c3r-x.tree"), Path("p2c3r-y.tree")]
    assert short_names(paths, "p2c3r") == ["a/p2c3r-x.tree", "b/p2c3r-x.tree", "y"]


def test_secrets_are_listed_when_asked_for(run: Any, small: StoredTree, tmp_path: Path) -> None:
    from random_trees import random_stored

    other = random_stored("p2c4n", 4)
    write_tree(tmp_path / "other.tree", other.tree, other.claims)
    (duel,) = compare([small, other]).duels()
    out = run("compare", small.path, tmp_path / "other.tree", "--secrets").out
    assert duel.first_better and f"small is better on {len(duel.first_better)}: {' '.join(duel.first_better)}" in out


def test_plots_show_every_strategy(run: Any, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    trees = [shipped_tree(f"p4c10n-{name}") for name in GREEDY]
    for ending, start in (("png", PNG), ("svg", SVG)):
        path = tmp_path / f"plot.{ending}"
        outcome = run("compare", *trees, "--plot", path)
        assert outcome.code == 0 and path.read_bytes().startswith(start)
    text = path.read_text()
    shown = ["entropy  (5.2429 on average, 8 at worst)", "minimax  (5.3847 on average, 7 at worst)", "2,483"]
    for words in (*shown, "p4c10n: 5,040 secrets", "How many secrets need k guesses", "Share found within k guesses"):
        assert words in text
    wrong = run("compare", *trees, "--plot", tmp_path / "plot.doc")
    assert wrong.code == 2 and "a plot ends in .png, .svg, .pdf" in wrong.err


def test_without_matplotlib_plots_say_how_to_get_it(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    outcome = run("compare", shipped_tree("p4c10n-entropy"), "--plot", tmp_path / "x.png")
    assert outcome.code == 1 and "pip install 'bcsearch[plot]'" in outcome.err


@pytest.mark.parametrize("count", [2, 4, 6])
def test_numbers_above_the_bars_do_not_touch(count: int) -> None:
    pytest.importorskip("matplotlib")
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    from bcsearch.plot import _figure

    names = (*GREEDY, "optimal-average", "optimal-worst-case", "optimal-fewest-at-worst")[:count]
    figure = _figure(compare([read_tree(shipped_tree(f"p4c10n-{name}")) for name in names]))
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    boxes = [text.get_window_extent(canvas.get_renderer()) for text in figure.axes[0].texts if text.get_text()]
    assert len(boxes) > 6 * count
    touching = [(a, b) for at, a in enumerate(boxes) for b in boxes[:at] if a.padded(2).overlaps(b)]
    assert not touching


def test_where_strategies_differ_is_a_line_for_each_two(run: Any) -> None:
    trees = [shipped_tree(f"p4c10n-{name}") for name in GREEDY]
    text = run("compare", *trees).out.rstrip("\n").split("\n\n")[-1]
    assert [" first differ after " in line for line in text.splitlines()] == [True] * 3
