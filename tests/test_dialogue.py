"""Dialogues in a real (pseudo) terminal: questions, prompts, Ctrl-C, Ctrl-D."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from bcsearch.shipped import shipped_tree
from tests.made_words import write_words

START = [sys.executable, "-c", "from bcsearch.cli import main; main()"]


class Terminal:
    """A command in a pseudo terminal: wait for a text, type a line."""

    def __init__(self, *arguments: str, columns: str = "100") -> None:
        self.master, slave = pty.openpty()
        environment = {**os.environ, "TERM": "dumb", "COLUMNS": columns}
        self.process = subprocess.Popen(
            [*START, *arguments], stdin=slave, stdout=slave, stderr=slave, start_new_session=True, env=environment
        )
        os.close(slave)
        self.seen = ""

    def wait_for(self, text: str, seconds: float = 60.0) -> None:
        """Read until the text shows up; what is before it is forgotten."""
        end = time.monotonic() + seconds
        while text not in self.seen:
            assert time.monotonic() < end, f"no {text!r} in {self.seen!r}"
            if select.select([self.master], [], [], 0.2)[0]:
                try:
                    self.seen += os.read(self.master, 4096).decode()
                except OSError:  # the other side is closed
                    assert text in self.seen, f"no {text!r} in {self.seen!r}"
        self.seen = self.seen.split(text, 1)[1]

    def type(self, line: str) -> None:
        os.write(self.master, f"{line}\n".encode())

    def end(self) -> int:
        try:
            code = self.process.wait(timeout=60)
        finally:
            self.process.kill()
            os.close(self.master)
        return code


def test_an_ambiguous_reply_is_asked_about_and_the_answer_kept() -> None:
    terminal = Terminal("play")
    terminal.wait_for("reply> ")
    terminal.type("1B")
    terminal.wait_for("1 in place, 0 misplaced  (notation BC, pegs)")
    terminal.wait_for("1 to 2> ")
    terminal.type("2")
    terminal.wait_for("Replies like this are read as in BC from now on.")
    terminal.wait_for("   1 in place, 0 misplaced")
    terminal.wait_for("reply> ")
    terminal.type("1B")
    terminal.wait_for("   1 in place, 0 misplaced")
    terminal.type("quit")
    assert terminal.end() == 0


def test_a_guess_stays_the_one_asked_until_its_reply_is_understood() -> None:
    terminal = Terminal("assist")
    terminal.wait_for("\n> ")
    for line, answer in (
        ("0145 1B", "1 to 2> "),
        ("5", "a number from 1 to 2"),
        ("1B", "1 to 2> "),
        ("1", "1   0145    0A1B"),
        ("2678 3A1B", "reply '3A1B'"),
        ("1A1B", "2   2678    1A1B"),
        ("edit 2 1B", "2   2678    0A1B"),
        ("edit 9 1A1B", "row 9: there are rows 1 to 2"),
        ("hnit", "'hnit'"),
    ):
        terminal.type(line)
        terminal.wait_for(answer)
        if not answer.endswith("> "):
            terminal.wait_for("\n> ")
    terminal.type("quit")
    assert terminal.end() == 0


@pytest.mark.parametrize(("answer", "reading"), [("SB", "0 in place, 1"), ("pegs", "1 in place, 0"), ("bc", "1 in pl")])
def test_the_question_is_answered_by_the_name_of_a_notation_too(answer: str, reading: str) -> None:
    terminal = Terminal("play")
    for line, wanted in (("1B", "1 to 2> "), (answer, "are read as in"), ("", reading)):
        if line:
            terminal.type(line)
        terminal.wait_for(wanted)
    terminal.type("quit")
    assert terminal.end() == 0


def test_wrong_lines_are_explained_and_asked_again() -> None:
    terminal = Terminal("play", "--mode", "you", "--secret", "4756")
    for line, answer in (("1123", "repeats 1"), ("12", "has 2 symbols"), ("0123", "0A0B"), ("4756", "found with 2")):
        terminal.wait_for("> ")
        terminal.type(line)
        terminal.wait_for(answer)
    assert terminal.end() == 0


def test_a_guess_that_is_refused_gets_no_reply(tmp_path: Path) -> None:
    words = write_words(tmp_path / "w.txt", ["bound", "found", "hound", "sound", "catch", "climb"])
    terminal = Terminal("assist", "--hard", "--game", f"words:{words}")
    for line, answer in (
        ("bound -GGGG", "Ask found"),
        ("climb", "climb may not be asked in hard mode"),
        ("-GGGG", "2   found   -GGGG"),
        ("sound", "Now type its reply"),
        ("catch", "catch may not be asked in hard mode"),
        ("guess catch", "catch may not be asked in hard mode"),
        ("GGGGG", "3   sound   GGGGG"),
    ):
        terminal.wait_for("\n> ")
        terminal.type(line)
        terminal.wait_for(answer)
    terminal.type("quit")
    assert terminal.end() == 0


def test_a_contradiction_in_play_is_explained_and_can_be_undone() -> None:
    terminal = Terminal("play")
    for line, answer in (
        ("0A4B", "9 candidates"),
        ("0A0B", "without row 1"),
        ("undo", "1. 0123"),
        ("4A0B", "found with"),
    ):
        terminal.wait_for("> ")
        terminal.type(line)
        terminal.wait_for(answer)
    assert terminal.end() == 0


@pytest.mark.parametrize("arguments", [["assist"], ["play"], ["play", "--mode", "you"], ["play", "--mode", "race"]])
def test_control_c_leaves_cleanly(arguments: list[str]) -> None:
    terminal = Terminal(*arguments)
    terminal.wait_for("> ")
    time.sleep(0.5)  # until it sits and waits for input
    terminal.process.send_signal(signal.SIGINT)
    terminal.wait_for("bcsearch: interrupted")
    assert "Traceback" not in terminal.seen
    assert terminal.end() == 130


@pytest.mark.parametrize("command", ["stats", "compare"])
@pytest.mark.parametrize("columns", ["40", "80", "300"])
def test_tables_are_never_cut(command: str, columns: str, tmp_path: Path) -> None:
    path = tmp_path / "a tree [with] a name [/that] is rather long.tree"
    path.parent.mkdir()
    path.write_bytes(shipped_tree("p4c10n-entropy").read_bytes())
    terminal = Terminal(command, str(path), columns=columns)
    for text in ("is rather long", "26424:8:1", "1,5,62,611,2483,1779,98,1"):
        terminal.wait_for(text)
    assert terminal.end() == 0


def test_control_d_leaves_a_dialogue() -> None:
    terminal = Terminal("assist")
    terminal.wait_for("> ")
    os.write(terminal.master, b"\x04")
    assert terminal.end() == 0


def test_control_c_stops_a_long_simulation_at_once() -> None:
    command = [*START, "simulate", "bayes", "--host", "lying", "--lie-prob", "0.05", "--games", "100000"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(4)
    process.send_signal(signal.SIGINT)
    start = time.monotonic()
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130 and out == "" and err.strip().endswith("bcsearch: interrupted")
    assert time.monotonic() - start < 10


def test_control_c_with_piped_input() -> None:
    command, pipe = [*START, "play", "--mode", "you"], subprocess.PIPE
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
    assert process.stdout is not None and "I have a secret" in process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130 and err.strip() == "bcsearch: interrupted"


@pytest.mark.parametrize(
    ("dialogue", "line", "message"),
    [
        (["play", "--mode", "you"], "why 1123", "code '1123' repeats 1"),
        (["play", "--mode", "you"], "guess 1123", "code '1123' repeats 1"),
        (["play", "--mode", "you"], "left 3", "'left' is typed alone, without '3'"),
        (["play", "--mode", "you"], "Hint  now", "'hint' is typed alone, without 'now'"),
        (["play", "--mode", "you"], "undo", "'undo' goes where you reply, not here"),
        (["play"], "reply 9A9B", "9 in place, 9 misplaced cannot be"),
        (["play"], "undo 3", "'undo' is typed alone, without '3'"),
        (["play"], "why 1123", "code '1123' repeats 1"),
        (["play"], "hint 3", "'hint' goes where you guess, not here"),
        (["assist"], "guess 1123", "code '1123' repeats 1"),
        (["assist"], "0123\nreply 9A9B", "9 in place, 9 misplaced cannot be"),
    ],
)
def test_a_command_with_a_wrong_rest_is_told_from_one_of_another_dialogue(
    dialogue: list[str], line: str, message: str, run: Any
) -> None:
    outcome = run(*dialogue, stdin=f"{line}\n")
    assert outcome.code == 2 and message in outcome.err, outcome.err
