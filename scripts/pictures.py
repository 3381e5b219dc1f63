"""The pictures in docs: the explorer page in Chromium, wide and on a phone, the plot of a comparison, first replies."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from bcsearch.compare import compare
from bcsearch.formats import export_tree
from bcsearch.plot import plot_comparison
from bcsearch.shipped import shipped_tree
from bcsearch.store import read_tree

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from browser import Page, chromium  # noqa: E402

TREE = "p4c10n-optimal-average"
COMPARED = ("p4c10n-minimax", "p4c10n-expected-size", "p4c10n-entropy", TREE)


def pictures() -> bool:
    """Make all pictures anew; needs Chromium and Pillow, which comes with matplotlib."""
    program = chromium()
    if program is None:
        print("Chromium is needed and was not found", file=sys.stderr)
        return False
    docs = ROOT / "docs"
    (docs / "first-replies.svg").write_text(str(export_tree(read_tree(shipped_tree(TREE)), "svg")))
    plot_comparison(compare([read_tree(shipped_tree(name)) for name in COMPARED]), docs / "compare.png")
    with tempfile.TemporaryDirectory() as folder, Page(program) as page:
        path = Path(folder) / "explorer.html"
        path.write_text(str(export_tree(read_tree(shipped_tree(TREE)), "html")))
        page.size(1280, 760)
        page.open(f"file://{path}#/explore/1A1B/1A1B")
        page.screenshot(docs / "explorer-wide.png")
        page.size(390, 844, phone=True)
        page.open(f"file://{path}#/assist")
        page.click("#keypad [data-reply='1A1B']")
        page.run("scrollTo(0, 0)")
        page.screenshot(docs / "explorer-narrow.png")
        page.open(f"file://{path}#/chart")
        page.screenshot(docs / "explorer-chart-narrow.png")
    for name in ("explorer-wide", "explorer-narrow", "explorer-chart-narrow", "compare"):
        _shrink(docs / f"{name}.png")
    return True


def _shrink(path: Path) -> None:
    """Few colours are enough for flat pictures: a third of the size."""
    from PIL import Image

    with Image.open(path) as image:
        small = image.convert("RGB").quantize(64, dither=Image.Dither.NONE)
    small.save(path, optimize=True)
    print(f"{path.relative_to(ROOT)}: {path.stat().st_size:,} bytes")
