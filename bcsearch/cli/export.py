"""``bcsearch export``: a tree in another format."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from bcsearch.cli.params import TREE_PATH, AtLeast, json_option
from bcsearch.formats import FORMATS


@click.command("export")
@click.argument("tree", type=TREE_PATH)
@click.option("--format", "name", type=click.Choice(list(FORMATS)), help="Default: by the ending of --out.")
@click.option("--out", type=TREE_PATH, help="File to write; default: print (parquet needs a file).")
@click.option("--alphabet", metavar="SYMBOLS", help="irving, csv, paths: write codes with these symbols, like 123456.")
@click.option("--levels", type=AtLeast(1), help="dot, svg: how many guesses deep to draw.  [default: 2]")
@json_option
def command(
    tree: Path, name: str | None, out: Path | None, alphabet: str | None, levels: int | None, as_json: bool
) -> None:
    """Write the file TREE in another format.

    \b
    html     one page, needs no network: browse, search, be assisted, play against it, chart
    json     the whole tree, nested, with its claims
    parquet  the whole tree, a row for each node, with its claims
    csv      a line for each secret with its path, in columns
    paths    a line for each secret: guess reply guess reply ...
    irving   the compact text notation of published strategies
    dot, svg the first levels as a picture

    All but html, dot and svg hold the whole tree: 'bcsearch import' reads them back.

    \b
    Examples:
      bcsearch export trees/p4c10n-entropy.tree --out entropy.html
      bcsearch export trees/p4c10n-entropy.tree --format paths
    """
    from bcsearch.cli.output import print_json, say
    from bcsearch.errors import UsageError
    from bcsearch.files import replacing
    from bcsearch.formats import export_tree, format_of
    from bcsearch.store import read_tree

    if name is None:
        if out is None:
            raise UsageError(f"give --out with an ending that names the format, or --format ({', '.join(FORMATS)})")
        name = format_of(out)
    if out is None and (as_json or name == "parquet"):
        raise UsageError("parquet is not text: give --out" if name == "parquet" else "--json needs --out")
    if out is not None and out.is_dir():
        raise UsageError(f"--out {out}: is a folder")
    stored = read_tree(tree)
    written = export_tree(stored, name, alphabet, levels)
    if out is None:
        sys.stdout.write(str(written))
        return
    content = written if isinstance(written, bytes) else written.encode()
    with replacing(out) as sink:
        sink.write(content)
    if as_json:
        print_json(
            {"file": str(out), "format": name, "bytes": len(content), "tree": str(tree), "sha256": stored.sha256}
        )
    else:
        say(f"{out}: {name}, {len(content):,} bytes")
