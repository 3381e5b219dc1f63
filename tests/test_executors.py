"""Threads and Ray: the same tree from both, whatever happens to workers."""

from __future__ import annotations

import http.server
import os
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bcsearch import ray_executor
from bcsearch.build import build_greedy
from bcsearch.clusters import check_address, wants_token
from bcsearch.errors import BcsearchError, ExecutionError, UsageError
from bcsearch.executors import Executor, LocalExecutor, choose, make_executor
from bcsearch.game import parse_game
from bcsearch.nodes import check_versions, inspect_nodes, same_everywhere
from bcsearch.optimal import run as optimal_run
from bcsearch.optimal.objectives import solve_game
from bcsearch.optimal.options import Objective
from bcsearch.ray_executor import RayExecutor
from bcsearch.runs.directory import RunDirectory
from bcsearch.runs.manifest import Job
from bcsearch.signals import Stop
from bcsearch.store import StoredTree, content_hash


def double(number: int) -> int:
    return 2 * number


def fail(text: str) -> None:
    raise BcsearchError(text)


def fail_oddly() -> None:
    raise ZeroDivisionError("odd")


def die() -> None:
    os._exit(1)


def die_once(marker: str) -> str:
    if not Path(marker).exists():
        Path(marker).touch()
        os._exit(1)
    return "alive"


def slow_double(number: int, seconds: float) -> int:
    time.sleep(seconds)
    return 2 * number


def entropy_hash(executor: Executor) -> str:
    return content_hash(next(iter(build_greedy(parse_game("p4c10n"), ["entropy"], executor, consistent=False))).tree)


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_threads_give_the_same_tree(bulls_cows: StoredTree, workers: int) -> None:
    with LocalExecutor(workers) as executor:
        assert entropy_hash(executor) == bulls_cows.sha256


def test_more_work_may_be_submitted_while_results_arrive() -> None:
    with LocalExecutor(2) as executor:
        executor.submit("1", double, 1)
        seen = {}
        for key, result in executor.results():
            seen[key] = result
            if result < 100:
                executor.submit(str(result), double, result)
    assert seen == {str(2**k): 2 ** (k + 1) for k in range(7)}


def test_errors_of_a_task_reach_the_caller() -> None:
    with LocalExecutor(1) as executor:
        executor.submit("x", fail, "the reason")
        with pytest.raises(BcsearchError, match="the reason"):
            list(executor.results())


def test_ray_gives_the_same_tree_and_passes_errors_on(bulls_cows: StoredTree, cluster: Any) -> None:
    with RayExecutor(None, None) as executor:
        assert entropy_hash(executor) == bulls_cows.sha256
        executor.submit("x", fail, "the reason")
        with pytest.raises(BcsearchError, match="the reason"):
            list(executor.results())
        executor.submit("odd item", fail_oddly)
        with pytest.raises(ExecutionError, match="work item odd item: ZeroDivisionError: odd"):
            list(executor.results())


def test_ray_proves_the_same_optimal_tree(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optimal_run, "SMALL", 10_000)  # so that there are many subproblems
    hashes = []
    for executor in (LocalExecutor(2), RayExecutor(None, None)):
        with executor:
            hashes.append(content_hash(solve_game(parse_game("p4c6n"), Objective(), executor).tree))
    assert hashes[0] == hashes[1]


def test_a_worker_that_dies_once_does_not_matter(cluster: Any, tmp_path: Path) -> None:
    with RayExecutor(None, None) as executor:
        executor.submit("x", die_once, str(tmp_path / "died"))
        assert list(executor.results()) == [("x", "alive")]
        assert (tmp_path / "died").exists()


def test_an_item_that_always_kills_its_worker_is_named(cluster: Any) -> None:
    with RayExecutor(None, None) as executor:
        executor.submit("bad item", die)
        with pytest.raises(ExecutionError, match="work item bad item: lost 4 times"):
            list(executor.results())


def test_a_node_killed_in_the_middle_changes_nothing(bulls_cows: StoredTree, cluster: Any) -> None:
    """Two worker nodes; one is killed, with all it was doing, while items are running on it."""
    extra = cluster.add_node(num_cpus=1, object_store_memory=200 << 20)
    with RayExecutor(None, None) as executor:
        for number in range(8):
            executor.submit(str(number), slow_double, number, 1.0)
        killer = threading.Timer(2.5, lambda: cluster.remove_node(extra, allow_graceful=False))
        killer.start()
        results = dict(executor.results())
        killer.join()
        assert results == {str(number): 2 * number for number in range(8)}


def test_a_node_killed_while_a_tree_is_built(bulls_cows: StoredTree, cluster: Any) -> None:
    extra = cluster.add_node(num_cpus=1, object_store_memory=200 << 20)
    killed = False
    with RayExecutor(None, None) as executor:
        trees = build_greedy(
            parse_game("p4c10n"), ["minimax", "entropy"], executor, consistent=False,
            progress=lambda *_: kill(),
        )  # fmt: skip

        def kill() -> None:
            nonlocal killed
            if not killed:
                killed = True
                cluster.remove_node(extra, allow_graceful=False)

        hashes = [content_hash(built.tree) for built in trees]
    assert killed and hashes[1] == bulls_cows.sha256


