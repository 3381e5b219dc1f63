"""Score tables: exact, with true ties exactly equal."""

from __future__ import annotations

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bcsearch.errors import UsageError
from bcsearch.strategies import LOG_BITS, STRATEGIES, log_weights, strategy_named

TABLE = log_weights(5040)


def test_log_table_is_k_log_k() -> None:
    for k in range(1, 5041):
        assert abs(int(TABLE[k]) / 2**LOG_BITS - k * log2(k)) < 1e-5
    assert TABLE[0] == TABLE[1] == 0


@given(st.integers(1, 70), st.integers(1, 70))
def test_true_ties_of_entropy_are_exact(a: int, b: int) -> None:
    assert TABLE[a * b] == a * TABLE[b] + b * TABLE[a]


@pytest.mark.parametrize(
    ("name", "weights"), [("minimax", [0, 1, 2, 3]), ("expected-size", [0, 1, 4, 9]), ("max-parts", [0, -1, -1, -1])]
)
def test_tables(name: str, weights: list[int]) -> None:
    assert STRATEGIES[name].weights(3).tolist() == weights


def test_unknown_strategy_lists_the_known() -> None:
    with pytest.raises(UsageError, match="minimax, entropy, expected-size, max-parts, first"):
        strategy_named("best")
