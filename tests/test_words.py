"""Word games: replies, lists from files, trees, and all commands on them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bcsearch.assist import reply_row
from bcsearch.build import build_greedy
from bcsearch.codelists import lists_of
from bcsearch.errors import TreeFileError, UsageError
from bcsearch.executors import LocalExecutor
from bcsearch.game import Game, game_of, list_game, parse_game
from bcsearch.marks import mark, mark_numbers, marks_of, number_of
from bcsearch.notation import describe_reply, format_code, format_reply, parse_code, parse_history, parse_reply
from bcsearch.player import open_tree
from bcsearch.ranking import reply_rows
from bcsearch.scoring import fill_replies, packed_candidates, replies_from, reply_matrix
from bcsearch.store import read_tree
from bcsearch.symmetry import canonical_guesses
from bcsearch.verify import Scorer, verify_file
from tests.made_words import made_words, write_words

# Worked out by hand from the rule: greens first, then from left to right one yellow for each letter left over.
HARD_CASES = [
    ("abbey", "babes", "YYGG-"),
    ("abbey", "kebab", "-YGYY"),
    ("abbey", "abbey", "GGGGG"),
    ("abide", "speed", "--Y-Y"),
    ("steal", "speed", "G-G--"),
    ("crepe", "speed", "-YGY-"),
    ("erase", "speed", "Y-YY-"),
    ("crane", "eerie", "--Y-G"),
    ("those", "geese", "---GG"),
    ("dread", "added", "YY-YG"),
    ("mamma", "maxim", "GG--Y"),
    ("maxim", "mamma", "GGY--"),
    ("llama", "allay", "YGYY-"),
    ("banal", "annal", "Y-GGG"),
    ("sissy", "assay", "-YG-G"),
    ("assay", "sissy", "Y-G-G"),
    ("eagle", "eeeee", "G---G"),
    ("melee", "eeeee", "-G-GG"),
    ("aaaab", "baaaa", "YGGGY"),
    ("abcde", "edcba", "YYGYY"),
]


@pytest.mark.parametrize(("secret", "guess", "reply"), HARD_CASES)
def test_hard_cases_with_repeated_letters(secret: str, guess: str, reply: str) -> None:
    marks = tuple("-YG".index(c) for c in reply)
    assert mark(secret, guess) == marks
    game = word_game([secret, guess])
    asked, hidden = parse_code(game, guess), np.array([parse_code(game, secret)], dtype=np.int32)
    index = game.replies.index(marks)
    assert reply_row(game, asked, hidden).tolist() == [index]
    assert reply_matrix(game)[asked, hidden[0]] == index
    assert Scorer(game, tuple(guess)).reply(tuple(secret)) == index
    assert format_reply(game, index) == reply and parse_reply(game, reply) == index


def word_game(secrets: list[str], guesses: list[str] | None = None) -> Game:
    return list_game(lists_of(map(tuple, secrets), None if guesses is None else map(tuple, guesses)), marks=True)


@given(st.lists(st.text("abc", min_size=5, max_size=5), min_size=1, max_size=8, unique=True))
@settings(max_examples=60, deadline=None)
def test_every_scorer_equals_the_definition(words: list[str]) -> None:
    game = word_game(words)
    everyone = np.arange(len(game.secrets), dtype=np.int32)
    names = sorted(words)
    truth = [[game.replies.index(mark(s, g)) for s in names] for g in names]
    assert reply_matrix(game).tolist() == truth
    assert reply_rows(game, everyone, everyone).tolist() == truth
    assert [[Scorer(game, tuple(g)).reply(tuple(s)) for s in names] for g in names] == truth
    source, row = replies_from(game, None), np.empty(len(names), dtype=np.uint8)
    for g in everyone:
        fill_replies(source, g, everyone, *packed_candidates(source, everyone), row)
        assert row.tolist() == truth[g]


def test_numbers_of_marks() -> None:
    assert all(number_of(marks_of(n, 4)) == n for n in range(81))
    words = np.array([[0, 1, 1], [1, 0, 0]], dtype=np.uint8)
    assert mark_numbers(words, words).tolist() == [[26, number_of((1, 1, 0))], [number_of((1, 1, 0)), 26]]


def test_five_letters_have_all_243_replies_and_longer_words_those_that_occur() -> None:
    assert len(word_game(["crane", "slate"]).replies) == 243
    six = word_game(["banana", "cabana", "orange"])
    assert six.replies[-1] == (2,) * 6 and len(six.replies) <= 9
    matrix = reply_matrix(six)
    names = ["banana", "cabana", "orange"]
    assert [[six.replies[matrix[g, s]] for s in range(3)] for g in range(3)] == \
        [[mark(s, g) for s in names] for g in names]  # fmt: skip
    with pytest.raises(UsageError, match=r"no guess of .* earns it"):
        parse_reply(six, "YYYYYY")


def test_words_whose_replies_do_not_fit_are_refused() -> None:
    import random

    chance = random.Random(1)
    words = ["".join(chance.choice("abcd") for _ in range(8)) for _ in range(300)]
    with pytest.raises(UsageError, match="8 letters, with more than 255 different replies"):
        word_game(words)


def test_replies_are_read_in_all_their_forms() -> None:
    game = word_game(["crane", "slate"])
    for text in (
        "GY-G-",
        "gyxgx",
        "21020",
        "GY.G.",
        "gy_g_",
        "G Y - G -",
        "🟧🟦⬛🟧⬛",
        "⬛".join(["🟩🟨", "🟩", ""]),
        "🟩🟨⬛🟩⬜",
    ):
        assert game.replies[parse_reply(game, text)] == (2, 1, 0, 2, 0)
    assert describe_reply(game, parse_reply(game, "21020")) == "2 green, 1 yellow, 2 grey"
    assert parse_history(game, ["crane GY-G-, slate=-----"]) == (
        (0, parse_reply(game, "21020")),
        (1, 0),
    )
    assert parse_history(game, ["crane G Y - G - slate - - - - -"]) == ((0, parse_reply(game, "21020")), (1, 0))
    with pytest.raises(UsageError, match="4 marks, 5 wanted"):
        parse_reply(game, "GY-G")
    with pytest.raises(UsageError, match="'q' is no mark"):
        parse_reply(game, "GYqG-")
    with pytest.raises(UsageError, match="no other notation"):
        parse_reply(game, "GY-G-", "AB")


def test_lists_are_read_kindly(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_bytes("\ufeff# my words\r\nCrane\r\n\r\n slate \r\nE\u0301tude\r\ncrane\r\n".encode())
    notes: list[str] = []
    game = parse_game(f"words:{path}", say=notes.append)
    assert [format_code(game, g) for g in range(3)] == ["crane", "slate", "étude"]
    assert "crane (lines 2 and 6)" in notes[0]
    assert parse_code(game, "E\u0301TUDE") == parse_code(game, "étude") == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"crane\ncranes\n", "line 2: 'cranes' has 6 letters, the first one, 'crane', has 5"),
        (b"crane\nit's!\n", 'line 2: "it\'s!": "\'" is no letter'),
        (b"crane\nsl te\n", "' ' is no letter"),
        (b"\n# nothing\n", "no words in it"),
        (b"crane\nm\xfcnze\n", "line 2: not UTF-8 text"),
        ("crane\nx\u0302axa\u0302\n".encode(), "an accent that makes no letter"),
    ],
)
def test_lists_that_cannot_be_meant_are_refused_with_their_line(
    content: bytes, message: str, tmp_path: Path, run: Any
) -> None:
    path = tmp_path / "words.txt"
    path.write_bytes(content)
    outcome = run("analyze", "crane", "--game", f"words:{path}")
    assert outcome.code == 2 and message in outcome.err and "Traceback" not in outcome.err


def test_files_that_are_not_there_or_do_not_match(tmp_path: Path, run: Any) -> None:
    five, four = write_words(tmp_path / "five", ["crane"]), write_words(tmp_path / "four", ["bean"])
    assert "cannot be read" in run("analyze", "crane", "--game", f"words:{tmp_path}/none").err
    assert "have 4 letters, those of" in run("analyze", "crane", "--game", f"words:{five},{four}").err
    assert "a device" in run("analyze", "crane", "--game", "words:/dev/zero").err
    assert "name their guesses with a comma" in run("analyze", "crane", "--game", f"words:{five}", "--guesses", "x").err


def test_secrets_are_taken_into_the_guesses() -> None:
    game = word_game(["slate", "crane"], ["zebra", "crane"])
    assert [format_code(game, g) for g in range(3)] == ["crane", "slate", "zebra"]
    assert game.guess_of_secret.tolist() == [0, 1] and game.secret_of_guess.tolist() == [0, 1, -1]
    assert canonical_guesses(game, ()).tolist() == [0, 1, 2]


@pytest.fixture(scope="module")
def lists(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("lists")
    words = made_words(300)
    return f"words:{write_words(folder / 'secrets.txt', words[::3])},{write_words(folder / 'guesses.txt', words)}"


@pytest.mark.parametrize("options", [[], ["--hard"], ["--pool", "consistent"], ["--memory", "50M"]])
def test_trees_are_built_verified_and_played_from_the_file_alone(
    options: list[str], lists: str, tmp_path: Path, run: Any
) -> None:
    names = ["minimax", "entropy", "expected-size", "max-parts", "first", "optimal"]
    wanted = [word for name in names for word in ("--strategy", name)]
    where = ["--out-dir", tmp_path, "--executor", "local", "--json"]
    built = run("build-tree", "--game", lists, *wanted, *options, *where)
    assert built.code == 0, built.err
    trees = {record["strategy"]: record for record in json.loads(built.out)["trees"]}
    assert trees["optimal"]["bound"] == "exact"
    assert trees["optimal"]["total"] <= min(record["total"] for record in trees.values())
    for record in trees.values():
        assert verify_file(Path(record["file"])).valid
    path = trees["entropy"]["file"]
    game = read_tree(Path(path)).tree.game
    secret = format_code(game, int(game.guess_of_secret[7]))
    played = run("play", path, "--secret", secret)
    assert played.code == 0 and f"The secret is {secret}" in played.out
    assert run("show", path).code == 0
    node = open_tree(path).root
    node = node.reply(mark(secret, node.guess))
    assert node.candidates < 100
    for form in ("json", "parquet", "csv", "paths", "html"):
        out = tmp_path / f"tree.{form}"
        assert run("export", path, "--out", out, *(["--format", form] if form in ("paths",) else [])).code == 0, form
        if form in ("json", "parquet"):
            back = tmp_path / f"back-{form}.tree"
            assert run("import", out, "--out", back).code == 0
            assert read_tree(back).sha256 == read_tree(Path(path)).sha256


def test_damaged_lists_in_a_tree_file_are_named(tmp_path: Path) -> None:
    definition = word_game(["crane", "slate"]).definition
    assert isinstance(definition, dict)
    assert game_of(json.loads(json.dumps(definition))).definition == definition
    for change in ({"secrets": []}, {"secrets": ["crane", "slates"]}, {"secrets": ["crane"]}, {"replies": "?"},
                   {"guesses": [3]}, {"name": "words5x9-00000000"}):  # fmt: skip
        with pytest.raises(UsageError):
            game_of({**definition, **change})
    with pytest.raises(UsageError):
        game_of("words:/etc/hostname")


def test_a_word_tree_with_other_words_is_refused(tmp_path: Path) -> None:
    from bcsearch.store import content_hash, write_tree

    game = word_game(made_words(30))
    with LocalExecutor(1) as executor:
        built = next(iter(build_greedy(game, ["entropy"], executor, consistent=False)))
    other = word_game(made_words(30, seed=6))
    from dataclasses import replace

    write_tree(tmp_path / "a.tree", built.tree, built.claims)
    assert content_hash(built.tree) != content_hash(replace(built.tree, game=other))
    write_tree(tmp_path / "b.tree", replace(built.tree, game=other), built.claims)
    assert not verify_file(tmp_path / "b.tree").valid
    damaged = (tmp_path / "a.tree").read_bytes().replace(b'"secrets"', b'"sEcrets"')
    (tmp_path / "c.tree").write_bytes(damaged)
    with pytest.raises(TreeFileError):
        read_tree(tmp_path / "c.tree")


def test_assist_and_analyze(lists: str, run: Any) -> None:
    game = parse_game(lists)
    guess = format_code(game, 0)
    secret = format_code(game, int(game.guess_of_secret[5]))
    reply = "".join("-YG"[m] for m in mark(secret, guess))
    said = run("assist", "--game", lists, guess, reply, "--json")
    assert said.code == 0 and secret in json.loads(said.out)["candidates"]
    grey = run("assist", "--game", lists, guess, "-----")
    assert grey.code == 0, grey.err
    shown = run("analyze", guess, "--game", lists)
    assert shown.code == 0 and reply in shown.out and len(shown.out.splitlines()) < 120
    assert "No such option" in run("assist", "--game", lists, guess, "--nonsense").err
    wrong = run("assist", "--game", lists, guess, "GGGGG", format_code(game, 9), "GGGGG")
    assert wrong.code == 1 and "no secret gives all these replies" in wrong.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("{guess} ----", "reply '----': 4 marks, 5 wanted"),
        ("-- {guess} ----", "reply '----': 4 marks, 5 wanted"),
        ("{guess} --", "reply '--': 2 marks, 5 wanted"),
        ("{guess} -y", "reply '-y': 2 marks, 5 wanted"),
        ("{guess} ------", "reply '------': 6 marks, 5 wanted"),
        ("{guess}a ------", "code '{guess}a' has 6 letters, 5 wanted"),
        ("{guess} --Y-GG", "reply '--Y-GG': 6 marks, 5 wanted"),
        ("{guess} --Y-Q", "No such option"),
    ],
)
def test_what_is_made_of_marks_is_a_reply_and_no_option(words: str, message: str, lists: str, run: Any) -> None:
    guess = format_code(parse_game(lists), 0)
    outcome = run("assist", "--game", lists, *words.format(guess=guess).split())
    assert outcome.code == 2 and message.format(guess=guess) in outcome.err, outcome.err


def test_words_of_two_letters_have_the_reply_that_ends_options(tmp_path: Path, run: Any) -> None:
    two = f"words:{write_words(tmp_path / 'two', ['ab', 'cd', 'ef', 'cf'])}"
    wanted = run("assist", "--game", two, "--history", "ab --, cd -Y")
    for rows in (["ab", "--", "cd", "-Y"], ["--", "ab", "--", "cd", "-Y"], ["ab --", "--", "cd", "-Y"]):
        assert run("assist", "--game", two, *rows).err == wanted.err != "", rows
    assert "3 candidates left: cd cf ef" in run("assist", "--game", two, "ab", "--").out
    assert "2 candidates left: cf ef" not in run("assist", "--game", two, "ab", "--").out
    assert run("assist", "1234", "0A3B", "--").code == 0


def test_the_tree_says_the_game_its_replies_are_read_in(lists: str, free_tree: Path, run: Any) -> None:
    game = parse_game(lists)
    guess = format_code(game, int(read_tree(free_tree).tree.guess[0]))
    reply = next(r for r in ("--Y--", "---Y-", "-----") if run("assist", "--game", lists, guess, r).code == 0)
    said = run("assist", "--tree", free_tree, guess, reply)
    assert said.code == 0, said.err
    assert said.out == run("assist", "--tree", free_tree, "--game", lists, guess, reply).out
    refused = run("assist", "--tree", free_tree, guess, "--Y-")
    assert refused.code == 2 and "reply '--Y-': 4 marks, 5 wanted" in refused.err
    evil = run("simulate", "first-consistent", "--host", "evil", "--tree", free_tree, "--json")
    assert evil.code == 0 and json.loads(evil.out)["game"] == game.name


@pytest.mark.parametrize("reply", ["-----", "-YG--", "----"])
def test_a_reply_outside_the_quotes_of_a_history_is_no_option(
    reply: str, lists: str, free_tree: Path, run: Any
) -> None:
    guess = format_code(parse_game(lists), 0)
    for command in (["show", free_tree], ["analyze", guess, "--game", lists]):
        outcome = run(*command, "--history", guess, reply)
        assert outcome.code == 2 and f"'{reply}' is a reply: it goes into quotes with its guess" in outcome.err
        for unknown in ("--nonsense", "-b"):
            assert "No such option" in run(*command, unknown).err
    wrong = run("show", free_tree, "--history", f"{guess} ----")
    assert wrong.code == 2 and "reply '----': 4 marks, 5 wanted" in wrong.err


def test_a_secret_is_looked_for_among_the_secrets(lists: str, run: Any) -> None:
    game = parse_game(lists)
    refused = run("play", "--game", lists, "--secret", "zzzzz" if "z" in game.alphabet else "aaaaa")
    assert refused.code == 2 and f"is not among the 100 secrets of {game}" in refused.err
    guess = format_code(game, int(np.flatnonzero(game.secret_of_guess < 0)[0]))
    refused = run("play", "--game", lists, "--secret", guess)
    assert refused.code == 2 and f"code '{guess}' may be asked in {game}, but is no secret" in refused.err


def test_where_no_optimal_tree_comes_along_it_is_said_how_to_build_one(tmp_path: Path, run: Any) -> None:
    import shlex

    folder = tmp_path / "with space"
    folder.mkdir()
    lists = f"words:{write_words(folder / 'w.txt', made_words(12))}"
    refused = run("simulate", "optimal", "--game", lists)
    assert refused.code == 1 and "give FILE as the player" in refused.err
    command = shlex.split(refused.err.split("'bcsearch ", 1)[1].split(", and give FILE")[0].strip()[:-1])
    assert command == ["build-tree", "--game", lists, "--strategy", "optimal", "--out", "FILE"]
    built = run(*command[:-1], tmp_path / "best.tree", "--executor", "local")
    assert built.code == 0, built.err
    assert run("simulate", tmp_path / "best.tree").code == 0
    assert "--hard --strategy optimal" in run("simulate", "optimal", "--game", lists, "--hard").err


def test_play_as_guesser_and_dialogue(lists: str, run: Any) -> None:
    game = parse_game(lists)
    secret = format_code(game, int(game.guess_of_secret[5]))
    played = run("play", "--game", lists, "--mode", "you", "--secret", secret, stdin=f"{secret}\n")
    assert played.code == 0 and "GGGGG" in played.out
    talked = run("assist", "--game", lists, stdin=f"help\n{format_code(game, 0)}\n-----\nquit\n")
    assert talked.code == 0, talked.err
    assert "GY--G" in talked.out


@pytest.fixture(scope="module")
def free_tree(lists: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from bcsearch.store import write_tree

    with LocalExecutor(1) as executor:
        built = next(iter(build_greedy(parse_game(lists), ["entropy"], executor, consistent=False)))
    path = tmp_path_factory.mktemp("free") / "free.tree"
    write_tree(path, built.tree, built.claims)
    return path


def test_verify_finds_a_tree_that_breaks_hard_mode(free_tree: Path, tmp_path: Path) -> None:
    from dataclasses import replace

    from bcsearch.store import write_tree

    stored = read_tree(free_tree)
    write_tree(tmp_path / "claimed.tree", stored.tree, replace(stored.claims, pool="hard"))
    problems = verify_file(tmp_path / "claimed.tree").problems
    assert any("which hard mode forbids there" in problem for problem in problems)


def test_the_hash_of_a_word_tree_is_what_the_page_says(free_tree: Path) -> None:
    import hashlib

    import pyarrow as pa

    batch = pa.ipc.open_file(pa.memory_map(str(free_tree))).get_batch(0)
    metadata = {key.decode(): json.loads(value) for key, value in batch.schema.metadata.items()}
    content = hashlib.sha256(json.dumps([metadata["game"], metadata["replies"]]).encode())
    for column in batch["guess"], batch["child"].flatten(), batch["size"], batch["depth"]:
        content.update(column.to_numpy().tobytes())
    assert content.hexdigest() == metadata["sha256"]


def test_hard_mode_in_the_middle_of_a_game(lists: str, free_tree: Path, run: Any) -> None:
    from bcsearch.hard import allowed_after
    from tests.brute import keeps_to

    game = parse_game(lists)
    names = [format_code(game, g) for g in range(len(game.guesses))]
    secret = names[game.guess_of_secret[5]]
    guess = next(w for w in names if 0 < sum(mark(secret, w)) < 6)
    marks = mark(secret, guess)
    history = ((names.index(guess), game.replies.index(marks)),)
    legal = [w for w in names if keeps_to(w, guess, marks)]
    assert [names[g] for g in allowed_after(game, history)] == legal and len(legal) < len(names)
    reply = format_reply(game, history[0][1])
    said = run("assist", "--game", lists, "--hard", "--json", "--top", "400", guess, reply)
    assert said.code == 0, said.err
    assert {best["guess"] for best in json.loads(said.out)["best"]} <= set(legal)
    illegal = next(w for w in names if w not in legal)
    refused = run("assist", "--game", lists, "--hard", "--guess", illegal, guess, reply)
    assert refused.code == 2 and "may not be asked in hard mode" in refused.err
    you = ["play", "--game", lists, "--hard", "--mode", "you", "--secret", secret]
    assert f"2. {secret}" in run(*you, stdin=f"{guess}\n{secret}\n").out
    refused = run(*you, stdin=f"{guess}\n{illegal}\n{secret}\n")  # typed, one may try again; in a pipe it ends the game
    assert refused.code == 2 and "may not be asked in hard mode" in refused.err
    why = run(*you, stdin=f"{guess}\nwhy {illegal}\n{secret}\n")
    assert f"{illegal} may not be asked in hard mode" in why.err
    assert "built with --hard" in run("play", free_tree, "--hard", "--secret", secret).err
    assert "--hard goes with word games" in run("assist", "--hard", "1234", "0A3B").err
    assert "exclude each other" in run("build-tree", "--game", lists, "--hard", "--pool", "consistent").err


def test_words_that_are_commands_can_be_asked(tmp_path: Path, run: Any) -> None:
    four = f"words:{write_words(tmp_path / 'four', ['left', 'lift', 'quit', 'hint', 'rows', 'edit', 'undo', 'soft'])}"
    history = ["--history", "left G-GG"]
    wanted = run("assist", "--game", four, *history).out
    for line in ("left G-GG", "LEFT G-GG", "left=G-GG"):
        talked = run("assist", "--game", four, stdin=f"{line}\n").out
        assert wanted and talked.endswith(wanted), line
    assert run("assist", "--game", four, stdin="left ----\nedit 1 left G-GG\n").out.endswith(wanted)
    assert run("assist", "--game", four, stdin="left ----\nedit 1 G-GG\n").out.endswith(wanted)
    assert "1   edit" in run("assist", "--game", four, stdin="edit Y--G\n").out
    assert "8 candidates left" in run("assist", "--game", four, stdin="left\n").out
    played = run("play", "--game", four, "--mode", "you", "--secret", "quit", stdin="guess left\nleft\nguess quit\n")
    assert "1. left  ---G" in played.out and "2. quit  GGGG" in played.out
    assert "Typed alone, hint and left and rows and quit are commands here: type 'guess hint'" in played.err
    five = f"words:{write_words(tmp_path / 'five', ['reply', 'guess', 'sales', 'apply'])}"
    assert "1   guess   --YYG" in run("assist", "--game", five, stdin="guess --YYG\n").out
    assert "can be a guess with its reply, or a reply alone" in run("assist", "--game", five, stdin="reply ---GG\n").err
    assert "1   reply   --GGG" in run("assist", "--game", five, stdin="reply=--GGG\n").out


def test_rows_that_break_hard_mode_are_noted(tmp_path: Path, run: Any) -> None:
    game = f"words:{write_words(tmp_path / 'w', ['bound', 'found', 'hound', 'sound', 'catch', 'climb'])}"
    said = run("assist", "--game", game, "--hard", "bound -GGGG climb -----")
    assert said.code == 0 and "row 2: climb breaks hard mode: letter 2 must be O" in said.err
    assert "(proven: no guess needs fewer on average)" in said.out
    assert "breaks" not in run("assist", "--game", game, "bound -GGGG climb -----").err
    talked = run("assist", "--game", game, "--hard", stdin="bound -GGGG\nclimb -----\nwhy catch\n")
    assert "row 2: climb breaks hard mode" in talked.err and "catch may not be asked in hard mode" in talked.err
