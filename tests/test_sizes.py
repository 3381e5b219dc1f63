"""Memory: both ways of scoring give the same trees; what cannot fit is refused with numbers, before it is tried."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bcsearch.build import build_greedy
from bcsearch.errors import UsageError
from bcsearch.executors import LocalExecutor
from bcsearch.game import parse_game
from bcsearch.memory import size_text
from bcsearch.scoring import reply_matrix
from bcsearch.sizes import estimate, is_symmetric, matrix_bytes
from bcsearch.store import write_tree
from tests.conftest import ORACLES

ROWS = [line.split() for line in (ORACLES / "greedy.txt").read_text().splitlines() if line and line[0] != "#"]


@pytest.mark.parametrize("row", ROWS, ids=["-".join(row[:3]) for row in ROWS])
def test_every_oracle_row_is_the_same_file_with_and_without_a_matrix(
    row: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, pool, strategy, expected, distribution = row
    game, made = parse_game(name), []

    def counted_matrix(*arguments: Any) -> Any:
        made.append(arguments)
        return reply_matrix(*arguments)

    monkeypatch.setattr("bcsearch.build.reply_matrix", counted_matrix)
    for memory in (1, matrix_bytes(game)):
        with LocalExecutor(1) as executor:
            built = next(iter(build_greedy(game, [strategy], executor, memory=memory, consistent=pool == "consistent")))
        write_tree(tmp_path / f"{memory}.tree", built.tree, built.claims)
        assert len(made) == (memory > 1)
        assert str(built.tree.summary()) == expected
        assert ",".join(map(str, built.tree.distribution())) == distribution
    packed, kept = (tmp_path / f"{memory}.tree" for memory in (1, matrix_bytes(game)))
    assert packed.read_bytes() == kept.read_bytes()


@pytest.mark.parametrize("strategy", ["entropy", "optimal"])
@pytest.mark.parametrize("name", ["p4c6r", "p3c5n+p3c5r"])
def test_a_tiny_limit_of_the_command_switches_and_changes_nothing(
    name: str, strategy: str, tmp_path: Path, run: Any
) -> None:
    """Just enough for the work without a matrix is enough; so is every limit above, and room for one is used."""
    game, greedy = parse_game(name), strategy != "optimal"
    least, matrix = estimate(game, int(greedy), not greedy, 1, 1).total, matrix_bytes(game)
    job = ["build-tree", "--game", name, "--strategy", strategy, "--executor", "local", "--workers", 1, "--json"]
    printed = []
    for memory, kept in ((least, 0), (least + matrix - 1, 0), (least + matrix, matrix)):
        assert estimate(game, int(greedy), not greedy, 1, memory).parts["reply matrix"] == kept
        done = run(*job, "--memory", memory, "--out", tmp_path / "a.tree")
        assert done.code == 0, done.err
        printed.append(json.loads(done.out)["trees"][0]["sha256"])
    assert len(set(printed)) == 1
    refused = run(*job, "--memory", least - 1, "--out", tmp_path / "b.tree")
    assert refused.code == 2 and "may be used (--memory)" in refused.err


def test_what_fits_without_a_matrix_is_not_refused_for_want_of_room_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("p4c10n", "p5c8r", "p5c10n"):
        game = parse_game(name)
        for greedy, optimal in ((1, False), (0, True), (3, True)):
            least = estimate(game, greedy, optimal, 2, 1).total
            for memory in range(least, least + 3 * matrix_bytes(game), 1 + matrix_bytes(game) // 7):
                estimate(game, greedy, optimal, 2, memory).check(memory)
                monkeypatch.setattr("bcsearch.sizes.free_memory", lambda free=memory: free)
                estimate(game, greedy, optimal, 2).check(None)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["build-tree", "--game", "p6c36n", "--strategy", "entropy"], "game p6c36n: the work needs about"),
        (
            ["build-tree", "--game", "p5c36r", "--strategy", "entropy", "--memory", "4G"],
            "4.0 GB may be used (--memory)",
        ),
        (["plan", "--game", "p5c36r", "--memory", "4G"], "game p5c36r: the work needs about"),
        (["analyze", "012345", "--game", "p7c36n", "--guesses", "p7c36n"], "codes"),
        (["build-tree", "--memory", "lots"], "a size is wanted, like 500M or 2G"),
        (["build-tree", "--strategy", "entropy", "--memory", "100K"], "100 KB may be used (--memory)"),
    ],
)
def test_what_cannot_fit_is_refused_with_numbers(arguments: list[str], message: str, run: Any) -> None:
    outcome = run(*arguments)
    assert outcome.code in (1, 2) and message in outcome.err and "Traceback" not in outcome.err, outcome.err


def test_codes_that_cannot_fit_are_refused_before_they_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bcsearch.memory.free_memory", lambda: 8 << 30)
    with pytest.raises(UsageError, match=r"p6c36n: its 1402410240 codes need 24 GB; 8.0 GB are free here"):
        _ = parse_game("p6c36n").secrets


def test_the_estimate_is_said_and_covers_what_is_used() -> None:
    game = parse_game("p4c10n")
    parts = estimate(game, 3, True, 2).parts
    assert parts["codes"] >= game.secrets.nbytes + game.keys.nbytes
    assert parts["reply matrix"] >= 5040 * 5040
    assert estimate(game, 3, False, 2, memory=1).parts["reply matrix"] == 0
    assert "reply matrix" in str(estimate(game, 3, True, 2))
    assert [size_text(n) for n in (10, 2048, 5 << 20, 25 << 20, 3 << 30)] == [
        "10 bytes",
        "2.0 KB",
        "5.0 MB",
        "25 MB",
        "3.0 GB",
    ]


def test_codes_too_long_to_pack_are_scored_one_by_one() -> None:
    from bcsearch.scoring import fill_replies, packed_candidates, replies_from, score

    game = parse_game("p3c30r")
    source = replies_from(game, None)
    assert len(source.guess_places) == 0
    chosen = np.random.default_rng(1).integers(0, len(game.secrets), size=200).astype(np.int32)
    out = np.empty(len(chosen), dtype=np.uint8)
    for guess in chosen[:50]:
        fill_replies(source, guess, chosen, *packed_candidates(source, chosen), out)
        truth = [score(game.secrets[s].tolist(), game.guesses[guess].tolist()) for s in chosen]
        assert [game.replies[r] for r in out] == truth


@pytest.mark.parametrize("name", ["p3c5n", "p3c4r", "p3c5n-nz", "p2c4n+p2c4r"])
def test_matrices_said_to_be_symmetric_are(name: str) -> None:
    game = parse_game(name)
    matrix = reply_matrix(game)
    assert is_symmetric(game) == (matrix.shape[0] == matrix.shape[1])
    assert not is_symmetric(game) or (matrix == matrix.T).all()
