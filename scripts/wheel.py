"""Builds the wheel, installs it into a clean environment, and uses it there: from the command line and as a library."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent

LIBRARY = """
import bcsearch, pathlib
for name in bcsearch.__all__:
    getattr(bcsearch, name)
home = pathlib.Path(bcsearch.__file__).parent
assert (home / "py.typed").is_file() and (home / "formats/explorer/explorer.js").is_file(), home
assert "site-packages" in str(home), home
print(bcsearch.open_tree(bcsearch.shipped_tree("p4c10n-optimal-average")).root)
"""

TYPED = """
import bcsearch

node: bcsearch.Node = bcsearch.open_tree("x").root
reveal_type(bcsearch.verify_file)
"""


def wheel() -> bool:
    """True if everything works."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pip = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--wheel-dir", folder, ROOT]
        subprocess.run(pip, check=True)
        (built,) = folder.glob("*.whl")
        print(f"{built.name}: {built.stat().st_size:,} bytes")
        venv.create(folder / "venv", with_pip=True)
        python = str(folder / "venv/bin/python")
        constraints = ROOT / "scripts/constraints.txt"
        subprocess.run([python, "-m", "pip", "install", "-q", "-c", constraints, built, "mypy"], check=True)
        (folder / "typed.py").write_text(TYPED)
        bcsearch = folder / "venv/bin/bcsearch"
        build = ["build-tree", "--game", "p3c6n", "--strategy", "entropy", "--executor", "local", "--out", "a.tree"]
        commands = [
            [python, "-c", LIBRARY],
            [python, "-m", "mypy", "--strict", "typed.py"],
            [bcsearch, "--version"],
            [bcsearch, "play", "--secret", "0395"],
            [bcsearch, *build],
            [bcsearch, "export", "a.tree", "--out", "a.html"],
            [bcsearch, "verify", "a.tree"],
        ]
        for command in commands:
            print("$", *(Path(str(part)).name if "/" in str(part) else repr(part) for part in command), flush=True)
            if subprocess.run(command, cwd=folder, check=False).returncode:
                return False
    return True
