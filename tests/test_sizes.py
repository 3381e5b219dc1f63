"""Memory: both ways of scoring give the same trees; what cannot fit is refused with numbers, before it is tried."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bcsearch.build import build_greedy
from bcsearch.errors import UsageError
from bcsearch.executors import LocalExecutor
from bcsearch.game import parse_game
from bcsearch.memory import size_text
from bcsearch.scoring import reply_matrix
from bcsearch.sizes import estimate, is_symmetric, keeps_matrix, matrix_bytes
from tests.conftest import ORACLES

ROWS = [line.split() for line in (ORACLES / "greedy.txt").read_text().splitlines() if line and line[0] != "#"]
SMALL = [row for row in ROWS if matrix_bytes(parse_game(row[0])) <= 30_000_000]


@pytest.mark.parametrize("row", SMALL, ids=lambda row: "-".join(row[:3]))
def test_every_oracle_row_without_a_matrix(row: list[str]) -> None:
    name, pool, strategy, expected = row[:4]
    game = parse_game(name)
    assert keeps_matrix(game) and not keeps_matrix(game, 1)
    with LocalExecutor(1) as executor:
        wanted = {"consistent": pool == "consistent"}
        built = next(iter(build_greedy(game, [strategy], executor, memory=1, **wanted)))
        assert str(built.tree.summary()) == expected
        if len(game.secrets) <= 1296:
            usual = next(iter(build_greedy(game, [strategy], executor, **wanted)))
            assert np.array_equal(built.tree.guess, usual.tree.guess)
            assert np.array_equal(built.tree.child, usual.tree.child)


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
