"""docs/playing.md: every transcript and every program prints what is shown."""

from __future__ import annotations

import io
import shlex
from collections.abc import Iterator
from typing import Any

import pytest
from documents import ROOT, Block, blocks, outputs

PAGE = ROOT / "docs/playing.md"
BLOCKS = blocks(PAGE)
SHOWN = outputs(BLOCKS)
# A block is one dialogue, with the command in its first line.
DIALOGUES = [block for block in BLOCKS if block.language == "console" and not block.mark]
TRANSCRIPTS = [block.text.removeprefix("$ ").split("\n", 1) for block in DIALOGUES]
PROGRAMS = [(block.text, SHOWN[block].text) for block in BLOCKS if block.language == "python" and block in SHOWN]


def mine() -> Iterator[Block]:
    yield from (block for block in BLOCKS if block in DIALOGUES or block in SHOWN)


class Typed(io.StringIO):
    """Input that shows what is read from it, as a terminal would."""

    def readline(self, *size: Any) -> str:
        line = super().readline(*size)
        if line:
            print("> " + line.rstrip("\n"))
        return line


@pytest.mark.parametrize(("command", "shown"), TRANSCRIPTS, ids=[command for command, _ in TRANSCRIPTS])
def test_transcripts_are_what_happens(
    command: str, shown: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from bcsearch.cli import main

    typed = [line[2:] for line in shown.splitlines() if line.startswith("> ")]
    monkeypatch.setattr("sys.argv", shlex.split(command))
    monkeypatch.setattr("sys.stdin", Typed("".join(f"{line}\n" for line in typed)))
    with pytest.raises(SystemExit):
        main()
    captured = capsys.readouterr()
    assert (captured.out or captured.err).rstrip() == shown.rstrip()


def test_there_are_transcripts_of_every_way_to_play() -> None:
    commands = " ".join(command for command, _ in TRANSCRIPTS)
    for words in (
        "assist",
        "--guess",
        "--mode you",
        "--mode race",
        "--host evil",
        "--host lying",
        "--wrong",
        "simulate",
    ):
        assert words in commands
    assert len(TRANSCRIPTS) > 15


@pytest.mark.parametrize(("program", "shown"), PROGRAMS)
def test_programs_print_what_is_shown(program: str, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(program, str(PAGE), "exec"), {})
    assert capsys.readouterr().out == shown


def test_all_programs_are_run() -> None:
    assert sum(block.language == "python" for block in BLOCKS) == len(PROGRAMS) == 4
