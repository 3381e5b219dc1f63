"""Guesses of other rules than secrets, symbols of one's own, lists of codes."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bcsearch.codelists import lists_of
from bcsearch.errors import UsageError
from bcsearch.game import game_of, list_game, parse_game
from bcsearch.notation import format_code, parse_code
from bcsearch.scoring import fill_replies, packed_candidates, replies_from, reply_matrix, score
from bcsearch.store import read_tree
from bcsearch.symmetry import canonical_guesses
from bcsearch.verify import Scorer, verify_file

OTHER_GUESSES = ["p2c4n+p2c4r", "p3c4n+p3c4r", "p3c4n+p3c5r", "p3c4n-nz+p3c4n", "p2c3r+p2c4r", "p4c4n+p4c4r"]


@pytest.mark.parametrize("name", OTHER_GUESSES)
def test_all_scorers_agree_where_the_lists_differ(name: str) -> None:
    game = parse_game(name)
    secrets, guesses = game.secrets.tolist(), game.guesses.tolist()
    truth = [[game.replies.index(score(s, g)) for s in secrets] for g in guesses]
    assert reply_matrix(game).tolist() == truth
    everyone, row = np.arange(len(secrets), dtype=np.int32), np.empty(len(secrets), dtype=np.uint8)
    source = replies_from(game, None)
    for g, wanted in enumerate(truth):
        fill_replies(source, g, everyone, *packed_candidates(source, everyone), row)
        assert row.tolist() == wanted
        scorer = Scorer(game, tuple(guesses[g]))
        assert [scorer.reply(tuple(s)) for s in secrets] == wanted
    assert [guesses[g] for g in game.guess_of_secret] == secrets
    for g, s in enumerate(game.secret_of_guess):
        assert (secrets[s] == guesses[g]) if s >= 0 else guesses[g] not in secrets


@pytest.mark.parametrize("name", OTHER_GUESSES)
def test_equivalent_guesses_split_alike_where_the_lists_differ(name: str) -> None:
    game = parse_game(name)
    matrix = reply_matrix(game)
    for asked in ((), (0,), (len(game.guesses) // 2,)):
        kept = canonical_guesses(game, asked)
        shapes = [sorted(np.bincount(np.ravel_multi_index((*matrix[list(asked)], matrix[g]), (len(game.replies),) * (
            len(asked) + 1)), minlength=1).tolist(), reverse=True) for g in range(len(game.guesses))]  # fmt: skip
        shapes = [[n for n in shape if n] for shape in shapes]
        assert all(any(shape == shapes[k] for k in kept) for shape in shapes)


@pytest.mark.parametrize(
    ("secrets", "guesses", "message"),
    [
        ("p4c10r", "p4c10n", "not every secret of p4c10r could be asked, and so found: guesses have no repeats"),
        ("p4c10n", "p3c10n", "3 positions, but the secrets of p4c10n have 4"),
        ("p4c10n", "p4c9r", "guesses have 9 symbols, secrets 10"),
        ("p4c10n", "p4c10r-nz", "guesses have no leading zero"),
        ("p4c10n", "nonsense", "guesses 'nonsense': rules read p<positions>"),
        ("p4c10n", "words:words.txt", "lists are words:SECRETS,GUESSES"),
        ("p2c3n", "p2c3r:ABC", "names of symbols go with the game"),
        ("p4c10n+p4c10r", "p4c10r", "--guesses says it once more"),
    ],
)
def test_guesses_that_leave_a_secret_out_are_refused(secrets: str, guesses: str, message: str, run: Any) -> None:
    outcome = run("plan", "--game", secrets, "--guesses", guesses)
    assert outcome.code == 2 and message in outcome.err.replace("\n", " "), outcome.err


@pytest.mark.parametrize("strategy", ["minimax", "entropy", "expected-size", "max-parts", "first", "optimal"])
@pytest.mark.parametrize("pool", ["all", "consistent"])
def test_trees_with_other_guesses(strategy: str, pool: str, tmp_path: Path, run: Any) -> None:
    for memory in ([], ["--memory", "20M"]):
        out = tmp_path / f"a{len(memory)}.tree"
        rules = ["--game", "p3c5n", "--guesses", "p3c5r", "--pool", pool]
        done = run("build-tree", *rules, "--strategy", strategy, "--out", out, "--executor", "local", *memory)
        assert done.code == 0, done.err
        assert run("verify", out).code == 0
    assert read_tree(tmp_path / "a0.tree").sha256 == read_tree(tmp_path / "a2.tree").sha256
    assert read_tree(out).tree.game == parse_game("p3c5n", "p3c5r") == parse_game("p3c5n+p3c5r")
    played = run("play", out, "--secret", "104")
    assert played.code == 0 and "The secret is 104" in played.out
    refused = run("play", out, "--secret", "110")
    assert refused.code == 2 and "is no secret" in refused.err


def test_guesses_with_repeats_are_read_but_secrets_are_not(run: Any) -> None:
    shown = run("analyze", "0011", "--guesses", "p4c10r")
    assert shown.code == 0 and "0011 cannot be the secret" in shown.out
    assert "repeats 0" in run("analyze", "0011").err
    assert run("assist", "0011", "1A0B", "--guesses", "p4c10r").code == 0


@pytest.mark.parametrize(
    ("text", "name", "code", "printed"),
    [
        ("p4c6r:RGBYOW", "p4c6r:RGBYOW", "rgyy", "RGYY"),
        ("mastermind:R,G,B,Y,O,W", "p4c6r:RGBYOW", "RGYY", "RGYY"),
        ("p3c3r:red,green,blue", "p3c3r:red,green,blue", "Red-blue-RED", "red-blue-red"),
        ("p3c12n:1,2,3,4,5,6,7,8,9,10,11,12", "p3c12n:1,2,3,4,5,6,7,8,9,10,11,12", "12-1.10", "12-1-10"),
        ("p2c2n+p2c3r:AB*", "p2c2n+p2c3r:AB*", "a*", "A*"),
        ("p3c2r:○●", "p3c2r:○●", "○●●", "○●●"),
    ],
)
def test_symbols_of_ones_own(text: str, name: str, code: str, printed: str) -> None:
    game = parse_game(text)
    assert game.name == name and parse_game(name) == game == game_of(game.definition) == pickle.loads(
        pickle.dumps(game)
    )
    assert format_code(game, parse_code(game, code)) == printed
    assert all(parse_code(game, format_code(game, g)) == g for g in range(0, len(game.guesses), 7))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("p4c6r:RGBYO", "6 symbols, but 5 names"),
        ("p4c6r:RGBYOr", "two symbols are named 'R'"),
        ("p2c2r:a-b,c", "'a-b' cannot name a symbol"),
        ("p2c2r:a,", "'' cannot name a symbol"),
    ],
)
def test_symbols_that_cannot_be_told_apart_are_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_game(text)


def test_codes_with_named_symbols_are_refused_with_a_reason() -> None:
    game = parse_game("p3c3r:red,green,blue")
    for text, message in (("red-pink-red", "'pink' is no symbol"), ("red-blue", "has 2 symbols, 3 wanted")):
        with pytest.raises(UsageError, match=message):
            parse_code(game, text)


def test_a_tree_keeps_its_symbols_and_is_the_tree_of_digits(tmp_path: Path, run: Any) -> None:
    for name, game in (("plain", "p3c3r"), ("named", "p3c3r:red,green,blue")):
        done = run(
            "build-tree", "--game", game, "--strategy", "entropy", "--out", tmp_path / name, "--executor", "local"
        )
        assert done.code == 0
    plain, named = read_tree(tmp_path / "plain").tree, read_tree(tmp_path / "named").tree
    assert np.array_equal(plain.guess, named.guess) and np.array_equal(plain.child, named.child)
    assert "The secret is blue-red-red" in run("play", tmp_path / "named", "--secret", "blue-red-red").out
    for form in ("json", "csv", "parquet"):
        assert run("export", tmp_path / "named", "--out", tmp_path / f"n.{form}").code == 0
        more = ["--game", "p3c3r:red,green,blue"] if form == "csv" else []
        assert run("import", tmp_path / f"n.{form}", "--out", tmp_path / "back", *more).code == 0
        assert np.array_equal(read_tree(tmp_path / "back").tree.guess, named.guess)
    assert run("export", tmp_path / "named", "--out", tmp_path / "n.txt", "--format", "irving").code in (0, 1, 2)


def test_lists_of_codes_have_bulls_and_cows(tmp_path: Path, run: Any) -> None:
    path = tmp_path / "codes.txt"
    path.write_text("1123\n0456\n7788\n1789\n1124\n")
    out = tmp_path / "codes.tree"
    assert (
        run("build-tree", "--game", f"codes:{path}", "--strategy", "optimal", "--out", out, "--executor", "local").code
        == 0
    )
    assert verify_file(out).valid
    game = read_tree(out).tree.game
    matrix = reply_matrix(game)
    names = [format_code(game, g) for g in range(5)]
    assert [[game.replies[matrix[g, s]] for s in range(5)] for g in range(5)] == [
        [score(s, g) for s in names] for g in names
    ]
    path.write_text("red green blue\nred red blue\nblue, green, red\n")
    listed = run("assist", "--game", f"codes:{path}", "red-green-blue", "1A2B", "--json")
    assert json.loads(listed.out)["candidates"] == ["blue-green-red"]


def test_a_list_of_all_codes_gives_the_tree_of_the_rules(tmp_path: Path) -> None:
    from bcsearch.build import build_greedy
    from bcsearch.executors import LocalExecutor

    rules = parse_game("p3c6n")
    listed = list_game(lists_of([tuple(format_code(rules, g)) for g in range(120)], None), marks=False)
    for strategy in ("minimax", "entropy"):
        with LocalExecutor(1) as executor:
            a, b = (
                next(iter(build_greedy(game, [strategy], executor, consistent=False))).tree for game in (rules, listed)
            )
        assert np.array_equal(a.guess, b.guess) and np.array_equal(a.child, b.child)
