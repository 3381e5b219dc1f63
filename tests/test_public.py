"""The public names: listed, documented, and light to import."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import bcsearch
from bcsearch.cli import COMMANDS

NAMES = [name for name in bcsearch.__all__ if name != "__version__"]


@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_is_there_described_and_listed(name: str) -> None:
    thing = getattr(bcsearch, name)
    assert inspect.getdoc(thing) and name in dir(bcsearch)
    assert f"`{name}`" in str(bcsearch.__doc__)


def test_nothing_is_public_by_accident() -> None:
    assert set(bcsearch._HOMES) == set(NAMES)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = bcsearch.nothing


def test_the_package_is_typed() -> None:
    assert (Path(bcsearch.__file__).parent / "py.typed").is_file()


def test_a_tree_through_the_public_names(tmp_path: Path) -> None:
    stored = bcsearch.read_tree(bcsearch.shipped_tree("p4c10n-optimal-average"))
    (tmp_path / "x.irving").write_text(str(bcsearch.export_tree(stored, "irving")))
    back = bcsearch.import_tree(tmp_path / "x.irving", "irving", bcsearch.parse_game("bulls-cows"))
    assert bcsearch.write_tree(tmp_path / "x.tree", back.tree, back.claims) == stored.sha256
    assert bcsearch.verify_file(tmp_path / "x.tree").total == 26274
    assert int(bcsearch.guesses_needed(back.tree).sum()) == 26274 == bcsearch.still_to_come(back.tree).total[0]


def test_version(run: Any) -> None:
    assert run("--version").out == f"bcsearch, version {bcsearch.__version__}\n"


@pytest.mark.parametrize("command", [*COMMANDS, None])
def test_help_imports_nothing_heavy(command: str | None) -> None:
    arguments = [command, "--help"] if command else ["--help"]
    program = (
        f"import sys; sys.argv = {['bcsearch', *arguments]!r}\n"
        "from bcsearch.cli import cli\n"
        "try: cli.main(standalone_mode=False)\n"
        "except SystemExit: pass\n"
        "sys.exit(any(m in sys.modules for m in ('ray', 'numba', 'pyarrow', 'numpy')))"
    )
    assert subprocess.run([sys.executable, "-c", program], stdout=subprocess.DEVNULL, check=False).returncode == 0


@pytest.mark.parametrize("arguments", [["show"], ["compare", "{tree}"], ["export", "{tree}", "--format", "irving"],
                                       ["export", "{tree}", "--format", "html"]])  # fmt: skip
def test_looking_at_a_tree_needs_neither_ray_nor_a_compiler(arguments: list[str]) -> None:
    tree = str(bcsearch.shipped_tree("p4c10n-entropy"))
    words = [word.replace("{tree}", tree) for word in ["bcsearch", *arguments]]
    program = (
        f"import sys; sys.argv = {words!r}\nfrom bcsearch.cli import cli\ncli.main(standalone_mode=False)\n"
        "sys.exit(any(m in sys.modules for m in ('ray', 'numba')))"
    )
    assert subprocess.run([sys.executable, "-c", program], stdout=subprocess.DEVNULL, check=False).returncode == 0


def test_the_shell_completes_commands_and_formats() -> None:
    for words, position, wanted in (
        ("bcsearch ex", 1, "plain,export"),
        ("bcsearch export --format ir", 3, "plain,irving"),
    ):
        done = subprocess.run(
            [sys.executable, "-c", "import sys; sys.argv[0] = 'bcsearch'; from bcsearch.cli import main; main()"],
            env={"COMP_WORDS": words, "COMP_CWORD": str(position), "_BCSEARCH_COMPLETE": "bash_complete", "PATH": ""},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert wanted in done.stdout.split()
