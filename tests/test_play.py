"""``bcsearch play``: the program guesses, you guess, both in turns; hints and summaries."""

from __future__ import annotations

import json
import subprocess
import sys
from math import log2
from typing import Any

import numpy as np
import pytest

from bcsearch.bayes import Posterior, information
from bcsearch.cli.position import percent
from bcsearch.codelists import lists_of
from bcsearch.game import list_game, parse_game
from bcsearch.hosts import Scorer
from bcsearch.marks import mark
from bcsearch.notation import format_code, parse_history
from bcsearch.store import StoredTree
from bcsearch.summary import summarise


def test_you_guess_and_the_program_hosts(run: Any) -> None:
    outcome = run("play", "--mode", "you", "--secret", "4756", stdin="0123\nhint\nleft\nrows\n4567\nhelp\n4756\n")
    assert outcome.code == 0 and outcome.err == ""
    assert "1. 0123  0A0B   0 in place, 0 misplaced" in outcome.out
    assert "4567 can be the secret" in outcome.out and "360 candidates left" in outcome.out
    assert "3. 4756  4A0B   4 in place, 0 misplaced, the win" in outcome.out
    assert "The secret is 4756, found with 3 guesses, 1 hint." in outcome.out
    assert "The tree p4c10n-optimal-average finds 4756 with 4." in outcome.out


def test_the_same_seed_hides_the_same_secret(run: Any) -> None:
    first, again, other = (
        json.loads(run("play", "--mode", "you", "--seed", seed, "--json", stdin="0123\ngive up\n").out)["secret"]
        for seed in (1, 1, 2)
    )
    assert first == again != other


def test_giving_up_and_leaving(run: Any) -> None:
    outcome = run("play", "--mode", "you", "--secret", "9876", stdin="0123\ngive up\n")
    assert outcome.code == 0 and "The secret was 9876." in outcome.out and "Skill 100 %" in outcome.out
    outcome = run("play", "--mode", "you", stdin="quit\n")
    assert outcome.code == 0 and "secret is" not in outcome.out
    outcome = run("play", "--mode", "you", stdin="0123\n")
    assert outcome.code == 1 and "the input ended before the win" in outcome.err


def test_an_evil_host_is_never_caught(run: Any) -> None:
    guesses = ["0123", "1456", "2345", "9876", "left", "give up"]
    outcome = run("play", "--host", "evil", stdin="\n".join(guesses))
    assert outcome.code == 0 and "It could have been" in outcome.out and "I pretend" in outcome.out
    codes = outcome.out.split("It could have been ")[1][:4]
    left = next(line for line in outcome.out.splitlines() if "left:" in line)
    assert codes in left


def test_a_lying_host(run: Any) -> None:
    document = json.loads(
        run("play", "--host", "lying", "--lie-prob", "0.05", "--secret", "8103", "--seed", 3, "--json",
            stdin="0123\nhint\nleft\n1456\n8103\n").out
    )  # fmt: skip
    assert document["won"] and document["secret"] == "8103" and document["hints"] == 1
    assert document["rounds"][-1]["left"] == 1.0


def test_a_race_with_equal_turns(run: Any) -> None:
    guesses = "0123\n0145\n2345\n9876\n9786\n"
    outcome = run("play", "--mode", "race", "--secret", "0395", "--seed", 2, stdin=guesses)
    assert outcome.code == 0
    assert "I win.\nYour secret is 0395, found with 5 guesses." in outcome.out
    assert "I ask 0123: 1A1B   (5040 candidates)" in outcome.out
    hidden = json.loads(run("play", "--mode", "race", "--seed", 2, "--json", "--secret", "0395", stdin=guesses).out)
    assert hidden["winner"] == "program" and len(hidden["program"]) == 5
    mine = hidden["my_secret"]
    won = run("play", "--mode", "race", "--secret", "0395", "--seed", 2, stdin=f"0123\n{mine}\n")
    assert "You win." in won.out
    draw = run("play", "--mode", "race", "--secret", "0123", "--seed", 2, stdin=f"{mine}\n")
    assert "A draw: both found it in the same round." in draw.out


def test_a_race_in_which_you_reply(run: Any) -> None:
    lines = ["0123", "0A1B", "9876", "undo", "0A1B", "2A0B", "hint", "give up"]
    outcome = run("play", "--mode", "race", "--seed", 2, stdin="\n".join(lines))
    assert outcome.code == 0 and outcome.out.count("I ask 0123") == 2
    assert "I win." in outcome.out and "The secret was" in outcome.out


