"""No layer knows which game is played: only `game`, `scoring` and `notation` may, and their callers ask them.

Every module is read: the default game's counts as whole numbers (positions, symbols, replies, secrets, parts of the
first guess), and the same in texts, names and comments, and digits. Where one of these numbers means something else,
`ALLOWED` says what; a place that is not in it is a place to ask the game, or to add with a reason.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import bcsearch
from bcsearch.assist import split_by
from bcsearch.cli import params
from bcsearch.game import DEFAULT_GAME, parse_game

PACKAGE = Path(bcsearch.__file__).parent
KNOWING = {"game.py", "scoring.py", "notation.py"}

# (module, part of the line that holds it): what it is, if not something of the game
ALLOWED = {
    ("bayes.py", "@lru_cache(maxsize=4)"): "games kept",
    ("cli/params.py", 'DEFAULT_GAME = "p4c10n"'): "the default of --game, which --help shows without loading `game`",
    ("cli/params.py", "p4c10r for guesses that may repeat symbols"): "an example in a --help text",
    ("cli/dashes.py", "isdigit()"): "a minus sign before a number begins a reply, not an option",
    ("cli/assist_loop.py", "_MOST_DIGITS"): "of the number of a row, as it is typed",
    ("cli/params.py", "bulls-cows, mastermind, logik"): "names of games in a --help text",
    ("cli/plan.py", "a factor of ten"): "how far estimates may be off",
    ("cli/simulate.py", "_MOST_WORST = 10"): "secrets listed",
    ("ray_executor.py", "_ATTEMPTS = 4"): "tries of a work item",
    ("ray_executor.py", "cpus + cpus // 4"): "work items that wait, for each processor",
    ("clusters.py", "isdigit()"): "the port in an address",
    ("optimal/shared.py", "isdigit()"): "a process number in /proc",
    ("executors.py", "starting a local instance, about 10 s"): "seconds",
    ("executors.py", "takes 5 to 14 s"): "seconds",
    ("clusters.py", "starting an instance up to 14"): "seconds",
    ("formats/nested.py", "4 - lines"): "indentation",
    ("formats/pictures.py", "end - 8"): "pixels",
    ("formats/pictures.py", "x + 10"): "pixels",
    ("formats/pictures.py", 'dx="10"'): "pixels",
    ("formats/pictures.py", 'font-size="13"'): "pixels",
    ("grow.py", "n <= 4 * replies"): "candidates a reply up to which counting bits pays",
    ("information.py", "_LANES = 4"): "sums kept apart",
    ("information.py", "np.arange(4"): "candidates of the warm-up",
    ("information.py", "np.full(4, 0.25)"): "candidates of the warm-up",
    ("memory.py", "count >= 10 or unit"): "two figures of a size",
    ("optimal/extract.py", "TOTAL, True, 4,"): "width: guesses tried a node",
    ("optimal/run.py", "QUICK = (1, 4)"): "widths: guesses tried a node",
    ("optimal/run.py", "_FIRST_OPTIONS = 4"): "first guesses of the quick passes",
    ("optimal/scan.py", "range(0, n, 4)"): "columns that one turn of the loop takes",
    ("optimal/scan.py", "Four columns at a time"): "the same",
    ("optimal/search.py", "TRIED, BEST, PROVEN = "): "places in an array",
    ("optimal/search.py", "if k >= 4"): "guesses left",
    ("optimal/task.py", "first_guesses(game, ()), 4, INFINITE"): "guesses left, in the warm-up",
    ("players.py", "_REMEMBERED = 4"): "guesses after which games rarely meet again",
    ("plot.py", "if count < 4"): "trees in a picture",
    ("runs/journal.py", "eight hex digits"): "of a checksum",
    ("sizes.py", "4 * replies"): "bytes of a child",
    ("store.py", "range(4)"): "columns of a tree file",
    ("store.py", "four columns"): "the same",
}


class Hit(NamedTuple):
    """Something that could be the default game's: where, in which line, and what it is."""

    module: str
    line: str
    what: str


@cache
def counts() -> frozenset[int]:
    """Numbers that belong to the default game."""
    game = parse_game(DEFAULT_GAME)
    sizes = split_by(game, 0, np.arange(len(game.secrets), dtype=np.int32)).sizes
    found = {game.positions, game.symbols, len(game.replies), game.win, len(game.secrets), len(game.secrets) - 1}
    return frozenset(found | {size for size in sizes if size > 2 * len(game.replies)})


