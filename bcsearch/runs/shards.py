"""Finished pieces of trees as Arrow files, one each, with the columns of a tree file."""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path

import numpy as np
import pyarrow as pa

from bcsearch.files import replacing
from bcsearch.tree import Piece


def shard_name(key: str) -> str:
    """File name for the piece of an item."""
    return f"{hashlib.sha256(key.encode()).hexdigest()[:20]}.arrow"


def write_shard(path: Path, piece: Piece) -> str:
    """Write a piece all or nothing; returns the SHA-256 of the file."""
    replies = piece.child.shape[1]
    child = pa.FixedSizeListArray.from_arrays(pa.array(piece.child.ravel()), replies)
    columns = {"guess": piece.guess, "child": child, "size": piece.size, "depth": piece.depth}
    table = pa.record_batch([pa.array(column) for column in columns.values()], list(columns))
    table = table.replace_schema_metadata({"open": json.dumps(piece.open_keys)})
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_batch(table)
    content = sink.getvalue()
    with replacing(path) as file:
        file.write(content)
    return hashlib.sha256(content).hexdigest()


def read_shard(path: Path, sha256: str) -> Piece | None:
    """The piece in a file, None where the file is missing or is not the one that was written."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    if hashlib.sha256(content).hexdigest() != sha256:
        return None
    batch = pa.ipc.open_file(io.BytesIO(content)).get_batch(0)
    guess, size, depth = (batch.column(name).to_numpy().copy() for name in ("guess", "size", "depth"))
    child = batch.column("child").flatten().to_numpy().reshape(len(guess), -1).astype(np.int32)
    return Piece(guess, child, size, depth, json.loads(batch.schema.metadata[b"open"]))