def test_the_program_takes_a_reply_back(run: Any, bulls_cows: StoredTree) -> None:
    outcome = run("play", bulls_cows.path, stdin="1A2B\nundo\nrows\nnotation BC\n1B1C\n2B0C\n1B\n2B\n4B\n")
    assert outcome.code == 0 and "The secret is 0395, found with 5 guesses." in outcome.out
    assert outcome.out.count("1. 0123   (5040 candidates)") == 2
    assert run("play", bulls_cows.path, stdin="quit\n").code == 0
    assert run("play", bulls_cows.path, stdin="undo\n").code == 2


def test_an_ambiguous_reply_is_never_guessed(run: Any) -> None:
    outcome = run("play", stdin="1B\n")
    assert outcome.code == 2 and "can be read in more than one way" in outcome.err


def test_the_program_copes_with_wrong_replies(run: Any) -> None:
    wrong = run("play", "--lie-prob", "0.05", stdin="0A0B\n1A1B\n0A1B\n4A0B\n")
    assert wrong.code == 0 and "bits missing, as of" in wrong.out and "found with 4 guesses" in wrong.out
    itself = run("play", "--lie-prob", "0.05", "--secret", "0395", "--seed", 1, "--host", "lying", "--mode", "program")
    assert itself.code == 0 and "The secret is 0395" in itself.out
    document = json.loads(run("play", "--lie-prob", "0", "--secret", "0395", "--json").out)
    assert [r["guess"] for r in document["rounds"]] == ["0123", "0145", "0264", "0378", "0395"]  # greedy entropy


@pytest.mark.parametrize(
    ("mode", "lines", "shown"),
    [
        (
            "program",
            "why\nwhy 4567\nleft\nreply 1A1B",
            ["0123 can be", "4567 can be", "5040 candidates left"],
        ),
        ("program", "1A1B\nLEFT\nCandidates", ["720 candidates left"]),
        ("you", "why\nwhy 4567\nleft\nguess 0123\nrows", ["4567 can be the secret", "5040 candidates", "1. 0123"]),
        ("race", "0123\nhint\nleft\n1A1B\nleft", ["can be the secret", "5040 candidates left"]),
    ],
)
def test_commands_that_make_sense_in_a_mode_work_there(run: Any, mode: str, lines: str, shown: list[str]) -> None:
    outcome = run("play", "--mode", mode, "--seed", 2, stdin=f"{lines}\nquit\n")
    assert outcome.code == 0 and outcome.err == ""
    for text in shown:
        assert text in outcome.out


@pytest.mark.parametrize(
    ("arguments", "lines", "place"),
    [
        (["play"], "hint", "'hint' goes where you guess"),
        (["play"], "give up", "'give up' goes where you guess"),
        (["play"], "edit 1 0A1B", "'edit' goes in 'bcsearch assist'"),
        (["play", "--mode", "you"], "undo", "'undo' goes where you reply"),
        (["play", "--mode", "you"], "notation BC", "'notation' goes where you reply"),
        (["play", "--mode", "race"], "0123\ngive up", "'give up' goes where you guess"),
        (["assist"], "give up", "'give up' goes where you guess"),
        (["play", "--mode", "you"], "hnit", "code 'hnit'"),
        (["play"], "hnit", "reply 'hnit'"),
        (["assist"], "hnit", "'hnit'"),
    ],
)
def test_other_commands_are_told_from_mistakes(run: Any, arguments: list[str], lines: str, place: str) -> None:
    outcome = run(*arguments, stdin=f"{lines}\n")
    assert outcome.code == 2 and outcome.err.count("\n") == 1
    assert place in outcome.err and outcome.err.endswith("; 'help' lists what can be typed\n")


def test_small_probabilities_are_shown_as_percentages_with_digits(run: Any) -> None:
    lines = "hint\nleft\nwhy 4567\ngive up\n"
    out = run("play", "--host", "lying", "--lie-prob", "0.05", "--seed", 1, stdin=lines).out
    assert out.count("with probability 0.02 %") == 2 and "0123 0.02 %" in out
    assert [percent(x) for x in (0, 0.5, 1, 0.01234, 0.00012345, 0.000012345, 1e-9)] == [
        "0.00 %", "50.00 %", "100.00 %", "1.23 %", "0.01 %", "0.0012 %", "0.00000010 %",
    ]  # fmt: skip


def test_games_without_a_tree_at_hand_are_played_from_advice(run: Any) -> None:
    outcome = run("play", "--game", "p3c5r", "--secret", "401")
    assert outcome.code == 0 and "The secret is 401, found with" in outcome.out
    outcome = run("play", "--game", "p3c5r", stdin="0A0B\n0A0B\n0A0B\n")
    assert outcome.code == 2 and "no secret gives all these replies" in outcome.err


