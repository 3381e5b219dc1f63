"""Runs what README and docs show that takes long or needs a cluster, and compares it with what is shown.

    scripts/reproduce transcripts [TEXT ...]     only blocks with a TEXT in their place (docs/runs.md) or contents

The commands are run as they are shown, in a copy of the checkout that is thrown away, the blocks of a page in order,
but

- `scripts/` is the checkout's own, and `ray start` takes a free port and only the loopback address, and stays in the
  foreground, so that it can be ended without `ray stop`, which would end other people's clusters too;
- the addresses shown are those of that cluster;
- searches that take half an hour are stopped with Ctrl-C, where ``^C`` is shown, or after `_LONG` seconds.

What differs from run to run (seconds, rates, sizes, where a stopped search stands) may differ from what is shown.
"""

from __future__ import annotations

import os
import queue
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from documents import ROOT, SECONDS, Block, Step, blocks, not_run, of_transcripts, outputs, pattern, plain, steps

DIFFERS = (
    SECONDS,
    r"(?<= )\d+\.\d\d(?=\n|\Z)",  # the column of seconds
    r"[\d.,]+ (?:k|M|G)B\b",
    r"[\d,]+ scans/s",
    r"best \d+, proven \d+",
    r"subproblems done \d+, open at the top \d+",
    r"total \d+, proven at least \d+, gap \d+",
    r"\d+ work items",
    r"\btotal-any\S*",
    r"\d+ of 40 subproblems re-proved \(the largest has \d+ candidates\), \d+ not settled",
    r"raysubmit_\w+",
    r"(?:threads|workers): \d+",
)
LEFT_OUT = {
    "scripts/test": "left to .ci/run",
    "bcsearch audit runs/p4c11n --sample 100": "needs the run of half an hour as a whole; that of p4c10n is audited",
}
STOPPED = 130  # exit code after Ctrl-C
_LONG = {"bcsearch build-tree --game p4c11n": 15.0, "bcsearch resume runs/p4c11n": 10.0}
_PATIENCE = 600.0  # seconds without a line of output
_NOT_COPIED = {".git", ".venv", "trees", "runs", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis"}
_LOG_PREFIX = r"^\d{4}-\d\d-\d\d [\d:,]+\t[A-Z]+ \w+\.py:\d+ -- "  # of Ray where it does not write to a terminal
_ADDRESSES = (r"10\.0\.0\.5:6379", r"127\.0\.0\.1:6379")
_DASHBOARD = r"10\.0\.0\.5:8265"


def transcripts(arguments: list[str]) -> bool:
    """Run all, or those that contain one of `arguments`; False if one prints something else."""
    wanted = [
        block
        for block in of_transcripts()
        if not arguments or any(text in f"{block}\n{block.text}" for text in arguments)
    ]
    good = True
    for page, group in groupby(wanted, lambda block: block.page):
        with tempfile.TemporaryDirectory(prefix="bcsearch-transcripts-") as name, Place(Path(name)) as place:
            shown = outputs(blocks(page))
            for block in group:
                start = time.monotonic()
                problem = _run_block(block, shown.get(block), place)
                good &= not problem
                verdict = f"DIFFERS\n{problem}" if problem else "as shown"
                print(f"{block}: {verdict}  {time.monotonic() - start:.0f} s", flush=True)
    for block in not_run():
        print(f"{block}: not run: {block.who}")
    return good


def _run_block(block: Block, output: Block | None, place: Place) -> str:
    """What is wrong, or nothing."""
    printed = ""
    for step in steps(block):
        command = " ".join(step.words)
        if command in LEFT_OUT:
            print(f"{block}: {command}: {LEFT_OUT[command]}")
            continue
        if step.words[:2] == ["ray", "start"]:
            place.start_node(step.words)
            continue
        code, text = place.run(step)
        printed += text
        stopped = step.before is not None or _seconds_allowed(step) is not None
        if code != (STOPPED if stopped else 0):
            return f"$ {step.command}\nends with exit code {code}\n{text}"
        if step.shown and not _same(step.shown, text):
            return f"$ {step.command}\nprints\n{text}"
    if output is not None and not _same(("...", *output.text.splitlines(), "..."), printed):
        return f"the block prints\n{printed}"
    return ""


def _same(shown: tuple[str, ...], printed: str) -> bool:
    return re.fullmatch(pattern(shown, DIFFERS, spaced=False), plain(printed, spaced=False)) is not None


def _seconds_allowed(step: Step) -> float | None:
    return next((seconds for start, seconds in _LONG.items() if step.command.startswith(start)), None)


@dataclass
class Place:
    """A folder to run commands in, a copy of the checkout for jobs, and the nodes started there. A context manager.

    Other commands do not run in the copy: workers would take the package from there, and compile it anew.
    """

    folder: Path
    cleanup: ExitStack = field(default_factory=ExitStack)
    port: int = 0
    dashboard: int = 0

    @property
    def checkout(self) -> Path:
        return self.folder / "bcsearch"

    @property
    def elsewhere(self) -> Path:
        return self.folder / "elsewhere"

    def __enter__(self) -> Place:
        shutil.copytree(ROOT, self.checkout, ignore=lambda folder, _: _NOT_COPIED if Path(folder) == ROOT else ())
        self.elsewhere.mkdir()
        return self

    def __exit__(self, *_: object) -> None:
        self.cleanup.close()

    def environment(self) -> dict[str, str]:
        """Commands find this checkout's installation, print as they go, and know of no cluster."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
        path = os.pathsep.join([str(Path(sys.executable).parent), kept.get("PATH", "")])
        return {**kept, "PATH": path, "PYTHONUNBUFFERED": "1", "RAY_AUTH_MODE": "disabled",
                "RAY_USAGE_STATS_ENABLED": "0"}  # fmt: skip

    def here(self, command: str) -> str:
        """A command as it is to be run here."""
        command = re.sub(r"(?<![\w/])scripts/(?=bcsearch|reproduce)", f"{ROOT}/scripts/", command)
        for address in _ADDRESSES:
            command = re.sub(address, f"127.0.0.1:{self.port}", command)
        command = re.sub(_DASHBOARD, f"127.0.0.1:{self.dashboard}", command)
        return command.replace("/tmp/trees", f"{self.folder}/trees")

    def as_shown(self, text: str) -> str:
        """What it prints, as on a terminal, and with the places that are shown."""
        text = re.sub(r"\x1b\[\d*m", "", re.sub(_LOG_PREFIX, "", text, flags=re.MULTILINE))
        text = text.replace(f"127.0.0.1:{self.port}", "127.0.0.1:6379") if self.port else text
        return text.replace(f"{self.folder}/trees", "/tmp/trees")

    def run(self, step: Step) -> tuple[int, str]:
        """Run a command, as far as a ^C, if one is shown: (exit code, what it prints)."""
        if not self.port and any(re.search(place, step.command) for place in (*_ADDRESSES, _DASHBOARD)):
            self.start_node(["ray", "start", "--head", "--disable-usage-stats"])  # its block was not asked for
        process = subprocess.Popen(
            ["bash", "-c", f"exec {self.here(step.command.split(' #')[0])}"],
            cwd=self.checkout if step.words[:2] == ["ray", "job"] else self.elsewhere,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        allowed = _seconds_allowed(step)
        timer = threading.Timer(allowed or 0, process.send_signal, [signal.SIGINT])
        if allowed is not None:
            timer.start()
        text = ""
        try:
            for line in _lines(process):
                text += line
                if step.before is not None and _same(step.shown[: step.before], text):
                    process.send_signal(signal.SIGINT)
            return process.wait(_PATIENCE), self.as_shown(text)
        finally:
            timer.cancel()
            process.kill()  # nothing where it has ended

    def start_node(self, words: list[str]) -> None:
        """Start a node with `ray start`; the head stays until the end."""
        options = [word for word in words[2:] if not word.startswith(("--port", "--address"))]
        if "--head" in options:
            self.port, self.dashboard, agent, client = _free_ports(4)
            options += [f"--port={self.port}", f"--dashboard-port={self.dashboard}", f"--temp-dir={self.folder}/ray",
                        f"--dashboard-agent-listen-port={agent}", f"--ray-client-server-port={client}"]  # fmt: skip
        else:
            options += [f"--address=127.0.0.1:{self.port}", f"--dashboard-agent-listen-port={_free_ports(1)[0]}"]
        log = self.cleanup.enter_context((self.folder / "ray.log").open("a"))
        process = subprocess.Popen(
            ["ray", "start", *options, "--block", "--node-ip-address=127.0.0.1", "--object-store-memory=300000000"],
            cwd=self.elsewhere, env=self.environment(), stdout=log, stderr=log,
        )  # fmt: skip
        head = "--head" in options
        self.cleanup.callback(_end, process)
        deadline = time.monotonic() + 60
        while (self.folder / "ray.log").read_text().count("Ray runtime started") < self._started + 1:
            if process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"ray start: {(self.folder / 'ray.log').read_text()}")
            time.sleep(0.2)
        self._started += 1
        if not head:
            _end(process)  # it could join; two nodes on one machine would share, and clear away, the files of jobs

    _started: int = 0


def _lines(process: subprocess.Popen[str]) -> Iterator[str]:
    """What a process prints, line by line; it is ended when it prints nothing for too long."""
    lines: queue.Queue[str] = queue.Queue()

    def read() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            lines.put(line)
        lines.put("")

    threading.Thread(target=read, daemon=True).start()
    try:
        while line := lines.get(timeout=_PATIENCE):
            yield line
    except queue.Empty:
        yield f"(nothing for {_PATIENCE:.0f} s: ended)\n"
        process.kill()


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a `ray start --block`, which ends what it has started."""
    process.terminate()
    try:
        process.wait(30)
    except subprocess.TimeoutExpired:
        process.kill()


def _free_ports(count: int) -> list[int]:
    """Ports that nobody listens at, above those that Ray's workers use."""
    found: list[int] = []
    for port in range(20000 + os.getpid() % 9000, 30000):
        with socket.socket() as trial:
            if trial.connect_ex(("127.0.0.1", port)):
                found.append(port)
        if len(found) == count:
            return found
    raise SystemExit("no free ports between 20000 and 29999")
