"""The commands a user types: results, JSON, wrong input."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from bcsearch.cli import COMMANDS
from bcsearch.errors import BcsearchError
from bcsearch.store import StoredTree, read_tree
from bcsearch.verify import verify

KEYS = {
    "game", "strategy", "pool", "total", "average", "depth", "worst", "distribution", "bound", "lower_bound", "nodes",
    "executor", "seconds", "file", "sha256",
}  # fmt: skip


def test_build_verify_stats_play(run: Any, tmp_path: Path) -> None:
    built = run("build-tree", "--game", "p3c6n", "--strategy", "entropy", "--strategy", "max-parts", "--strategy",
                "entropy", "--executor", "local", "--out-dir", tmp_path / "t", "--json")  # fmt: skip
    assert built.code == 0
    records = json.loads(built.out)["trees"]
    assert [r["strategy"] for r in records] == ["entropy", "max-parts"]
    assert set(records[0]) == KEYS
    assert records[0]["executor"] == "local" and records[0]["bound"] == "upper" and records[0]["lower_bound"] is None
    path = tmp_path / "t" / "p3c6n-entropy.tree"
    assert records[0]["file"] == str(path)

    checked = run("verify", path, "--json")
    assert checked.code == 0
    verdict = json.loads(checked.out)
    assert verdict["valid"] and verdict["total"] == records[0]["total"]
    assert set(verdict) == {"valid", "problems", "total", "depth", "worst", "distribution"}

    shown = json.loads(run("stats", path, tmp_path / "t" / "p3c6n-max-parts.tree", "--json").out)["trees"]
    assert [r["sha256"] for r in shown] == [r["sha256"] for r in records]

    played = json.loads(run("play", path, "--secret", "205", "--json").out)
    assert played["secret"] == "205" and played["rounds"][-1]["reply"] == "3A0B"


def test_the_batch_prints_one_table(run: Any, tmp_path: Path) -> None:
    outcome = run("build-tree", "--game", "p3c10n", "--out-dir", tmp_path, "--executor", "local")
    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert lines[0].split() == ["strategy", "total", "average", "depth", "worst", "distribution", "seconds"]
    table = {line.split()[0]: line.split()[1:6] for line in lines[2:]}
    assert table["minimax"] == ["3713", "5.1569", "6", "272", "1,4,22,99,322,272"]
    assert table["entropy"] == ["3616", "5.0222", "7", "2", "1,6,28,105,383,195,2"]
    assert table["expected-size"] == ["3647", "5.0653", "6", "215", "1,5,25,99,375,215"]
    assert "executor: local" in outcome.err


def test_verify_fails_with_the_reason(run: Any, bulls_cows: StoredTree, tmp_path: Path) -> None:
    outcome = run("verify", bulls_cows.path, "--max-depth", 7)
    assert outcome.code == 1 and outcome.out == "" and "depth is 8, more than 7" in outcome.err
    (tmp_path / "cut.tree").write_bytes(bulls_cows.path.read_bytes()[:1000])
    outcome = run("verify", tmp_path / "cut.tree", "--json")
    assert outcome.code == 1 and json.loads(outcome.out)["valid"] is False
    assert run("play", tmp_path / "cut.tree").code == 1


def test_analyze_shows_the_published_partition(run: Any) -> None:
    outcome = run("analyze", "0123")
    assert outcome.code == 0
    counts = [int(line.split()[1]) for line in outcome.out.splitlines() if line[1:2] == "A"]
    assert counts == [360, 1440, 1260, 264, 9, 480, 720, 216, 8, 180, 72, 6, 24, 1]
    assert "2.77 bits of 12.30 (at most 3.81" in outcome.out


def test_analyze_with_a_history(run: Any) -> None:
    history = "1234 0A3B, 4321 1A2B, 3241 0A3B, 2341 1A2B, 3412 2A1B, 3456 0A1B"
    document = json.loads(run("analyze", "0312", "--history", history, "--json").out)
    assert document["candidates"] == ["0312", "7312", "8312", "9312"]
    assert document["is_candidate"] and document["parts"] == 2
    assert "4 candidates left: 0312 7312 8312 9312" in run("analyze", "0312", "--history", history).out


def test_contradictory_history_is_said(run: Any) -> None:
    outcome = run("analyze", "0123", "--history", "0123 0A0B, 4567 0A0B")
    assert outcome.code == 1 and "no secret gives all these replies" in outcome.err


def test_play_reads_replies_in_both_notations(run: Any, bulls_cows: StoredTree) -> None:
    outcome = run("play", bulls_cows.path, stdin="1A1B\n2 0\n1A0B\n2,0\n40\n")
    assert outcome.code == 0
    assert "The secret is 0395, found with 5 guesses." in outcome.out


def test_a_batch_whose_proof_fails_still_shows_its_greedy_trees(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise BcsearchError("too large to prove")

    monkeypatch.setattr("bcsearch.cli.carry_out.build_optimal", refuse)
    outcome = run("build-tree", "--game", "p3c5n", "--executor", "local", "--out-dir", tmp_path)
    assert outcome.code == 1 and outcome.err.splitlines()[-1] == "bcsearch: too large to prove"
    assert [line.split()[0] for line in outcome.out.splitlines()[2:]] == ["minimax", "entropy", "expected-size"]


def test_play_without_a_file_plays_optimally(run: Any) -> None:
    outcome = run("play", "--secret", "9876")
    assert outcome.code == 0 and "The secret is 9876" in outcome.out


def test_optimal_trees_from_the_command_line(run: Any, tmp_path: Path) -> None:
    outcome = run("build-tree", "--game", "p3c6r", "--strategy", "optimal", "--out-dir", tmp_path, "--json")
    (record,) = json.loads(outcome.out)["trees"]
    assert (record["total"], record["bound"], record["lower_bound"]) == (854, "exact", 854)
    assert record["file"].endswith("p3c6r-optimal-average.tree")
    assert run("verify", record["file"]).code == 0
    outcome = run("build-tree", "--game", "p3c6r", "--strategy", "optimal", "--max-depth", 3, "--out-dir", tmp_path)
    assert outcome.code == 1 and "no strategy for p3c6r finds every secret within 3 guesses" in outcome.err


def test_play_says_what_is_wrong(run: Any, bulls_cows: StoredTree) -> None:
    outcome = run("play", bulls_cows.path, stdin="0A4B\n0A0B\n")
    assert outcome.code == 2 and "no secret gives all these replies" in outcome.err
    outcome = run("play", bulls_cows.path, stdin="3A1B\n")
    assert outcome.code == 2 and "3 in place, 1 misplaced cannot be" in outcome.err
    outcome = run("play", bulls_cows.path, stdin="1A1B\n")
    assert outcome.code == 1 and "the input ended before the win" in outcome.err


@pytest.mark.parametrize(
    ("arguments", "code", "reason"),
    [
        (["build-tree", "--game", "p4c10"], 2, "rules read"),
        (["build-tree", "--strategy", "best"], 2, "is not one of"),
        (["build-tree", "--workers", "0"], 2, "at least 1"),
        (["build-tree", "--workers", "many"], 2, "a whole number is wanted"),
        (["build-tree", "--out", "x.tree"], 2, "exactly one --strategy"),
        (["build-tree", "--out", "x.tree", "--out-dir", "y", "--strategy", "first"], 2, "exclude each other"),
        (["build-tree", "--strategy", "first", "--out", "."], 2, "is a folder"),
        (["build-tree", "--executor", "ray", "--address", "127.0.0.1:9"], 1, "no Ray cluster answers"),
        (["build-tree", "--executor", "local", "--address", "127.0.0.1:9"], 2, "--address goes with"),
        (["build-tree", "--game", "p9c36n", "--strategy", "first"], 2, "can be numbered"),
        (["build-tree", "--strategy", "first", "--max-depth", "5"], 2, "go with --strategy optimal"),
        (["build-tree", "--strategy", "optimal", "--objective", "win-within"], 2, "needs --within K"),
        (["build-tree", "--strategy", "optimal", "--within", "3"], 2, "needs --within K"),
        (["build-tree", "--strategy", "optimal", "--max-depth", "40"], 2, "1 to 39 is wanted"),
        (["build-tree", "--strategy", "optimal", "--width", "9" * 20], 2, "at most 2147483647"),
        (["build-tree", "--strategy", "first", "--out", "x" * 300], 1, "cannot be written"),
        (["verify"], 2, "Missing argument"),
        (["verify", "nowhere.tree"], 1, "No such file"),
        (["verify", "nowhere.tree", "--max-depth", "x"], 2, "a whole number is wanted"),
        (["stats"], 2, "Missing argument"),
        (["stats", "nowhere.tree"], 1, "No such file"),
        (["play", "nowhere.tree"], 1, "No such file"),
        (["analyze", "1123"], 2, "repeats 1"),
        (["analyze", "01"], 2, "has 2 symbols, 4 wanted"),
        (["analyze", "12x4"], 2, "'x' is no symbol"),
        (["analyze", "0123", "--history", "0123"], 2, "is not a guess and its reply"),
        (["solve"], 2, "No such command"),
        (["build-tree", "--colour"], 2, "No such option"),
    ],
)
def test_wrong_input_gets_one_line(run: Any, arguments: list[str], code: int, reason: str) -> None:
    outcome = run(*arguments)
    assert outcome.code == code
    assert outcome.out == ""
    last = outcome.err.splitlines()[-1]
    assert last.startswith("bcsearch: ") and reason in last
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_has_an_example_and_imports_nothing_heavy(command: str) -> None:
    program = (
        "import sys\nfrom bcsearch.cli import cli\n"
        f"try: cli.main({[command, '--help'] if command else ['--help']!r})\n"
        "except SystemExit: pass\n"
        "heavy = {'ray', 'numba', 'numpy', 'pyarrow', 'rich'} & set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Example" in done.stdout and "bcsearch" in done.stdout


def test_interrupt_stops_within_seconds_and_leaves_no_half_file(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from bcsearch.cli import main; main()", "build-tree", "--game", "p5c8r",
               "--strategy", "entropy", "--executor", "local", "--out", str(tmp_path / "big.tree")]  # fmt: skip
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    start = time.monotonic()
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130 and "interrupted" in err and "Traceback" not in err
    assert time.monotonic() - start < 10
    assert list(tmp_path.iterdir()) == []


def start_cli(*arguments: str, **options: Any) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", "from bcsearch.cli import main; main()", *arguments]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, **options)


@pytest.mark.parametrize("seconds", [3.0, 4.3, 5.9])
def test_interrupting_a_proof_keeps_the_best_tree(tmp_path: Path, seconds: float) -> None:
    path = tmp_path / "best.tree"
    options = ["--strategy", "optimal", "--executor", "local", "--out", str(path)]
    process = start_cli("build-tree", "--game", "p5c6r", *options, cwd=tmp_path)
    assert process.stderr is not None
    while not (tmp_path / "runs/best/best.tree").exists():
        time.sleep(0.1)
        assert process.poll() is None
    time.sleep(seconds - 3)
    process.send_signal(signal.SIGTERM if seconds == 5.9 else signal.SIGINT)
    start = time.monotonic()
    _, err = process.communicate(timeout=60)
    assert time.monotonic() - start < 10 and "Traceback" not in err
    assert process.returncode == (143 if seconds == 5.9 else 130) and ("stopped early" in err or "the tree of" in err)
    assert err.splitlines()[-1].endswith("`bcsearch resume runs/best` goes on")
    stored = read_tree(path)
    assert stored.claims.bound == "upper" and verify(stored).problems == []


def test_one_stop_sent_twice_at_once_is_one_stop(tmp_path: Path) -> None:
    """`timeout` signals its child, and then its whole group: two signals within microseconds."""
    options = ["--game", "p7c9n", "--strategy", "entropy", "--executor", "local", "--run-dir", "run", "--out", "x.tree"]
    process = start_cli("build-tree", *options, cwd=tmp_path)
    assert process.stderr is not None
    while "executor: local" not in process.stderr.readline():
        assert process.poll() is None
    time.sleep(1.0)
    process.send_signal(signal.SIGTERM)
    process.send_signal(signal.SIGTERM)
    start = time.monotonic()
    _, err = process.communicate(timeout=60)
    assert process.returncode == 143 and time.monotonic() - start < 10
    assert err.splitlines()[-1].endswith("`bcsearch resume run` goes on")


@pytest.mark.parametrize("arguments", [["stats"], ["stats", "--json"], ["verify"], ["play", "--secret", "0395"]])
def test_output_that_cannot_be_written_is_one_line(bulls_cows: StoredTree, arguments: list[str]) -> None:
    with open("/dev/full", "w") as full:
        process = start_cli(*arguments, str(bulls_cows.path), stdout=full)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert err.splitlines() == ["bcsearch: output cannot be written (No space left on device)"]