@pytest.mark.parametrize(
    ("arguments", "code", "reason"),
    [
        (["--host", "lying"], 2, "needs --lie-prob"),
        (["--host", "evil", "--secret", "0123"], 2, "--host evil has no secret"),
        (["--mode", "program", "--host", "evil"], 2, "--host evil has no secret"),
        (["--mode", "you", "--lie-prob", "0.1"], 2, "goes with --host lying"),
        (["--secret", "1123"], 2, "repeats 1"),
        (["--mode", "you", "--secret", "12"], 2, "has 2 symbols"),
        (["--mode", "me"], 2, "is not one of"),
        (["--lie-prob", "1.5"], 2, "from 0 to 1"),
        (["--game", "p4c10"], 2, "rules read"),
    ],
)
def test_wrong_input_gets_one_line(run: Any, arguments: list[str], code: int, reason: str) -> None:
    outcome = run("play", *arguments)
    assert outcome.code == code and outcome.out == ""
    assert reason in outcome.err.splitlines()[-1] and "Traceback" not in outcome.err


def test_a_tree_of_another_game_is_refused(run: Any, small: StoredTree) -> None:
    outcome = run("play", small.path, "--game", "p4c10n")
    assert outcome.code == 2 and "a tree of p2c4n, but --game is p4c10n" in outcome.err


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        (["--secret", "0395"], ""),
        (["--mode", "you", "--seed", "1"], "0123\nhint\nleft\n4567\n4756\n"),
        (["--host", "evil"], "0123\n4567\nhint\ngive up\n"),
        (["--mode", "race", "--secret", "0395", "--seed", "1"], "0123\n4756\n"),
        (["--game", "p3c6r", "--secret", "012"], ""),
    ],
)
def test_playing_needs_neither_ray_nor_a_compiler(arguments: list[str], lines: str) -> None:
    program = (
        f"import sys; sys.argv = {['bcsearch', 'play', *arguments]!r}\n"
        "from bcsearch.cli import main\n"
        "try: main()\n"
        "except SystemExit as stop: assert not stop.code, stop.code\n"
        "sys.exit(any(m in sys.modules for m in ('ray', 'numba')))"
    )
    done = subprocess.run([sys.executable, "-c", program], input=lines, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout  # no colour when not on a terminal


def test_a_summary_adds_up() -> None:
    game = parse_game("p4c6r")
    rows = parse_history(game, ["1122 0A3B, 1213 1A3B, 2311 4A0B"])
    summary = summarise(game, rows)
    assert sum(turn.told for turn in summary.turns) == pytest.approx(log2(1296))
    assert [turn.left for turn in summary.turns] == [16, summary.turns[1].left, 1]
    assert summary.luck == pytest.approx(log2(1296) - sum(turn.expected for turn in summary.turns))
    assert all(turn.best >= turn.expected for turn in summary.turns) and 0 < summary.skill <= 1


def test_a_summary_where_replies_may_be_wrong_counts_the_posterior_s_bits() -> None:
    game = parse_game("p3c6n")
    rows = ((0, 2), (50, 4), (61, game.win))
    summary = summarise(game, rows, 0.1)
    assert sum(turn.told for turn in summary.turns) == pytest.approx(log2(len(game.secrets)))
    bits, _ = information(Posterior.start(Scorer(game), 0.1))
    assert summary.turns[0].expected == pytest.approx(float(bits[0])) and summary.turns[0].best == pytest.approx(
        bits.max()
    )
    assert np.isfinite(summary.luck)


def test_in_hard_mode_the_best_guesses_are_those_it_allows() -> None:
    words = ["bound", "found", "hound", "mound", "sound"]
    game = list_game(lists_of(map(tuple, words), map(tuple, ["bfhms", *words])), marks=True)
    names = [format_code(game, g) for g in range(len(game.guesses))]
    rows = tuple((names.index(w), game.replies.index(mark("sound", w))) for w in ("bound", "found", "hound", "sound"))
    free, hard = summarise(game, rows), summarise(game, rows, hard=True)
    assert names[free.turns[1].best_guess] == "bfhms" and free.skill < hard.skill
    assert all(names[turn.best_guess] in words for turn in hard.turns[1:])


@pytest.mark.parametrize("lying", [[], ["--host", "lying", "--lie-prob", "0.2"]])
def test_a_hint_after_your_win_in_a_race_is_no_error(lying: list[str], run: Any) -> None:
    seed = next(s for s in range(50) if "I ask" in (out := run("play", "--game", "p1c3n", "--mode", "race", "--seed", s,
                *lying, stdin="1\n").out) and ", the win" in out)  # fmt: skip
    raced = run("play", "--game", "p1c3n", "--mode", "race", "--seed", seed, *lying, stdin="1\nhint\n0A0B\n")
    assert raced.code == 0 and "1 was right: there is nothing left to guess." in raced.out and "You win." in raced.out
