"""``html``: a tree as one page that needs no network: browse it, search it, be assisted by it, play against it.

The page is put together from the three files in the folder ``explorer``. The tree travels in it as the guesses of its
nodes in breadth-first order, and for each node the replies that it branches at, as a hexadecimal mask: in this order
the children of a node are simply the next rows that are not yet anyone's.
"""

from __future__ import annotations

import json
from html import escape
from importlib.resources import files
from typing import Any

import numpy as np

import bcsearch
from bcsearch.game import ALIASES
from bcsearch.notation import format_code, format_reply
from bcsearch.plurals import counted
from bcsearch.store import StoredTree
from bcsearch.tree import NO_CHILD, Tree, breadth_first


def write_html(stored: StoredTree) -> str:
    """The whole tree as one self-contained page."""
    parts = files("bcsearch.formats") / "explorer"
    page, style, script = ((parts / f"explorer.{kind}").read_text("utf-8") for kind in ("html", "css", "js"))
    data = json.dumps(page_data(stored), separators=(",", ":"), ensure_ascii=True).replace("<", "\\u003c")
    for mark, text in (
        ("{{title}}", escape(_title(stored))),
        ("{{style}}", style),
        ("{{data}}", data),
        ("{{script}}", script),
    ):
        page = page.replace(mark, text)
    return page


def page_data(stored: StoredTree) -> dict[str, Any]:
    """What the page's program is given: the game, the claims and the tree."""
    original = stored.tree
    tree = breadth_first(original.game, original.guess, original.child, original.size, original.depth)
    game = tree.game
    secrets = game.guess_of_secret.tolist()
    return {
        "game": game.name,
        "title": _title(stored),
        "claim": _claim(stored),
        "sha256": stored.sha256,
        "tool": f"bcsearch {bcsearch.__version__}",
        "replies": [format_reply(game, r) for r in range(len(game.replies))],
        "counts": [list(reply) for reply in game.replies],
        "marks": game.marks,
        "separator": game.separator,
        "codes": " ".join(format_code(game, g) for g in range(len(game.guesses))),
        "secrets": None if secrets == list(range(len(game.guesses))) else secrets,
        "guess": tree.guess.tolist(),
        "branches": " ".join(_masks(tree)),
    }


def _title(stored: StoredTree) -> str:
    """The game, by the name that people know it by, and the strategy."""
    game, objective = stored.tree.game.name, stored.claims.objective.get("objective")
    name = next((alias for alias, rules in ALIASES.items() if rules == game), None)
    known = " and ".join(word.capitalize() for word in name.split("-")) if name else game
    return f"{known} · {stored.claims.strategy}{f' ({objective})' if objective else ''}"


_POOLS = {"consistent": ", asking candidates only", "hard": ", in hard mode"}


def _claim(stored: StoredTree) -> str:
    """What the file says of its bound, in words."""
    claims = stored.claims
    if claims.bound != "exact":
        return "an upper bound: a better tree may exist"
    objective, depth = claims.objective, claims.objective.get("max_depth")
    fewest = f"no strategy needs fewer than {counted(depth or 0, 'guess')} at worst"
    proven = {
        "average": "no strategy has a smaller average" + (f" within {counted(depth, 'guess')}" if depth else ""),
        "worst-case": fewest,
        "fewest-at-worst": f"{fewest}, nor {depth} for fewer secrets",
        "win-within": f"no strategy finds more secrets within {counted(objective.get('within', 0), 'guess')}",
    }
    words = proven.get(str(objective.get("objective")), "no strategy is better by its objective")
    return f"proven: {words}{_POOLS.get(claims.pool, '')}"


def _masks(tree: Tree) -> list[str]:
    """For each node its replies that occur, the win included: bit r is reply r, in hexadecimal."""
    rows: list[list[int]] = [[] for _ in range(len(tree))]
    for row, reply in zip(*(axis.tolist() for axis in np.nonzero(tree.child != NO_CHILD)), strict=True):
        rows[row].append(reply)
    return [f"{sum(1 << reply for reply in replies):x}" for replies in rows]
