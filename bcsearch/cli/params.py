"""Parameters that several commands share: text in, values out, or one line that says what is legal."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

if TYPE_CHECKING:
    from bcsearch.game import Game

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


class GameType(click.ParamType["Game"]):
    """Rules of a game as text."""

    name = "rules"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Game:
        """Parse the rules; the error says what is legal."""
        from bcsearch.cli.output import say
        from bcsearch.game import Game, parse_game

        if ctx is not None:
            ctx.meta[_GAME_TEXT] = str(value)  # of `game_to_type`
        return value if isinstance(value, Game) else parse_game(value, say=say)


_GAME_TEXT = "bcsearch.game"  # where a command's context keeps the rules as they were typed


def game_to_type(game: Game) -> str:
    """What gives the game to --game, for commands that are advised: the name of lists does not say their files."""
    from bcsearch.game import WORDS

    if game.lists is None:
        return game.name
    return str(click.get_current_context().meta.get(_GAME_TEXT, f"{WORDS}SECRETS"))


DEFAULT_GAME = "p4c10n"  #: that of `game`, which --help does not load

_LARGEST = 2**31 - 1  # what kernels and tree files count with


class AtLeast(click.ParamType[int]):
    """A whole number with a smallest value."""

    name = "number"

    def __init__(self, smallest: int) -> None:
        self.smallest = smallest

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read a plain decimal number."""
        try:
            number = int(value)
        except ValueError:
            self.fail(f"{value!r}: a whole number is wanted", param, ctx)
        if number < self.smallest:
            self.fail(f"{number}: at least {self.smallest} is wanted", param, ctx)
        if number > _LARGEST:
            self.fail(f"{number}: at most {_LARGEST} is wanted", param, ctx)
        return number


_MOST_BYTES = float(1 << 63)


class Size(click.ParamType[int]):
    """A number of bytes, like 500M or 2G."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read a number with K, M, G or T (units of 1024), with or without a B or iB after it."""
        units = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
        match = re.fullmatch(r"(\d+(?:\.\d+)?) ?([KMGT]?)(?:B|(?<=[KMGT])IB)?", str(value).strip().upper(), re.ASCII)
        size = float(match[1]) * units[match[2]] if match is not None else 0.0
        if not 1 <= size < _MOST_BYTES:
            self.fail(f"{value!r}: a size is wanted, like 500M or 2G", param, ctx)
        return int(size)


def memory_option(function: Decorated) -> Decorated:
    """Add --memory."""
    return click.option(
        "--memory",
        type=Size(),
        metavar="SIZE",
        help="Memory that the work may use, like 500M or 2G: the reply matrix is kept where it fits, what cannot fit "
        "is refused. The trees are the same.  [default: a share of what is free]",
    )(function)


def pool_options(function: Decorated) -> Decorated:
    """Add --pool and --hard; the command gets one pool: all, consistent or hard."""

    @functools.wraps(function)
    def with_one_pool(*arguments: Any, pool: str, hard: bool, **options: Any) -> Any:
        if hard and pool != "all":
            raise click.UsageError(
                "--hard and --pool consistent exclude each other: consistent guesses keep to hard mode"
            )
        return function(*arguments, pool="hard" if hard else pool, **options)

    pool = click.option("--pool", type=click.Choice(["all", "consistent"]), default="all", show_default=True,
                        help="Ask any guess, or only guesses that can still be the secret.")  # fmt: skip
    return pool(hard_option(cast(Decorated, with_one_pool)))


def hard_option(function: Decorated) -> Decorated:
    """Add --hard."""
    return click.option("--hard", is_flag=True, help="Word games: every guess must keep to the greens and yellows so "
                        "far.")(function)  # fmt: skip


TREE_PATH = click.Path(path_type=Path, dir_okay=True)


GAME_HELP = (
    "p<positions>c<symbols> and n (no repeats) or r (repeats), -nz for no leading zero, :RGB or :red,green,blue for "
    "symbols of your own; bulls-cows, mastermind, logik; words:SECRETS[,GUESSES] for word lists, "
    "codes:SECRETS[,GUESSES] for lists of codes (text files, one a line)."
)


