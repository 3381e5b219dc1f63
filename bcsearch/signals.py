"""Stopping in good order: the first Ctrl-C or SIGTERM asks, the second one ends the program at once."""

from __future__ import annotations

import contextlib
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


_SAME_SECONDS = 0.5
_PATIENCE = 5.0


class Stop:
    """Whether somebody asked to stop, and how.

    Attributes
    ----------
    flag
        int8, shape (1,): 1 once a stop is asked; kernels read it while they run.
    signal
        Number of the signal that asked, 0 where none did (time was up, or a caller set the flag).
    """

    def __init__(self, flag: NDArray[np.int8] | None = None) -> None:
        self.flag = np.zeros(1, dtype=np.int8) if flag is None else flag
        self.signal = 0
        self.since = 0.0

    def __bool__(self) -> bool:
        return bool(self.flag[0])

    def ask(self, number: int) -> None:
        """Note a signal."""
        self.since = self.since or time.monotonic()
        self.signal = self.signal or number
        self.flag[0] = 1


@contextlib.contextmanager
def stop_on_signals(stop: Stop) -> Iterator[Stop]:
    """Let the first SIGINT or SIGTERM set `stop` and nothing else: an exception could strike between any two steps.

    The second one raises KeyboardInterrupt, with the number of the signal; one that comes with the first does not count
    (`timeout` sends two at once). Without effect outside the main thread, where no signal arrives. To be
    entered after Ray has started, which sets a handler of its own.
    """
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return

    def asked(number: int, _: object) -> None:
        if stop.signal and time.monotonic() - stop.since > _SAME_SECONDS:
            raise KeyboardInterrupt(number)
        stop.ask(number)

    with _handler(asked):
        yield stop


@contextlib.contextmanager
def end_on_signals(stop: Stop, give_up: Callable[[], object]) -> Iterator[Stop]:
    """Let SIGINT and SIGTERM end a block that asks nobody, with KeyboardInterrupt, and note them in `stop`.

    Where Python is in a place that swallows exceptions, or other code handles the signal, `stop` still knows. Where the
    block does not end within some seconds (the main thread waits in code that is not Python), `give_up` is called, in
    another thread: it is to end the program.
    """
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return

    def asked(number: int, _: object) -> None:
        stop.ask(number)
        raise KeyboardInterrupt(number)

    left = threading.Event()
    here, there = socket.socketpair()

    def watch() -> None:
        number = here.recv(1)
        while number and number[0] not in (signal.SIGINT, signal.SIGTERM):
            number = here.recv(1)
        if number:
            stop.ask(number[0])
            if not left.wait(_PATIENCE):
                give_up()

    with here, there, _handler(asked):
        there.setblocking(False)
        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        before = signal.set_wakeup_fd(there.fileno(), warn_on_full_buffer=False)
        try:
            yield stop
        finally:
            left.set()
            signal.set_wakeup_fd(before)
            there.shutdown(socket.SHUT_RDWR)
            watcher.join()


@contextlib.contextmanager
def _handler(asked: Callable[[int, object], None]) -> Iterator[None]:
    before = {number: signal.signal(number, asked) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
