"""The second solver agrees with the first, and finds what is wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bcsearch.audit import IMPOSSIBLE, Auditor, Claim, audit
from bcsearch.build import build_greedy
from bcsearch.codelists import lists_of
from bcsearch.errors import UsageError
from bcsearch.executors import LocalExecutor
from bcsearch.game import Game, list_game, parse_game
from bcsearch.hard import allowed_after
from bcsearch.marks import mark
from bcsearch.notation import format_code, format_secret
from bcsearch.optimal.objectives import solve_game
from bcsearch.optimal.options import Objective
from bcsearch.optimal.tables import INFINITE, LOST, TOTAL, UNLIMITED, WORST
from bcsearch.optimal.task import Item, Question, reply_columns, run_item
from bcsearch.runs.claims import claims_of_tree
from bcsearch.shipped import shipped_tree
from bcsearch.store import Claims, StoredTree, read_tree, write_tree
from tests.brute import INFINITE as NEVER
from tests.brute import Brute
from tests.made_words import made_words, write_words

MEASURES = {"total": TOTAL, "lost": LOST, "late": WORST}


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_both_solvers_agree_on_any_set(data: st.DataObject) -> None:
    game = parse_game(data.draw(st.sampled_from(["p3c5n", "p3c4r", "p2c6n"])))
    measure, consistent = data.draw(st.sampled_from(sorted(MEASURES))), data.draw(st.booleans())
    k = data.draw(st.sampled_from([None, 1, 2, 3, 4] if measure == "total" else [1, 2, 3, 4]))
    chosen = data.draw(st.sets(st.integers(0, len(game.secrets) - 1), min_size=1, max_size=12))
    candidates = tuple(sorted(chosen))
    question = Question(game, MEASURES[measure], consistent)
    item = Item((0, 1, 2), np.array(candidates, dtype=np.int32), UNLIMITED if k is None else k, INFINITE, 1 << 40)
    if len(candidates) < 3:
        return  # closed forms of the search's caller
    value = run_item(question, reply_columns(game), item, np.zeros(1, dtype=np.int8)).value
    found = Auditor(game, measure, consistent).value(candidates, k, IMPOSSIBLE, 60)
    assert min(value, IMPOSSIBLE) == min(found, IMPOSSIBLE)


@pytest.mark.parametrize("objective", [Objective(), Objective("worst-case"), Objective("fewest-at-worst"),
                                       Objective("win-within", within=4), Objective(consistent=True)])  # fmt: skip
def test_every_subtree_of_an_optimal_tree_is_proved_again(objective: Objective) -> None:
    with LocalExecutor(1) as executor:
        result = solve_game(parse_game("p3c7n"), objective, executor)
    claims = Claims("optimal", "consistent" if objective.consistent else "all", "", "exact", result.lower_bound,
                    {"objective": objective.name, **result.facts})  # fmt: skip
    stored = StoredTree(result.tree, claims, result.tree.summary(), "", Path("tree"))
    listed = list(claims_of_tree(stored))
    findings = list(audit(result.tree.game, objective.pool, listed, 1000, 1, 12, 60))
    assert len(findings) > 10 and {finding.verdict for finding in findings} == {"re-proved"}
    root = next(claim for claim in listed if claim.history == ())
    assert root.value == result.lower_bound


def test_a_wrong_value_is_refuted() -> None:
    listed = list(claims_of_tree(read_tree(shipped_tree("p4c10n-optimal-average"))))
    for change in (-1, 1):
        wrong = [replace(claim, value=claim.value + change) for claim in listed]
        findings = list(audit(parse_game("p4c10n"), "all", wrong, 5, 2, 12, 60))
        assert [finding.verdict for finding in findings] == ["refuted"] * 5
    bounds = [replace(claim, value=claim.value + 1, exact=False) for claim in listed]
    assert next(audit(parse_game("p4c10n"), "all", bounds, 1, 2, 12, 60)).verdict == "refuted"


def test_no_time_is_not_settled() -> None:
    claim = Claim("x", "total", (), None, 21, True)
    assert next(audit(parse_game("p2c3r"), "all", [claim], 1, 1, 50, 1e-9)).verdict == "not settled"


def test_a_tree_without_proof_has_nothing_to_audit() -> None:
    with pytest.raises(UsageError, match="nothing to audit"):
        list(claims_of_tree(read_tree(shipped_tree("p4c10n-entropy"))))


WORDS = made_words(60)


def word_game(secrets: list[str], guesses: list[str]) -> Game:
    return list_game(lists_of(map(tuple, secrets), map(tuple, guesses)), marks=True)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_values_in_hard_mode_are_those_of_the_brute_recursion(data: st.DataObject) -> None:
    guesses = sorted(data.draw(st.sets(st.sampled_from(WORDS), min_size=8, max_size=20)))
    secrets = sorted(data.draw(st.sets(st.sampled_from(guesses), min_size=3, max_size=9)))
    game = word_game(secrets, guesses)
    first, told = data.draw(st.sampled_from(guesses)), data.draw(st.sampled_from(secrets))
    reply = game.replies.index(mark(told, first))
    history = ((guesses.index(first), reply),) if data.draw(st.booleans()) and reply != game.win else ()
    depth = data.draw(st.sampled_from([None, 2, 3]))
    auditor = Auditor(game, "total", hard=True)
    candidates = auditor.candidates(history)
    allowed = [format_code(game, g) for g in allowed_after(game, history)]
    names = [format_secret(game, s) for s in candidates]
    wanted = Brute(allowed, mark, hard=True).total(names, 99 if depth is None else depth)
    found = auditor.value(candidates, depth, IMPOSSIBLE, 60, history)
    assert min(found, IMPOSSIBLE) == min(wanted, NEVER)


def test_what_was_asked_before_matters_in_hard_mode() -> None:
    secrets = ["bater", "cater", "dater", "fater", "gater", "later"]
    game = word_game(secrets, ["bcdfg", "mater"])
    names = [format_code(game, g) for g in range(len(game.guesses))]
    history = ((names.index("mater"), game.replies.index((0, 2, 2, 2, 2))),)
    everyone = tuple(range(len(secrets)))
    for hard, before, value in ((False, history, 12), (True, (), 12), (True, history, 1 + 2 + 3 + 4 + 5 + 6)):
        assert Auditor(game, "total", hard=hard).value(everyone, None, IMPOSSIBLE, 60, before) == value


@pytest.mark.parametrize("objective", [Objective(hard=True), Objective("worst-case", hard=True),
                                       Objective("fewest-at-worst", hard=True),
                                       Objective("win-within", within=3, hard=True)])  # fmt: skip
def test_every_subtree_of_an_optimal_hard_tree_is_proved_again(objective: Objective) -> None:
    with LocalExecutor(1) as executor:
        result = solve_game(word_game(WORDS, WORDS), objective, executor)
    claims = Claims("optimal", "hard", "", "exact", result.lower_bound, {"objective": objective.name, **result.facts})
    listed = list(claims_of_tree(StoredTree(result.tree, claims, result.tree.summary(), "", Path("tree"))))
    findings = list(audit(result.tree.game, "hard", listed, 1000, 1, 20, 60))
    assert len(findings) >= 5 and {finding.verdict for finding in findings} == {"re-proved"}
    wrong = [replace(claim, value=claim.value + 1) for claim in listed]
    assert {finding.verdict for finding in audit(result.tree.game, "hard", wrong, 5, 1, 20, 60)} == {"refuted"}


def test_the_command_audits_hard_trees_and_runs_and_finds_forged_ones(tmp_path: Path, run: Any) -> None:
    words = write_words(tmp_path / "words.txt", WORDS)
    job = ["--game", f"words:{words}", "--hard", "--strategy", "optimal", "--executor", "local"]
    assert run("build-tree", *job, "--out", tmp_path / "hard.tree", "--run-dir", tmp_path / "run").code == 0
    for proved in ("hard.tree", "run"):
        outcome = run("audit", tmp_path / proved, "--largest", 60)
        assert outcome.code == 0 and ", 0 not settled within 20 s each, 0 refuted" in outcome.out, outcome.err
    with LocalExecutor(1) as executor:
        greedy = next(iter(build_greedy(read_tree(tmp_path / "hard.tree").tree.game, ["minimax"], executor,
                                        consistent=False, hard=True)))  # fmt: skip
    total = greedy.tree.summary().total
    assert total > read_tree(tmp_path / "hard.tree").summary.total
    forged = Claims("optimal", "hard", "", "exact", total, {"objective": "average", "total": total})
    write_tree(tmp_path / "forged.tree", greedy.tree, forged)
    assert run("verify", tmp_path / "forged.tree").code == 0  # which no replay can see
    outcome = run("audit", tmp_path / "forged.tree", "--largest", 60)
    assert outcome.code == 1 and f"claimed {total}, found " in outcome.err and "another value" in outcome.err
