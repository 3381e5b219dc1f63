"""``bcsearch play``: let a tree file find a secret."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bcsearch.cli.params import TREE_PATH, json_option

if TYPE_CHECKING:
    from bcsearch.player import Node, TreePlayer


@click.command("play")
@click.argument("tree", type=TREE_PATH, required=False)
@click.option("--secret", metavar="CODE", help="Play by itself against this secret.")
@json_option
def command(tree: Path | None, secret: str | None, as_json: bool) -> None:
    """Find a secret by asking the guesses of the file TREE.

    Without TREE, plays Bulls and Cows from the optimal tree that comes with the package.
    Prints a guess, reads your reply ('1A2B' or '1 2': 1 in place, 2 misplaced), and so on until the win.

    \b
    Examples:
      bcsearch play
      bcsearch play trees/p4c10n-entropy.tree
      bcsearch play trees/p4c10n-entropy.tree --secret 0395
    """
    from bcsearch.cli.output import print_json
    from bcsearch.player import open_tree
    from bcsearch.shipped import shipped_tree

    player = open_tree(tree or shipped_tree("p4c10n-optimal-average"))
    rounds = _against(player, secret, as_json) if secret is not None else _with_user(player, as_json)
    if as_json:
        found = rounds[-1]["guess"]
        print_json({"game": player.game.name, "secret": found, "guesses": len(rounds), "rounds": rounds})


def _against(player: TreePlayer, secret: str, quiet: bool) -> list[dict[str, Any]]:
    """Play against a known secret."""
    from bcsearch.assist import reply_row
    from bcsearch.notation import format_reply, parse_code

    game = player.game
    goal = game.secret_of_guess[[parse_code(game, secret)]]
    node, rounds = player.root, []
    while not node.won:
        reply = int(reply_row(game, parse_code(game, node.guess), goal)[0])
        rounds.append({"guess": node.guess, "reply": format_reply(game, reply), "candidates": node.candidates})
        if not quiet:
            click.echo(f"{len(rounds)}. {node.guess}  {format_reply(game, reply)}   ({_candidates(node)})")
        node = node.reply(game.replies[reply])
    _announce(node, quiet)
    return rounds


def _with_user(player: TreePlayer, quiet: bool) -> list[dict[str, Any]]:
    """Ask the person at the terminal, or whatever is piped in."""
    from bcsearch.errors import BcsearchError, UsageError
    from bcsearch.notation import format_reply, parse_reply
    from bcsearch.player import ContradictionError

    game, node = player.game, player.root
    rounds: list[dict[str, Any]] = []
    while not node.won:
        click.echo(f"{len(rounds) + 1}. {node.guess}   ({_candidates(node)})", err=quiet)
        try:
            text = input() if not _interactive() else click.prompt("   reply", prompt_suffix="> ", err=quiet)
        except EOFError:
            raise BcsearchError(f"the input ended before the win, with {_candidates(node)}") from None
        try:
            reply = parse_reply(game, text)
            after = node.reply(game.replies[reply])
        except (UsageError, ContradictionError) as error:
            if not _interactive():
                raise
            click.echo(f"   {error}", err=True)
            continue
        rounds.append({"guess": node.guess, "reply": format_reply(game, reply), "candidates": node.candidates})
        node = after
    _announce(node, quiet)
    return rounds


def _interactive() -> bool:
    import sys

    return sys.stdin.isatty()


def _candidates(node: Node) -> str:
    return f"{node.candidates} candidate{'s' if node.candidates != 1 else ''}"


def _announce(node: Node, quiet: bool) -> None:
    if not quiet:
        click.echo(f"The secret is {node.guess}, found with {node.depth} guess{'es' if node.depth != 1 else ''}.")
