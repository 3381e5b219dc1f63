"""scripts/reproduce transcripts: what may differ from what is shown, what may not, and Ctrl-C."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import transcripts
from documents import ROOT, Block, Step, blocks, steps
from transcripts import Place

ROW = "optimal         26274    5.2131       7      93   1,7,65,721,2389,1764,93       28.72"


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with Place(tmp_path) as made:
        yield made


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        (ROW, ROW.replace("      28.72", "     108.06"), True),
        (ROW, ROW.replace("26274", "26275"), False),
        (ROW, ROW.replace("5.2131", "5.2132"), False),
        ("7 s, best 26307, proven 25855", "5 s, best 26410, proven 24793", True),
        ("optimal: total 26274, proven", "optimal: total 26307, proven", False),
        ("wrote a.tree", "wrote b.tree", False),
        ("Job 'raysubmit_UkQY' succeeded", "Job 'raysubmit_yemn' succeeded", True),
        ("38 of 40 subproblems re-proved (the largest has 29 candidates), 2 not settled, 0 refuted",
         "37 of 40 subproblems re-proved (the largest has 30 candidates), 2 not settled, 1 refuted", False),
    ],
)  # fmt: skip
def test_only_what_differs_from_run_to_run_may_differ(shown: str, printed: str, same: bool) -> None:
    assert transcripts._same((shown,), f"{printed}\n") == same
    assert transcripts._same(("...", shown, "..."), f"before\n{printed}\nafter\n") == same


def test_ctrl_c_is_pressed_where_it_is_shown(tmp_path: Path, place: Place) -> None:
    page = tmp_path / "page.md"
    loop = "bash -c 'trap \"echo stopped; exit 130\" INT; echo ready; while :; do sleep 0.1; done'"
    page.write_text(f"<!-- run by scripts/reproduce transcripts -->\n```console\n$ {loop}\nready\n^C\nstopped\n```\n")
    (block,) = blocks(page)
    assert steps(block) == [Step(loop, ("ready", "stopped"), before=1)]
    assert transcripts._run_block(block, None, place) == ""


def test_what_is_wrong_is_told(tmp_path: Path, place: Place) -> None:
    def problem(language: str, text: str, output: str | None = None) -> str:
        shown = None if output is None else Block(tmp_path, 9, "", output)
        return transcripts._run_block(Block(tmp_path, 1, language, text), shown, place)

    assert problem("console", "$ echo a\na\n\n$ echo b\nb\n") == ""
    assert problem("console", "$ echo a\nb\n") == "$ echo a\nprints\na\n"
    assert "exit code 3" in problem("sh", "bash -c 'exit 3'\n")
    assert problem("sh", "echo a  # a comment\necho b\n", "b\n") == ""
    assert problem("sh", "echo a\n", "b\n") == "the block prints\na\n"


def test_commands_run_elsewhere_than_in_the_copy_of_the_checkout(place: Place) -> None:
    assert (place.checkout / "bcsearch/runs").is_dir() and (place.checkout / "README.md").is_file()
    assert not (place.checkout / ".git").exists() and not (place.checkout / ".venv").exists()
    _, folder = place.run(Step("pwd"))
    assert folder.strip() == str(place.elsewhere)
    place.port, place.dashboard = 20001, 20002
    assert place.here("bcsearch build-tree --address 10.0.0.5:6379").endswith("--address 127.0.0.1:20001")
    assert "http://127.0.0.1:20002" in place.here("ray job submit --address http://10.0.0.5:8265")
    assert place.here("scripts/bcsearch plan") == f"{ROOT}/scripts/bcsearch plan"
    assert (
        place.as_shown("2026-11-30 11:54:51,639\tSUCC cli.py:67 -- \x1b[32mJob 'a' succeeded\x1b[39m")
        == "Job 'a' succeeded"
    )