def words() -> re.Pattern[str]:
    """Texts that mean the default game, its numbers or digits."""
    numbers = "|".join([*map(str, sorted(counts())), "four", "ten", "thirteen", "fourteen"])
    return re.compile(
        rf"digit|{DEFAULT_GAME[:-1]}|bulls-cows|(?<![\w.,:#-])(?:{numbers})(?![\w.,-]\w|\w)", re.IGNORECASE
    )


def means_something_else(node: ast.Constant, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether a number stands where it cannot be the game's: a width of a shift, a power of ten, decimals."""
    above = parents[node]
    if isinstance(above, ast.BinOp):
        shift = isinstance(above.op, ast.LShift | ast.RShift) and above.right is node
        return shift or (isinstance(above.op, ast.Pow) and above.left is node and node.value == 10)
    return isinstance(above, ast.Call) and isinstance(above.func, ast.Name) and above.func.id == "round"


def hits(module: str, source: str) -> Iterator[Hit]:
    """All places in a module's source, whether they are allowed or not."""
    lines, tree, pattern = source.splitlines(), ast.parse(source), words()
    parents = {below: above for above in ast.walk(tree) for below in ast.iter_child_nodes(above)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and type(node.value) is int:
            if node.value in counts() and not means_something_else(node, parents):
                yield Hit(module, lines[node.lineno - 1], str(node.value))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            texts = [line for line in node.value.splitlines() if not line.strip().startswith("bcsearch ")]
            at = lines[node.lineno - 1] if len(texts) == 1 else ""  # commands in a docstring are examples
            yield from (Hit(module, f"{at} {text}", text) for text in texts if pattern.search(text))
        for name in ("id", "arg", "attr", "name"):
            text = getattr(node, name, None)
            if isinstance(text, str) and re.search(f"digit|{DEFAULT_GAME[:-1]}", text, re.IGNORECASE):
                yield Hit(module, lines[node.lineno - 1], text)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and pattern.search(token.string):
            yield Hit(module, token.line, token.string)


def modules() -> list[str]:
    return sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))


@cache
def found_in(module: str) -> tuple[Hit, ...]:
    return tuple(hits(module, (PACKAGE / module).read_text(encoding="utf-8")))


@pytest.mark.parametrize("module", [name for name in modules() if name not in KNOWING])
def test_a_module_mentions_nothing_of_the_default_game(module: str) -> None:
    reasons = [part for name, part in ALLOWED if name == module]
    for hit in found_in(module):
        assert any(part in hit.line for part in reasons), (
            f"{module}: {hit.what!r} in {hit.line.strip()!r} could be of {DEFAULT_GAME}: "
            "ask the game, or say in ALLOWED what it is"
        )


def test_every_exception_is_still_there() -> None:
    stale = [key for key in ALLOWED if not any(key[1] in hit.line for hit in found_in(key[0]))]
    assert not stale, "no longer needed: remove them"


def test_the_default_of_the_commands_is_that_of_the_games() -> None:
    assert params.DEFAULT_GAME == DEFAULT_GAME


@pytest.mark.parametrize(
    "source",
    [
        "POSITIONS = 4",
        "symbols = range(10)",
        "replies = [0] * 14",
        "def f(secrets: int = 5040) -> None: ...",
        "cells = 5040**2",
        "if reply == 13: pass",
        "half = 1440 // 2",
        "digits = 3",
        "x.is_digit = True",
        "from string import digits",
        "def f(*, digit): ...",
        '"""Codes are made of digits."""',
        'tree = f"p4c10n-{name}"',
        '"""Splits into at most 14 parts."""',
        "def f():\n    '''One of the\n    5040 secrets.'''",
        "n = 3  # one for each of the 10 symbols",
        "n = 3  # the four positions",
    ],
)
def test_what_would_be_found(source: str) -> None:
    assert list(hits("module.py", source))


@pytest.mark.parametrize(
    "source",
    ["n = 1 << 14", "n = x >> 4", "limit = 10**9", "x = round(y, 4)", "x = 4.0", 'f"{x:.4f}"', "n = 40", '"1.4e-11"',
     "'''Examples:\n  bcsearch play --game p4c10n\n'''"],
)  # fmt: skip
def test_what_is_something_else(source: str) -> None:
    assert not list(hits("module.py", source))
