"""``irving``: the compact notation of Irving 1979, which published strategies and solvers such as mmstrat use.

::

    9 (01: 1, 2 (12*), 2 (22); 0, 1; 1)       how many candidates, and in brackets the guess with all its parts

The parts stand in the order of the replies, bulls upwards and within equal bulls cows downwards: a comma between
parts of equal bulls, a semicolon where bulls change. The impossible reply (one bull less than all, and a cow) is left
out; Knuth 1977 writes it as 0, which is read too. A part is

    0, 1        no candidate; one, which is asked
    2           two: asked in code order
    n (0123)    the guess tells all candidates apart and is one of them
    n (0123*)   the guess tells them all apart and is none of them
    n (0123x)   the guess leaves at most two in each part, and these are asked in code order
    n (0123: ...)   written out
    n A         written out below, on a line ``A = (0123: ...)``

White space means nothing. The notation does not name the game.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bcsearch.assist import reply_row
from bcsearch.errors import TreeFileError, UsageError
from bcsearch.formats.builder import Imported, TreeBuilder, without_claims
from bcsearch.formats.source import Reader, Source, Writer
from bcsearch.game import Game
from bcsearch.notation import format_code, format_reply
from bcsearch.plurals import be, counted
from bcsearch.store import StoredTree
from bcsearch.tree import NO_CHILD, WON, Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LABELS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_WIDTH = 110
_TOKEN = re.compile(r"\s*(?:(?P<number>[0-9]+)|(?P<label>[A-Z])|(?P<sign>[(),;=:*])|(?P<other>\S))")
_CODE = re.compile(r"\s*([^\s():;,*=]+)")


def irving_order(game: Game) -> list[int]:
    """Reply indices in the order of the notation; raises UsageError for a game without bulls and cows."""
    if game.marks:
        raise UsageError(f"irving is a notation for bulls and cows, not for the replies of {game}")
    return sorted(range(len(game.replies)), key=lambda r: (game.replies[r][0], -game.replies[r][1]))


def write_irving(stored: StoredTree, alphabet: str | None = None) -> str:
    """The whole tree in Irving's notation; large parts below the first guess are labelled and written out after it."""
    return _Notation(stored.tree, alphabet).text()


