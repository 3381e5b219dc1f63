"""``bcsearch stats``: what tree files hold."""

from __future__ import annotations

from pathlib import Path

import click

from bcsearch.cli.params import TREE_PATH, json_option


@click.command("stats")
@click.argument("trees", type=TREE_PATH, nargs=-1, required=True)
@json_option
def command(trees: tuple[Path, ...], as_json: bool) -> None:
    """Show total, depth, worst, distribution, size and bound of each file in TREES.

    \b
    Example:
      bcsearch stats trees/*.tree
    """
    from bcsearch.cli.output import print_json, print_table
    from bcsearch.report import tree_record
    from bcsearch.store import read_tree

    records = [tree_record(read_tree(path)) for path in trees]
    if as_json:
        print_json({"trees": records})
        return
    columns = [("file", "left"), ("game", "left"), ("strategy", "left"), ("pool", "left"), ("T:D:W", "right"),
               ("average", "right"), ("distribution", "left"), ("nodes", "right"), ("bound", "left")]  # fmt: skip
    rows = [
        [
            record["file"],
            record["game"],
            record["strategy"],
            record["pool"],
            f"{record['total']}:{record['depth']}:{record['worst']}",
            f"{record['average']:.4f}",
            ",".join(map(str, record["distribution"])),
            str(record["nodes"]),
            record["bound"] if record["lower_bound"] is None else f"{record['bound']} (>= {record['lower_bound']})",
        ]
        for record in records
    ]
    print_table(columns, rows)
