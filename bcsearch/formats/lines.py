"""One line per secret: ``paths`` (guess reply guess reply ...) and ``csv`` (the same in columns, with a heading).

The lines stand in the order of the secrets. Together they hold the whole tree: what two lines begin with in common is
the path to a node.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bcsearch.errors import TreeFileError
from bcsearch.formats.builder import Imported, TreeBuilder, without_claims
from bcsearch.formats.source import Reader, Source, Writer
from bcsearch.game import Game
from bcsearch.notation import format_code, format_reply
from bcsearch.store import StoredTree
from bcsearch.subtrees import parents
from bcsearch.tree import NO_CHILD, WON, Tree

_NOTE = "{} holds no claims; bound: upper"


@dataclass(frozen=True)
class Step:
    """A guess and its reply, as indices, and where they stand in the text."""

    guess: int
    reply: int
    guess_at: int
    reply_at: int


def paths_of(tree: Tree) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    """All paths (secret index, [(guess index, reply index), ...]) in the order of the secrets; the last reply wins."""
    above, via = parents(tree)
    rows = np.flatnonzero(tree.child[:, -1] == WON)
    secrets = tree.game.secret_of_guess[tree.guess[rows]]
    for at in np.argsort(secrets, kind="stable"):
        row, path = int(rows[at]), [(int(tree.guess[rows[at]]), tree.game.win)]
        while above[row] >= 0:
            path.append((int(tree.guess[above[row]]), int(via[row])))
            row = int(above[row])
        yield int(secrets[at]), path[::-1]


def write_paths(stored: StoredTree, alphabet: str | None = None) -> str:
    """``0123 1A1B 0145 2A0B ... 0395 4A0B``: one line per secret."""
    game, code = stored.tree.game, Writer(stored.tree.game, alphabet).code
    lines = [" ".join(f"{code(g)} {format_reply(game, r)}" for g, r in path) for _, path in paths_of(stored.tree)]
    return "\n".join(lines) + "\n"


def write_csv(stored: StoredTree, alphabet: str | None = None) -> str:
    """``secret,guesses,guess1,reply1,...``: one line per secret; short paths leave the last columns empty."""
    game, writer = stored.tree.game, Writer(stored.tree.game, alphabet)
    depth = stored.tree.summary().depth
    lines = [",".join(["secret", "guesses", *(f"{name}{k + 1}" for k in range(depth) for name in ("guess", "reply"))])]
    for _, path in paths_of(stored.tree):
        codes = [_cell(writer.code(guess)) for guess, _ in path]
        cells = [codes[-1], str(len(path))]
        cells += [cell for code, (_, r) in zip(codes, path, strict=True) for cell in (code, format_reply(game, r))]
        lines.append(",".join(cells + [""] * (2 * depth + 2 - len(cells))))
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    """A code as a cell: in quotes where it holds some, which are doubled, or what ends a cell."""
    return '"{}"'.format(text.replace('"', '""')) if any(c in text for c in ' ,;\t"') else text


def read_paths(path: Path, game: Game, alphabet: str | None = None) -> Imported:
    """Read `write_paths`' lines; empty lines and lines that begin with # are skipped."""
    source = Source(path)
    reader = Reader(source, game, alphabet)
    lines = []
    for start, line in _lines(source.text):
        words = [(match[0], start + match.start()) for match in re.finditer(r"\S+", line)]
        if words and not line.lstrip().startswith("#"):
            lines.append(_steps(reader, words, start + len(line)))
    return without_claims(_tree(source, game, lines), _NOTE.format("paths"))


