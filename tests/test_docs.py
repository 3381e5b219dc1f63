"""What README and docs show works as shown."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest

from bcsearch.store import StoredTree

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(page: Path, language: str) -> list[str]:
    """Contents of a page's fenced blocks of one language; "" for those that name none."""
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    return [text for named, text in fenced if named == language]


@pytest.mark.parametrize("page", ["README.md", "docs/file-format.md"])
def test_python_examples_run(
    page: str,
    bulls_cows: StoredTree,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    shutil.copy(bulls_cows.path, tmp_path / "entropy.tree")
    monkeypatch.chdir(tmp_path)
    found = blocks(ROOT / page, "python")
    assert found
    for text in found:
        exec(compile(text, page, "exec"), {})
    assert "720" in capsys.readouterr().out


def shown_commands() -> list[str]:
    lines = [line for page in PAGES for block in blocks(page, "sh") for line in block.splitlines()]
    return sorted({line.split("#")[0].strip() for line in lines if re.match(r"(scripts/)?bcsearch ", line)})


@pytest.mark.parametrize("line", shown_commands())
def test_commands_shown_have_the_options_shown(line: str, run: Any) -> None:
    _, command, *arguments = shlex.split(line)
    offered = run(command, "--help")
    assert offered.code == 0
    for option in (a for a in arguments if a.startswith("--")):
        assert re.search(rf"^ *{option}\b(?!-)", offered.out, flags=re.MULTILINE), option


def test_play_prints_what_the_readme_shows(bulls_cows: StoredTree, run: Any) -> None:
    shown = (ROOT / "README.md").read_text()
    assert run("play", bulls_cows.path, "--secret", "0395").out in shown
    assert run("verify", bulls_cows.path).out in shown


def test_stats_and_analyze_print_what_the_readme_shows(bulls_cows: StoredTree, run: Any) -> None:
    shown = (ROOT / "README.md").read_text()
    row = run("stats", bulls_cows.path).out.splitlines()[-1].replace(str(bulls_cows.path), "trees/p4c10n-entropy.tree")
    assert row.split() in [line.split() for line in shown.splitlines()]
    analysed = run("analyze", "1213", "--game", "p4c6r", "--history", "1122 0A3B").out
    block = next(text for text in blocks(ROOT / "README.md", "") if "1213 cannot be the secret" in text)
    for line in block.splitlines():
        assert line == "..." or line in analysed.splitlines(), line
