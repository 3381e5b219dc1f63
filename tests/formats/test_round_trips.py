"""What is exported and imported is the same strategy, whatever the format; claims are kept or lost, and said so."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_trees import GAMES, random_stored

from bcsearch.cli import COMMANDS
from bcsearch.errors import UsageError
from bcsearch.formats import FORMATS, export_tree, import_tree, readable
from bcsearch.shipped import shipped_tree
from bcsearch.store import content_hash, read_tree, write_tree
from bcsearch.verify import verify_file


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / f"tree.{name}"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(game=st.sampled_from(GAMES), seed=st.integers(0, 10**6), name=st.sampled_from(readable()))
def test_any_tree_comes_back(game: str, seed: int, name: str, tmp_path: Path) -> None:
    stored = random_stored(game, seed)
    path = written(tmp_path, name, export_tree(stored, name))
    back = import_tree(path, name, stored.tree.game)
    assert content_hash(back.tree) == stored.sha256
    assert back.claims.strategy == ("random" if FORMATS[name].names_game else "imported")


@pytest.mark.parametrize("name", readable())
def test_the_optimal_tree_of_bulls_and_cows_comes_back(name: str, run: Any, tmp_path: Path) -> None:
    tree = shipped_tree("p4c10n-optimal-average")
    out, back = tmp_path / f"out.{name}", tmp_path / "back.tree"
    document = json.loads(run("export", tree, "--format", name, "--out", out, "--json").out)
    assert document["sha256"] == read_tree(tree).sha256 and document["bytes"] == out.stat().st_size
    outcome = run("import", out, "--format", name, "--game", "p4c10n", "--out", back, "--json")
    record = json.loads(outcome.out)
    assert record["sha256"] == read_tree(tree).sha256
    assert (record["bound"], record["lower_bound"]) == (
        ("exact", 26274) if name in ("json", "parquet") else ("upper", None)
    )
    assert record["note"] in outcome.err and record["bound"] in record["note"]
    assert verify_file(back).valid


@pytest.mark.parametrize("name", ["irving", "csv", "paths"])
def test_other_symbols(name: str, run: Any, tmp_path: Path) -> None:
    stored = random_stored("p2c4n", 1)
    write_tree(tmp_path / "a.tree", stored.tree, stored.claims)
    out = tmp_path / f"out.{name}"
    assert run("export", tmp_path / "a.tree", "--alphabet", "wxYZ", "--out", out, "--format", name).code == 0
    assert not set("0123") & set("".join(w for w in out.read_text().split() if len(w) == 2 and w.isalpha()))
    options = ["--format", name, "--game", "p2c4n", "--out", tmp_path / "b.tree"]
    assert run("import", out, "--alphabet", "wxYZ", *options).code == 0
    assert read_tree(tmp_path / "b.tree").sha256 == stored.sha256
    wrong = run("import", out, *options)
    assert wrong.code == 1 and ", line " in wrong.err and "is no symbol of p2c4n" in wrong.err
    assert "wanted for p2c4n" in run("import", out, "--alphabet", "wx", *options).err


def test_claims_of_a_changed_tree_are_dropped(run: Any, tmp_path: Path) -> None:
    stored = random_stored("p2c3r", 5)
    stored = replace(stored, claims=replace(stored.claims, bound="exact", lower_bound=stored.summary.total))
    document = json.loads(str(export_tree(stored, "json")))
    path = tmp_path / "x.json"
    for change in ({}, {"sha256": "0" * 64}, {"objective": {"total": "few"}}, {"bound": 3}, {"pool": None}):
        path.write_text(json.dumps(document | change))
        assert import_tree(path, "json").claims.bound == ("upper" if change else "exact")
    for lie in ({"strategy": "a\x1b[31mb"}, {"strategy": "\ud800"}, {"objective": {"max_depth": True}}):
        path.write_text(json.dumps(document | lie))
        outcome = run("import", path, "--out", tmp_path / "lie.tree")
        assert outcome.code == 0 and "claims dropped: the file claims" in outcome.err and "\x1b" not in outcome.err
        assert read_tree(tmp_path / "lie.tree").claims.strategy == "imported"
    path.write_text(json.dumps(document | {"lower_bound": 3}))
    outcome = run("import", path, "--out", tmp_path / "x.tree")
    assert outcome.code == 0 and "claims kept" in outcome.err
    assert run("verify", tmp_path / "x.tree").code == 1  # a claim that was carried is still only a claim


@pytest.mark.parametrize("name", ["json", "parquet"])
@pytest.mark.parametrize("change", [{"objective": {}}, {"objective": {"objective": "average"}}, {"lower_bound": None}])
def test_an_exact_value_of_nothing_is_not_kept(run: Any, tmp_path: Path, name: str, change: dict[str, Any]) -> None:
    stored = random_stored("p2c3r", 5)
    claims = replace(stored.claims, bound="exact", lower_bound=stored.summary.total)
    path = written(tmp_path, name, export_tree(replace(stored, claims=replace(claims, **change)), name))
    outcome = run("import", path, "--out", tmp_path / "x.tree")
    assert outcome.code == 0 and "does not say of what; bound: upper" in outcome.err
    kept = read_tree(tmp_path / "x.tree").claims
    assert (kept.strategy, kept.bound, kept.lower_bound) == ("random", "upper", None)
    assert run("verify", tmp_path / "x.tree").code == 0


def test_semicolons_quotes_and_a_byte_order_mark_as_spreadsheets_write_them(tmp_path: Path) -> None:
    stored = random_stored("p2c4n", 2)
    text = str(export_tree(stored, "csv"))
    for comma in (";", "\t", ","):
        quoted = "\r\n".join(comma.join(f'"{cell}"' for cell in line.split(",")) for line in text.splitlines())
        path = written(tmp_path, "csv", "\ufeff" + quoted)
        assert content_hash(import_tree(path, "csv", stored.tree.game).tree) == stored.sha256


def test_rows_in_any_order_make_the_same_tree(tmp_path: Path) -> None:
    stored = random_stored("p3c4n", 3)
    lines = str(export_tree(stored, "paths")).splitlines()
    path = written(tmp_path, "paths", "# turned round\n\n" + "\n".join(reversed(lines)))
    assert content_hash(import_tree(path, "paths", stored.tree.game).tree) == stored.sha256


def test_import_does_not_overwrite_a_tree_unasked(run: Any, tmp_path: Path) -> None:
    shutil.copy(shipped_tree("p4c10n-entropy"), tmp_path / "x.tree")
    before = (tmp_path / "x.tree").read_bytes()
    assert run("export", tmp_path / "x.tree", "--out", tmp_path / "x.irving").code == 0
    outcome = run("import", tmp_path / "x.irving", "--game", "p4c10n")
    assert outcome.code == 2 and "is there already" in outcome.err
    assert (tmp_path / "x.tree").read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "code", "reason"),
    [
        (["export", "{tree}"], 2, "give --out with an ending that names the format"),
        (["export", "{tree}", "--out", "x.doc"], 2, "its ending names no format"),
        (["export", "{tree}", "--format", "parquet"], 2, "parquet is not text"),
        (["export", "{tree}", "--format", "csv", "--json"], 2, "--json needs --out"),
        (["export", "{tree}", "--format", "csv", "--levels", "2"], 2, "--levels goes with dot, svg; not with csv"),
        (["export", "{tree}", "--format", "json", "--alphabet", "01"], 2, "--alphabet goes with csv, paths, irving"),
        (["export", "{tree}", "--format", "csv", "--alphabet", "0011223344"], 2, "10 different symbols wanted"),
        (["export", "nowhere.tree", "--format", "csv"], 1, "No such file"),
        (["export", "{tree}", "--format", "csv", "--out", "/proc/x.csv"], 1, "cannot be written"),
        (["import", "x.csv", "--out", "y.tree"], 2, "csv does not say which game it is of"),
        (["import", "x.csv", "--game", "p4c10n", "--out", "y.tree"], 1, "No such file"),
        (["import", "x.svg"], 2, "svg shows a tree, and cannot be read back"),
        (["import", "x.parquet", "--out", "y.tree"], 1, "No such file"),
    ],
)
def test_wrong_use_is_one_line(run: Any, arguments: list[str], code: int, reason: str) -> None:
    tree = str(shipped_tree("p4c10n-entropy"))
    outcome = run(*(a.replace("{tree}", tree) for a in arguments))
    assert (outcome.code, outcome.out) == (code, "")
    assert outcome.err.startswith("bcsearch: ") and reason in outcome.err and len(outcome.err.splitlines()) == 1


def test_the_new_commands_are_listed() -> None:
    assert {"export", "import"} <= set(COMMANDS)


ODD_SYMBOLS = ["p2c3r:<>&", "p2c3r:\"'`", "p2c3r:()[", "p2c3r:\\/%", "p2c3r:{}|", "p2c3r:AB*", "p2c3r:1,10,100",
               "p2c3r:\"a\",b,\"\"",
               "p2c3r:null,true,won", "p2c3r:A,B1,2A0B", "p3c3r:b,w,c", "p2c3r:\u00e9\u00df\u6f22"]  # fmt: skip


@pytest.mark.parametrize("name", readable())
@pytest.mark.parametrize("game", ODD_SYMBOLS)
def test_symbols_that_mean_something_in_a_format_come_back_or_are_refused(game: str, name: str, tmp_path: Path) -> None:
    stored = random_stored(game, 3)
    if name == "irving" and game in ("p2c3r:()[", "p2c3r:AB*"):
        with pytest.raises(UsageError, match="irving has a meaning of its own for"):
            export_tree(stored, name)
        stored_as = export_tree(stored, name, alphabet="123")
        assert content_hash(import_tree(written(tmp_path, name, stored_as), name, stored.tree.game, "123").tree) == (
            stored.sha256
        )
        return
    path = written(tmp_path, name, export_tree(stored, name))
    assert content_hash(import_tree(path, name, stored.tree.game).tree) == stored.sha256


def test_pictures_and_cells_quote_symbols(tmp_path: Path) -> None:
    assert '[label="\\"\\"' in export_tree(random_stored('p2c2r:"x', 1), "dot")
    assert export_tree(random_stored('p2c2r:"x', 1), "dot").startswith('digraph "p2c2r:\\"x ')
    stored = random_stored("p2c3r", 1)
    path = written(tmp_path, "csv", export_tree(stored, "csv", alphabet=',;"'))
    assert content_hash(import_tree(path, "csv", stored.tree.game, ',;"').tree) == stored.sha256
    assert '[label="\\\\' in export_tree(random_stored("p2c2r:\\x", 1), "dot")
