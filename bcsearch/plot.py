"""Pictures of a comparison, drawn by matplotlib (the extra ``plot``)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bcsearch.compare import Comparison
from bcsearch.errors import BcsearchError, UsageError
from bcsearch.files import replacing
from bcsearch.plurals import plural

ENDINGS = (".png", ".svg", ".pdf")

# Okabe and Ito's colours, which people with any colour vision can tell apart, and hatches for print.
_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#999999", "#f0e442")
_MARKERS = "osD^vPX*"
_BAR = 0.17  # inches for a bar, at least: the numbers above bars stand upright and must not touch


def plot_comparison(comparison: Comparison, path: Path) -> None:
    """Draw how many secrets need k guesses, and the share found within k, one colour a strategy.

    Raises
    ------
    UsageError
        If the file's ending is none of `ENDINGS`.
    BcsearchError
        If matplotlib is not installed.
    """
    if path.suffix.lower() not in ENDINGS:
        raise UsageError(f"{path}: a plot ends in {', '.join(ENDINGS)}")
    try:
        import matplotlib
    except ImportError as error:
        raise BcsearchError("plots need matplotlib: pip install 'bcsearch[plot]'") from error
    matplotlib.use("Agg")
    settings = {"svg.fonttype": "none", "svg.hashsalt": "bcsearch", "font.size": 11, "axes.spines.top": False,
                "axes.spines.right": False, "axes.titlesize": 12, "axes.titlelocation": "left"}  # fmt: skip
    with matplotlib.rc_context(settings):
        figure = _figure(comparison)
        kind = path.suffix[1:].lower()
        extra = {"metadata": {"Date": None}} if kind == "svg" else {}
        with replacing(path) as sink:
            figure.savefig(sink, format=kind, dpi=130, **extra)


def _figure(comparison: Comparison) -> Any:
    from matplotlib.figure import Figure

    count = len(comparison.names)
    labels = [
        f"{name}  ({stored.tree.summary().average:.4f} on average, {stored.tree.summary().depth} at worst)"
        for name, stored in zip(comparison.names, comparison.trees, strict=True)
    ]
    bars = max(6.0, _BAR * count * comparison.most)
    figure = Figure(figsize=(bars + 5.0, 4.6 + 0.28 * count), layout="constrained")
    left, right = figure.subplots(1, 2, gridspec_kw={"width_ratios": [bars, 4.0]})
    _bars(left, comparison, labels)
    _lines(right, comparison)
    game = comparison.trees[0].tree.game.name
    secrets = comparison.needed.shape[1]
    figure.suptitle(f"{game}: {secrets:,} {plural(secrets, 'secret')}", fontweight="bold", x=0.01, ha="left")
    handles, names = left.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower left", ncols=1, frameon=False)
    return figure


def _bars(axes: Any, comparison: Comparison, labels: list[str]) -> None:
    """Grouped bars; few strategies also get the numbers written above."""
    count = len(labels)
    width = 0.84 / count
    for at, (label, found) in enumerate(zip(labels, comparison.distributions(), strict=True)):
        places = [k + 1 + (at - (count - 1) / 2) * width for k in range(len(found))]
        bars = axes.bar(places, found, width * 0.94, label=label, color=_COLOURS[at % len(_COLOURS)],
                        hatch="/" * (3 * (at // len(_COLOURS))))  # fmt: skip
        texts = [f"{n:,}" if n else "" for n in found]
        axes.bar_label(bars, texts, fontsize=8 if count < 4 else 7, padding=2, rotation=0 if count < 2 else 90)
    axes.set_xticks(range(1, comparison.most + 1))
    axes.set_xlim(0.4, comparison.most + 0.6)
    axes.margins(y=0.12)
    axes.set(title="How many secrets need k guesses", xlabel="guesses k, the winning guess counted", ylabel="secrets")


def _lines(axes: Any, comparison: Comparison) -> None:
    places = range(1, comparison.most + 1)
    for at, within in enumerate(comparison.solved_within()):
        axes.plot(places, [100 * share for share in within], color=_COLOURS[at % len(_COLOURS)],
                  marker=_MARKERS[at % len(_MARKERS)], markersize=5, linewidth=1.6, alpha=0.9)  # fmt: skip
    axes.set_xticks(places)
    axes.set_ylim(0, 104)
    axes.grid(alpha=0.25)
    axes.set(title="Share found within k guesses", xlabel="guesses k", ylabel="% of the secrets")