@pytest.mark.parametrize(("free", "spoken"), [(3.0, True), (0.0, False)])
def test_silence_is_explained(free: float, spoken: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tasks that Ray cannot start, for want of room in an object store, say: it waits for ever, without a word."""

    class Silent:
        """A cluster with processors of which nothing comes back, until the fourth time it is asked."""

        asked = 0

        def cluster_resources(self) -> dict[str, float]:
            return {"CPU": 3.0}

        def available_resources(self) -> dict[str, float]:
            return {"CPU": free}

        def remote(self, **_: Any) -> Any:
            return lambda function: type("Remote", (), {"remote": staticmethod(lambda *arguments: "reference")})

        def wait(self, references: list[str], **_: Any) -> tuple[list[str], list[str]]:
            self.asked += 1
            return (references, []) if self.asked > 3 else ([], references)

        def get(self, reference: str) -> int:
            return 7

        def shutdown(self) -> None: ...

    heard: list[str] = []
    monkeypatch.setattr(ray_executor, "start_ray", lambda *_: Silent())
    monkeypatch.setattr(ray_executor, "_SILENCE_SECONDS", 0.0)
    with RayExecutor("cluster:1", None, heard.append) as executor:
        executor.submit("item", double, 1)
        assert list(executor.results()) == [("item", 7)]
    assert bool(heard) == spoken
    assert all("3 processors are free" in text and "ray memory" in text for text in heard)


@pytest.mark.parametrize(
    ("kind", "where", "seconds", "batch", "chosen"),
    [
        ("auto", None, 0.1, False, "local"),
        ("auto", None, 60.0, False, "ray"),
        ("auto", None, 0.1, True, "ray"),
        ("auto", "10.0.0.5:6379", 0.1, False, "ray"),
        ("local", "10.0.0.5:6379", 60.0, True, "local"),
        ("ray", None, 0.1, False, "ray"),
    ],
)
def test_what_auto_takes(kind: str, where: str | None, seconds: float, batch: bool, chosen: str) -> None:
    assert choose(kind, where, seconds, batch)[0] == chosen


def test_a_dead_address_fails_at_once() -> None:
    start = time.monotonic()
    with pytest.raises(ExecutionError, match="no Ray cluster answers"):
        check_address("127.0.0.1:9")
    assert time.monotonic() - start < 5


def test_what_is_not_ray_is_said_soon() -> None:
    server = http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    start = time.monotonic()
    try:
        with pytest.raises(ExecutionError, match="does not answer as one does"):
            wants_token(f"127.0.0.1:{server.server_port}")
    finally:
        server.shutdown()
        server.server_close()
    assert time.monotonic() - start < 30


@pytest.mark.parametrize("address", ["nowhere", "127.0.0.1:٣٤", "host:", ":1", "host:99999", "host:x"])
def test_texts_that_are_no_address(address: str) -> None:
    with pytest.raises(UsageError, match="HOST:PORT is wanted"):
        check_address(address)


def test_nonsense_options_are_refused() -> None:
    with pytest.raises(UsageError, match="--workers 0"):
        make_executor("local", None, 0, 1.0, say=print)
    with pytest.raises(UsageError, match="--address goes with"):
        make_executor("local", "h:1", 1, 1.0, say=print)


def test_nodes_say_what_they_have(cluster: Any) -> None:
    import ray

    reports = inspect_nodes(ray)
    assert reports and same_everywhere(reports)
    check_versions(reports, ray.__version__)
    for wrong, message in (
        ({"python": "3.8.1"}, "Python 3.8.1 there"),
        ({"ray": "1.0"}, "Ray 1.0 there"),
        ({"missing": ("numba",)}, "lacks numba"),
    ):
        with pytest.raises(ExecutionError, match=message):
            check_versions([replace(reports[0], **wrong)], ray.__version__)  # type: ignore[arg-type]
    assert not same_everywhere([replace(reports[0], bcsearch=None)])


def test_a_cluster_without_tokens_is_known(cluster: Any) -> None:
    assert not wants_token(cluster.address)


def test_a_run_goes_on_although_nodes_are_killed(cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three nodes; one is killed and one added in the middle of a proof, then another executor goes on."""
    monkeypatch.setattr(optimal_run, "SMALL", 10_000)
    game = parse_game("p4c6n")
    job = Job(game, ("optimal",), Objective(), {"optimal": tmp_path / "tree"})
    extra = [cluster.add_node(num_cpus=1, object_store_memory=100 << 20) for _ in range(2)]
    run = RunDirectory.create(tmp_path / "run", job, {}, print)
    stop, answers, keep = Stop(), 0, run.keep_answer

    def keep_and_disturb(*arguments: Any) -> None:
        nonlocal answers
        keep(*arguments)
        answers += 1
        if answers == 10:
            cluster.remove_node(extra[0], allow_graceful=False)
            cluster.add_node(num_cpus=1, object_store_memory=100 << 20)
        if answers == 40:
            stop.flag[0] = 1

    monkeypatch.setattr(run, "keep_answer", keep_and_disturb)
    with RayExecutor(None, None) as executor:
        early = solve_game(game, Objective(), executor, ledger=run, stop=stop)
    run.close("stopped")
    assert answers >= 40 and not early.exact
    run = RunDirectory.open(tmp_path / "run", print)
    with LocalExecutor(2) as threads:
        resumed = solve_game(game, Objective(), threads, ledger=run)
        plain = solve_game(game, Objective(), threads)
    run.close("complete")
    assert resumed.kept >= 40 and content_hash(resumed.tree) == content_hash(plain.tree)
