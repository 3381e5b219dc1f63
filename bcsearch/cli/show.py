"""``bcsearch show``: a tree in the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bcsearch.cli.dashes import HistoryCommand
from bcsearch.cli.params import DEFAULT_GAME, TREE_PATH, AtLeast, history_option, json_option

if TYPE_CHECKING:
    from bcsearch.outline import OutlineNode


@click.command("show", cls=HistoryCommand)
@click.argument("tree", type=TREE_PATH, required=False)
@history_option
@click.option("--depth", type=AtLeast(0), default=1, show_default=True, help="Levels to show below the first line.")
@click.option("--all", "everything", is_flag=True, help="Show all levels.")
@json_option
def command(tree: Path | None, history: tuple[str, ...], depth: int, everything: bool, as_json: bool) -> None:
    """Show what the file TREE asks, a line for each node.

    A line holds the reply, the next guess, the candidates that are left, and the guesses still to come, the next one
    counted: on average, and at worst. Without TREE, shows the optimal tree for Bulls and Cows.

    \b
    Examples:
      bcsearch show
      bcsearch show trees/p4c10n-entropy.tree --history '0123 1A1B' --depth 2
    """
    from bcsearch.cli.output import print_json
    from bcsearch.notation import format_history, parse_history
    from bcsearch.outline import outline, row_after
    from bcsearch.shipped import optimal_tree
    from bcsearch.store import read_tree

    stored = read_tree(tree or optimal_tree(DEFAULT_GAME))
    game = stored.tree.game
    rows = parse_history(game, history)
    nodes = list(outline(stored.tree, row_after(stored.tree, rows), None if everything else depth))
    if as_json:
        print_json({"game": game.name, "history": format_history(game, rows), "tree": _nested(nodes)})
        return
    if rows:
        click.echo(f"after {format_history(game, rows)}")
    marks = [_branch(node) + (f"{node.reply}  " if node.reply else "") + node.guess for node in nodes]
    width = max(map(len, marks))
    places = len(str(nodes[0].candidates))
    for mark, node in zip(marks, nodes, strict=True):
        click.echo(f"{mark:{width}}   {_says(node, places)}")


def _branch(node: OutlineNode) -> str:
    """Lines that lead from the node above to this one."""
    if not node.last:
        return ""
    return "".join("   " if last else "│  " for last in node.last[:-1]) + ("└─ " if node.last[-1] else "├─ ")


def _says(node: OutlineNode, places: int) -> str:
    if node.won:
        return f"{'':{places}} found"
    one = node.candidates == 1
    if one and node.worst == 1:
        return f"{1:{places}} candidate"
    return (
        f"{node.candidates:{places}} candidate{' ' if one else 's'}   "
        f"{node.average:.2f} more on average, {node.worst} at worst"
    )


def _nested(nodes: list[OutlineNode]) -> dict[str, Any]:
    """The nodes as objects, each with its `replies`."""
    stack: list[dict[str, Any]] = []
    for node in nodes:
        made: dict[str, Any] = {
            "guess": node.guess, "candidates": node.candidates, "average": round(node.average, 6), "worst": node.worst,
            "won": node.won, "replies": {},
        }  # fmt: skip
        del stack[node.level :]
        if stack:
            stack[-1]["replies"][node.reply] = made
        stack.append(made)
    return stack[0]
