"""Complete guessing strategies for code-breaking games: built, proven, verified, played.

Programs that play from a tree need only this::

    import bcsearch

    tree = bcsearch.open_tree("entropy.tree")
    node = tree.root
    node.guess               # '0123'
    node = node.reply((1, 2))
    node.guess               # the next guess

The public names, all of them in this package's namespace; everything else may change between versions:

==============================================  ====================================================================
`open_tree`, `TreePlayer`, `Node`               play from a tree file: two look-ups a turn
`parse_game`, `Game`                            the rules of a game, its codes and replies
`score`                                         what a guess earns, in plain Python
`read_tree`, `write_tree`, `StoredTree`,        tree files as arrays, with what they claim
`Claims`, `Tree`, `Summary`
`verify_file`, `Verdict`                        the independent checker
`guesses_needed`, `still_to_come`               what a tree costs, secret by secret and from each node on
`export_tree`, `import_tree`                    trees in other formats
`Adviser`, `find_contradiction`, `Posterior`    the middle of a game: what to ask, why nothing fits, wrong replies
`shipped_tree`                                  where the trees lie that come with the package
`BcsearchError`, `UsageError`, `TreeFileError`  everything that is raised on purpose
==============================================  ====================================================================

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
    from bcsearch.formats import export_tree, import_tree
    from bcsearch.game import Game, parse_game
    from bcsearch.player import Node, TreePlayer, open_tree
    from bcsearch.scoring import score
    from bcsearch.shipped import shipped_tree
    from bcsearch.store import Claims, StoredTree, read_tree, write_tree
    from bcsearch.subtrees import guesses_needed, still_to_come
    from bcsearch.tree import Summary, Tree
    from bcsearch.verify import Verdict, verify_file

_HOMES = {
    "Adviser": "advice",
    "BcsearchError": "errors",
    "Claims": "store",
    "Game": "game",
    "Node": "player",
    "Posterior": "bayes",
    "StoredTree": "store",
    "Summary": "tree",
    "Tree": "tree",
    "TreeFileError": "errors",
    "TreePlayer": "player",
    "UsageError": "errors",
    "Verdict": "verify",
    "export_tree": "formats",
    "find_contradiction": "contradictions",
    "guesses_needed": "subtrees",
    "import_tree": "formats",
    "open_tree": "player",
    "parse_game": "game",
    "read_tree": "store",
    "score": "scoring",
    "shipped_tree": "shipped",
    "still_to_come": "subtrees",
    "verify_file": "verify",
    "write_tree": "store",
}

__all__ = [
    "Adviser",
    "BcsearchError",
    "Claims",
    "Game",
    "Node",
    "Posterior",
    "StoredTree",
    "Summary",
    "Tree",
    "TreeFileError",
    "TreePlayer",
    "UsageError",
    "Verdict",
    "__version__",
    "export_tree",
    "find_contradiction",
    "guesses_needed",
    "import_tree",
    "open_tree",
    "parse_game",
    "read_tree",
    "score",
    "shipped_tree",
    "still_to_come",
    "verify_file",
    "write_tree",
]


def __getattr__(name: str) -> Any:
    """Load the public names on first use, so that ``import bcsearch`` and the command line start at once."""
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(f"bcsearch.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names, loaded or not."""
    return sorted({*globals(), *__all__})