class _Notation:
    def __init__(self, tree: Tree, alphabet: str | None) -> None:
        self.tree = tree
        self.order = irving_order(tree.game)
        taken = next((name for name in alphabet or tree.game.alphabet if not _CODE.fullmatch(name)), None)
        if taken is not None:
            raise UsageError(f"irving has a meaning of its own for {taken!r}, a symbol of {tree.game}; --alphabet "
                             "names others")  # fmt: skip
        self.code = Writer(tree.game, alphabet).code
        trivial = (tree.size == 1) & (tree.child[:, -1] == WON)
        self.trivial = [*trivial.tolist(), True, True]  # the last two stand for WON and NO_CHILD
        self.labels: dict[int, str] = {}

    def text(self) -> str:
        p = self.tree.game.positions
        large = [int(row) for row in self.tree.child[0] if row > 0 and self.tree.size[row] >= p * (p + 3) // 2]
        for row in large:
            if len(self.labels) < len(_LABELS) and not self._brief(row):
                self.labels[row] = _LABELS[len(self.labels)]
        blocks = [self._state(0)] + [f"{label} ={self._guess(row)}" for row, label in self.labels.items()]
        return "\n\n".join(_wrapped(block) for block in blocks) + "\n"

    def _brief(self, row: int) -> bool:
        """Whether the guess alone says everything: each part is one candidate, which is asked."""
        return all(self.trivial[below] for below in self.tree.child[row].tolist())

    def _state(self, row: int) -> str:
        size = int(self.tree.size[row])
        if self.trivial[row]:
            return "1"
        return f"{size}{self.labels[row]}" if row in self.labels else f"{size}{self._guess(row)}"

    def _guess(self, row: int) -> str:
        guess, child = self.code(int(self.tree.guess[row])), self.tree.child[row].tolist()
        if self._brief(row):
            return f" ({guess}{'' if child[-1] == WON else '*'})"
        parts: list[str] = []
        bulls = 0
        for reply in self.order:
            below = child[reply]
            part = "1" if below == WON else "0" if below == NO_CHILD else self._state(below)
            b = self.tree.game.replies[reply][0]
            parts.append(f"{';' if b != bulls else ',' if parts else ''} {part}")
            bulls = b
        return f" ({guess}:{''.join(parts)})"


def _wrapped(text: str) -> str:
    """Break lines at spaces."""
    lines = [""]
    for word in text.split(" "):
        if lines[-1] and len(lines[-1]) + len(word) >= _WIDTH:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return "\n".join(lines)


def read_irving(path: Path, game: Game, alphabet: str | None = None) -> Imported:
    """Read a strategy in Irving's notation; its numbers of candidates are checked against the game."""
    try:
        tree = _Parser(Source(path), game, alphabet).tree()
    except RecursionError as error:
        raise TreeFileError(f"{path}: nested too deeply") from error
    return without_claims(tree, "irving holds no claims; bound: upper")


class _Parser:
    """Reads situations one after the other; the candidates of each are known, so that every number can be checked."""

    def __init__(self, source: Source, game: Game, alphabet: str | None) -> None:
        self.source, self.game = source, game
        self.order = irving_order(game)
        self.reader = Reader(source, game, alphabet)
        self.builder = TreeBuilder(game)
        self.at = 0
        self.labels: dict[str, tuple[NDArray[np.int32], int | None, int, int]] = {}
        p = game.positions
        # Knuth writes the impossible reply out, as a 0 between (p-1 bulls, 1 cow)'s neighbours.
        self.impossible_bulls = p - 1 if (p - 1, 1) not in game.replies else -1

    def tree(self) -> Tree:
        candidates = np.arange(len(self.game.secrets), dtype=np.int32)
        self._situation(candidates, None, 0)
        defined: set[str] = set()
        while not self._ended():
            start = self._start()
            label = self._take("label", "a label like A = (...), or the end, is wanted")
            if label not in self.labels:
                raise self.source.wrong(start, f"no part above is labelled {label}")
            if label in defined:
                raise self.source.wrong(start, f"{label} is written out a second time")
            defined.add(label)
            self._sign("=")
            part, parent, reply, _ = self.labels[label]
            self._guess(part, parent, reply)
        for label, (_, _, _, offset) in self.labels.items():
            if label not in defined:
                raise self.source.wrong(offset, f"the part {label} is nowhere written out")
        return self.builder.finish()

    def _situation(self, candidates: NDArray[np.int32], parent: int | None, reply: int) -> None:
        """A number of candidates, and what is asked there."""
        start = self._start()
        number = int(self._take("number", "a number of candidates is wanted"))
        if number != len(candidates):
            after = "" if parent is None else (
                f" after {format_reply(self.game, reply)} to {format_code(self.game, self.builder.guess[parent])}"
            )  # fmt: skip
            raise self.source.wrong(
                start,
                f"{counted(number, 'candidate')} {be(number)} claimed, there "
                f"{be(len(candidates))} {len(candidates)}{after}",
            )
        kind, text = self._peek()
        if parent is not None and reply == self.game.win and number:
            self.builder.win(parent)
        elif kind == "label" and parent is not None:
            offset = self._start()
            self._next()
            if text in self.labels:
                raise self.source.wrong(offset, f"the label {text} is given to two parts")
            self.labels[text] = (candidates, parent, reply, offset)
        elif text == "(" and kind == "sign":
            self._guess(candidates, parent, reply)
        else:
            self._obvious(candidates, parent, reply, start)

    def _obvious(self, candidates: NDArray[np.int32], parent: int | None, reply: int, start: int) -> None:
        """No guess is given: at most two candidates, asked in code order."""
        if len(candidates) > 2:
            raise self.source.wrong(self._start(), f"{len(candidates)} candidates, and no guess in brackets after them")
        guesses = self.game.guess_of_secret[candidates]
        for guess in guesses.tolist():
            row = self._add(guess, parent, reply, start)
            self.builder.win(row)
            if len(candidates) == 2:
                reply = int(reply_row(self.game, guess, candidates[1:])[0])
            parent = row

    def _guess(self, candidates: NDArray[np.int32], parent: int | None, reply: int) -> None:
        """A guess in brackets, with or without its parts."""
        self._sign("(")
        match = _CODE.match(self.source.text, self.at)
        if match is None:
            raise self.source.wrong(self._start(), "a guess is wanted")
        text, start = match[1], match.start(1)
        self.at = match.end()
        most = 1
        if len(text) == self.game.positions + 1 and text[-1] == "x":  # an x can also be a symbol of the game
            text, most = text[:-1], 2
        guess = self.reader.code(text, start)
        row = self._add(guess, parent, reply, start)
        if not len(candidates):
            raise self.source.wrong(start, "no candidates are left here")
        replies = reply_row(self.game, guess, candidates)
        kind, sign = self._peek()
        if (kind, sign) == ("sign", "*"):
            self._next()
            kind, sign = self._peek()
        if (kind, sign) == ("sign", ")"):
            self._next()
            self._brief(candidates, replies, row, start, most)
        elif (kind, sign) == ("sign", ":"):
            self._next()
            self._parts(candidates, replies, row)
        else:
            raise self.source.wrong(self._start(), f"after the guess {text}: one of : ) * x is wanted")

    def _brief(self, candidates: NDArray[np.int32], replies: NDArray[np.intp], row: int, start: int, most: int) -> None:
        """Parts that are not written out, each small enough to need no guess of its own."""
        for reply in sorted(set(replies.tolist())):
            part = candidates[replies == reply]
            if reply == self.game.win:
                self.builder.win(row)
            elif len(part) > most:
                guess = format_code(self.game, self.builder.guess[row])
                raise self.source.wrong(
                    start, f"{guess} leaves {counted(len(part), 'candidate')} after {format_reply(self.game, reply)}, "
                    "and its parts are not written out")  # fmt: skip
            else:
                self._obvious(part, row, reply, start)

    def _parts(self, candidates: NDArray[np.int32], replies: NDArray[np.intp], row: int) -> None:
        for place, reply in enumerate(self.order):
            bulls, cows = self.game.replies[reply]
            if bulls == self.impossible_bulls and cows == 0:
                self._skip_impossible()
            self._situation(candidates[replies == reply], row, reply)
            following = self.order[place + 1 : place + 2]
            if not following:
                self._sign(")")
            else:
                self._sign("," if self.game.replies[following[0]][0] == bulls else ";")

    def _skip_impossible(self) -> None:
        """Pass over ``0,`` where Knuth writes the impossible reply."""
        match = re.compile(r"\s*0\s*,").match(self.source.text, self.at)
        if match:
            self.at = match.end()

    def _add(self, guess: int, parent: int | None, reply: int, start: int) -> int:
        try:
            return self.builder.add(guess, parent, reply)
        except TreeFileError as error:
            raise self.source.wrong(start, str(error)) from error

    def _ended(self) -> bool:
        return not self.source.text[self.at :].strip()

    def _start(self) -> int:
        """Where the next token begins."""
        match = _TOKEN.match(self.source.text, self.at)
        return len(self.source.text.rstrip()) if match is None else match.end() - len(match[0].lstrip())

    def _peek(self) -> tuple[str, str]:
        match = _TOKEN.match(self.source.text, self.at)
        return ("end", "the end") if match is None else (str(match.lastgroup), match[0].strip())

    def _next(self) -> None:
        match = _TOKEN.match(self.source.text, self.at)
        assert match is not None
        self.at = match.end()

    def _take(self, kind: str, wanted: str) -> str:
        found, text = self._peek()
        if found != kind:
            raise self.source.wrong(self._start(), f"{wanted}, not {text if found == 'end' else repr(text)}")
        self._next()
        return text

    def _sign(self, sign: str) -> None:
        found, text = self._peek()
        if (found, text) != ("sign", sign):
            raise self.source.wrong(self._start(), f"{sign!r} is wanted, not {text if found == 'end' else repr(text)}")
        self._next()
