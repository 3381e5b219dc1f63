"""Memory that processes share: the same words for one name, gone with the last that has it, never in the way."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from bcsearch.optimal import shared
from bcsearch.optimal.shared import shared_words

_OTHER = """
import sys
from bcsearch.optimal.shared import shared_words
words = shared_words(sys.argv[1], 1000)
print(words[7])
words[8] = 2**64 - 1
"""

linux = pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="Linux only")


def other(name: str) -> str:
    done = subprocess.run([sys.executable, "-c", _OTHER, name], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture(autouse=True)
def closed_afterwards():
    yield
    shared_words("nothing", 1)


@linux
def test_another_process_sees_the_same_words():
    words = shared_words("test-one", 1000)
    assert words.dtype == np.uint64 and words.shape == (1000,) and not words.any()
    words[7] = 2**63 + 5
    assert other("test-one") == str(2**63 + 5)
    assert words[8] == 2**64 - 1
    assert other("test-other") == "0"


@linux
def test_what_the_last_process_leaves_is_gone():
    assert other("test-gone") == "0"
    assert not shared_words("test-gone", 1000).any()


@linux
def test_one_array_at_a_time():
    first = shared_words("test-first", 10)
    first[0] = 1
    before = len(os.listdir("/proc/self/fd"))
    for number in range(5):
        shared_words(f"test-{number}", 10)
    assert len(os.listdir("/proc/self/fd")) <= before + 1
    assert first[0] == 1  # who still has it may go on with it


def test_without_it_every_process_has_its_own(monkeypatch):
    def refused(*_: object) -> int:
        raise PermissionError("no")

    monkeypatch.setattr(shared, "_find", refused)
    words = shared_words("test-own", 100)
    words[3] = 1
    assert not shared_words("test-own", 100).any()


def test_names_leave_nothing_in_folders(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    shared_words("test-folder", 10)
    assert list(tmp_path.iterdir()) == []
    shm = Path("/dev/shm")
    assert not shm.exists() or not [file for file in shm.iterdir() if "bcsearch" in file.name]
