"""``bcsearch assist``: what now, in the middle of any game."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from bcsearch.cli.dashes import RowsCommand, rows_given
from bcsearch.cli.params import (
    AtLeast,
    game_option,
    hard_option,
    history_option,
    json_option,
    lie_option,
    notation_option,
    strategy_option,
    tree_option,
)

if TYPE_CHECKING:
    from bcsearch.advice import Adviser
    from bcsearch.cli.noisy import Noise
    from bcsearch.game import Game
    from bcsearch.session import Session


@click.command("assist", cls=RowsCommand, context_settings={"ignore_unknown_options": True})
@click.argument("rows", nargs=-1, metavar="[GUESS REPLY]...")
@game_option
@history_option
@notation_option
@click.option("--file", type=click.Path(path_type=Path, allow_dash=True), help="Read rows from a file, or - for stdin.")
@tree_option
@strategy_option
@hard_option
@click.option("--top", type=AtLeast(1), default=5, show_default=True, help="How many of the best guesses to show.")
@click.option("--guess", metavar="CODE", help="Also explain this guess.")
@lie_option
@click.option("--wrong", type=AtLeast(0), metavar="K", help="Instead: at most K replies of the whole game are wrong.")
@json_option
def command(
    rows: tuple[str, ...], game: Game, history: tuple[str, ...], notation: str, file: Path | None, tree: Path | None,
    strategy: str, hard: bool, top: int, guess: str | None, lie_prob: float | None, wrong: int | None, as_json: bool,
) -> None:  # fmt: skip
    """Say what is still possible after each GUESS and its REPLY, and what to ask next, and why.

    The guesses need not have been advised. Without rows it asks for them, and they can be undone, edited and ignored:
    type 'help' there.

    \b
    Examples:
      bcsearch assist
      bcsearch assist 1234 0A3B 4321 1A2B
      bcsearch assist --game p4c6r '1122 0 3' --guess 1213
      bcsearch assist --notation BC --file game.txt --json
      bcsearch assist --lie-prob 0.05 1234 0A3B 4321 1A2B
      bcsearch assist --game words:words.txt crane GY-G-
    """
    from bcsearch.cli.assist_loop import run_loop
    from bcsearch.cli.noisy import Noise
    from bcsearch.notation import parse_history
    from bcsearch.session import Session

    rows = rows_given(game, rows)
    if hard and (lie_prob is not None or wrong is not None):
        raise click.UsageError("--hard needs true replies: it excludes --lie-prob and --wrong")
    if (lie_prob is not None) + (wrong is not None) + (guess is not None) > 1:
        raise click.UsageError("--lie-prob, --wrong and --guess exclude each other")
    noise = Noise(lie_prob, wrong) if lie_prob is not None or wrong is not None else None
    session = Session(game, notation)
    adviser = make_adviser(game, tree, strategy, hard=hard)
    given = [" ".join(rows), *history, *([_text_of(file)] if file else [])]
    if any(text.strip() for text in given) or file or as_json:
        session.add(*parse_history(game, given, notation))
        if noise:
            _once_noisy(session, noise, top, as_json)
        else:
            _once(session, adviser, top, guess, as_json)
    else:
        run_loop(session, adviser, top, noise)


def make_adviser(
    game: Game, tree: Path | None, strategy: str = "entropy", exact: bool = True, hard: bool = False
) -> Adviser:
    """An adviser with the tree given, or the one that comes with the package."""
    from bcsearch.advice import EXACT_SCANS, Adviser
    from bcsearch.cli.output import say
    from bcsearch.errors import UsageError
    from bcsearch.shipped import shipped_tree_for
    from bcsearch.store import read_tree

    path = tree or shipped_tree_for(game.name)
    stored = read_tree(path) if path else None
    if stored and stored.tree.game != game:
        raise UsageError(f"--tree {tree}: a tree of {stored.tree.game}, but the game is {game}")
    return Adviser(game, stored, strategy, EXACT_SCANS if exact else 0, say, hard)


def _text_of(file: Path) -> str:
    from bcsearch.errors import BcsearchError

    try:
        with click.open_file(str(file), encoding="utf-8") as source:
            return str(source.read())
    except (OSError, UnicodeDecodeError) as error:
        raise BcsearchError(f"{file}: cannot be read ({getattr(error, 'strerror', None) or error})") from error


def _once_noisy(session: Session, noise: Noise, top: int, as_json: bool) -> None:
    """Answer one question about a game whose replies may be wrong."""
    from bcsearch.cli.output import print_json

    record, _ = noise.look(session, top)
    if as_json:
        print_json(record)
    else:
        noise.show(session, record)


def _once(session: Session, adviser: Adviser, top: int, guess: str | None, as_json: bool) -> None:
    """Answer one question."""
    from bcsearch.cli.console import wrapped
    from bcsearch.cli.output import print_json
    from bcsearch.cli.position import print_advice, print_position
    from bcsearch.notation import parse_code
    from bcsearch.reasons import why
    from bcsearch.report import advice_record, position_record

    asked = parse_code(session.game, guess) if guess is not None else None
    if asked is not None:
        adviser.check(session.history, asked)
    say_broken_rows(adviser, session)
    at = adviser.advise(session.history, top)
    if not len(at.candidates):
        refuse(session, as_json)
    extra = adviser.explain(at, asked) if asked is not None and not at.won else None
    if as_json:
        document = position_record(at)
        if extra:
            document["explained"] = {**advice_record(at.game, extra), "why": why(at, extra)}
        print_json(document)
        return
    print_position(at, session.rows, tree_name(adviser))
    if extra:
        print_advice(at.game, [extra])
        click.echo("\n" + wrapped(f"{why(at, extra)}.", sys.stdout))


def refuse(session: Session, as_json: bool) -> NoReturn:
    """Say why no candidate is left, and leave with exit code 1."""
    from bcsearch.cli import fail
    from bcsearch.cli.output import print_json
    from bcsearch.contradictions import explain, find_contradiction
    from bcsearch.report import contradiction_record

    found = find_contradiction(session.game, session.history)
    assert found is not None
    first, *more = explain(session.game, session.history, found)
    if as_json:
        print_json({"game": session.game.name, "contradiction": contradiction_record(session.game, found)})
    fail(first, 1)
    for line in more:
        click.echo(f"  {line}", err=True)
    raise click.exceptions.Exit(1)


def say_broken_rows(adviser: Adviser, session: Session) -> None:
    """Note the rows that break hard mode: some game let them pass, and they tell what they tell."""
    from bcsearch.cli.output import say
    from bcsearch.notation import format_code

    numbers = [number for number, row in enumerate(session.rows, 1) if not row.ignored]
    for at, reason in adviser.broken_rows(session.history):
        guess = format_code(session.game, session.history[at][0])
        say(f"row {numbers[at]}: {guess} breaks hard mode: {reason}")


def tree_name(adviser: Adviser) -> str:
    """Name of the tree that answers."""
    return adviser.tree.path.stem if adviser.tree else ""
