"""Tables of results in README and docs are what the package computes."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest
import times

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def tables() -> ModuleType:
    spec = importlib.util.spec_from_file_location("tables", ROOT / "scripts/tables.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def shown(page: Path) -> dict[str, list[str]]:
    """Rows of each table of a page."""
    found = re.findall(r"<!-- table: (\S+) -->\n(.*?)<!-- end of table -->", page.read_text(), flags=re.DOTALL)
    return {name: text.splitlines() for name, text in found}


def test_tables_of_small_games_are_not_stale(tables: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GREEDY_GAMES", "KNOWN_GAMES"):
        games = tuple(game for game in getattr(tables, name) if game not in tables.LARGE_GAMES)
        monkeypatch.setattr(tables, name, games)
    names = set()
    for page in tables.PAGES:
        for name, rows in shown(page).items():
            names.add(name)
            small = [row for row in rows if not row.startswith(tuple(f"| {game} |" for game in tables.LARGE_GAMES))]
            computed = tables.text_of(tables.TABLES[name]()).splitlines()
            assert small == computed, f"{page.name}: the table {name} is stale: run scripts/reproduce tables"
    assert names == set(tables.TABLES)


@pytest.mark.slow
def test_no_table_is_stale(tables: ModuleType) -> None:
    assert tables.tables(["--check"]), "run scripts/reproduce tables"


def test_every_shipped_tree_has_a_row(tables: ModuleType) -> None:
    trees = {path.stem for path in (ROOT / "data").glob("*.tree")}
    rows = shown(ROOT / "docs/results.md")["shipped"]
    assert {row.split(" | ")[0].strip("| ") for row in rows[2:]} == trees


def test_a_stale_table_is_found_and_written_anew(
    tables: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- table: proven -->\n| old |\n<!-- end of table -->\nafter\n")
    monkeypatch.setattr(tables, "PAGES", (page,))
    monkeypatch.setattr(tables, "ROOT", tmp_path)
    assert not tables.tables(["--check"]) and "page.md: stale tables" in capsys.readouterr().out
    assert tables.tables([]) and tables.tables(["--check"])
    text = page.read_text()
    assert text.startswith("before\n<!-- table: proven -->\n| game |") and text.endswith(
        "<!-- end of table -->\nafter\n"
    )
    assert "| p4c10n | all | average | 26274 | 5.2131 |" in text


def test_the_readme_says_what_was_measured() -> None:
    recorded = times.recorded()
    one, two = (recorded["p4c10n optimal", threads][0] for threads in ("1", "2"))
    assert f"{one:.0f} s on one thread, {two:.0f} s on two" in (ROOT / "README.md").read_text()


def test_times_are_not_measured_on_a_busy_machine(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(times, "FILE", tmp_path / "times.txt")
    monkeypatch.setattr(times, "JOBS", {"p2c3r greedy": ("--game", "p2c3r", "--strategy", "entropy")})
    monkeypatch.setattr("os.getloadavg", lambda: (3.0, 3.0, 3.0))
    assert not times.times([]) and "nothing measured" in capsys.readouterr().out and not times.FILE.exists()
    monkeypatch.setattr(times, "RUNS", 1)
    assert times.times(["--anyway"])
    assert {job for job, _ in times.recorded()} == {"p2c3r greedy"}
    assert all(whole > building >= 0 for whole, building in times.recorded().values())
