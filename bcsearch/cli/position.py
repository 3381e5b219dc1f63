"""A position on the screen: rows, candidates, best guesses, reasons."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from math import floor, log10
from typing import TYPE_CHECKING

import click

from bcsearch.cli.console import wrapped
from bcsearch.plurals import counted

if TYPE_CHECKING:
    from bcsearch.advice import Advice, Position
    from bcsearch.game import Game
    from bcsearch.session import Row

_MOST_LISTED = 60
_MOST_LIKELY = 5
_SMALL = 0.0001  # shares below are shown with more decimals


def print_position(at: Position, rows: Sequence[Row], tree_name: str = "") -> None:
    """Print rows, candidates and the best guesses with the reason for the first."""
    from bcsearch.notation import format_code
    from bcsearch.reasons import why

    print_rows(at.game, rows, "left", [str(n) for n in at.left])
    if at.won:
        guesses = 1 + next(i for i, (_, reply) in enumerate(at.history) if reply == at.game.win)
        click.echo(f"Found: {candidates_text(at)[-1]}, with {counted(guesses, 'guess')}.")
        return
    print_candidates(at)
    if not at.best:
        return
    print_advice(at.game, at.best)
    ranked = len(at.ranking.guesses) if at.ranking else 0
    source = {
        "tree": f"from the tree {tree_name}",
        "exact": "proven: no guess needs fewer on average",
        "ranking": f"first of {counted(ranked, 'guess')} ranked; too many candidates for a proof",
    }[at.source]
    click.echo(f"\nAsk {format_code(at.game, at.best[0].guess)} ({source}).")
    click.echo(wrapped(f"{why(at, at.best[0])}.", sys.stdout))


def print_rows(game: Game, rows: Sequence[Row], heading: str, after: Sequence[str]) -> None:
    """The rows with what was read and what was known after each that counts; ignored ones say so."""
    from bcsearch.cli.output import print_table
    from bcsearch.notation import describe_reply, format_code, format_reply

    if not rows:
        return
    counted = iter(after)
    table = [
        [
            str(number),
            format_code(game, row.guess),
            format_reply(game, row.reply),
            describe_reply(game, row.reply),
            "ignored" if row.ignored else next(counted),
        ]
        for number, row in enumerate(rows, 1)
    ]
    names = [("row", "right"), ("guess", "left"), ("reply", "left"), ("read as", "left"), (heading, "right")]
    print_table(names, table)
    click.echo()


def candidates_text(at: Position) -> list[str]:
    """All candidates as text."""
    from bcsearch.notation import format_secret

    return [format_secret(at.game, int(secret)) for secret in at.candidates]


def percent(share: float) -> str:
    """A share of 1 as a percentage: with two decimals, or with as many as show two figures of a small one."""
    decimals = 2 if not 0 < share < _SMALL else 1 - floor(log10(100 * share))
    return f"{100 * share:.{decimals}f} %"


def left_text(game: Game, history: tuple[tuple[int, int], ...], lie_prob: float = 0.0) -> str:
    """What can still be: the candidates, or, where replies may be wrong, the likeliest of them."""
    from bcsearch.advice import Adviser
    from bcsearch.notation import format_secret

    if lie_prob:
        from bcsearch.bayes import posterior_after
        from bcsearch.hosts import Scorer

        belief = posterior_after(Scorer(game), lie_prob, history)
        p = belief.probabilities
        likely = sorted(range(len(p)), key=lambda i: (-p[i], i))[:_MOST_LIKELY]
        names = ", ".join(f"{format_secret(game, int(belief.secrets[i]))} {percent(p[i])}" for i in likely)
        bits = f"{belief.entropy:.2f} bits missing, as of {belief.effective:.1f} candidates"
        return f"{bits}; likeliest: {names}"
    at = Adviser(game).position(history)
    n = len(at.candidates)
    names = f": {' '.join(candidates_text(at))}" if n <= _MOST_LISTED else ""
    return f"{counted(n, 'candidate')} left{names}"


def print_candidates(at: Position, everything: bool = False) -> None:
    """How many candidates are left, and which, when they are few."""
    n = len(at.candidates)
    names = f": {' '.join(candidates_text(at))}" if everything or n <= _MOST_LISTED else ""
    click.echo(wrapped(f"{counted(n, 'candidate')} left{names}", sys.stdout))


def print_advice(game: Game, best: Sequence[Advice]) -> None:
    """The best guesses in a table; unknown costs are left empty."""
    from bcsearch.cli.output import print_table
    from bcsearch.notation import format_code

    rows = []
    for advice in best:
        split, cost = advice.split, advice.cost
        bound = "" if cost is None or cost.proven else "<= "
        rows.append(
            [
                format_code(game, advice.guess),
                "yes" if split.is_candidate else "no",
                str(split.parts),
                str(split.largest),
                f"{split.expected_size:.2f}",
                f"{split.entropy:.2f}",
                f"{bound}{advice.average:.3f}" if cost else "?",
                f"{bound}{cost.worst}" if cost else "?",
            ]
        )
    click.echo()
    names = ("candidate", "parts", "largest", "expected", "bits", "average", "worst")
    print_table([("guess", "left"), *((name, "right") for name in names)], rows)
