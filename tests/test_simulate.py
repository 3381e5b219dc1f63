"""Many games: the oracles, seeds, threads, hosts; and the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bcsearch.bayes import whole_matrix
from bcsearch.build import build_greedy
from bcsearch.codelists import lists_of
from bcsearch.errors import BcsearchError, UsageError
from bcsearch.executors import LocalExecutor
from bcsearch.game import Game, list_game, parse_game
from bcsearch.hosts import Scorer
from bcsearch.marks import mark
from bcsearch.notation import format_code
from bcsearch.players import Bayesian, Consistent, HeldToHardMode, Player, TreeFollower
from bcsearch.simulate import Results, play_game, simulate
from bcsearch.store import Claims, StoredTree, read_tree, write_tree
from tests.brute import keeps_to
from tests.made_words import made_words, write_words

ORACLE = [line.split() for line in (Path(__file__).parent / "oracles/greedy.txt").read_text().splitlines()]
ROWS = {row[2]: row for row in ORACLE if row[:2] == ["p4c10n", "all"]}


@pytest.mark.parametrize("strategy", ["first", "minimax", "expected-size", "entropy", "max-parts"])
def test_all_secrets_of_bulls_and_cows_reproduce_the_oracles(run: Any, strategy: str) -> None:
    document = json.loads(run("simulate", strategy, "--json").out)
    total, depth, worst = map(int, ROWS[strategy][3].split(":"))
    assert document["distribution"] == [int(n) for n in ROWS[strategy][4].split(",")]
    assert document["mean"] == pytest.approx(total / 5040) and document["games"] == 5040
    assert document["worst"]["guesses"] == depth and len(document["worst"]["secrets"]) == worst
    assert document["standard_error"] is None  # nothing was left to chance


def test_the_first_consistent_player_has_the_mean_of_the_oracle(run: Any) -> None:
    outcome = run("simulate", "first-consistent")
    assert outcome.code == 0
    assert "mean          5.5603" in outcome.out
    assert f"distribution  {ROWS['first'][4]}" in outcome.out
    assert "worst         9 guesses: 5293 9204 9214 9241 9431" in outcome.out


def test_results_depend_on_the_seed_and_not_on_the_threads() -> None:
    game = parse_game("p3c6r")
    scorer = Scorer(game, whole_matrix(game))

    def played(seed: int, workers: int) -> Results:
        player = Consistent(scorer, at_random=True)
        return simulate(scorer, player, "lying", games=200, seed=seed, lie_prob=0.02, workers=workers)

    assert played(1, 1) == played(1, 3) != played(2, 1)
    assert played(1, 2).sample and played(1, 2).lost > 0


def test_statistics_are_those_of_numpy() -> None:
    game = parse_game("p3c4n")
    scorer = Scorer(game)
    all_once = simulate(scorer, Consistent(scorer))
    found = all_once.found
    assert all_once.mean == found.mean() and all_once.deviation == found.std() and all_once.standard_error is None
    some = simulate(scorer, Consistent(scorer), games=30, seed=4)
    assert some.deviation == pytest.approx(some.found.std(ddof=1))
    assert some.standard_error == pytest.approx(some.found.std(ddof=1) / np.sqrt(30))
    assert sum(some.distribution()) == 30
    worst = some.worst(100)
    assert worst and all(played.guesses == some.found.max() for played in worst)


def test_a_player_with_dice_gives_a_sample_even_of_all_secrets() -> None:
    scorer = Scorer(parse_game("p3c4n"))
    assert simulate(scorer, Consistent(scorer, at_random=True)).standard_error is not None


def test_the_bayesian_player_without_noise_is_the_greedy_entropy_player() -> None:
    row = next(r for r in ORACLE if r[:3] == ["p3c10n", "all", "entropy"])
    game = parse_game("p3c10n")
    scorer = Scorer(game, whole_matrix(game))
    assert simulate(scorer, Bayesian(scorer, 0.0), workers=2).distribution() == [int(n) for n in row[4].split(",")]


def test_the_bayesian_player_finds_every_secret_in_spite_of_wrong_replies() -> None:
    game = parse_game("p4c10n")
    scorer = Scorer(game, whole_matrix(game))
    results = simulate(scorer, Bayesian(scorer, 0.05), "lying", games=24, seed=1, lie_prob=0.05, workers=2)
    assert results.lost == 0 and results.mean is not None and 4.5 < results.mean < 7


def test_a_player_that_trusts_a_lying_host_loses_games(run: Any) -> None:
    outcome = run("simulate", "entropy", "--game", "p3c6n", "--host", "lying", "--lie-prob", "0.2", "--games", 200)
    assert outcome.code == 0 and "lost " in outcome.out and "(standard error)" in outcome.out


def test_tree_files_and_evil_hosts(run: Any, bulls_cows: StoredTree) -> None:
    assert "mean          5.2429" in run("simulate", bulls_cows.path).out
    evil = json.loads(run("simulate", "optimal", "--host", "evil", "--json").out)
    assert (evil["games"], evil["mean"]) == (1, 7.0)
    greedy = json.loads(run("simulate", "random-consistent", "--host", "evil", "--games", 20, "--json").out)
    assert greedy["games"] == 20 and greedy["mean"] > 5.5


@pytest.mark.parametrize(
    ("arguments", "code", "reason"),
    [
        (["nobody"], 2, "no such file; players are tree files and optimal"),
        (["entropy", "--host", "lying"], 2, "needs --lie-prob"),
        (["entropy", "--lie-prob", "0.1"], 2, "needs --lie-prob Q, and goes with it"),
        (["bayes", "--lie-prob", "2"], 2, "from 0 to 1"),
        (["bayes", "--lie-prob", "nan"], 2, "from 0 to 1"),
        (["bayes", "--lie-prob", "often"], 2, "from 0 to 1"),
        (["entropy", "--games", "0"], 2, "at least 1"),
        (["entropy", "--seed", "-1"], 2, "at least 0"),
        (["optimal", "--game", "p3c4n"], 1, "no tree 'p3c4n-optimal-average'"),
        (["optimal", "--game", "p3c4n"], 1, "'bcsearch build-tree --game p3c4n --strategy optimal --out FILE'"),
        (["README.md"], 1, "not a tree file"),
        (["data/p4c10n-entropy.tree", "--game", "p4c6r"], 2, "a tree of p4c10n, but --game is p4c6r"),
        ([], 2, "Missing argument"),
    ],
)
def test_wrong_input_gets_one_line(
    run: Any, arguments: list[str], code: int, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(__file__).parent.parent)
    outcome = run("simulate", *arguments)
    assert outcome.code == code and outcome.out == ""
    assert reason in outcome.err.splitlines()[-1] and "Traceback" not in outcome.err


# Words that rhyme: after one with greens, free play would ask a word that holds many of the letters in doubt.
SECRETS = [f"{letter}ound" for letter in "bfhmprsw"] + [f"{letter}atch" for letter in "bchlmpw"]
GUESSES = ["climb", "whelp", "frame", *made_words(60)]


def hard_player(name: str, game: Game, scorer: Scorer) -> Player:
    if name == "bayes":
        return Bayesian(scorer, 0.0, hard=True)
    if name.endswith("consistent"):
        return Consistent(scorer, name == "random-consistent")
    with LocalExecutor(1) as executor:
        return TreeFollower(next(iter(build_greedy(game, [name], executor, consistent=False, hard=True))).tree, name)


@pytest.mark.parametrize("name", ["minimax", "entropy", "bayes", "first-consistent", "random-consistent"])
def test_players_in_hard_mode_ask_what_is_legal(name: str) -> None:
    from bcsearch.hosts import HonestHost

    game = list_game(lists_of(map(tuple, SECRETS), map(tuple, GUESSES)), marks=True)
    scorer = Scorer(game)
    player = HeldToHardMode(hard_player(name, game, scorer), game)
    for secret in range(len(game.secrets)):
        rows = play_game(HonestHost(scorer, secret), player.begin(np.random.default_rng(secret)), game.win)
        words = [format_code(game, guess) for guess, _ in rows]
        for later, word in enumerate(words):
            assert all(keeps_to(word, before, mark(words[-1], before)) for before in words[:later])


def test_a_player_that_breaks_hard_mode_is_stopped() -> None:
    game = list_game(lists_of(map(tuple, SECRETS), map(tuple, GUESSES)), marks=True)
    scorer = Scorer(game)
    player = Bayesian(scorer, 0.0)
    assert simulate(scorer, player).lost == 0
    with pytest.raises(BcsearchError, match=r"bayes asks \w{5} after \w{5} [-YG]{5}.*, which hard mode forbids: "):
        simulate(scorer, HeldToHardMode(player, game), workers=2)
    with pytest.raises(UsageError, match="goes with word games"):
        HeldToHardMode(Consistent(Scorer(parse_game("p2c3n"))), parse_game("p2c3n"))


def test_the_command_plays_in_hard_mode(tmp_path: Path, run: Any) -> None:
    lists = f"words:{write_words(tmp_path / 's', SECRETS)},{write_words(tmp_path / 'g', GUESSES)}"
    for hard in ([], ["--hard"]):
        built = run("build-tree", "--game", lists, "--strategy", "entropy", *hard, "--executor", "local",
                    "--out", tmp_path / f"tree{len(hard)}", "--json")  # fmt: skip
        wanted = json.loads(built.out)["trees"][0]["distribution"]
        for player, game in (
            ("entropy", ["--game", lists]),
            ("bayes", ["--game", lists]),
            (tmp_path / f"tree{len(hard)}", []),
        ):
            played = json.loads(run("simulate", player, *game, *hard, "--json").out)
            assert (played["distribution"], played["hard"]) == (wanted, bool(hard))
    assert (
        "(hard mode) against an evil host"
        in run("simulate", "minimax", "--game", lists, "--hard", "--host", "evil").out
    )
    refused = run("simulate", tmp_path / "tree0", "--hard")
    assert refused.code == 2 and "a tree built with --hard does" in refused.err
    stored = read_tree(tmp_path / "tree0")
    write_tree(tmp_path / "forged", stored.tree, Claims("entropy", "hard", stored.claims.tie_rule))
    forged = run("simulate", tmp_path / "forged", "--hard")
    assert forged.code == 1 and "which hard mode forbids" in forged.err and not forged.out
    lying = run("simulate", "bayes", "--game", lists, "--hard", "--lie-prob", "0.1", "--host", "lying")
    assert lying.code == 2 and "--hard needs true replies" in lying.err
    assert "goes with word games" in run("simulate", "entropy", "--hard", "--games", 3).err
