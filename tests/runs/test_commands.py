"""resume, status, plan and audit as a person types them; drivers killed in the middle."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from bcsearch.runs import journal
from bcsearch.runs.journal import of_kind, read_journal
from bcsearch.runs.manifest import read_manifest
from bcsearch.store import read_tree

BUILD = ("build-tree", "--game", "p4c7r", "--strategy", "optimal", "--executor", "local")


def start_cli(*arguments: object, cwd: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", "from bcsearch.cli import main; main()", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=cwd)


def test_a_driver_killed_again_and_again_builds_the_same_tree(tmp_path: Path, run: Any) -> None:
    assert run(*BUILD, "--out", tmp_path / "plain.tree").code == 0
    chance = random.Random(3)
    process = start_cli(*BUILD, "--run-dir", "run", "--out", "killed.tree", cwd=tmp_path)
    for _ in range(3):
        time.sleep(chance.uniform(1.2, 2.2))
        process.kill()
        process.communicate()
        process = start_cli("resume", "run", cwd=tmp_path)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert read_tree(tmp_path / "killed.tree").sha256 == read_tree(tmp_path / "plain.tree").sha256
    records, _, _ = read_journal(tmp_path / "run" / journal.NAME, read_manifest(tmp_path / "run")[1])
    items = [(record["key"], record.get("limit")) for record in of_kind(records, "answer", "piece")]
    assert len(items) == len(set(items))


def test_status_of_a_live_run_is_quick_and_needs_no_ray(tmp_path: Path) -> None:
    options = ("--game", "p4c9r", "--strategy", "optimal", "--executor", "local", "--run-dir", "run", "--out", "x.tree")
    process = start_cli("build-tree", *options, cwd=tmp_path)
    try:
        while not (tmp_path / "run" / "state.json").exists():
            time.sleep(0.1)
            assert process.poll() is None
        program = (
            "import sys; sys.argv = ['bcsearch', 'status', 'run']\n"
            "from bcsearch.cli import cli; cli.main(standalone_mode=False)\n"
            "heavy = {'ray', 'numba'} & set(sys.modules); sys.exit(f'imported {heavy}' if heavy else 0)"
        )
        done = subprocess.run(
            [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert "running (host" in done.stdout and "proven bound" in done.stdout
    finally:
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=30)
    assert process.returncode == 143 and "`bcsearch resume run` goes on" in err


def test_status_resume_audit_after_the_end(tmp_path: Path, run: Any) -> None:
    folder = tmp_path / "run"
    small = ("build-tree", "--game", "p3c7n", "--executor", "local", "--out-dir", tmp_path, "--run-dir", folder)
    assert run(*small).code == 0
    seen = run("status", folder)
    assert seen.code == 0 and "phase       complete" in seen.out and "go on with" not in seen.out
    record = json.loads(run("status", folder, "--json").out)
    assert record["phase"] == "complete" and record["sessions"] == 1 and record["items"]["done"] > 3
    before = (tmp_path / "p3c7n-optimal-average.tree").read_bytes()
    (tmp_path / "p3c7n-optimal-average.tree").unlink()
    again = run("resume", folder, "--json")
    assert again.code == 0 and json.loads(again.out)["trees"][-1]["work"]["items"] == 0
    assert (tmp_path / "p3c7n-optimal-average.tree").read_bytes() == before
    audited = json.loads(run("audit", folder, "--sample", 5, "--largest", 200, "--json").out)
    assert audited["re-proved"] == audited["taken"] > 0 and audited["refuted"] == []
    assert "re-proved" in run("audit", tmp_path / "p3c7n-optimal-average.tree", "--sample", 3).out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("resume", "nowhere"), 1, "nowhere: not a run directory"),
        (("status", "nowhere"), 1, "nowhere: not a run directory"),
        (("audit", "nowhere"), 1, "nowhere: cannot be read"),
        (("audit", "."), 1, ".: not a run directory"),
        (("resume",), 2, "Missing argument 'DIR'"),
        (("resume", ".", "--workers", "0"), 2, "at least 1"),
        (("audit", "x", "--sample", "0"), 2, "at least 1"),
        (("plan", "--game", "p9c9q"), 2, "p9c9q"),
        (("build-tree", "--run-dir", "file"), 1, "file: not an empty folder"),
    ],
)
def test_wrong_input_is_one_line(
    arguments: tuple[str, ...], code: int, message: str, run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    outcome = run(*arguments)
    assert outcome.code == code and message in outcome.err and len(outcome.err.splitlines()) <= 3


def test_plan_says_what_a_build_would_take(run: Any) -> None:
    plan = json.loads(run("plan", "--game", "p4c11n", "--strategy", "optimal", "--json").out)
    assert (plan["secrets"], plan["matrix bytes"], plan["first guesses"]) == (7920, 7920**2, 1)
    assert plan["executor"] == "ray" and plan["run directory"] and plan["core hours"] > 0
    small = run("plan", "--game", "p3c6n", "--strategy", "entropy")
    assert small.code == 0 and "local (estimated" in small.out and "only with --run-dir" in small.out
    too_large = run("plan", "--game", "p9c10r", "--strategy", "optimal")
    assert too_large.code == 1 and "game p9c10r: the work needs about" in too_large.err


def test_a_long_job_gets_a_run_directory_and_is_not_begun_twice(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("bcsearch.cli.carry_out.DURABLE_SECONDS", 0.0)
    build = ("build-tree", "--game", "p3c6n", "--strategy", "optimal", "--executor", "local")
    assert "run directory: runs/p3c6n-optimal-average" in run(*build).err
    assert "run directory: runs/p3c6n-optimal-average-2" in run(*build).err  # the first one is complete
    text = (tmp_path / "runs/p3c6n-optimal-average-2" / journal.NAME).read_bytes()
    (tmp_path / "runs/p3c6n-optimal-average-2" / journal.NAME).write_bytes(text[: len(text) // 2])
    refused = run(*build)
    assert refused.code == 1 and "`bcsearch resume runs/p3c6n-optimal-average-2` continues it" in refused.err
