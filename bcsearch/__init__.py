"""Complete guessing strategies for code-breaking games: built, proven, verified, played.

Programs that play from a tree need only this::

    import bcsearch

    tree = bcsearch.open_tree("entropy.tree")
    node = tree.root
    node.guess               # '0123'
    node = node.reply((1, 2))
    node.guess               # the next guess

Importing the package imports neither ray nor numba, and numpy and pyarrow only when something is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from bcsearch.advice import Adviser
    from bcsearch.bayes import Posterior
    from bcsearch.contradictions import find_contradiction
    from bcsearch.errors import BcsearchError, TreeFileError, UsageError
    from bcsearch.game import Game, parse_game
    from bcsearch.player import Node, TreePlayer, open_tree

_HOMES = {
    "Adviser": "advice",
    "BcsearchError": "errors",
    "TreeFileError": "errors",
    "UsageError": "errors",
    "Game": "game",
    "parse_game": "game",
    "Node": "player",
    "Posterior": "bayes",
    "TreePlayer": "player",
    "find_contradiction": "contradictions",
    "open_tree": "player",
}

__all__ = [
    "Adviser",
    "BcsearchError",
    "Game",
    "Node",
    "Posterior",
    "TreeFileError",
    "TreePlayer",
    "UsageError",
    "__version__",
    "find_contradiction",
    "open_tree",
    "parse_game",
]


def __getattr__(name: str) -> Any:
    """Load the public names on first use, so that ``import bcsearch`` and the command line start at once."""
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(f"bcsearch.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