def game_option(function: Decorated) -> Decorated:
    """Add --game and --guesses; the command gets one game of both, or that of its --tree where neither is given."""

    @functools.wraps(function)
    def with_one_game(*arguments: Any, game: Game, guesses: str | None, **options: Any) -> Any:
        tree = options.get("tree")
        if tree is not None and guesses is None and not said("game"):
            from bcsearch.store import read_tree

            return function(*arguments, game=read_tree(tree).tree.game, **options)
        return function(*arguments, game=with_guesses(game, guesses), **options)

    chosen = click.option("--game", type=GameType(), default=DEFAULT_GAME, show_default=True, help=GAME_HELP)
    asked = click.option("--guesses", metavar="RULES", help="Rules of the guesses, where they are not those of the "
                         "secrets: p4c10r for guesses that may repeat symbols.")  # fmt: skip
    return chosen(asked(cast(Decorated, with_one_game)))


def said(name: str) -> bool:
    """Whether an option of the command that runs was given, rather than left at its default."""
    source = click.get_current_context().get_parameter_source(name)
    return source is not click.core.ParameterSource.DEFAULT


def with_guesses(game: Game, guesses: str | None) -> Game:
    """The game with other rules for its guesses."""
    from bcsearch.game import CODES, WORDS, parse_game

    if guesses is None:
        return game
    if game.lists is not None:
        raise click.UsageError(f"--guesses: lists name their guesses with a comma: {WORDS}SECRETS,GUESSES or "
                               f"{CODES}SECRETS,GUESSES")  # fmt: skip
    return parse_game(game.name, guesses)


def json_option(function: Decorated) -> Decorated:
    """Add --json."""
    return click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON document.")(function)


def history_option(function: Decorated) -> Decorated:
    """Add --history."""
    return click.option(
        "--history",
        multiple=True,
        metavar="TEXT",
        help="Guesses and replies so far, like '1234 0A3B, 4321 1A2B'. May be given several times.",
    )(function)


def notation_option(function: Decorated) -> Decorated:
    """Add --notation."""
    from bcsearch.conventions import AUTO, NOTATIONS

    return click.option(
        "--notation",
        type=click.Choice(NOTATIONS, case_sensitive=False),
        metavar=f"[{'|'.join(NOTATIONS)}]",
        default=AUTO,
        show_default=True,
        help="How replies are written: AB 1A2B, SB 1S2B, BC 1B2C, plus-minus '+1 -2', pegs bww, pairs '1 2' (in place "
        "first) or pairs-reversed. auto reads them all but the last, and refuses what two of them read differently.",
    )(function)


def tree_option(function: Decorated) -> Decorated:
    """Add --tree."""
    return click.option(
        "--tree",
        type=TREE_PATH,
        help="Tree file whose answers are used while the game is on its path; without it, the optimal tree that comes "
        "with the package, where there is one. Without --game, its game is played.",
    )(function)


def strategy_option(function: Decorated) -> Decorated:
    """Add --strategy, for ranking guesses."""
    names = ("minimax", "entropy", "expected-size", "max-parts", "first")  # those of `strategies.STRATEGIES`
    return click.option(
        "--strategy",
        type=click.Choice(names),
        default="entropy",
        show_default=True,
        help="What ranks the guesses where the exact best is not known.",
    )(function)


class Probability(click.ParamType[float]):
    """A number from 0 to 1."""

    name = "probability"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read a plain decimal number."""
        try:
            number = float(value)
        except ValueError:
            self.fail(f"{value!r}: a number from 0 to 1 is wanted", param, ctx)
        if not 0.0 <= number <= 1.0:
            self.fail(f"{value}: a number from 0 to 1 is wanted", param, ctx)
        return number


def lie_option(function: Decorated) -> Decorated:
    """Add --lie-prob."""
    return click.option(
        "--lie-prob",
        type=Probability(),
        metavar="Q",
        help="Probability that a reply is replaced by a random one; the win is always true.",
    )(function)


def seed_option(function: Decorated) -> Decorated:
    """Add --seed."""
    return click.option("--seed", type=AtLeast(0), help="Makes what is left to chance the same every time.")(function)


def host_option(function: Decorated) -> Decorated:
    """Add --host."""
    return click.option(
        "--host",
        type=click.Choice(("honest", "evil", "lying")),
        default="honest",
        show_default=True,
        help="Who answers: honest, evil (keeps the answer open as long as it can), lying (with --lie-prob).",
    )(function)
