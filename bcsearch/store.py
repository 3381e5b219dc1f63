"""Tree files: Arrow IPC in and out. Nothing read is trusted before it has been checked.

One record batch, no compression, columns as in `tree.Tree`. The schema's metadata holds JSON values: what the file
claims. Two hashes guard it: ``sha256`` covers the game and the raw column bytes, so it names the strategy itself;
``seal`` covers all metadata, so no claim can change unnoticed. See docs/file-format.md.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

import bcsearch
from bcsearch.claims import claims_problem, summary_problem
from bcsearch.errors import TreeFileError, UsageError
from bcsearch.files import replacing
from bcsearch.game import Game, game_of
from bcsearch.tree import NO_CHILD, WON, Summary, Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

FORMAT = "bcsearch-tree"
FORMAT_VERSION = 1


@dataclass(frozen=True)
class Claims:
    """What a tree file says of its tree, besides the tree.

    Attributes
    ----------
    strategy
        Greedy strategy, or "optimal".
    pool
        Which guesses were allowed: "all" or "consistent".
    tie_rule
        How equal guesses were told apart.
    bound
        "exact": the objective's value is proven minimal; "upper": some tree reaches it.
    lower_bound
        Proven lower bound of the total, or of the objective's own value; None where nothing is proven.
    objective
        For optimal trees, what was minimised and under which conditions; empty for greedy trees.
    """

    strategy: str
    pool: str
    tie_rule: str
    bound: str = "upper"
    lower_bound: int | None = None
    objective: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class StoredTree:
    """A tree with its claims, and where it came from."""

    tree: Tree
    claims: Claims
    summary: Summary
    sha256: str
    path: Path


def content_hash(tree: Tree) -> str:
    """SHA-256 over the game, the reply order and the raw little-endian column bytes: the name of a strategy."""
    digest = hashlib.sha256(json.dumps([tree.game.definition, tree.game.replies]).encode())
    for column in (tree.guess, tree.child, tree.size, tree.depth):
        digest.update(np.ascontiguousarray(column, dtype=column.dtype.newbyteorder("<")).data)
    return digest.hexdigest()


def write_tree(path: Path, tree: Tree, claims: Claims) -> str:
    """Write a tree file, all or nothing (temporary file in the same folder, fsync, rename). Returns its sha256.

    A symbolic link stays, its target is replaced. Raises TreeFileError where nothing can be written.
    """
    sha256 = content_hash(tree)
    schema = _schema(tree.game).with_metadata(_encode(_metadata(tree, claims, sha256)))
    child = pa.FixedSizeListArray.from_arrays(pa.array(tree.child.ravel()), type=schema.field("child").type)
    columns = [pa.array(tree.guess), child, pa.array(tree.size), pa.array(tree.depth)]
    with replacing(path) as sink, pa.ipc.new_file(sink, schema) as writer:
        writer.write_batch(pa.record_batch(columns, schema=schema))
    return sha256


def read_tree(path: Path) -> StoredTree:
    """Memory-map a tree file and check it: version, schema, seal, hash, structure, and of what kind its claims are.

    Raises
    ------
    TreeFileError
        One line naming what is wrong. Whether claims are true (T:D:W, every secret found, a bound) is for `verify` to
        judge.
    """
    batch = _open(path)
    metadata = _decode(path, batch.schema.metadata or {})
    game = _checked_game(path, metadata)
    if batch.schema.remove_metadata() != _schema(game):
        raise TreeFileError(f"{path}: its columns are not those of a tree of {game}")
    tree = Tree(game, *_columns(path, game, batch))
    if content_hash(tree) != metadata.get("sha256"):
        raise TreeFileError(f"{path}: damaged: its content does not match its sha256")
    problem = structure_problem(tree)
    if problem:
        raise TreeFileError(f"{path}: {problem}")
    try:
        claims = Claims(**{name: metadata[name] for name in Claims.__dataclass_fields__})
        summary = Summary(**metadata["summary"])
    except (KeyError, TypeError) as error:
        raise TreeFileError(f"{path}: its claims are incomplete ({error})") from error
    problem = claims_problem(metadata) or summary_problem(metadata["summary"])
    if problem:
        raise TreeFileError(f"{path}: {problem}")
    return StoredTree(tree, claims, summary, metadata["sha256"], path)


def _metadata(tree: Tree, claims: Claims, sha256: str) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "game": tree.game.definition,
        "replies": [list(reply) for reply in tree.game.replies],
        **vars(claims),
        "summary": vars(tree.summary()),
        "tool": f"bcsearch {bcsearch.__version__}",
        "sha256": sha256,
    }


def _encode(metadata: dict[str, Any]) -> dict[str, str]:
    encoded = {name: json.dumps(value, sort_keys=True) for name, value in metadata.items()}
    return {**encoded, "seal": json.dumps(_seal(encoded))}


def _seal(encoded: dict[str, str]) -> str:
    return hashlib.sha256(json.dumps(sorted(encoded.items())).encode()).hexdigest()


def _decode(path: Path, raw: dict[bytes, bytes]) -> dict[str, Any]:
    """Metadata as values, after checking that it is ours, of a version we know, and sealed."""
    try:
        encoded = {name.decode(): value.decode() for name, value in raw.items()}
        metadata = {name: json.loads(value) for name, value in encoded.items()}
    except (ValueError, RecursionError) as error:
        raise TreeFileError(f"{path}: damaged: its metadata cannot be read") from error
    if metadata.get("format") != FORMAT:
        raise TreeFileError(f"{path}: an Arrow file, but not a {FORMAT} file")
    version = metadata.get("version")
    if version != FORMAT_VERSION:
        raise TreeFileError(
            f"{path}: format version {version!r}; this bcsearch reads version {FORMAT_VERSION} "
            "(a newer one may read it)"
        )
    seal = metadata.pop("seal", None)
    if seal != _seal({name: value for name, value in encoded.items() if name != "seal"}):
        raise TreeFileError(f"{path}: damaged: its claims do not match their seal")
    return metadata


def _checked_game(path: Path, metadata: dict[str, Any]) -> Game:
    try:
        game = game_of(metadata["game"])
        replies = [list(reply) for reply in game.replies]
        if game.definition != metadata["game"] or metadata["replies"] != replies:
            raise TreeFileError(f"{path}: its replies are not those of {game}")
    except KeyError as error:
        raise TreeFileError(f"{path}: its metadata lacks {error}") from error
    except UsageError as error:
        raise TreeFileError(f"{path}: {error}") from error
    return game


def _schema(game: Game) -> pa.Schema:
    child = pa.list_(pa.field("item", pa.int32(), nullable=False), len(game.replies))
    return pa.schema(
        [
            pa.field("guess", pa.int32(), nullable=False),
            pa.field("child", child, nullable=False),
            pa.field("size", pa.int32(), nullable=False),
            pa.field("depth", pa.uint8(), nullable=False),
        ]
    )


def _open(path: Path) -> pa.RecordBatch:
    """Map the file and hand out its one record batch; every way Arrow has of saying 'no' becomes one line."""
    try:
        with path.open("rb") as file:
            if file.read(6) != b"ARROW1":
                raise TreeFileError(f"{path}: not a tree file (no Arrow file starts like this)")
        reader = pa.ipc.open_file(pa.memory_map(str(path)))
        if reader.num_record_batches != 1:
            raise TreeFileError(f"{path}: damaged: {reader.num_record_batches} record batches, 1 wanted")
        batch = reader.get_batch(0)
        batch.validate(full=True)
        return batch
    except (FileNotFoundError, IsADirectoryError, PermissionError) as error:
        raise TreeFileError(f"{path}: cannot be read ({error.strerror})") from error
    except (pa.ArrowException, OSError, KeyError, ValueError, IndexError) as error:
        raise TreeFileError(f"{path}: damaged: Arrow cannot read it ({_first_line(error)})") from error


def _first_line(error: Exception) -> str:
    lines = str(error).splitlines()
    return lines[0].rstrip(".") if lines else type(error).__name__


def _columns(
    path: Path, game: Game, batch: pa.RecordBatch
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.uint8]]:
    """The four columns as arrays over the mapped memory."""
    if batch.num_rows < 1 or any(batch.column(i).null_count for i in range(4)):
        raise TreeFileError(f"{path}: damaged: no rows, or empty cells")
    try:
        child = batch.column(1).flatten().to_numpy(zero_copy_only=True).reshape(batch.num_rows, len(game.replies))
        guess, size, depth = (batch.column(i).to_numpy(zero_copy_only=True) for i in (0, 2, 3))
    except (pa.ArrowException, ValueError) as error:
        raise TreeFileError(f"{path}: damaged: its columns cannot be read ({_first_line(error)})") from error
    return guess, child, size, depth


def structure_problem(tree: Tree) -> str | None:
    """First thing that keeps the arrays from being a tree, in words; None if they are one.

    Checked: guesses in range, each child after its parent with just one parent and one level deeper, nothing but rows,
    `NO_CHILD` and the win slot's `WON` in `child`, sizes that add up from the parts.
    """
    n, child = len(tree), tree.child
    if tree.depth[0] != 0 or (tree.guess < 0).any() or (tree.guess >= len(tree.game.guesses)).any():
        return "damaged: a guess or the root's depth is out of range"
    won = child[:, -1]
    if ((won != NO_CHILD) & (won != WON)).any() or (child[:, :-1] < NO_CHILD).any() or (child >= n).any():
        return "damaged: a child row is out of range"
    parent, reply = np.nonzero(child >= 0)
    rows = child[parent, reply]
    if len(rows) != n - 1 or (np.bincount(rows, minlength=n)[1:] != 1).any():
        return "damaged: a node has no parent, or more than one"
    if (rows <= parent).any():
        return "damaged: a child stands before its parent"
    if (tree.depth[rows].astype(int) != tree.depth[parent].astype(int) + 1).any():
        return "damaged: a child is not one guess deeper than its parent"
    below = np.bincount(parent, weights=tree.size[rows], minlength=n).astype(np.int64)
    if (tree.size < 1).any() or (below + (won == WON) != tree.size).any():
        return "damaged: the sizes of a node's parts do not add up to its own"
    return None
