""".ci/chromium, which .ci/run calls: what it does where Chromium is missing.

Nothing is installed: apt-get, sudo and id are small programs written here.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from browser import NAMES

ROOT = Path(__file__).parent.parent
SCRIPT = ROOT / ".ci/chromium"


class Machine:
    """A PATH without Chromium: a few real programs, and others that write down how they were called."""

    def __init__(self, folder: Path) -> None:
        self.bin, self.log = folder / "bin", folder / "log"
        self.bin.mkdir()
        self.log.touch()
        for name in ("bash", "env", "cat", "chmod"):
            (self.bin / name).symlink_to(str(shutil.which(name)))

    def has(self, name: str, does: str = "") -> None:
        program = self.bin / name
        program.write_text(f'#!{shutil.which("bash")}\necho "{name} $*" >>"{self.log}"\n{does}\n')
        program.chmod(0o755)

    def user(self, number: int) -> None:
        self.has("id", f"echo {number}")

    def run(self) -> tuple[int, str, list[str]]:
        """Exit code, stderr, and the calls (but those of id)."""
        done = subprocess.run([SCRIPT], env={"PATH": str(self.bin)}, capture_output=True, text=True, check=False)
        assert done.stdout == ""
        return done.returncode, done.stderr, [c for c in self.log.read_text().splitlines() if not c.startswith("id ")]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


INSTALLS = ["apt-get update -qq", "apt-get install -y -qq --no-install-recommends chromium"]
MAKES = 'case "$1" in install) echo "#!/bin/sh" >"${0%/*}/chromium"; chmod +x "${0%/*}/chromium";; esac'


def test_root_installs_it(machine: Machine) -> None:
    machine.user(0)
    machine.has("apt-get", MAKES + '\n[ "$DEBIAN_FRONTEND" = noninteractive ]')
    assert machine.run() == (0, "", INSTALLS)
    assert machine.run() == (0, "", INSTALLS)  # and only once


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_done_where_the_tests_find_it(machine: Machine, name: str) -> None:
    machine.user(0)
    machine.has("apt-get")
    machine.has(name)
    assert machine.run() == (0, "", [])


def test_a_sudo_that_asks_nothing_will_do(machine: Machine) -> None:
    machine.user(1000)
    machine.has("apt-get", MAKES)
    machine.has("sudo", 'shift\n[ "$1" = true ] || "$@"')
    code, said, calls = machine.run()
    assert (code, said) == (0, "") and [call for call in calls if call.startswith("apt-get")] == INSTALLS
    assert all("sudo -n" in call for call in calls if call.startswith("sudo"))


@pytest.mark.parametrize("sudo", [True, False])
def test_others_cannot_install_and_are_told(machine: Machine, sudo: bool) -> None:
    machine.user(1000)
    machine.has("apt-get", MAKES)
    if sudo:
        machine.has("sudo", "echo 'sudo: a password is required' >&2; exit 1")
    code, said, calls = machine.run()
    assert code == 0 and not any(call.startswith("apt-get") for call in calls)
    assert said == "Chromium is missing and only root can install it: the tests of the explorer page will be skipped\n"


@pytest.mark.parametrize("fails", ["update", "install"])
def test_a_failing_apt_get_is_told_and_ends_nothing(machine: Machine, fails: str) -> None:
    machine.user(0)
    machine.has("apt-get", f'if [ "$1" = {fails} ]; then echo "E: no network" >&2; exit 100; fi')
    code, said, calls = machine.run()
    assert code == 0 and calls == INSTALLS[: 1 if fails == "update" else 2]
    assert said.splitlines()[0] == "E: no network"
    assert "apt-get could not install it: the tests of the explorer page will be skipped" in said.splitlines()[-1]


def test_without_apt_get_that_is_said(machine: Machine) -> None:
    code, said, _ = machine.run()
    assert code == 0 and "there is no apt-get to install it" in said


def test_ci_run_calls_it_and_the_page_tests_are_then_skipped(machine: Machine) -> None:
    assert re.search(r"^\.ci/chromium$", (ROOT / ".ci/run").read_text(), flags=re.MULTILINE)
    environment = {**os.environ, "PATH": str(machine.bin)}
    command = [sys.executable, "-m", "pytest", "-rs", "-k", "whole_game or keyboard", "tests/formats/test_page.py"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "no Chromium here: install it" in done.stdout and "failed" not in done.stdout
