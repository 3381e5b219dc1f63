"""``bcsearch import``: a tree file of a tree in another format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bcsearch.cli.params import TREE_PATH, GameType, json_option
from bcsearch.formats import readable
from bcsearch.plurals import counted

if TYPE_CHECKING:
    from bcsearch.game import Game


@click.command("import")
@click.argument("file", type=TREE_PATH)
@click.option("--format", "name", type=click.Choice(readable()), help="Default: by the ending of FILE.")
@click.option("--game", type=GameType(), help="Rules; irving, csv and paths do not name them.")
@click.option(
    "--alphabet", metavar="SYMBOLS", help="irving, csv, paths: the symbols FILE writes codes with, like 123456."
)
@click.option(
    "--out", type=TREE_PATH, help="Tree file to write; default: FILE with the ending .tree, if there is none."
)
@json_option
def command(
    file: Path, name: str | None, game: Game | None, alphabet: str | None, out: Path | None, as_json: bool
) -> None:
    """Make a tree file of FILE, a tree in another format.

    Says line and column of what is wrong with FILE. What the tree is worth is for 'bcsearch verify' to say: only json
    and parquet hold claims, and these are kept only if they were made of this very tree.

    \b
    Examples:
      bcsearch import entropy.json
      bcsearch import knuth.txt --format irving --game p4c6r --alphabet 123456 --out knuth.tree
    """
    from bcsearch.cli.output import print_json, say
    from bcsearch.errors import UsageError
    from bcsearch.formats import format_of, import_tree
    from bcsearch.report import tree_record
    from bcsearch.store import read_tree, write_tree

    name = name or format_of(file)
    target = out or file.with_suffix(".tree")
    if out is None and target.exists():
        raise UsageError(f"{target}: is there already; name the file to write with --out")
    if target.is_dir():
        raise UsageError(f"--out {target}: is a folder")
    imported = import_tree(file, name, game, alphabet)
    write_tree(target, imported.tree, imported.claims)
    stored = read_tree(target)
    say(imported.note)
    if as_json:
        print_json({**tree_record(stored), "note": imported.note})
        return
    summary = stored.tree.summary()
    click.echo(
        f"{target}: {stored.tree.game}, {counted(summary.secrets, 'secret')}, {counted(len(stored.tree), 'node')}, "
        f"total:depth:worst {summary}; not verified yet"
    )
