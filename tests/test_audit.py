"""The second solver agrees with the first, and finds what is wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bcsearch.audit import IMPOSSIBLE, Auditor, Claim, audit
from bcsearch.errors import UsageError
from bcsearch.executors import LocalExecutor
from bcsearch.game import parse_game
from bcsearch.optimal.objectives import solve_game
from bcsearch.optimal.options import Objective
from bcsearch.optimal.tables import INFINITE, LOST, TOTAL, UNLIMITED, WORST
from bcsearch.optimal.task import Item, Question, reply_columns, run_item
from bcsearch.runs.claims import claims_of_tree
from bcsearch.shipped import shipped_tree
from bcsearch.store import Claims, StoredTree, read_tree

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
    findings = list(audit(result.tree.game, objective.consistent, listed, 1000, 1, 12, 60))
    assert len(findings) > 10 and {finding.verdict for finding in findings} == {"re-proved"}
    root = next(claim for claim in listed if claim.history == ())
    assert root.value == result.lower_bound


def test_a_wrong_value_is_refuted() -> None:
    listed = list(claims_of_tree(read_tree(shipped_tree("p4c10n-optimal-average"))))
    for change in (-1, 1):
        wrong = [replace(claim, value=claim.value + change) for claim in listed]
        findings = list(audit(parse_game("p4c10n"), False, wrong, 5, 2, 12, 60))
        assert [finding.verdict for finding in findings] == ["refuted"] * 5
    bounds = [replace(claim, value=claim.value + 1, exact=False) for claim in listed]
    assert next(audit(parse_game("p4c10n"), False, bounds, 1, 2, 12, 60)).verdict == "refuted"


def test_no_time_is_not_settled() -> None:
    claim = Claim("x", "total", (), None, 21, True)
    assert next(audit(parse_game("p2c3r"), False, [claim], 1, 1, 50, 1e-9)).verdict == "not settled"


def test_a_tree_without_proof_has_nothing_to_audit() -> None:
    with pytest.raises(UsageError, match="nothing to audit"):
        list(claims_of_tree(read_tree(shipped_tree("p4c10n-entropy"))))
