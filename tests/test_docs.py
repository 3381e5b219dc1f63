"""What README and docs show works as shown, and nothing that they show is left out."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import test_docs_console
import test_docs_playing
from documents import PAGES, ROOT, Block, blocks, not_run, of_transcripts, outputs

from bcsearch.store import StoredTree

PROGRAMS = [block for name in ("README.md", "docs/file-format.md") for block in blocks(ROOT / name)
            if block.language == "python"]  # fmt: skip


@pytest.mark.parametrize("block", PROGRAMS, ids=str)
def test_python_examples_run(
    block: Block,
    bulls_cows: StoredTree,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    shutil.copy(bulls_cows.path, tmp_path / "entropy.tree")
    monkeypatch.chdir(tmp_path)
    exec(compile(block.text, str(block), "exec"), {})
    if "print" in block.text:
        assert "720" in capsys.readouterr().out


def shown_commands() -> list[str]:
    lines = [line for page in PAGES for block in blocks(page) if block.language == "sh"
             for line in block.text.splitlines()]  # fmt: skip
    return sorted({line.split("#")[0].strip() for line in lines if re.match(r"(scripts/)?bcsearch ", line)})


@pytest.mark.parametrize("line", shown_commands())
def test_commands_shown_have_the_options_shown(line: str, run: Any) -> None:
    _, command, *arguments = shlex.split(line)
    offered = run(command, "--help")
    assert offered.code == 0
    for option in (a for a in arguments if a.startswith("--")):
        assert re.search(rf"^ *{option}\b(?!-)", offered.out, flags=re.MULTILINE), option


def test_verify_prints_what_the_readme_shows(bulls_cows: StoredTree, run: Any) -> None:
    assert run("verify", bulls_cows.path).out in (ROOT / "README.md").read_text()


def claimed(pages: Iterable[Path]) -> set[Block]:
    """The blocks that somebody runs, as the runners themselves list them, and those that are marked as not run."""
    by_readers = import_module("readers").programs()
    ran = {*PROGRAMS, *test_docs_console.mine(), *test_docs_playing.mine(), *of_transcripts(), *not_run(), *by_readers}
    return ran | {shown for page in pages for block, shown in outputs(blocks(page)).items() if block in ran}


def test_every_block_is_run_by_somebody() -> None:
    known = claimed(PAGES)
    for page in PAGES:
        for block in blocks(page):
            assert block in known, f"{block}: nobody runs this block {block.language!r}; see scripts/documents.py"


def test_fences_are_all_read() -> None:
    for page in PAGES:
        fences = re.findall(r"^ *```", page.read_text(), flags=re.MULTILINE)
        assert len(fences) == 2 * len(blocks(page)), f"{page.name}: a fence that is not closed, or not as others are"


def test_a_new_block_that_nobody_runs_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "new.md"
    page.write_text("```\n$ bcsearch stats a.tree\n```\n\ntext\n\n```python\nimport bcsearch\n```\n\n```\n720\n```\n")
    assert [block.line for block in blocks(page)] == [1, 7, 11]
    assert not {*blocks(page)} & claimed([page])


def test_only_what_needs_an_account_is_not_run() -> None:
    left_out = list(not_run())
    assert left_out
    for block in left_out:
        assert block.who == "needs an AWS account", str(block)
        assert "cluster.yaml" in block.text or "boto3" in block.text, f"{block}: could be run"


def test_marks_say_who_runs_a_block() -> None:
    usage = import_module("reproduce").USAGE
    for page in PAGES:
        for block in blocks(page):
            if block.mark == "run by":
                assert block in set(of_transcripts()) and block.who in usage, str(block)
        marks = re.findall(r"<!-- (?:run by|not run)", page.read_text())
        assert len(marks) == sum(bool(block.mark) for block in blocks(page)), f"{page.name}: a mark without a block"
