"""Tree files: what is written comes back, and whatever is damaged is refused with one clear line."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from bcsearch import store
from bcsearch.errors import TreeFileError
from bcsearch.store import StoredTree, content_hash, read_tree, write_tree
from bcsearch.tree import NO_CHILD, Tree
from bcsearch.verify import verify_file


def same(a: StoredTree, b: StoredTree) -> bool:
    columns = ("guess", "child", "size", "depth")
    equal = all(np.array_equal(getattr(a.tree, c), getattr(b.tree, c)) for c in columns)
    return equal and (a.claims, a.summary, a.sha256, a.tree.game) == (b.claims, b.summary, b.sha256, b.tree.game)


def refused(path: Path) -> str:
    """The one line with which a file is refused; verify must say the same."""
    with pytest.raises(TreeFileError) as error:
        read_tree(path)
    text = str(error.value)
    assert text.startswith(str(path)) and "\n" not in text
    assert verify_file(path).problems == [text]
    return text


def test_written_and_read_back(small: StoredTree, tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "copy.tree"
    assert write_tree(path, small.tree, small.claims) == small.sha256
    assert same(read_tree(path), small)
    assert [p.name for p in path.parent.iterdir()] == ["copy.tree"]
    assert path.read_bytes() == small.path.read_bytes()


def test_other_readers_can_use_the_file(small: StoredTree) -> None:
    table = pa.ipc.open_file(small.path).read_all()
    assert table.column_names == ["guess", "child", "size", "depth"]
    assert json.loads(table.schema.metadata[b"sha256"]) == small.sha256
    assert table["size"][0].as_py() == 12


def test_a_file_cut_anywhere_is_refused(small: StoredTree, tmp_path: Path) -> None:
    whole, path = small.path.read_bytes(), tmp_path / "cut.tree"
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        refused(path)


def test_a_flipped_bit_anywhere_is_refused_or_padding(small: StoredTree, tmp_path: Path) -> None:
    """Every byte of a small file, one random bit each and once all bits: refused, or the very same tree."""
    whole, path = small.path.read_bytes(), tmp_path / "flipped.tree"
    draw = random.Random(0)
    survived = 0
    for at in range(len(whole)):
        for mask in (1 << draw.randrange(8), 255):
            path.write_bytes(whole[:at] + bytes([whole[at] ^ mask]) + whole[at + 1 :])
            try:
                read = read_tree(path)
            except TreeFileError:
                continue
            assert same(replace(read, path=small.path), small), at
            survived += 1
    assert survived < len(whole)


def rewritten(small: StoredTree, path: Path, **changes: Any) -> Path:
    """A file with changed metadata, freshly sealed: a forgery, not an accident."""
    metadata = {**store._metadata(small.tree, small.claims, small.sha256), **changes}
    metadata = {name: value for name, value in metadata.items() if value is not ...}
    schema = store._schema(small.tree.game).with_metadata(store._encode(metadata))
    batch = pa.ipc.open_file(small.path).get_batch(0)
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, schema) as writer:
        writer.write_batch(pa.record_batch(batch.columns, schema=schema))
    return path


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"version": 2}, "format version 2; this bcsearch reads version 1"),
        ({"version": "1"}, "format version"),
        ({"format": "recipes"}, "not a bcsearch-tree file"),
        ({"format": ...}, "not a bcsearch-tree file"),
        ({"game": "p3c4n"}, "its replies are not those"),
        ({"game": "p2c5n"}, "damaged|its guesses|sizes|sha256"),
        ({"game": "chess"}, "rules read"),
        ({"game": ...}, "lacks 'game'"),
        ({"replies": [[0, 0]]}, "its replies are not those"),
        ({"sha256": "0" * 64}, "does not match its sha256"),
        ({"sha256": ...}, "does not match its sha256"),
        ({"strategy": ...}, "claims are incomplete"),
        ({"summary": ...}, "claims are incomplete"),
        ({"summary": {"total": 1}}, "claims are incomplete"),
        ({"summary": 7}, "claims are incomplete"),
    ],
)
def test_forged_metadata_is_refused(small: StoredTree, tmp_path: Path, changes: dict[str, Any], reason: str) -> None:
    import re

    assert re.search(reason, refused(rewritten(small, tmp_path / "forged.tree", **changes)))


LIES = [
    ({"lower_bound": "x"}, "lower_bound 'x'; a whole number"),
    ({"lower_bound": [1]}, r"lower_bound \[1\]; a whole number"),
    ({"lower_bound": True}, "lower_bound True; a whole number"),
    ({"lower_bound": -1}, "lower_bound -1; a whole number"),
    ({"objective": {"max_depth": "six"}}, "objective.max_depth 'six'; a whole number"),
    ({"objective": {"lost": 1, "within": None}}, "objective.within None; a whole number"),
    ({"objective": {"total": 3.5}}, "objective.total 3.5; a whole number"),
    ({"objective": {"objective": ["average"]}}, "objective.objective .*; a text"),
    ({"objective": {"objective": "\x1b[2J"}}, "objective .*printable"),
    ({"objective": {"notes": [{"\n": 1}]}}, "objective .*printable"),
    ({"objective": None}, "objective None; an object"),
    ({"objective": "average"}, "objective 'average'; an object"),
    ({"objective": [1]}, r"objective \[1\]; an object"),
    ({"bound": 3}, "bound 3; a text"),
    ({"pool": None}, "pool None; a text"),
    ({"tie_rule": {}}, "tie_rule {}; a text"),
    ({"strategy": 5}, "strategy 5; a text"),
    ({"strategy": ["a"]}, r"strategy \['a'\]; a text"),
    ({"strategy": "\ud800"}, "strategy .*printable"),
    ({"strategy": "a\x1b[31mRED\nline2"}, "strategy .*printable"),
    ({"strategy": "safe\u202eeert"}, "strategy .*printable"),
    ({"summary": {"total": "1", "depth": 1, "worst": 1, "secrets": 1}}, "summary.total '1'; a whole number"),
]


@pytest.mark.parametrize(("changes", "reason"), LIES)
def test_claims_not_of_their_kind_are_refused_by_every_command(
    small: StoredTree, tmp_path: Path, run: Any, changes: dict[str, Any], reason: str
) -> None:
    import re

    path = rewritten(small, tmp_path / "lie.tree", **changes)
    text = refused(path)
    assert re.search(f"claims {reason}", text) and text.isprintable()
    commands: list[tuple[object, ...]] = [("verify", path), ("stats", path), ("compare", path), ("audit", path)]
    for command in (*commands, ("export", path, "--format", "html", "--out", tmp_path / "x.html")):
        outcome = run(*command)
        assert outcome.code == 1 and outcome.out == "" and outcome.err.count("\n") == 1 and text in outcome.err


def test_metadata_nested_beyond_measure_is_refused(small: StoredTree, tmp_path: Path) -> None:
    metadata = {**store._metadata(small.tree, small.claims, small.sha256)}
    encoded = {name: json.dumps(value) for name, value in metadata.items()} | {"notes": "[" * 200_000}
    encoded["seal"] = json.dumps(store._seal(encoded))
    batch = pa.ipc.open_file(small.path).get_batch(0)
    schema = store._schema(small.tree.game).with_metadata(encoded)
    with pa.OSFile(str(tmp_path / "deep.tree"), "wb") as sink, pa.ipc.new_file(sink, schema) as writer:
        writer.write_batch(pa.record_batch(batch.columns, schema=schema))
    assert "metadata cannot be read" in refused(tmp_path / "deep.tree")


def test_a_changed_claim_breaks_the_seal(small: StoredTree, tmp_path: Path) -> None:
    path = tmp_path / "claim.tree"
    path.write_bytes(small.path.read_bytes().replace(b'"minimax"', b'"entropy"'))
    assert "seal" in refused(path)


def changed(tree: Tree, change: Callable[[dict[str, Any]], None]) -> Tree:
    arrays = {name: getattr(tree, name).copy() for name in ("guess", "child", "size", "depth")}
    change(arrays)
    return Tree(tree.game, **arrays)


def first_child(arrays: dict[str, Any]) -> tuple[int, int]:
    rows, replies = np.nonzero(arrays["child"] > 0)
    return int(rows[0]), int(replies[0])


def cyclic(arrays: dict[str, Any]) -> None:
    arrays["child"][2][0] = 1


def own_parent(arrays: dict[str, Any]) -> None:
    arrays["child"][first_child(arrays)] = 0


def missing(arrays: dict[str, Any]) -> None:
    arrays["child"][first_child(arrays)] = NO_CHILD


def shared(arrays: dict[str, Any]) -> None:
    rows, replies = np.nonzero(arrays["child"] > 0)
    arrays["child"][rows[1], replies[1]] = arrays["child"][rows[0], replies[0]]


def beyond(arrays: dict[str, Any]) -> None:
    arrays["child"][first_child(arrays)] = 10_000


def odd_marker(arrays: dict[str, Any]) -> None:
    arrays["child"][0, 0] = -7


def row_in_win_slot(arrays: dict[str, Any]) -> None:
    arrays["child"][0, -1] = 1


def guess_beyond(arrays: dict[str, Any]) -> None:
    arrays["guess"][1] = 12


def guess_negative(arrays: dict[str, Any]) -> None:
    arrays["guess"][1] = -1


def depth_wrong(arrays: dict[str, Any]) -> None:
    arrays["depth"][-1] += 1


def root_deep(arrays: dict[str, Any]) -> None:
    arrays["depth"] += 1


def size_wrong(arrays: dict[str, Any]) -> None:
    arrays["size"][1] += 1


def size_zero(arrays: dict[str, Any]) -> None:
    arrays["size"][-1] = 0


@pytest.mark.parametrize(
    "change",
    [cyclic, own_parent, missing, shared, beyond, odd_marker, row_in_win_slot, guess_beyond, guess_negative,
     depth_wrong, root_deep, size_wrong, size_zero],
)  # fmt: skip
def test_arrays_that_are_no_tree_are_refused(small: StoredTree, tmp_path: Path, change: Any) -> None:
    path = tmp_path / "odd.tree"
    write_tree(path, changed(small.tree, change), small.claims)
    assert "damaged" in refused(path)


@pytest.mark.parametrize("content", [b"", b"hello", b"ARROW1", b"ARROW1\0\0" * 50, bytes(1000)])
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.tree"
    path.write_bytes(content)
    refused(path)


def test_other_arrow_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "table.arrow"
    table = pa.table({"guess": [1, 2]})
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    assert "not a bcsearch-tree file" in refused(path)


def test_missing_files_and_folders_are_named(tmp_path: Path) -> None:
    assert "No such file" in refused(tmp_path / "none.tree")
    assert "directory" in refused(tmp_path)


def test_a_place_that_cannot_be_written_is_named(small: StoredTree, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(TreeFileError, match="cannot be written"):
        write_tree(tmp_path / "file" / "x.tree", small.tree, small.claims)


def test_content_hash_names_game_and_columns(small: StoredTree) -> None:
    other = changed(small.tree, lambda arrays: arrays["guess"].__setitem__(0, 1))
    assert content_hash(other) != content_hash(small.tree) == small.sha256


def test_devices_pipes_and_links_are_never_replaced(small: StoredTree, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(TreeFileError, match="not a regular file"):
        write_tree(pipe, small.tree, small.claims)
    assert pipe.is_fifo()
    (tmp_path / "link").symlink_to(tmp_path / "target")
    write_tree(tmp_path / "link", small.tree, small.claims)
    assert (tmp_path / "link").is_symlink() and (tmp_path / "target").is_file()
    with pytest.raises(TreeFileError, match="cannot be written"):
        write_tree(tmp_path / ("x" * 300), small.tree, small.claims)
