"""Symbols: whatever a game prints is read back as what it was; names that could not be are refused."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bcsearch.codelists import lists_of
from bcsearch.errors import UsageError
from bcsearch.game import Game, list_game, parse_game
from bcsearch.notation import format_code, format_reply, parse_code, parse_history
from bcsearch.symbols import names_problem, normalise


def all_read_back(game: Game) -> None:
    for guess in range(len(game.guesses)):
        text = format_code(game, guess)
        assert parse_code(game, text) == guess
        for reply in (0, game.win):
            assert parse_history(game, [f"{text} {format_reply(game, reply)}"]) == ((guess, reply),)


WORDS = ["abc", "\u00e9\u00e8e", "\u00dfsz", "\u6f22\u5b57", "\u03c3\u03c2\u03b1", "\u0131\u00efy"]
ANY = st.characters(exclude_categories=["Cs"])
PRINTED = st.characters(exclude_categories=["C", "Z"], exclude_characters=",;:=#-+")
NAMES = [st.lists(kind, min_size=2, max_size=4) for kind in (PRINTED, st.text(PRINTED, min_size=1), ANY, st.text(ANY))]


@settings(max_examples=1000, deadline=None)
@given(st.one_of(NAMES))
def test_names_without_a_problem_are_read_back(names: list[str]) -> None:
    joined = ",".join(names)
    if names_problem(names) is not None or "+" in joined:
        return
    game = parse_game(f"p2c{len(names)}r:{joined}")
    assert game.names == tuple(names)
    all_read_back(game)
    all_read_back(list_game(lists_of([(normalise(a), normalise(b)) for a in names for b in names], None), marks=False))


@pytest.mark.parametrize("letters", WORDS)
def test_words_are_read_back(letters: str) -> None:
    all_read_back(list_game(lists_of([(a, b) for a in letters for b in letters], None), marks=True))


@pytest.mark.parametrize(
    ("symbols", "message"),
    [
        ("p2c2r:c,\uff43", "the symbols 'c' and '\uff43' are read as the same"),
        ("p2c2r:\u017fs", "the symbols '\u017f' and 's' are read as the same"),
        ("p2c2r:\ufb01x", "'\ufb01' cannot name a symbol: it is read as 'fi'"),
        ("p2c2r:\u0130i", "'\u0130' cannot name a symbol"),
        ("p2c2r:a.b,c", "'a.b' cannot name a symbol: . and / may stand between"),
        ("p2c2r:a/b,c", "'a/b' cannot name a symbol: . and / may stand between"),
        ("p2c2r:ab,\uff0e", "cannot name a symbol: . and / may stand between"),
        ("p2c2r:a,b\x00", "cannot name a symbol"),
        ("p2c2r:a\ufe50", "'\ufe50' cannot name a symbol: no spaces, nor any of ,"),
        ("p2c2r:a+", "'+' cannot name a symbol: no +"),
        ("p2c2r:Kk", "two symbols are named 'K'; capital and small letters are read as the same"),
    ],
)
def test_names_that_could_not_be_read_back_are_refused(symbols: str, message: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        parse_game(symbols)


@pytest.mark.parametrize(
    ("kind", "content", "message"),
    [
        ("codes", "ab#\nabc\n", "line 1: '#' cannot name a symbol"),
        ("codes", "abc\n2+2=4 1 1\n", "line 2: '2+2=4' cannot name a symbol"),
        ("codes", "ab\x00\nabc\n", "line 1: '\\x00' cannot name a symbol"),
        ("codes", "a.b c\nd e\n", "'a.b' cannot name a symbol: . and / may stand between"),
        ("words", "ab\x00\nabc\n", "line 1: 'ab\\x00': '\\x00' is no letter"),
    ],
)
def test_lists_that_could_not_be_read_back_are_refused(
    kind: str, content: str, message: str, tmp_path: Path, run: Any
) -> None:
    path = tmp_path / "list.txt"
    path.write_text(content)
    outcome = run("analyze", "abc", "--game", f"{kind}:{path}")
    assert outcome.code == 2 and message in outcome.err, outcome.err


def test_lists_are_read_as_what_is_typed(tmp_path: Path, run: Any) -> None:
    path = tmp_path / "words.txt"
    path.write_text("\uff23\uff32\uff21\uff2e\uff25\n\ufb01nal\ncrane\n\u30ab\u3099abcd\n", encoding="utf-8")
    notes: list[str] = []
    game = parse_game(f"words:{path}", say=notes.append)
    assert [format_code(game, guess) for guess in range(3)] == ["crane", "final", "\u30acabcd"]
    assert "stands twice" in notes[0] and parse_code(game, "\uff23rane") == 0
    all_read_back(game)


@pytest.mark.parametrize(
    ("text", "good"),
    [("2GiB", True), ("900kib", True), ("2 G", True), ("5iB", False), ("0.4", False), ("9" * 400 + "T", False),
     ("1e9", False), ("0G", False)],
)  # fmt: skip
def test_sizes_of_memory(text: str, good: bool, run: Any) -> None:
    outcome = run("plan", "--game", "p2c3n", "--memory", text)
    assert (outcome.code, "a size is wanted, like 500M or 2G" in outcome.err) == ((0, False) if good else (2, True))
