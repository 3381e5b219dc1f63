"""Blocks of commands with what they print, in README and docs, are run and compared.

In a block ``console`` a line that begins with ``$`` is a command, and what follows it is what it prints: stdout, then
stderr. ``...`` stands for anything, in a line or for any number of lines. ``cat FILE`` says what is in a file. Blocks
``console slow`` are run with --slow.
"""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest
from test_docs import PAGES, ROOT

WAITS = ("executor: ", "wrote ", "optimal: ", "optimal (", "compiling", "compiled")  # progress, different at each run


def sessions() -> list[Any]:
    found = []
    for page in PAGES:
        for kind, text in re.findall(r"^```console( slow)?\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE):
            marks = [pytest.mark.slow] if kind else []
            found.append(pytest.param(text, id=f"{page.stem}-{len(found)}", marks=marks))
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
