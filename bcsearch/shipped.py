"""Trees that come with the package: in the wheel beside the code, in a checkout in the folder ``data``."""

from __future__ import annotations

from pathlib import Path

from bcsearch.errors import TreeFileError


def shipped_tree(name: str) -> Path:
    """Path of a tree file by its name without the ending; raises TreeFileError listing those there are."""
    package = Path(__file__).parent
    folders = [folder for folder in (package / "data", package.parent / "data") if folder.is_dir()]
    for folder in folders:
        if (folder / f"{name}.tree").is_file():
            return folder / f"{name}.tree"
    known = sorted(path.stem for folder in folders for path in folder.glob("*.tree"))
    raise TreeFileError(f"no tree {name!r} comes with this package; there are: {', '.join(known) or 'none'}")


def optimal_tree(game: str) -> Path:
    """Path of the optimal tree of a game by the game's name; raises TreeFileError where none comes with the package."""
    return shipped_tree(f"{game}-optimal-average")


def shipped_tree_for(game: str) -> Path | None:
    """The same; None where there is no such tree."""
    try:
        return optimal_tree(game)
    except TreeFileError:
        return None
