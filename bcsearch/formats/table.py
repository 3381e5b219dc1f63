"""``parquet``: a table with one row per node, for data tools; the claims are in the schema's metadata.

Columns: node, parent (-1 for the root), reply (that leads here; "" for the root), guess, candidates, depth (guesses
made before), won (whether the guess can be the secret).
"""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from bcsearch.errors import TreeFileError, UsageError
from bcsearch.formats.builder import Imported, TreeBuilder, with_claims, wrong_size
from bcsearch.game import Game, game_of
from bcsearch.notation import format_code, format_reply, parse_code, parse_reply
from bcsearch.store import StoredTree
from bcsearch.subtrees import parents
from bcsearch.tree import NO_CHILD, WON

FORMAT = "bcsearch-tree-parquet"

_SCHEMA = pa.schema(
    [
        pa.field("node", pa.int32(), nullable=False),
        pa.field("parent", pa.int32(), nullable=False),
        pa.field("reply", pa.string(), nullable=False),
        pa.field("guess", pa.string(), nullable=False),
        pa.field("candidates", pa.int32(), nullable=False),
        pa.field("depth", pa.uint8(), nullable=False),
        pa.field("won", pa.bool_(), nullable=False),
    ]
)


def write_parquet(stored: StoredTree) -> bytes:
    """The nodes as a Parquet file."""
    tree, game = stored.tree, stored.tree.game
    above, via = parents(tree)
    claims = {"format": FORMAT, "version": 1, "game": game.definition, **vars(stored.claims), "sha256": stored.sha256}
    names = [format_reply(game, r) for r in range(len(game.replies))] + [""]
    columns = [
        pa.array(range(len(tree)), pa.int32()),
        pa.array(above, pa.int32()),
        pa.array([names[r] for r in via]),
        pa.array([format_code(game, g) for g in tree.guess.tolist()]),
        pa.array(tree.size),
        pa.array(tree.depth),
        pa.array(tree.child[:, -1] == WON),
    ]
    metadata = {name: json.dumps(value, sort_keys=True) for name, value in claims.items()}
    sink = io.BytesIO()
    pq.write_table(pa.table(columns, schema=_SCHEMA.with_metadata(metadata)), sink)
    return sink.getvalue()


def read_parquet(path: Path, game: Game | None = None) -> Imported:
    """Read `write_parquet`'s table, its rows in any order that has parents first; `game` must agree if given."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise TreeFileError(f"{path}: cannot be read ({error.strerror})") from error
    try:
        table = pq.read_table(io.BytesIO(content))
        claims = {k.decode(): json.loads(v) for k, v in (table.schema.metadata or {}).items() if k[:5] != b"ARROW"}
        if claims.get("format") != FORMAT or claims.get("version") != 1:
            raise TreeFileError(f"{path}: a Parquet file, but not a tree ({FORMAT}, version 1)")
        named = game_of(claims.get("game"))
        rows = table.select(_SCHEMA.names).to_pylist()
    except UsageError as error:
        raise TreeFileError(f"{path}: {error}") from error
    except (pa.ArrowException, OSError, KeyError, ValueError, RecursionError) as error:
        problem = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
        raise TreeFileError(f"{path}: not a Parquet file of a tree ({problem})") from error
    if game is not None and game != named:
        raise UsageError(f"{path}: a tree of {named}, not of {game}")
    return with_claims(_build(path, named, rows).finish(), claims)


def _build(path: Path, game: Game, rows: list[dict[str, Any]]) -> TreeBuilder:
    builder = TreeBuilder(game)
    row_of: dict[int, int] = {}
    claimed = []
    for number, node in enumerate(rows):
        try:
            guess = parse_code(game, node["guess"])
            if not number:
                row = builder.add(guess)
            else:
                parent, reply = row_of[node["parent"]], parse_reply(game, node["reply"])
                if builder.child[parent][reply] != NO_CHILD or reply == game.win:
                    raise UsageError(f"the reply {node['reply']} to node {node['parent']} is taken")
                row = builder.add(guess, parent, reply)
        except KeyError as error:
            raise TreeFileError(f"{path}, row {number + 1}: its parent {error} does not stand before it") from error
        except (UsageError, TreeFileError, AttributeError, TypeError) as error:
            raise TreeFileError(f"{path}, row {number + 1}: {error}") from error
        row_of[node["node"]] = row
        claimed.append((number, row, node["candidates"]))
        if node["won"]:
            builder.win(row)
    if not rows:
        raise TreeFileError(f"{path}: no rows")
    size = builder.sizes()
    for number, row, candidates in claimed:
        if candidates != size[row]:
            raise TreeFileError(f"{path}, row {number + 1}: {wrong_size(candidates, int(size[row]))}")
    return builder
