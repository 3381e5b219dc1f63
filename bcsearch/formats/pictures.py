"""``dot`` and ``svg``: the first levels of a tree as a picture, from left to right."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

from bcsearch.notation import format_code, format_reply
from bcsearch.store import StoredTree
from bcsearch.subtrees import StillToCome, still_to_come
from bcsearch.tree import WON, Tree

LEVELS = 2  #: guesses deep, when nothing else is asked for


@dataclass
class _Box:
    """A node that is shown, or (row None) the win."""

    row: int | None
    reply: str
    depth: int
    guess: str
    says: str
    below: list[_Box] = field(default_factory=list)
    y: float = 0.0


def _boxes(tree: Tree, levels: int) -> _Box:
    come = still_to_come(tree)

    def box(row: int, reply: str, depth: int) -> _Box:
        made = _Box(row, reply, depth, format_code(tree.game, int(tree.guess[row])), _says(tree, come, row))
        if depth + 1 < levels:
            for index, below in enumerate(tree.child[row].tolist()):
                text = format_reply(tree.game, index)
                if below >= 0:
                    made.below.append(box(below, text, depth + 1))
                elif below == WON:
                    made.below.append(_Box(None, text, depth + 1, made.guess, "found"))
        return made

    return box(0, "", 0)


def _says(tree: Tree, come: StillToCome, row: int) -> str:
    n, worst = int(tree.size[row]), int(come.worst[row])
    if n == 1 and worst == 1:
        return "the last one"
    return f"{n} left, {come.total[row] / n:.2f} to come, at most {worst}"


def write_dot(stored: StoredTree, levels: int = LEVELS) -> str:
    """A graph for Graphviz (``dot -Tpng``)."""
    lines = [
        f'digraph "{_quoted(f"{stored.tree.game.name} {stored.claims.strategy}")}" {{',
        '  rankdir=LR; node [shape=box, style=rounded, fontname="monospace"]; edge [fontname="monospace"];',
    ]
    counter = 0

    def add(box: _Box, parent: int | None) -> None:
        nonlocal counter
        own, counter = counter, counter + 1
        shape = ", shape=plaintext" if box.row is None else ""
        lines.append(f'  n{own} [label="{_quoted(box.guess)}\\n{box.says}"{shape}];')
        if parent is not None:
            lines.append(f'  n{parent} -> n{own} [label="{box.reply}"];')
        for below in box.below:
            add(below, own)

    add(_boxes(stored.tree, levels), None)
    return "\n".join([*lines, "}"]) + "\n"


_ROW, _HIGH, _GAP, _CHAR, _EDGE = 34, 28, 12, 7.9, 92


def _quoted(text: str) -> str:
    """A text within the quotes of dot."""
    return text.replace("\\", "\\\\").replace('"', '\\"')


def write_svg(stored: StoredTree, levels: int = LEVELS) -> str:
    """A picture that needs no other program to make it."""
    top = _boxes(stored.tree, levels)
    columns: list[list[_Box]] = []
    leaves = 0

    def place(box: _Box) -> None:
        nonlocal leaves
        while len(columns) <= box.depth:
            columns.append([])
        columns[box.depth].append(box)
        for below in box.below:
            place(below)
        if box.below:
            box.y = (box.below[0].y + box.below[-1].y) / 2
        else:
            box.y = _ROW * (leaves + 0.5)
            leaves += 1

    place(top)
    widths = [max(len(box.guess) + len(box.says) for box in column) * _CHAR + 40 for column in columns]
    starts = [_GAP + sum(widths[:depth]) + _EDGE * depth for depth in range(len(columns))]
    width, height = starts[-1] + widths[-1] + _GAP, _ROW * leaves + 2 * _GAP
    summary = stored.tree.summary()
    title = f"{stored.tree.game.name}, {stored.claims.strategy}: {summary} (total:depth:worst)"
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" font-size="13" '
        "font-family=\"ui-monospace, SFMono-Regular, Menlo, 'DejaVu Sans Mono', monospace\">",
        f"<title>{escape(title)}</title>",
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="#ffffff"/>',
    ]
    for column in columns:
        for box in column:
            out += [_edge(box, below, starts, widths) for below in box.below]
    for column in columns:
        out += [_rectangle(box, starts[box.depth], widths[box.depth]) for box in column]
    return "\n".join([*out, "</svg>"]) + "\n"


def _edge(box: _Box, below: _Box, starts: list[float], widths: list[float]) -> str:
    x, end = starts[box.depth] + widths[box.depth], starts[below.depth]
    y, to = box.y + _GAP, below.y + _GAP
    bend = x + (end - x) * 0.35
    return (
        f'<path d="M{x:.1f} {y:.1f} C{bend:.1f} {y:.1f} {x + 6:.1f} {to:.1f} {end - 46:.1f} {to:.1f} H{end:.1f}" '
        'fill="none" stroke="#b6bfca"/>'
        f'<text x="{end - 8:.1f}" y="{to - 4:.1f}" text-anchor="end" font-size="11" fill="#51606f">'
        f"{escape(below.reply)}</text>"
    )


def _rectangle(box: _Box, x: float, width: float) -> str:
    y = box.y + _GAP - _HIGH / 2
    fill, stroke = ("#e9f7ef", "#3c9a66") if box.row is None else ("#f4f7fb", "#7b93b0")
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{_HIGH}" rx="6" fill="{fill}" stroke="{stroke}"/>'
        f'<text x="{x + 10:.1f}" y="{y + 18.5:.1f}" fill="#16202b"><tspan font-weight="bold">{escape(box.guess)}'
        f'</tspan><tspan dx="10" fill="#51606f">{escape(box.says)}</tspan></text>'
    )
