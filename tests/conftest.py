"""Fixtures: compiled kernels, small trees, a command line in this process, one simulated Ray cluster."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bcsearch import kernels
from bcsearch.build import build_greedy
from bcsearch.cli import main
from bcsearch.executors import LocalExecutor
from bcsearch.game import parse_game
from bcsearch.store import StoredTree, read_tree, write_tree

ORACLES = Path(__file__).parent / "oracles"

sys.path.append(str(Path(__file__).parent.parent / "scripts"))  # at the end: some have names that packages have too

os.environ["RAY_ENABLE_UV_RUN_RUNTIME_ENV"] = "0"
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
os.environ.pop("RAY_ADDRESS", None)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="also run the proofs that take minutes")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--slow"):
        for item in items:
            if "slow" in item.keywords:
                item.add_marker(pytest.mark.skip(reason="slow: run with --slow"))


@pytest.fixture(scope="session", autouse=True)
def _compiled() -> None:
    kernels.ready()


def build(game: str, strategy: str, path: Path, pool: str = "all", workers: int = 1) -> StoredTree:
    """Build one greedy tree on threads and store it."""
    with LocalExecutor(workers) as executor:
        built = next(iter(build_greedy(parse_game(game), [strategy], executor, consistent=pool == "consistent")))
    write_tree(path, built.tree, built.claims)
    return read_tree(path)


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> StoredTree:
    """A tree of a small game."""
    return build("p2c4n", "minimax", tmp_path_factory.mktemp("small") / "small.tree")


@pytest.fixture(scope="session")
def bulls_cows(tmp_path_factory: pytest.TempPathFactory) -> StoredTree:
    """The entropy tree of p4c10n."""
    return build("p4c10n", "entropy", tmp_path_factory.mktemp("p4c10n") / "p4c10n-entropy.tree")


@dataclass
class Outcome:
    code: int
    out: str
    err: str


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run the command line in this process: run("stats", path, stdin="...") -> Outcome(code, out, err)."""

    def call(*arguments: object, stdin: str = "") -> Outcome:
        import io

        monkeypatch.setattr("sys.argv", ["bcsearch", *map(str, arguments)])
        monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
        capsys.readouterr()
        with pytest.raises(SystemExit) as stop:
            main()
        captured = capsys.readouterr()
        return Outcome(int(stop.value.code or 0), captured.out, captured.err)

    return call


@pytest.fixture(scope="session")
def cluster() -> Iterator[Any]:
    """A simulated cluster: a head node without processors and one worker node; tests may add and kill nodes."""
    import ray
    from ray.cluster_utils import Cluster

    os.environ["PYTHONPATH"] = str(Path(__file__).parent)  # workers import the test modules' functions
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "object_store_memory": 200 << 20})
    made.add_node(num_cpus=1, object_store_memory=200 << 20)
    ray.init(address=made.address, log_to_driver=False, logging_level="ERROR")
    yield made
    ray.shutdown()
    made.shutdown()
