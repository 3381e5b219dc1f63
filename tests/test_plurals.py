"""Numbers with their nouns."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import bcsearch
from bcsearch.plurals import be, counted

PACKAGE = Path(bcsearch.__file__).parent
NOUNS = ("candidates", "codes", "games", "guesses", "items", "letters", "marks", "names", "nodes", "positions",
         "replies", "rows", "secrets", "strategies", "subproblems", "symbols", "trees", "words", "workers")  # fmt: skip

# What cannot be 1, or is no whole number, by the text before or after it.
ALLOWED = {
    "splits the {n} candidates": "one candidate is spoken of in other words",
    "{count} guesses are": "said after the singular",
    "and no guess in brackets": "3 at least",
    "{p} positions without repeats": "2 at least, of fewer symbols",
    "no guess under the limit": "of an assertion",
    "within {self.k} guesses": "of progress lines only",
    "whether {self.k} guesses": "the same",
    "guesses on average": "a mean, with decimals",
    "guesses are still needed on average": "a mean, with decimals",
    "expected size": "a mean, with decimals",
    "bits missing": "a mean, with decimals",
    "{claimed!r} candidates": "anything that is no number",
    "at most {limit}": "a limit of the file format",
    "more than {MAX_": "a limit of the file format",
    "different replies": "a limit of the file format",
    "items/s": "a rate",
    "no other notation": "'{game} replies are': a name, no number",
    "(0-9a-z), not": "a limit",
    "marks of 2, 1, 0 are": "an API error of word games",
    "names of symbols": "two at least, or counted",
    "of {largest} candidates": "3 at least",
    "3 to {largest} candidates": "3 at least",
    "at least {len(": "more than there are",
    "{unit} {noun}": "counted",
}


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


def test_the_verb_goes_with_the_number() -> None:
    assert [be(n) for n in (0, 1, 2)] == ["are", "is", "are"]


def bare_counts(source: str) -> Iterator[str]:
    """f-strings of a module in which a plural noun follows a value: what would say "1 secrets"."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.JoinedStr):
            continue
        for value, text in zip(node.values, node.values[1:], strict=False):
            if isinstance(value, ast.FormattedValue) and isinstance(text, ast.Constant):
                words = str(text.value).split()
                if str(text.value)[:1] == " " and words and words[0].rstrip(",.;:)") in NOUNS:
                    yield ast.unparse(node)


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: path.name)
def test_numbers_get_their_nouns_from_one_place(path: Path) -> None:
    for text in bare_counts(path.read_text(encoding="utf-8")):
        assert any(part in text for part in ALLOWED), f"{text}: use bcsearch.plurals"


def test_bare_counts_are_found() -> None:
    assert list(bare_counts('f"{n} secrets left"')) and list(bare_counts('f"all {len(x)} guesses, so"'))
    assert not list(bare_counts("f\"{counted(n, 'secret')} left\""))


def test_games_of_one_secret_are_spoken_of_as_such(run: Any, tmp_path: Path) -> None:
    tree = tmp_path / "one.tree"
    assert run("build-tree", "--game", "p1c1r", "--strategy", "optimal", "--executor", "local", "--out", tree).code == 0
    assert "valid: all 1 secret found" in run("verify", tree).out
    assert "one of the 1 code of p1c1r" in run("play", "--game", "p1c1r", "--mode", "you", stdin="quit\n").out
    assert "1 secret, 1 guess, 2 replies" in run("plan", "--game", "p1c1r").out
    assert "1 game of p1c1r" in run("simulate", "first-consistent", "--game", "p1c1r").out
    assert "has 1 symbol, 4 wanted" in run("analyze", "1").err
