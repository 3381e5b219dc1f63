"""Results to stdout, as tables or JSON; progress to stderr, live on a terminal and sparse elsewhere."""

from __future__ import annotations

import contextlib
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import click

from bcsearch.plurals import counted

_SPARSE_SECONDS = 10.0
_BETWEEN = 3  # columns between two cells of a table


def say(text: str) -> None:
    """Tell the user something that is not a result."""
    click.echo(text, err=True)


def print_json(document: Any) -> None:
    """Print a result as one JSON document."""
    click.echo(json.dumps(document, indent=2, ensure_ascii=False))


def print_table(columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[str]]) -> None:
    """Print a table; each column is (heading, "left" or "right").

    Nothing is ever cut: a pipe gets whole lines, and where a terminal is too narrow each row becomes a block, with a
    line for each column.
    """
    from rich.box import SIMPLE_HEAD
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(width=None if sys.stdout.isatty() else 10_000, highlight=False)
    wide = [max(cell_len(cell) for cell in (heading, *(row[at] for row in rows)))
            for at, (heading, _) in enumerate(columns)]  # fmt: skip
    if sum(wide) + _BETWEEN * (len(wide) - 1) > console.width:
        _print_blocks([heading for heading, _ in columns], rows)
        return
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for heading, side in columns:
        table.add_column(Text(heading), justify="right" if side == "right" else "left", no_wrap=True)
    for row in rows:
        table.add_row(*map(Text, row))  # as they are: brackets in a file's name are no markup
    console.print(table)


def _print_blocks(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A line for each cell, rows apart; lines longer than the terminal are its own to fold."""
    longest = max(map(len, headings))
    for number, row in enumerate(rows):
        if number:
            click.echo()
        for heading, cell in zip(headings, row, strict=True):
            click.echo(f"{heading:<{longest}}   {cell}".rstrip())


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
        say(f"{now - start:.0f} s: {done} of {counted(everything, 'secret')} placed, {rate:,.0f}/s, {left}")

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
        text = f"{now - start:.0f} s: proving {what}: {counted(done, 'subproblem')} done, {out} under way, {rate:.0f}/s"
        click.echo(f"\r\033[K{text}" if live else text, err=True, nl=not live)

    yield update
    if live:
        click.echo("\r\033[K", err=True, nl=False)
