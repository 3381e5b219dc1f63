"""Trees in other formats: one module per format, each loaded when it is asked for.

`FORMATS` says what there is. Text formats give and take text; all readers say line and column of what is wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from bcsearch.errors import UsageError

if TYPE_CHECKING:
    from bcsearch.formats.builder import Imported
    from bcsearch.game import Game
    from bcsearch.store import StoredTree


@dataclass(frozen=True)
class Format:
    """A format.

    Attributes
    ----------
    module
        Where it lives, below this package. Its ``write_<name>`` makes text or bytes of a tree, its ``read_<name>``
        makes a tree of a file.
    whole
        Whether it holds the whole tree, and so can be imported.
    names_game
        Whether the file says which game it is of.
    alphabet
        Whether codes may be written with other symbols.
    levels
        Whether only the first levels of the tree are shown.
    """

    module: str
    whole: bool = False
    names_game: bool = False
    alphabet: bool = False
    levels: bool = False


FORMATS = {
    "html": Format("page"),
    "json": Format("nested", whole=True, names_game=True),
    "csv": Format("lines", whole=True, alphabet=True),
    "paths": Format("lines", whole=True, alphabet=True),
    "parquet": Format("table", whole=True, names_game=True),
    "irving": Format("irving", whole=True, alphabet=True),
    "dot": Format("pictures", levels=True),
    "svg": Format("pictures", levels=True),
}

ENDINGS = {".html": "html", ".json": "json", ".csv": "csv", ".txt": "paths", ".paths": "paths", ".dot": "dot",
           ".parquet": "parquet", ".irving": "irving", ".gv": "dot", ".svg": "svg"}  # fmt: skip


def format_of(path: Path) -> str:
    """Name of the format that a file's ending stands for; raises UsageError if it stands for none."""
    try:
        return ENDINGS[path.suffix.lower()]
    except KeyError:
        raise UsageError(
            f"{path}: its ending names no format; give --format, or an ending of {' '.join(ENDINGS)}"
        ) from None


def export_tree(stored: StoredTree, name: str, alphabet: str | None = None, levels: int | None = None) -> str | bytes:
    """Write a tree in a format of `FORMATS`.

    Parameters
    ----------
    alphabet
        For irving, csv and paths: the symbols to write codes with, one for each of the game's.
    levels
        For dot and svg: how many guesses deep to draw.

    Raises
    ------
    UsageError
        If the format cannot hold this game, or an option is not for it.
    """
    kind = FORMATS[name]
    options: dict[str, object] = {}
    for option, value in (("alphabet", alphabet), ("levels", levels)):
        if value is not None:
            if not getattr(kind, option):
                able = ", ".join(n for n, f in FORMATS.items() if getattr(f, option))
                raise UsageError(f"--{option} goes with {able}; not with {name}")
            options[option] = value
    written: str | bytes = getattr(import_module(f"bcsearch.formats.{kind.module}"), f"write_{name}")(stored, **options)
    return written


def import_tree(path: Path, name: str, game: Game | None = None, alphabet: str | None = None) -> Imported:
    """Read a tree from a file in one of the `FORMATS` that hold the whole tree.

    What comes back is a tree by structure only: whether it finds every secret is for `verify` to judge.

    Raises
    ------
    UsageError
        If the format cannot be read, or no game is named.
    TreeFileError
        Naming line and column of the first thing wrong.
    """
    kind = FORMATS[name]
    if not kind.whole:
        raise UsageError(f"{name} shows a tree, and cannot be read back; {', '.join(readable())} can")
    if alphabet is not None and not kind.alphabet:
        raise UsageError(f"--alphabet goes with {', '.join(n for n, f in FORMATS.items() if f.alphabet)}; not {name}")
    if game is None and not kind.names_game:
        raise UsageError(f"{path}: {name} does not say which game it is of; give --game")
    module = import_module(f"bcsearch.formats.{kind.module}")
    options = {"alphabet": alphabet} if kind.alphabet else {}
    read: Imported = getattr(module, f"read_{name}")(path, game, **options)
    return read


def readable() -> list[str]:
    """Names of the formats that can be imported."""
    return [name for name, kind in FORMATS.items() if kind.whole]
