"""``bcsearch assist``: once, from files, and as a dialogue."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bcsearch.errors import UsageError
from bcsearch.game import parse_game
from bcsearch.session import Session

ROWS = "1234 0A3B, 4321 1A2B, 3241 0A3B, 2341 1A2B, 3412 2A1B, 3456 0A1B"


def test_a_game_that_really_happened_leaves_four(run: Any, tmp_path: Path) -> None:
    outcome = run("assist", *ROWS.replace(",", "").split())
    assert outcome.code == 0
    assert "4 candidates left: 0312 7312 8312 9312" in outcome.out
    assert "0 in place, 3 misplaced    264" in outcome.out
    (tmp_path / "game.txt").write_text(ROWS.replace(", ", "\n") + "\n# the end\n")
    assert run("assist", "--file", tmp_path / "game.txt").out == outcome.out
    assert run("assist", "--file", "-", stdin=ROWS).out == outcome.out
    assert run("assist", "--history", ROWS).out == outcome.out


def test_plus_minus_replies_are_no_options(run: Any) -> None:
    words = ["123", "+2", "456", "0", "789", "-1", "127", "+1", "193", "+1", "-1"]
    outcome = run("assist", "--game", "p3c10n", *words)
    assert outcome.code == 0 and "1 candidate left: 923" in outcome.out
    assert "Ask 923" in outcome.out and "923 is the only candidate left." in outcome.out


def test_json_has_everything(run: Any) -> None:
    document = json.loads(run("assist", "--game", "p4c6r", "1122 0 3", "--guess", "1213", "--json").out)
    assert document["history"] == [{"guess": "1122", "reply": "0A3B", "reading": "0 in place, 3 misplaced", "left": 16}]
    assert len(document["candidates"]) == 16 and document["source"] == "exact"
    best = document["best"][0]
    assert best["bound"] == "exact" and best["average"] == 41 / 16 and best["worst"] == 3
    assert document["explained"]["largest"] == 4 and "4 against 6" in document["explained"]["why"]


def test_no_candidates_left_says_which_rows_may_be_wrong(run: Any) -> None:
    wrong = ROWS.replace("3412 2A1B", "3412 1A2B")
    outcome = run("assist", wrong)
    assert outcome.code == 1 and outcome.out == ""
    assert outcome.err.splitlines()[0] == (
        "bcsearch: no secret gives all these replies: none is left after row 5 (3412 1A2B)"
    )
    assert "swapped: row 5 (3412 1A2B) read as 2A1B" in outcome.err
    document = json.loads(run("assist", wrong, "--json").out)["contradiction"]
    assert document["row"] == 5 and {"row": 5, "candidates": 4} in document["dropped"]


@pytest.mark.parametrize(
    ("arguments", "code", "reason"),
    [
        (["1234", "1B"], 2, "can be read in more than one way"),
        (["1234", "3A1B"], 2, "possible: 0A0B 0A1B"),
        (["1234"], 2, "is not a guess and its reply"),
        (["1123", "0A1B"], 2, "repeats 1"),
        (["--colour", "1234"], 2, "No such option"),
        (["-g", "p4c6r"], 2, "No such option"),
        (["acume", "--Y-G"], 2, "code 'acume'"),
        (["1234", "----"], 2, "reply '----': written 1A2B"),
        (["--file", "nowhere.txt"], 1, "nowhere.txt: cannot be read"),
        (["--guess", "12"], 2, "has 2 symbols"),
        (["1234", "1A1B", "--guess", "123"], 2, "has 3 symbols"),
        (["--tree", "nowhere.tree"], 1, "No such file"),
        (["--notation", "morse"], 2, "is not one of"),
        (["--strategy", "luck"], 2, "is not one of"),
    ],
)
def test_wrong_input_gets_one_line(run: Any, arguments: list[str], code: int, reason: str) -> None:
    outcome = run("assist", *arguments, stdin="guess x\n" if arguments[0] == "--guess" else "")
    if arguments == ["--guess", "12"]:
        outcome = run("assist", *arguments, "--json")
    assert outcome.code == code and outcome.out == ""
    assert reason in outcome.err.splitlines()[-1] and "Traceback" not in outcome.err


def test_a_tree_of_another_game_is_refused(run: Any, small: Any) -> None:
    outcome = run("assist", "--tree", small.path, "--game", "p4c10n", "1234", "0A1B")
    assert outcome.code == 2 and "a tree of p2c4n, but the game is p4c10n" in outcome.err


def test_without_a_game_that_of_the_tree_is_played(run: Any, small: Any) -> None:
    outcome = run("assist", "--tree", small.path, "01", "0A1B")
    assert outcome.code == 0 and outcome.out == run("assist", "--tree", small.path, "--game", "p2c4n", "01 0A1B").out
    refused = run("assist", "--tree", small.path, "--guesses", "p4c10r", "0123", "0A1B")
    assert refused.code == 2 and "a tree of p2c4n, but the game is p4c10n+p4c10r" in refused.err


def test_a_dialogue_with_corrections(run: Any) -> None:
    lines = ["0A1B", "1456 2A0B", "undo", "1456 1A1B", "edit 2 0A2B", "ignore 1", "ignore 1", "why 9876", "left",
             "notation BC", "1234 1B", "new", "help", "", "quit", "0000 ignored"]  # fmt: skip
    outcome = run("assist", stdin="\n".join(lines))
    assert outcome.code == 0 and outcome.err == ""
    assert "Ask 0123 (from the tree p4c10n-optimal-average)" in outcome.out
    assert "1   0123    0A1B    0 in place, 1 misplaced   1440" in outcome.out
    assert "2   1456    0A2B    0 in place, 2 misplaced    369" in outcome.out
    assert "ignored" in outcome.out and "Replies are read as BC from now on." in outcome.out
    assert "3   1234    1A0B    1 in place, 0 misplaced" in outcome.out
    assert outcome.out.count("5040 candidates left") == 2 and "edit N ROW" in outcome.out


def test_a_hint_and_the_rows(run: Any) -> None:
    outcome = run("assist", stdin="0123 1A1B\nhint\nrows\n")
    assert outcome.code == 0 and outcome.out.count("0245 can be the secret") == 2
    assert outcome.out.count("1   0123    1A1B    1 in place, 1 misplaced    720") == 2
    assert run("assist", "--lie-prob", "0.1", stdin="hint\nrows\n").out.count("Ask 0123") == 3


@pytest.mark.parametrize(
    ("rows", "lone"),
    [
        ("0123 1A1B 0145", "0145"),
        ("0123 0145 1A1B", "0123"),
        ("0123 0145", "0123"),
        ("0123 1 1 0145 4567 0A0B", "0145"),
    ],
)
def test_a_guess_without_a_reply_is_named(run: Any, rows: str, lone: str) -> None:
    outcome = run("assist", *rows.split())
    assert outcome.code == 2 and outcome.err == f"bcsearch: history {rows!r}: {lone} has no reply\n"


@pytest.mark.parametrize("number", ["9", "0", "9" * 5000])
def test_a_row_that_is_not_there_is_said_with_those_that_are(run: Any, number: str) -> None:
    outcome = run("assist", stdin=f"0123 1A1B\nedit {number} 0A0B\n")
    wanted = "the number of a row is wanted" if len(number) > 9 else f"row {number}: there are rows 1 to 1"
    assert outcome.code == 2 and wanted in outcome.err


def test_another_guess_can_be_named_first(run: Any) -> None:
    outcome = run("assist", stdin="9876\n0A1B\n")
    assert "9876    0A1B    0 in place, 1 misplaced   1440" in outcome.out


def test_a_contradiction_in_a_dialogue_can_be_mended(run: Any) -> None:
    outcome = run("assist", stdin="0123 0A0B\n4567 0A0B\nignore 1\n")
    assert outcome.code == 0
    assert "none is left after row 2 (4567 0A0B)" in outcome.out and "Use 'edit N ROW'" in outcome.out
    assert outcome.out.rstrip().splitlines()[-1].startswith("0")  # advice again


def test_the_win_ends_it(run: Any) -> None:
    outcome = run("assist", "1234 1A1B, 1356 4A0B")
    assert outcome.code == 0 and "Found: 1356, with 2 guesses." in outcome.out


@pytest.mark.parametrize(
    "line", ["undo", "edit 1 0A1B", "edit x 1", "ignore", "ignore 3", "notation morse", "1 2 3 4 5"]
)
def test_lines_that_cannot_be_meant_are_refused(run: Any, line: str) -> None:
    outcome = run("assist", stdin=f"{line}\n")
    assert outcome.code == 2 and "Traceback" not in outcome.err


def test_what_could_be_a_guess_or_a_reply_is_refused() -> None:
    session = Session(parse_game("p2c10n"), asked=5)
    with pytest.raises(UsageError, match="can be a guess and a reply"):
        session.read("10")
    assert session.read("1A0B") == ((5, 3),)
    one = Session(parse_game("p1c4n"), asked=3)
    with pytest.raises(UsageError, match="or a reply alone"):
        one.read("1 0")
    assert one.read("1=0") == ((1, 0),)


def test_undo_takes_back_every_kind_of_change() -> None:
    session = Session(parse_game("p4c10n"))
    states = [session.rows]
    for change in (lambda: session.add((0, 1), (9, 2)), lambda: session.edit(1, 7, 3), lambda: session.ignore(2),
                   session.clear):  # fmt: skip
        change()
        states.append(session.rows)
    assert session.rows == () and len(states[3]) == 2 and states[3][1].ignored
    for state in reversed(states[:-1]):
        session.undo()
        assert session.rows == state
    with pytest.raises(UsageError, match="nothing to undo"):
        session.undo()


def test_replies_that_may_be_wrong(run: Any) -> None:
    outcome = run("assist", "--lie-prob", "0.05", "0123 0A0B, 4567 0A0B")
    assert outcome.code == 0 and "bits missing, as of" in outcome.out and "is the secret" in outcome.out
    document = json.loads(run("assist", "--lie-prob", "0.05", "0123 0A0B, 4567 0A0B", "--json").out)
    assert document["possible"] == 5038 and len(document["best"]) == 5
    assert document["best"][0]["information"] == max(b["information"] for b in document["best"])
    certain = run("assist", "--lie-prob", "0", "0123 0A0B, 4567 0A0B")
    assert certain.code == 2 and "no secret of p4c10n can have given these replies" in certain.err
    assert "Found: 4567" in run("assist", "--lie-prob", "0.1", "0123 0A0B, 4567 4A0B").out


def test_at_most_so_many_wrong_replies(run: Any) -> None:
    outcome = run("assist", "--game", "p2c4n", "--wrong", 1, "01 0A0B, 23 0A0B")
    assert outcome.code == 0 and "0 with 0 wrong" in outcome.out and "surely enough" in outcome.out
    document = json.loads(run("assist", "--game", "p2c4n", "--wrong", 1, "01 0A0B, 23 0A0B", "--json").out)
    assert document["possible"] == 2 and document["candidates_by_wrong_replies"] == [[], ["10", "32"]]
    assert run("assist", "--wrong", 0, "0123 0A0B, 4567 0A0B").code == 2
    assert "Found: 01" in run("assist", "--game", "p2c4n", "--wrong", 1, "01 2A0B").out


@pytest.mark.parametrize("wrong", [10**6, 2**31 - 1])
def test_any_number_of_wrong_replies_is_answered(run: Any, wrong: int) -> None:
    outcome = run("assist", "--wrong", wrong, "--game", "p2c3r", "01", "0A1B")
    assert outcome.code == 0 and "6 with 1 wrong: 00 02 10 11 21 22" in outcome.out and len(outcome.out) < 1000
    document = json.loads(run("assist", "--wrong", wrong, "--json", "0123 0A0B").out)
    assert document["wrong"] == wrong and [len(n) for n in document["candidates_by_wrong_replies"]] == [360, 4679]


def test_a_dialogue_where_replies_may_be_wrong(run: Any) -> None:
    outcome = run("assist", "--lie-prob", "0.05", stdin="0A0B\n4567 0A0B\nignore 1\n9876\n1A1B\nleft\n4A0B\n")
    assert outcome.code == 0 and "ignored" in outcome.out and "Found: " in outcome.out
    wrong = run("assist", "--wrong", "0", "--game", "p3c4n", stdin="012 3A0B\n013 3A0B\nundo\n")
    assert wrong.code == 0 and "Use 'edit N ROW'" in wrong.out and wrong.out.count("Found: 012") == 2


def test_options_that_exclude_each_other(run: Any) -> None:
    assert "exclude each other" in run("assist", "--lie-prob", "0.1", "--wrong", "1", "1234 1A1B").err


@pytest.mark.parametrize(
    ("notation", "reading"), [("AB", "0 in place, 1"), ("bc", "1 in place, 0"), ("SB", "0 in place, 1")]
)
def test_the_notation_named_decides(run: Any, notation: str, reading: str) -> None:
    outcome = run("assist", "--notation", notation, "1234", "1B")
    assert outcome.code == 0 and f"{reading} misplaced" in outcome.out
    analysed = run("analyze", "0123", "--notation", notation, "--history", "1234 1B", "--json")
    assert len(json.loads(analysed.out)["candidates"]) == (1440 if reading.startswith("0") else 480)
