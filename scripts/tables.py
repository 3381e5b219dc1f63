"""The tables of results in README and docs: computed from the trees in `data`, from trees built anew, and from the
published minima that `scripts/reproduce optimal` proves.

A table stands in a page between ``<!-- table: NAME -->`` and ``<!-- end of table -->``. `update` writes all of them,
`stale` says which differ from what they should be.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import times

from bcsearch.build import build_greedy
from bcsearch.executors import LocalExecutor, available_cpus
from bcsearch.game import ALIASES, parse_game
from bcsearch.store import read_tree
from bcsearch.strategies import STRATEGIES
from bcsearch.tree import Tree
from bcsearch.verify import verify

ROOT = Path(__file__).parent.parent
PAGES = (ROOT / "README.md", ROOT / "docs/results.md")
ORACLE = ROOT / "tests/oracles/optimal.txt"
OURS = ROOT / "scripts/minima.txt"

GREEDY_GAMES = ("p3c10n", "p4c6r", "p4c10n-nz", "p4c10n", "p5c8r")
KNOWN_GAMES = ("p4c10n", "p4c6r", "p5c8r")
# (job in times.txt, what, ((program, its time), ...)): times that authors give, or that were measured for this project
OTHER_PROGRAMS = (
    ("p4c10n greedy", "p4c10n greedy tree, whole process", (("mmstrat (C++, SSE, 2012)", "0.08 to 0.16 s"),)),
    ("p4c10n optimal", "p4c10n optimal average", (("mmstrat, one thread", "262 to 371 s"),)),
    ("p4c7r optimal", "p4c7r optimal average",
     (("a C program of 2023, same machine", "more than 580 s (its author: 150 s)"),)),
    ("p5c8r greedy", "p5c8r entropy tree", (("mmstrat", "9.8 s"),)),
    ("", "p5c8r greedy tree", (("a GPU program, RTX 4090", "0.018 s"),)),
)  # fmt: skip
LARGE_GAMES = ("p5c8r",)  # building their trees takes longer than a test may

_TABLE = re.compile(r"(<!-- table: (\S+) -->\n).*?(<!-- end of table -->)", re.DOTALL)

Row = tuple[str, ...]


def shipped() -> Iterator[Row]:
    """Each tree that comes with the package, after the checker has replayed it."""
    yield ("tree", "total:depth:worst", "average", "distribution", "bound")
    for path in sorted((ROOT / "data").glob("*.tree")):
        stored = read_tree(path)
        problems = verify(stored).problems
        if problems:
            raise SystemExit(f"{path}: {problems[0]}")
        bound = "proven minimal" if stored.claims.bound == "exact" else "upper bound"
        objective = stored.claims.objective.get("objective")
        yield (path.stem, *_figures(stored.tree), f"{bound} ({objective})" if objective else bound)


def greedy() -> Iterator[Row]:
    """Greedy trees, built anew."""
    yield ("game", "strategy", "total:depth:worst", "average", "distribution")
    for game in GREEDY_GAMES:
        for name, tree in greedy_trees(game):
            yield (game, name, *_figures(tree))


def proven() -> Iterator[Row]:
    """The published minima."""
    yield ("game", "guesses", "objective", "minimum", "average")
    for game, pool, objective, value in _minima():
        average = f"{int(value) / parse_game(game).code_count:.4f}" if objective.startswith("average") else ""
        yield (game, pool, objective.replace(",", ", "), value, average)


def ours() -> Iterator[Row]:
    """Minima proven here first."""
    yield ("game", "secrets", "replies", "minimum total", "average")
    for line in OURS.read_text().splitlines():
        if not line.startswith("#"):
            name, _, _, value = line.split()
            game = parse_game(name)
            average = f"{int(value) / game.code_count:.4f}"
            yield (name, str(game.code_count), str(len(game.replies)), value, average)


def games() -> Iterator[Row]:
    """The games that people know, in a line each."""
    yield ("game", "known as", "secrets", "best greedy average", "proven minimal average", "proven minimal worst case")
    minima = {(game, objective): int(value) for game, pool, objective, value in _minima() if pool == "all"}
    for game in KNOWN_GAMES:
        alias = next(alias for alias, rules in ALIASES.items() if rules == game)
        name, tree = min(greedy_trees(game), key=lambda found: found[1].summary().total)
        total, secrets = minima.get((game, "average")), parse_game(game).code_count
        best = f"{total / secrets:.4f} ({total})" if total else "not known"
        summary = tree.summary()
        yield (game, alias, str(secrets), f"{summary.average:.4f} ({name})", best,
               str(minima.get((game, "worst-case"), "not known")))  # fmt: skip


def programs() -> Iterator[Row]:
    """Other programs, and beside each what `scripts/reproduce times` has measured of this one."""
    yield ("program", "what", "time")
    for job, what, others in OTHER_PROGRAMS:
        yield from ((name, what, taken) for name, taken in others)
        for (measured, threads), (whole, building) in times.recorded().items():
            if measured == job:
                part = f", of which {_seconds(building)} is building" if job.endswith("greedy") else ""
                yield (f"bcsearch, {times.THREADS[threads]}", f"the same{part}", _seconds(whole))


def _seconds(number: float) -> str:
    return f"{number:.0f} s" if number >= 10 else f"{number:.2g} s"


TABLES: dict[str, Callable[[], Iterator[Row]]] = {
    table.__name__: table for table in (shipped, greedy, proven, ours, games, programs)
}


@cache
def greedy_trees(game: str) -> tuple[tuple[str, Tree], ...]:
    """All greedy strategies of a game, by name."""
    with LocalExecutor(available_cpus()) as executor:
        built = {
            b.claims.strategy: b.tree
            for b in build_greedy(parse_game(game), list(STRATEGIES), executor, consistent=False)
        }
    return tuple((name, built[name]) for name in STRATEGIES)


def _figures(tree: Tree) -> Row:
    summary = tree.summary()
    return str(summary), f"{summary.average:.4f}", ",".join(map(str, tree.distribution()))


def _minima() -> Iterator[list[str]]:
    for line in ORACLE.read_text().splitlines():
        if line and not line.startswith("#"):
            yield line.split()


def text_of(rows: Iterator[Row]) -> str:
    """A table in Markdown."""
    heading, *body = rows
    lines = [heading, tuple("---" for _ in heading), *body]
    return "".join(f"| {' | '.join(row)} |\n" for row in lines)


def update(page: Path) -> str:
    """A page's text with all its tables as they should be."""

    def table(match: re.Match[str]) -> str:
        return match[1] + text_of(TABLES[match[2]]()) + match[3]

    return _TABLE.sub(table, page.read_text())


def tables(arguments: list[str]) -> bool:
    """Write all tables; with --check only say which pages are stale. False if any is."""
    good = True
    for page in PAGES:
        text = update(page)
        if text != page.read_text():
            if "--check" in arguments:
                good = False
                print(f"{page.relative_to(ROOT)}: stale tables; run scripts/reproduce tables")
            else:
                page.write_text(text)
                print(f"{page.relative_to(ROOT)}: written")
    if good and "--check" in arguments:
        print("all tables are as computed")
    return good
