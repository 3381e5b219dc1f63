"""Signals that come while other code has the main thread."""

import signal
import subprocess
import sys
import time

import pytest

_BLOCK = """
import ctypes, os, signal, sys, threading
from bcsearch import signals
signals._PATIENCE = 0.5
stop = signals.Stop()

def give_up():
    print("gave up", stop.signal, flush=True)
    os._exit(7)

def here():
    print("blocked", flush=True)
    HOW

try:
    with signals.end_on_signals(stop, give_up):
        here()
except KeyboardInterrupt as error:
    print("interrupted", error.args[0], stop.signal, bool(stop))
"""
_IN_PYTHON = "threading.Event().wait(30)"
_OUTSIDE = (
    "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT, signal.SIGTERM]); "
    "[ctypes.CDLL(None).sleep(30) for _ in range(2)]"
)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(("how", "said"), [(_IN_PYTHON, "interrupted {0} {0} True"), (_OUTSIDE, "gave up {0}")])
def test_a_block_that_asks_nobody_is_ended(number: signal.Signals, how: str, said: str) -> None:
    command = [sys.executable, "-c", _BLOCK.replace("HOW", how)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "blocked\n"
        time.sleep(0.3)
        start = time.monotonic()
        process.send_signal(number)
        assert process.stdout.read().strip() == said.format(int(number))
    assert time.monotonic() - start < 10
