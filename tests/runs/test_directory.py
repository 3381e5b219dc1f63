"""Run directories: continued from any point, in any executor, damaged in any file: the same tree or one clear line."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bcsearch.build import build_greedy
from bcsearch.errors import ExecutionError, RunError
from bcsearch.executors import LocalExecutor
from bcsearch.game import parse_game
from bcsearch.optimal import run as optimal_run
from bcsearch.optimal import session as optimal_session
from bcsearch.optimal.objectives import Result, solve_game
from bcsearch.optimal.options import Objective
from bcsearch.runs import directory, journal
from bcsearch.runs.directory import RunDirectory
from bcsearch.runs.journal import of_kind, read_journal
from bcsearch.runs.manifest import Job, read_manifest
from bcsearch.runs.status import is_complete, read_status
from bcsearch.signals import Stop
from bcsearch.store import Claims, content_hash, read_tree, write_tree

GAME = "p4c6n"


def job(folder: Path, game: str = GAME) -> Job:
    return Job(parse_game(game), ("entropy", "optimal"), Objective(), {n: folder / n for n in ("entropy", "optimal")})


def records_of(run: Path) -> list[dict[str, Any]]:
    return read_journal(run / journal.NAME, read_manifest(run)[1])[0]


def finish(run: RunDirectory, workers: int = 1) -> tuple[str, Result]:
    """Build both trees of a run; their hashes as one text."""
    with LocalExecutor(workers) as executor:
        built = next(iter(build_greedy(run.job.game, ["entropy"], executor, consistent=False, ledger=run)))
        result = solve_game(run.job.game, Objective(), executor, ledger=run)
    run.close("complete")
    return content_hash(built.tree) + content_hash(result.tree), result


@pytest.fixture
def many_items(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small items, so that a small game has many of them."""
    monkeypatch.setattr(optimal_run, "SMALL", 3000)
    monkeypatch.setattr("bcsearch.build.SMALLEST_ITEM", 8)
    monkeypatch.setattr("bcsearch.optimal.extract._OWN_PIECE_SECONDS", 0.0)


@pytest.fixture
def finished(tmp_path: Path, many_items: None) -> tuple[Path, str]:
    run = RunDirectory.create(tmp_path / "run", job(tmp_path), {}, print)
    return tmp_path / "run", finish(run)[0]


def test_a_finished_run_computes_nothing_again(finished: tuple[Path, str]) -> None:
    path, hashes = finished
    assert is_complete(path) and len(list((path / "shards").iterdir())) > 10
    before = len(list(of_kind(records_of(path), "answer", "piece")))
    again, result = finish(RunDirectory.open(path, print))
    assert again == hashes and result.exact and result.items == 0
    assert len(list(of_kind(records_of(path), "answer", "piece"))) == before > 30


