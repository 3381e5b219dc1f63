"""Runs the readers in docs/file-format.md that need other programs: polars, DuckDB (from PyPI) and JavaScript (npm).

They are installed into a folder that is thrown away. Each reader asserts what it reads, so running is checking.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from documents import ROOT, Block, blocks


def programs() -> list[Block]:
    """The readers: programs in languages of which the test-suite runs nothing."""
    return [block for block in blocks(ROOT / "docs/file-format.md") if block.language in ("py", "js")]


def readers() -> bool:
    """Run all; False if one fails. Without npm the JavaScript reader is left out, and that is said."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(ROOT / "data/p4c10n-entropy.tree", folder / "entropy.tree")
        subprocess.run([sys.executable, "-m", "bcsearch", "export", "entropy.tree", "--out", "entropy.parquet"],
                       cwd=folder, check=True)  # fmt: skip
        venv.create(folder / "venv", with_pip=True)
        python = folder / "venv/bin/python"
        subprocess.run([python, "-m", "pip", "install", "-q", "polars", "duckdb", "pyarrow"], check=True)
        if shutil.which("npm"):
            subprocess.run(["npm", "install", "--silent", "--no-audit", "apache-arrow"], cwd=folder, check=True)
        works = [
            _run(block.language, block.text, folder, python) for block in programs()
        ]  # all of them, also after a failure
        return all(works)


def _run(language: str, text: str, folder: Path, python: Path) -> bool:
    first = next(line for line in text.splitlines() if line.startswith(("import", "from")))
    if language == "js" and not shutil.which("npm"):
        print(f"not run, no npm here: {first}")
        return True
    path = folder / ("reader.py" if language == "py" else "reader.mjs")
    path.write_text(text)
    done = subprocess.run([python if language == "py" else "node", path], cwd=folder, check=False)
    print(f"{'works' if done.returncode == 0 else 'FAILS'}: {language}: {first}", flush=True)
    return done.returncode == 0
