"""Numbers with their nouns."""

from __future__ import annotations

from typing import Any

from bcsearch.plurals import counted


def test_one_and_many() -> None:
    assert [counted(n, "guess") for n in (0, 1, 2)] == ["0 guesses", "1 guess", "2 guesses"]
    assert [counted(1, "secret"), counted(2, "more way"), counted(2, "reply")] == [
        "1 secret",
        "2 more ways",
        "2 replies",
    ]


def test_commands_speak_of_one_as_of_one(run: Any) -> None:
    assert "1 candidate left: 01" in run("analyze", "01", "--game", "p2c3n", "--history", "01 2A0B").out
    assert "with 1 guess." in run("assist", "--lie-prob", "0.1", "0123 4A0B").out
    assert "found with 1 guess." in run("play", "--mode", "race", "--secret", "0123", stdin="4567\n").out
