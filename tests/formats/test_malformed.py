"""What is wrong with a file is said with line and column."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_trees import random_stored

from bcsearch.errors import BcsearchError, TreeFileError, UsageError
from bcsearch.formats import export_tree, import_tree, readable
from bcsearch.game import parse_game
from bcsearch.store import structure_problem

IRVING = [  # p2c3r, symbols 123
    ("", 1, 1, "a number of candidates is wanted, not the end"),
    ("9 (12: 1, 2 (23), 1; 4 (13); 1", 1, 31, "')' is wanted, not the end"),
    ("9 (12: 1, 2 (23), 1;\n 4 (13), 1)", 2, 8, "';' is wanted, not ','"),
    ("9 (12: 1, 2 (23), 1;\n 3 (13); 1)", 2, 2, "3 candidates are claimed, there are 4 after 1A0B to 01"),
    ("8 (12: 1, 2 (23), 1; 4 (13); 1)", 1, 1, "8 candidates are claimed, there are 9"),
    ("9 (12: 1, 2 (23), 1; 4 (14); 1)", 1, 25, "'4' is no symbol of the alphabet 123"),
    ("9 (12: 1, 2 (23), 1; 4 (1); 1)", 1, 25, "has 1 symbol, 2 wanted"),
    ("9 (12: 1, 2 (23), 1; 4; 1)", 1, 23, "4 candidates, and no guess in brackets"),
    ("9 (12: 1, 2 (23), 1; 4 (22); 1)", 1, 25, "11 leaves 2 candidates after 0A0B, and its parts are not written out"),
    ("9 (12: 1, 2 (23), 1; 4 (13] 1)", 1, 25, "']' is no symbol of the alphabet 123"),
    ("9 (12, 1, 2 (23), 1; 4 (13); 1)", 1, 6, "after the guess 12: one of : ) * x is wanted"),
    ("9 (12: 1, 2 (23), 1; 4A; 1)\n\nB = (13)", 3, 1, "no part above is labelled B"),
    ("9 (12: 1, 2 (23), 1; 4A; 1)\n", 1, 23, "the part A is nowhere written out"),
    ("9 (12: 1, 2 (23), 1; 4A; 1)\nA = (13)\nA = (13)", 3, 1, "A is written out a second time"),
    ("9 (12: 1, 2A, 1; 4A; 1)\nA = (13)", 1, 19, "the label A is given to two parts"),
    ("9 (12: 1, 2 (23), 1; 4A; 1)\nA (13)", 2, 3, "'=' is wanted, not '('"),
    ("9 (12: 1, 2 (23), 1; 4 (13); 1) 7", 1, 33, "a label like A = (...), or the end, is wanted, not '7'"),
    ("9 (12: 1, 2 (23), 1; 4 (13); 1 (12))", 1, 32, "')' is wanted, not '('"),
    ("9 (: 1)", 1, 4, "a guess is wanted"),
    ("9 (12: 1, 2 (23), 1; 4 (13); 0)", 1, 30, "0 candidates are claimed, there is 1 after 2A0B to 01"),
]

PATHS = [  # p2c3r
    ("", 1, 1, "no paths in this file"),
    ("01 0A0B 22 2A0B\n01 0A1B", 2, 4, "the line ends without the win (2A0B)"),
    ("01 0A0B 22 2A0B\n01 0A1B 12", 2, 11, "the reply to 12 is missing"),
    ("01 0A0B 22 2A0B\n01 2A0B 12 2A0B", 2, 9, "the game is won already with 01"),
    ("01 0A0B 22 2A0B\n02 2A0B", 2, 1, "asks 02 where line 1 asks 01 after the same replies"),
    ("01 0A0B 22 2A0B\n# a word\n01 0A0B 21 2A0B", 3, 9, "asks 21 where line 1 asks 22 after the same replies"),
    ("01 0A0B 22 2A0B\n01 0A0B 22 2A0B", 2, 1, "the same path as in line 1"),
    ("01 0A0B  3x 2A0B", 1, 10, "'3' is no symbol of p2c3r"),
    ("01 0A0B 33 2A0B", 1, 9, "if the file counts symbols from 1, give --alphabet 123"),
    ("01 1A1B 22 2A0B", 1, 4, "1 in place, 1 misplaced cannot be in p2c3r"),
    ("01", 1, 3, "the reply to 01 is missing"),
    ("01 0A0B 01 0A0B " * 130, 1, 2076, "the line ends without the win"),
    ("01 0A0B 01 0A0B " * 130 + "01 2A0B", 1, 2041, "more than 255 guesses in a row"),
]

CSV = [
    ("", 1, 1, "the first line must be the heading"),
    ("01,1,01,2A0B\n", 1, 1, "the first line must be the heading"),
    ("secret,guesses,guess1\n01,1,01", 2, 8, "the reply to 01 is missing"),
    ("secret,guesses,guess1,reply1\n01,1,,\n", 2, 1, "a secret, its number of guesses, and guesses"),
    ("secret,guesses,guess1,reply1\n02,1,01,2A0B\n", 2, 1, "the line is for the secret 02, and finds 01"),
    ("secret,guesses,guess1,reply1\n01,2,01,2A0B\n", 2, 4, "2 guesses are claimed, 1 stands in the line"),
    ('secret;guesses;guess1;reply1\n"01";"1";"1";"2A0B"\n', 2, 10, "has 1 symbol, 2 wanted"),
]

NODE = '{"guess": "01", "replies": {"2A0B": "won"}}'
HEAD = '{"format": "bcsearch-tree-json", "version": 1, "game": "p2c3r",\n "tree": '
JSON = [
    ("", 1, 1, "not JSON (Expecting value)"),
    ('{"format": }', 1, 12, "not JSON"),
    ("[1]", 1, 1, "JSON, but not a tree"),
    ('{"format": "bcsearch-tree-json", "version": 2}', 1, 1, "version 2; this bcsearch reads version 1"),
    ('{"format": "bcsearch-tree-json", "version": 1, "game": "p2"}', 1, 1, "rules read"),
    (HEAD + "7}", 1, 1, "a node is wanted"),
    (HEAD + '{"guess": "01"}}', 2, 10, 'lacks a "guess", a text, or "replies"'),
    (HEAD + '{"guess": "01", "replies": {}}}', 2, 10, 'lacks a "guess", a text, or "replies"'),
    (HEAD + '{"guess": "04", "replies": {"2A0B": "won"}}}', 2, 10, "'4' is no symbol of p2c3r"),
    (HEAD + '{"guess": "01", "replies": {"5A0B": "won"}}}', 2, 37, "cannot be in p2c3r"),
    (HEAD + '{"guess": "01", "replies": {"0A0B": "won"}}}', 2, 37, "belongs to the winning reply 2A0B"),
    (HEAD + f'{{"guess": "01", "replies": {{"2A0B": {NODE}}}}}}}', 2, 37, "belongs to the winning reply 2A0B"),
    (HEAD + '{"guess": "01", "replies": {"2A0B": "won", "20": "won"}}}', 2, 37, "the reply 20 stands here twice"),
    (HEAD + '{"guess": "01", "replies": {"2A0B": "won", "2A0B": "won"}}}', 2, 37, "'2A0B' stands twice in this object"),
    (HEAD + f'{{"guess": "01", "replies": {{"0A0B":\n {NODE[:-2]}, "0A1B": [1]}}}}}}}}}}', 3, 29, "a node is wanted"),
    (HEAD + NODE[:-1] + ', "candidates": 4}}', 2, 10, "4 candidates are claimed, 1 is found from here"),
]  # fmt: skip


def failure(path: Path, text: str, name: str) -> str:
    path.write_text(text)
    with pytest.raises(TreeFileError) as caught:
        import_tree(path, name, None if name == "json" else parse_game("p2c3r"), "123" if name == "irving" else None)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "text", "line", "column", "reason"),
    [(name, *case) for name, cases in (("irving", IRVING), ("paths", PATHS), ("csv", CSV), ("json", JSON))
     for case in cases],
)  # fmt: skip
def test_line_and_column(name: str, text: str, line: int, column: int, reason: str, tmp_path: Path) -> None:
    said = failure(tmp_path / "x", text, name)
    assert said.startswith(f"{tmp_path / 'x'}, line {line}, column {column}: ") and reason in said, said


def test_what_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"01 2A0B\n0\xff")
    for name in ("irving", "paths", "csv", "json"):
        with pytest.raises(TreeFileError, match="line 2, column 2: not UTF-8 text"):
            import_tree(tmp_path / "x", name, parse_game("p2c3r"))


def test_deeply_nested_json(tmp_path: Path) -> None:
    assert "nested too deeply" in failure(tmp_path / "x", "[" * 100_000, "json")
    deep = HEAD + '{"guess": "01", "replies": {"0A0B": ' * 300 + NODE + "}}" * 300 + "}"
    assert "255 guesses" in failure(tmp_path / "x", deep, "json") or "nested too" in failure(
        tmp_path / "x", deep, "json"
    )


def test_a_game_that_the_file_is_not_of(tmp_path: Path) -> None:
    for name in ("json", "parquet"):
        content = export_tree(random_stored("p2c3r", 1), name)
        (tmp_path / "x").write_bytes(content if isinstance(content, bytes) else content.encode())
        with pytest.raises(UsageError, match="a tree of p2c3r, not of p2c4r"):
            import_tree(tmp_path / "x", name, parse_game("p2c4r"))


def test_parquet_says_the_row(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    path.write_bytes(bytes(export_tree(random_stored("p2c3r", 1), "parquet")))  # type: ignore[arg-type]
    table = pq.read_table(path)

    def failing(**columns: list[object]) -> str:
        changed = table
        for name, values in columns.items():
            at = table.column_names.index(name)
            changed = changed.set_column(at, table.schema.field(name), pa.array(values, table.schema.field(name).type))
        pq.write_table(changed, path)
        with pytest.raises(TreeFileError) as caught:
            import_tree(path, "parquet")
        return str(caught.value)

    nodes = table.num_rows
    guess, parent, candidates = (table[name].to_pylist() for name in ("guess", "parent", "candidates"))
    assert "row 3: code '99'" in failing(guess=[*guess[:2], "99", *guess[3:]])
    assert "row 2: its parent 77 does not stand before it" in failing(parent=[-1, 77, *parent[2:]])
    twice = failing(reply=["", *["0A0B"] * (nodes - 1)], parent=[-1, *[0] * (nodes - 1)])
    assert "row 3: the reply 0A0B to node 0 is taken" in twice
    assert "row 1: 8 candidates are claimed, 9 are found" in failing(candidates=[8, *candidates[1:]])
    pq.write_table(table.replace_schema_metadata({}), path)
    with pytest.raises(TreeFileError, match="a Parquet file, but not a tree"):
        import_tree(path, "parquet")
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(TreeFileError, match="not a Parquet file of a tree"):
        import_tree(path, "parquet")


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.sampled_from(readable()), seed=st.integers(0, 10**6))
def test_damage_is_an_error_of_ours_or_a_tree(name: str, seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    content = export_tree(random_stored("p2c3r", seed % 20), name)
    data = bytearray(content if isinstance(content, bytes) else content.encode())
    for _ in range(random.randint(1, 4)):
        at = random.randrange(len(data))
        choice = random.random()
        if choice < 0.4:
            data[at] = random.choice(b'0123456789AB(),;:*x= \n"{}[]\xff')
        elif choice < 0.7:
            del data[at : at + random.randint(1, 5)]
        else:
            data[at:at] = data[at - 3 : at]
        if not data:
            break
    path = tmp_path / "x"
    path.write_bytes(bytes(data))
    try:
        imported = import_tree(path, name, parse_game("p2c3r"))
    except BcsearchError:
        return  # what it says is another test's matter; anything else that is raised fails this one
    assert imported.tree.size[0] >= 1 and structure_problem(imported.tree) is None
    assert json.dumps(vars(imported.claims))
