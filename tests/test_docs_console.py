"""Blocks of commands in README and docs are run, and print what is shown there.

Here run those of language `console` and `sh` that have no mark and are not in playing.md, all those of a page in order.
What is shown is stdout and stderr in the order of a terminal, without the progress lines that no line shown begins
like. `cat FILE` says what is in a file. Blocks `console_slow` are run with --slow.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from documents import PAGES, ROOT, Block, blocks, outputs, pattern, plain, steps

from bcsearch.store import StoredTree, read_tree

WAITS = ("executor: ", "wrote ", "memory: ", "optimal: ", "optimal (", "compiling", "compiled")  # progress
BATCH = ("minimax", "entropy", "expected-size", "optimal-average")  # what plain build-tree leaves in trees/
LANGUAGES = ("console", "console_slow", "sh")
ANY_CLUSTER = "10.0.0.5:6379"  # the address in docs/cluster.md; the test-suite has its own cluster


def mine() -> Iterator[Block]:
    for page in (page for page in PAGES if page.name != "playing.md"):  # has dialogues: test_docs_playing.py
        yield from (
            block for block in blocks(page) if block.language in ("console", "console_slow", "sh") and not block.mark
        )


def sessions() -> list[Any]:
    return [
        pytest.param(block, id=str(block), marks=[pytest.mark.slow] if block.language == "console_slow" else [])
        for block in mine()
    ]


@pytest.fixture
def folder(tmp_path: Path, bulls_cows: StoredTree, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a reader would be: trees built by build-tree, the tree of the README, a published strategy."""
    (tmp_path / "trees").mkdir()
    for name in BATCH:
        shutil.copy(ROOT / f"data/p4c10n-{name}.tree", tmp_path / "trees")
    shutil.copy(bulls_cows.path, tmp_path / "entropy.tree")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_files(block: Block) -> None:
    """Write the files that the page has shown with `cat`, up to this block."""
    for before in blocks(block.page):
        if before.line <= block.line and before.language.startswith("console"):
            for step in steps(before):
                if step.words[0] == "cat":
                    Path(step.words[1]).write_text("".join(f"{line}\n" for line in step.shown))


def files_named(word: str) -> list[str]:
    return sorted(map(str, Path().glob(word))) if "*" in word else [word]


@pytest.fixture
def printed(run: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run a command of this package; what it prints, in the order of a terminal."""

    def call(words: list[str], stdin: str = "", good: bool = False) -> str:
        assert Path(words[0]).name == "bcsearch", f"not run here: {words}; mark the block"
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stderr", sys.stdout)
            outcome = run(*(name for word in words[1:] for name in files_named(word)), stdin=stdin)
        assert not good or outcome.code == 0, outcome.out
        return str(outcome.out)

    return call


def without_progress(text: str, shown: str) -> str:
    ours = tuple(start for start in WAITS if not re.search(rf"^{re.escape(start)}", shown, flags=re.MULTILINE))
    lines = text.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(ours) and ", proof: " not in line)


@pytest.mark.parametrize("block", [case for case in sessions() if case.values[0].language != "sh"])
def test_commands_print_what_is_shown(block: Block, printed: Any, folder: Path, request: pytest.FixtureRequest) -> None:
    for step in steps(block):
        if step.words[0] == "cat":
            Path(step.words[1]).write_text("".join(f"{line}\n" for line in step.shown))
            continue
        words = step.words
        if ANY_CLUSTER in words:
            address = request.getfixturevalue("cluster").address
            words = [address if word == ANY_CLUSTER else word for word in words]
            text = printed(words).replace(address, ANY_CLUSTER)
        else:
            text = printed(words)
        text = plain(without_progress(text, "\n".join(step.shown)))
        assert re.fullmatch(pattern(step.shown), text), f"{step.command}\nprints\n{text}"


@pytest.mark.parametrize("block", [case for case in sessions() if case.values[0].language == "sh"])
def test_commands_without_output_work(block: Block, printed: Any, folder: Path) -> None:
    write_files(block)
    if "strategy.txt" in block.text:
        knuth = ["bcsearch", "build-tree", "--game", "p4c6r", "--strategy", "minimax", "--executor", "local"]
        printed([*knuth, "--out", "knuth.tree"], good=True)
        irving = ["--format", "irving", "--alphabet", "123456"]
        printed(["bcsearch", "export", "knuth.tree", *irving, "--out", "strategy.txt"], good=True)
    text = "".join(printed(step.words, stdin="quit\n", good=True) for step in steps(block))
    shown = outputs(blocks(block.page)).get(block)
    if shown is not None:
        lines = ["...", *shown.text.splitlines(), "..."]
        text = plain(without_progress(text, shown.text))
        assert re.fullmatch(pattern(lines), text), f"{block} prints\n{text}"


def test_pages_show_sessions() -> None:
    assert len(sessions()) >= 25


def test_a_page_that_shows_something_else_is_noticed() -> None:
    assert not re.fullmatch(pattern(["total 26424, depth 8"]), "total 26424, depth 7\n")
    assert not re.fullmatch(pattern(["first", "...", "last"]), "first\nsecond\n")
    assert re.fullmatch(pattern(["first", "...", "a ... c"]), "first\nx\ny\na b c\n")
    assert re.fullmatch(pattern(["5 of 5 in 3.6 s"]), "5 of 5 in 12 s\n")
    assert not re.fullmatch(pattern(["5 of 5 in 3.6 s"]), "5 of 6 in 3.6 s\n")


def shown_rows(heading: str) -> list[tuple[str, list[str]]]:
    """Rows of the tables that begin with a heading, in all blocks: (page, words)."""
    found = []
    for page in PAGES:
        for block in blocks(page):
            lines = block.text.splitlines()
            starts = [at for at, line in enumerate(lines) if line.split() == heading.split()]
            for at in starts:
                rows = [line.split() for line in lines[at + 2 :]]
                found += [(page.name, row) for row in rows if len(row) == len(heading.split())]
    return found


def test_tables_of_build_tree_show_the_shipped_trees() -> None:
    rows = shown_rows("strategy total average depth worst distribution seconds")
    rows = [
        (page, row) for page, row in rows if row[1].isdigit() and int(row[1]) > 26000
    ]  # those of smaller games are built anew above
    assert len(rows) >= 4
    for page, (strategy, *figures, _) in rows:
        name = "optimal-average" if strategy == "optimal" else strategy
        stored = read_tree(ROOT / f"data/p4c10n-{name}.tree")
        summary = stored.tree.summary()
        distribution = ",".join(map(str, stored.tree.distribution()))
        wanted = [str(summary.total), f"{summary.average:.4f}", str(summary.depth), str(summary.worst), distribution]
        assert figures == wanted, f"{page}: {strategy}"