def read_csv(path: Path, game: Game, alphabet: str | None = None) -> Imported:
    """Read `write_csv`'s lines; commas, semicolons or tabs between the cells, with or without quotes."""
    source = Source(path)
    reader = Reader(source, game, alphabet)
    rows = [(start, line) for start, line in _lines(source.text) if line.strip(" ,;\t")]
    heading = rows[0][1] if rows else ""
    comma = next((sign for sign in ",;\t" if heading.replace('"', "").startswith(f"secret{sign}guesses{sign}")), None)
    if comma is None:
        raise source.wrong(0, "the first line must be the heading secret,guesses,guess1,reply1,...")
    lines = []
    for start, line in rows[1:]:
        cells = [(text, start + at) for text, at in _cells(line, comma) if text]
        if len(cells) < 3:
            raise source.wrong(start, "a secret, its number of guesses, and guesses with their replies are wanted")
        steps = _steps(reader, cells[2:], start + len(line))
        (secret, secret_at), (count, count_at) = cells[:2]
        if reader.code(secret, secret_at) != steps[-1].guess:
            found = format_code(game, steps[-1].guess)
            raise source.wrong(secret_at, f"the line is for the secret {secret}, and finds {found}")
        if count != str(len(steps)):
            stand = f"{len(steps)} stand{'s' if len(steps) == 1 else ''}"
            claimed = f"{count} guess is" if count == "1" else f"{count} guesses are"
            raise source.wrong(count_at, f"{claimed} claimed, {stand} in the line")
        lines.append(steps)
    return without_claims(_tree(source, game, lines), _NOTE.format("csv"))


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines without their ends, and where they start."""
    for match in re.finditer(r"[^\n]*\n|[^\n]+$", text):
        yield match.start(), match[0].rstrip("\r\n")


def _cells(line: str, comma: str) -> Iterator[tuple[str, int]]:
    """Cells of a line, without quotes and spaces around, and where they start."""
    for match in re.finditer(rf'(?:^|{comma})\s*("(?:[^"]|"")*"|[^{comma}]*)', line):
        text = match[1].strip()
        quoted = len(text) > 1 and text[0] == text[-1] == '"'
        yield text[1:-1].replace('""', '"').strip() if quoted else text, match.start(1)


def _steps(reader: Reader, words: list[tuple[str, int]], end: int) -> list[Step]:
    """Guesses with their replies; the last reply, and only the last, is the win."""
    steps = []
    for (guess, guess_at), (reply, reply_at) in zip(words[::2], words[1::2], strict=False):
        steps.append(Step(reader.code(guess, guess_at), reader.reply(reply, reply_at), guess_at, reply_at))
        if steps[-1].reply == reader.game.win and len(words) > 2 * len(steps):
            raise reader.source.wrong(words[2 * len(steps)][1], f"the game is won already with {guess}")
    if len(words) % 2:
        raise reader.source.wrong(end, f"the reply to {words[-1][0]} is missing")
    if steps[-1].reply != reader.game.win:
        win = format_reply(reader.game, reader.game.win)
        raise reader.source.wrong(steps[-1].reply_at, f"the line ends without the win ({win})")
    return steps


def _tree(source: Source, game: Game, lines: list[list[Step]]) -> Tree:
    """Lay all paths on top of each other."""
    if not lines:
        raise source.wrong(len(source.text), "no paths in this file")
    builder, first_seen = TreeBuilder(game), [lines[0][0].guess_at]
    builder.add(lines[0][0].guess)
    for steps in lines:
        row = 0
        for at, step in enumerate(steps):
            if builder.guess[row] != step.guess:
                asked, other = format_code(game, step.guess), format_code(game, builder.guess[row])
                where = source.line_of(first_seen[row])
                raise source.wrong(
                    step.guess_at, f"asks {asked} where line {where} asks {other} after the same replies"
                )
            below = builder.child[row][step.reply]
            if below == WON:
                where = source.line_of(first_seen[row])
                raise source.wrong(steps[0].guess_at, f"the same path as in line {where}")
            if step.reply == game.win:
                builder.win(row)
            elif below == NO_CHILD:
                try:
                    row = builder.add(steps[at + 1].guess, row, step.reply)
                except TreeFileError as error:
                    raise source.wrong(steps[at + 1].guess_at, str(error)) from error
                first_seen.append(steps[at + 1].guess_at)
            else:
                row = below
    return builder.finish()
