"""``bcsearch analyze``: how a guess splits the candidates."""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING

import click

from bcsearch.cli.dashes import HistoryCommand
from bcsearch.cli.params import game_option, history_option, json_option, notation_option
from bcsearch.plurals import counted

if TYPE_CHECKING:
    from bcsearch.assist import Split
    from bcsearch.game import Game

_MOST_LISTED = 20


@click.command("analyze", cls=HistoryCommand)
@click.argument("guess")
@game_option
@history_option
@notation_option
@json_option
def command(guess: str, game: Game, history: tuple[str, ...], notation: str, as_json: bool) -> None:
    """Show how GUESS splits the candidates that are left after a history.

    \b
    Examples:
      bcsearch analyze 0123
      bcsearch analyze 1213 --game p4c6r --history '1122 0A3B'
    """
    from bcsearch.assist import candidates_after, split_by
    from bcsearch.cli.output import print_json
    from bcsearch.contradictions import explain, find_contradiction
    from bcsearch.errors import BcsearchError
    from bcsearch.notation import format_code, format_reply, format_secret, parse_code, parse_history
    from bcsearch.report import split_record

    rows = parse_history(game, history, notation)
    asked = parse_code(game, guess)
    candidates = candidates_after(game, rows)
    found = find_contradiction(game, rows)
    if found is not None:
        raise BcsearchError(explain(game, rows, found)[0] + "; 'bcsearch assist' says which rows may be wrong")
    split = split_by(game, asked, candidates)
    names = [format_secret(game, int(s)) for s in candidates]
    if as_json:
        record = split_record(game, asked, split)
        replies = {format_reply(game, r): size for r, size in enumerate(split.sizes)}
        print_json({"game": game.name, "candidates": names, "replies": replies, **record})
        return
    listed = f": {' '.join(names)}" if len(names) <= _MOST_LISTED else ""
    click.echo(f"{counted(len(names), 'candidate')} left{listed}\n")
    _print_split(game, format_code(game, asked), split)


def _print_split(game: Game, guess: str, split: Split) -> None:
    from bcsearch.cli.output import print_table
    from bcsearch.notation import format_reply

    n = split.candidates
    rows = [
        [format_reply(game, reply), str(size), f"{100 * size / n:.2f} %"]
        for reply, size in enumerate(split.sizes)
        if size or not game.marks  # of very many replies only those that occur
    ]  # fmt: skip
    print_table([("reply", "left"), ("candidates", "right"), ("share", "right")], rows)
    most = log2(min(n, len(game.replies)))
    click.echo(
        f"\n{guess} {'can' if split.is_candidate else 'cannot'} be the secret\n"
        f"entropy        {split.entropy:.2f} bits of {log2(n):.2f} (at most {most:.2f} with equal parts)\n"
        f"expected size  {split.expected_size:.2f} candidates\n"
        f"largest part   {split.largest}\n"
        f"parts          {split.parts}"
    )