def test_a_run_cut_off_anywhere_goes_on_to_the_same_trees(finished: tuple[Path, str], tmp_path: Path) -> None:
    path, hashes = finished
    content = (path / journal.NAME).read_bytes()
    for step in range(1, 8):
        copy = tmp_path / f"copy{step}"
        shutil.copytree(path, copy)
        (copy / journal.NAME).write_bytes(content[: len(content) * step // 8])
        assert read_status(copy).phase == "killed"
        kept = {(r["key"], r.get("limit")) for r in of_kind(records_of(copy), "answer", "piece")}
        assert finish(RunDirectory.open(copy, print), workers=2)[0] == hashes
        items = [(r["key"], r.get("limit")) for r in of_kind(records_of(copy), "answer", "piece")]
        assert len(items) == len(set(items)) and kept <= set(items)  # nothing twice


def test_every_damaged_file_is_repaired_or_refused(finished: tuple[Path, str], tmp_path: Path) -> None:
    path, hashes = finished
    files = [file.relative_to(path) for file in sorted(path.rglob("*")) if file.is_file()]
    shards = [file for file in files if file.parts[0] == "shards"]
    greedy = [r["file"] for r in of_kind(records_of(path), "piece") if r["key"].startswith("entropy/")]
    said: list[str] = []
    for file in [*(f for f in files if f not in shards), *(Path("shards", name) for name in greedy[:5])]:
        content = (path / file).read_bytes()
        damages = [content[: len(content) // 2], content[:-1], b"", None]
        for place in (0, len(content) // 3, len(content) - 2):
            flipped = bytearray(content)
            flipped[place] ^= 4
            damages.append(bytes(flipped))
        for damage in damages:
            copy = tmp_path / "copy"
            shutil.copytree(path, copy)
            (copy / file).unlink()
            if damage is not None:
                (copy / file).write_bytes(damage)
            refusal = opened = None
            try:
                opened = RunDirectory.open(copy, said.append)
            except RunError as error:
                refusal = str(error)
            if opened is not None:
                assert finish(opened)[0] == hashes, (file, damage)
            assert refusal is None or (refusal.startswith(str(copy)) and "\n" not in refusal)
            shutil.rmtree(copy)
    repaired = {line.partition(":")[0] for line in said if "computed again" in line}
    assert len(repaired) == 6 and str(copy / "journal.jsonl") in repaired


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("bcsearch", "9.9", "bcsearch: the run was made by version 9.9"),
        ("game", "p4c7n", "scoring"),
        ("scoring", "0", "scoring: the run was made with"),
        ("split", {}, "split: the run was made with"),
        ("version", 2, "run format version 2"),
        ("objective", {"name": "average", "odd": 1}, "odd"),
        ("game", "nonsense", "nonsense"),
    ],
)
def test_a_manifest_that_does_not_match_is_named(
    tmp_path: Path, finished: tuple[Path, str], field: str, value: Any, message: str
) -> None:
    from bcsearch.runs.manifest import write_manifest

    manifest, _ = read_manifest(finished[0])
    write_manifest(tmp_path, {**manifest, field: value})
    with pytest.raises(RunError, match=message):
        RunDirectory.open(tmp_path, print)


def test_a_run_is_held_by_one_process(tmp_path: Path) -> None:
    run = RunDirectory.create(tmp_path / "run", job(tmp_path), {}, print)
    assert read_status(tmp_path / "run").phase == "running"
    with pytest.raises(RunError, match=r"in use by host .* pid"):
        RunDirectory.open(tmp_path / "run", print)
    run.close("stopped")
    assert read_status(tmp_path / "run").phase == "stopped"
    with pytest.raises(RunError, match="`bcsearch resume` continues it"):
        RunDirectory.create(tmp_path / "run", job(tmp_path), {}, print)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    with pytest.raises(RunError, match="not an empty folder"):
        RunDirectory.create(tmp_path / "full", job(tmp_path), {}, print)


class Failing(LocalExecutor):
    """Threads on which items whose key contains a text fail."""

    def __init__(self, text: str) -> None:
        super().__init__(1)
        self.text = text

    def submit(self, key: str, function: Any, *arguments: Any) -> None:
        super().submit(key, _fail if self.text in key else function, *arguments)


def _fail(*_: object) -> None:
    raise ZeroDivisionError("odd")


def test_an_item_that_fails_is_named_and_the_rest_goes_on(tmp_path: Path, many_items: None) -> None:
    whole, _ = finish(RunDirectory.create(tmp_path / "whole", job(tmp_path), {}, print))
    keys = [r["key"].partition("/")[2] for r in of_kind(records_of(tmp_path / "whole"), "answer")]
    bad = next(key for key in reversed(keys) if key.count("-") >= 1)
    run = RunDirectory.create(tmp_path / "run", job(tmp_path), {}, print)
    with Failing(bad) as executor:
        result = solve_game(parse_game(GAME), Objective(), executor, ledger=run)
    assert not result.exact and list(result.failed) and "ZeroDivisionError: odd" in next(iter(result.failed.values()))
    assert result.tree.summary().secrets == 360
    run.close("incomplete")
    assert read_status(tmp_path / "run").phase == "incomplete" and read_status(tmp_path / "run").failed
    assert finish(RunDirectory.open(tmp_path / "run", print))[0] == whole
    assert not read_status(tmp_path / "run").failed


def test_a_greedy_item_that_fails_spares_the_other_trees(tmp_path: Path) -> None:
    with Failing("minimax/") as executor:
        trees = build_greedy(parse_game(GAME), ["minimax", "entropy"], executor, consistent=False)
        assert next(trees).claims.strategy == "entropy"
        with pytest.raises(ExecutionError, match="work item minimax/root: ZeroDivisionError"):
            next(trees)


def test_items_beyond_their_budget_bring_bounds_and_are_split(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, many_items: None
) -> None:
    monkeypatch.setattr(optimal_run, "ITEM_WORK", 3 * 360)
    monkeypatch.setattr(optimal_run, "SMALL", 10**9)
    run = RunDirectory.create(tmp_path / "run", job(tmp_path), {}, print)
    _, result = finish(run)
    answers = list(of_kind(records_of(tmp_path / "run"), "answer"))
    assert result.value == 1446 and any(not r["finished"] for r in answers)
    assert all(r["value"] <= r["limit"] for r in answers if not r["finished"])


def test_status_reads_nothing_of_a_damaged_state(tmp_path: Path) -> None:
    run = RunDirectory.create(tmp_path / "run", job(tmp_path), {}, print)
    run.state(stage="x", done=3, kept=1, keys=["total-any/0.1"])
    status = read_status(tmp_path / "run")
    assert status.live["stage"] == "x" and status.at_work[0][0] == "total-any/0.1"
    for text in ("", "[]", '{"done": "x"}', json.dumps({"at work": {"a": "b"}})):
        (tmp_path / "run" / "state.json").write_text(text)
        assert read_status(tmp_path / "run").live == {}
    run.close("stopped")


def test_two_jobs_that_want_one_new_folder(tmp_path: Path) -> None:
    """The folder is held before anything is written there: the loser changes nothing."""
    (tmp_path / "run").mkdir()
    lock = directory._take_lock(tmp_path / "run")  # the other process, before it has written anything
    with pytest.raises(RunError, match="in use by host"):
        RunDirectory.create(tmp_path / "run", job(tmp_path), {}, print)
    assert not (tmp_path / "run" / "manifest.json").exists()
    lock.close()
    RunDirectory.create(tmp_path / "run", job(tmp_path), {}, print).close("stopped")


def test_a_later_session_never_knows_less(tmp_path: Path, many_items: None) -> None:
    run = RunDirectory.create(tmp_path / "run", job(tmp_path), {}, print)
    stop = Stop()

    def enough(progress: Any) -> None:
        if progress.done > 60:
            stop.flag[0] = 1

    def session(run: RunDirectory, stop: Stop, report: Any = None) -> Result:
        with LocalExecutor(1) as executor:
            result = solve_game(run.job.game, Objective(), executor, ledger=run, stop=stop, report=report)
        run.close("stopped")
        return result

    optimal_session._TELL_SECONDS, before = 0.0, optimal_session._TELL_SECONDS
    try:
        first = session(run, stop, enough)
    finally:
        optimal_session._TELL_SECONDS = before
    assert not first.exact and first.items > 50
    second = session(RunDirectory.open(tmp_path / "run", print), Stop(np.ones(1, dtype=np.int8)))
    assert second.items == 0 and second.bound == first.bound and second.value == first.value
    kept = read_tree(tmp_path / "run" / "best.tree")
    assert kept.summary.total == first.value


@pytest.mark.parametrize("text", ["[" * 200_000, '{"format": ' + "[" * 200_000, "{}", "null"])
def test_a_manifest_of_nonsense_is_one_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(RunError, match="damaged"):
        read_manifest(tmp_path)


def test_a_run_of_a_word_game_goes_on_without_its_word_file(tmp_path: Path, run: Any) -> None:
    words = tmp_path / "words.txt"
    words.write_text("\n".join(a + b + c for a in "bcdfgm" for b in "aeiou" for c in "lnrt") + "\n")
    folder, out = tmp_path / "run", tmp_path / "words.tree"
    wanted = ["--game", f"words:{words}", "--strategy", "optimal", "--run-dir", folder, "--out", out]
    first = run("build-tree", *wanted, "--executor", "local", "--time-limit", "0.2", "--workers", "1")
    assert first.code == 0, first.err
    words.unlink()
    again = run("resume", folder)
    assert again.code in (0, 1), again.err
    assert run("verify", out).code == 0
    shown = run("status", folder)
    assert "words3x120-" in shown.out and "bal" not in shown.out


@pytest.mark.parametrize("kind", ["another game", "another pool", "another run", "not a tree"])
def test_a_best_tree_that_is_not_of_this_run_is_ignored(kind: str, tmp_path: Path) -> None:
    mine, other = tmp_path / "mine", tmp_path / "other"
    run = RunDirectory.create(mine, job(tmp_path), {}, print)
    with LocalExecutor(1) as executor:
        small = solve_game(parse_game("p2c3r"), Objective(), executor).tree
        tree = solve_game(run.job.game, Objective(), executor).tree
    run.keep_tree(tree)
    assert run.kept_tree() is not None
    facts = {"objective": "average", "total": tree.summary().total}
    if kind == "another game":
        run.keep_tree(small)
    elif kind == "another pool":
        write_tree(mine / "best.tree", tree, Claims("optimal", "consistent", "", "upper", None, facts))
    elif kind == "another run":
        elsewhere = RunDirectory.create(other, replace(job(tmp_path), objective=Objective(max_depth=9)), {}, print)
        elsewhere.keep_tree(tree)
        elsewhere.close("stopped")
        (mine / "best.tree").write_bytes((other / "best.tree").read_bytes())
    else:
        (mine / "best.tree").write_bytes(b"nothing")
    assert run.kept_tree() is None
    run.close("stopped")
