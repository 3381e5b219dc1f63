"""Results to stdout, as tables or JSON; progress to stderr, live on a terminal and sparse elsewhere."""

from __future__ import annotations

import contextlib
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import click

_SPARSE_SECONDS = 10.0


def say(text: str) -> None:
    """Tell the user something that is not a result."""
    click.echo(text, err=True)


def print_json(document: Any) -> None:
    """Print a result as one JSON document."""
    click.echo(json.dumps(document, indent=2, ensure_ascii=False))


def print_table(columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[str]]) -> None:
    """Print a table; each column is (heading, "left" or "right"). Never cut: a pipe gets all of it."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for heading, side in columns:
        table.add_column(heading, justify="right" if side == "right" else "left", no_wrap=not sys.stdout.isatty())
    for row in rows:
        table.add_row(*row)
    width = None if sys.stdout.isatty() else 10_000
    Console(width=width, highlight=False).print(table)


@contextlib.contextmanager
def progress_bars(names: Sequence[str], total: int) -> Iterator[Callable[[str, int, int], None]]:
    """Show how many of `total` units each of `names` has finished, with rate and time left.

    Yields a function (name, finished, total) to call whenever something has finished.
    """
    if not sys.stderr.isatty():
        yield _sparse_lines(names)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"),
               TimeRemainingColumn())  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        tasks = {name: bars.add_task(name, total=total, rate="") for name in names}

        def update(name: str, finished: int, _: int) -> None:
            speed = bars.tasks[tasks[name]].speed
            bars.update(tasks[name], completed=finished, rate=f"{speed:,.0f}/s" if speed else "")

        yield update


def _sparse_lines(names: Sequence[str]) -> Callable[[str, int, int], None]:
    """A plain line now and then, not before some time has passed."""
    start = last = time.monotonic()
    state = dict.fromkeys(names, 0)

    def update(name: str, finished: int, total: int) -> None:
        nonlocal last
        state[name] = finished
        now = time.monotonic()
        if now - last < _SPARSE_SECONDS:
            return
        last = now
        done, everything = sum(state.values()), total * len(state)
        rate = done / (now - start)
        left = f"about {(everything - done) / rate:.0f} s left" if rate else "time left unknown"
        say(f"{now - start:.0f} s: {done} of {everything} secrets placed, {rate:,.0f}/s, {left}")

    return update


@contextlib.contextmanager
def proof_progress() -> Iterator[Callable[[str, int, int], None]]:
    """Show how a proof goes: what is being proven, subproblems done and under way, and the rate.

    Yields a function (what, done, under way).
    """
    start = last = time.monotonic()
    live = sys.stderr.isatty()

    def update(what: str, done: int, out: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < (0.2 if live else _SPARSE_SECONDS):
            return
        last = now
        rate = done / (now - start)
        text = f"{now - start:.0f} s: proving {what}: {done} subproblems done, {out} under way, {rate:.0f}/s"
        click.echo(f"\r\033[K{text}" if live else text, err=True, nl=not live)

    yield update
    if live:
        click.echo("\r\033[K", err=True, nl=False)
