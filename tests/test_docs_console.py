"""Blocks of commands with what they print, in README and docs, are run and compared.

In a block ``console`` a line that begins with ``$`` is a command, and what follows it is what it prints: stdout, then
stderr. ``...`` stands for anything, in a line or for any number of lines. ``cat FILE`` says what is in a file. Blocks
``console_slow`` are run with --slow.
"""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest
from test_docs import PAGES, ROOT, blocks

from bcsearch.store import read_tree

WAITS = ("executor: ", "wrote ", "optimal: ", "optimal (", "compiling", "compiled")  # progress, different at each run


def sessions() -> list[Any]:
    found = []
    for page in PAGES:
        if page.stem == "playing":  # dialogues, typed lines and all: test_docs_playing
            continue
        for kind, marks in (("console", []), ("console_slow", [pytest.mark.slow])):
            found += [
                pytest.param(text, id=f"{page.stem}-{kind}-{at}", marks=marks)
                for at, text in enumerate(blocks(page, kind))
            ]
    return found


def steps(text: str) -> list[tuple[str, list[str]]]:
    """Commands with the lines that they print."""
    found: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return found


def pattern(lines: list[str]) -> str:
    """Regular expression for what is shown; spaces at line ends and rules' lengths do not matter."""
    parts = []
    for line in lines:
        text = r"\.\.\.".join(re.escape(part) for part in line.rstrip().split("..."))
        text = re.sub(r"─+", "─+", text)
        parts.append(r"(?:.*\n)*?" if line == "..." else text.replace(r"\.\.\.", ".*") + r" *\n")
    return "".join(parts)


@pytest.mark.parametrize("text", sessions())
def test_commands_print_what_is_shown(text: str, run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "trees").mkdir()
    for tree in (ROOT / "data").glob("*.tree"):
        shutil.copy(tree, tmp_path / "trees")
    monkeypatch.chdir(tmp_path)
    for command, lines in steps(text):
        words = shlex.split(command)
        if words[0] == "cat":
            Path(words[1]).write_text("\n".join(lines) + "\n")
            continue
        assert words[0] == "bcsearch"
        outcome = run(*words[1:])
        printed = outcome.out + "".join(
            line
            for line in outcome.err.splitlines(keepends=True)
            if not line.startswith(WAITS) and ", proof: " not in line
        )
        printed = "".join(f"{line.rstrip()}\n" for line in printed.splitlines())
        assert re.fullmatch(pattern(lines), printed), f"{command}\nprints\n{printed}"


def test_pages_show_sessions() -> None:
    assert len(sessions()) >= 5


def test_a_page_that_shows_something_else_is_noticed() -> None:
    assert not re.fullmatch(pattern(["total 26424, depth 8"]), "total 26424, depth 7\n")
    assert not re.fullmatch(pattern(["first", "...", "last"]), "first\nsecond\n")
    assert re.fullmatch(pattern(["first", "...", "a ... c"]), "first\nx\ny\na b c\n")


def shown_rows(heading: str) -> list[tuple[str, list[str]]]:
    """Rows of the tables that begin with a heading, in blocks that name no language: (page, words)."""
    found = []
    for page in PAGES:
        for block in blocks(page, ""):
            lines = block.splitlines()
            starts = [at for at, line in enumerate(lines) if line.split() == heading.split()]
            for at in starts:
                rows = [line.split() for line in lines[at + 2 :]]
                found += [(page.name, row) for row in rows if len(row) >= len(heading.split())]
    return found


def test_tables_of_build_tree_show_the_shipped_trees() -> None:
    rows = shown_rows("strategy total average depth worst distribution seconds")
    assert len(rows) >= 4
    for page, (strategy, *figures, _) in rows:
        name = "optimal-average" if strategy == "optimal" else strategy
        stored = read_tree(ROOT / f"data/p4c10n-{name}.tree")
        summary = stored.tree.summary()
        distribution = ",".join(map(str, stored.tree.distribution()))
        wanted = [str(summary.total), f"{summary.average:.4f}", str(summary.depth), str(summary.worst), distribution]
        assert figures == wanted, f"{page}: {strategy}"


def test_the_table_of_stats_shows_the_shipped_trees(run: Any) -> None:
    rows = shown_rows("file game strategy pool T:D:W average distribution nodes bound")
    assert len(rows) >= 4
    for page, row in rows:
        path = ROOT / "data" / Path(row[0]).name
        assert run("stats", path).out.splitlines()[-1].split()[1:] == row[1:], f"{page}: {row[0]}"
