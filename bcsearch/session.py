"""The rows of a game in progress, which people correct: undo, edit, ignore.

A row that is ignored stays in sight and out of the history. Every change can be undone, the last one first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from bcsearch.conventions import AUTO
from bcsearch.errors import UsageError
from bcsearch.game import Game
from bcsearch.notation import AmbiguousReplyError, example_row, looks_like_code, parse_code, parse_history, parse_reply


@dataclass(frozen=True)
class Row:
    """A guess with its reply (indices), and whether it is left out of the history."""

    guess: int
    reply: int
    ignored: bool = False


@dataclass
class Session:
    """Rows with their past.

    Attributes
    ----------
    notation
        Convention in which replies are read.
    preferred
        Convention that decides where others disagree.
    rows
        All rows, ignored ones too.
    asked
        Guess that a reply alone belongs to: the one just named, else the one just advised; None before that.
    """

    game: Game
    notation: str = AUTO
    preferred: str | None = None
    rows: tuple[Row, ...] = ()
    asked: int | None = None
    _past: list[tuple[Row, ...]] = field(default_factory=list)

    @property
    def history(self) -> tuple[tuple[int, int], ...]:
        """(guess, reply) of the rows that count."""
        return tuple((row.guess, row.reply) for row in self.rows if not row.ignored)

    def row(self, number: int) -> Row:
        """Row `number`, counted from 1; raises UsageError, saying which rows there are, where there is none."""
        if not 1 <= number <= len(self.rows):
            there = f"rows 1 to {len(self.rows)}" if self.rows else "no rows yet"
            raise UsageError(f"row {number}: there are {there}")
        return self.rows[number - 1]

    def add(self, *rows: tuple[int, int]) -> None:
        """Append rows; one undo takes them all back."""
        self._change((*self.rows, *(Row(guess, reply) for guess, reply in rows)))

    def edit(self, number: int, guess: int, reply: int) -> None:
        """Replace row `number`, counted from 1; it counts again if it was ignored."""
        self.row(number)
        self._change((*self.rows[: number - 1], Row(guess, reply), *self.rows[number:]))

    def ignore(self, number: int) -> bool:
        """Leave row `number` out, or take it in again; returns whether it is left out now."""
        row = self.row(number)
        changed = replace(row, ignored=not row.ignored)
        self._change((*self.rows[: number - 1], changed, *self.rows[number:]))
        return changed.ignored

    def undo(self) -> None:
        """Take the last change back; raises UsageError when there is none."""
        if not self._past:
            raise UsageError("nothing to undo")
        self.rows = self._past.pop()

    def clear(self) -> None:
        """Begin a new game; this too can be undone."""
        self._change(())

    def _change(self, rows: tuple[Row, ...]) -> None:
        self._past.append(self.rows)
        self.rows = rows

    def read(self, text: str) -> tuple[tuple[int, int], ...]:
        """Rows of a line: guesses with their replies, or a reply alone, which belongs to the guess just asked.

        A guess alone gives no rows and becomes the one asked.

        Raises
        ------
        AmbiguousReplyError
            For a reply that conventions read differently.
        UsageError
            For lines that are neither, and for those that could be either.
        """
        words = re.split(r"[\s=:]+", text.strip())
        first_is_code = self._is_code(words[0])
        if len(words) == 1 and first_is_code:
            if self._is_reply(text):
                raise UsageError(f"{text!r} can be a guess and a reply: write 'guess {text}' or 'reply {text}'")
            self.asked = parse_code(self.game, text)
            return ()
        if len(words) == 1 or not first_is_code:
            if (len(words) > 1 or looks_like_code(self.game, words[0])) and not self._is_reply(text):
                parse_code(self.game, words[0])  # says what is wrong with it
            return self.read_reply(text)
        rows = parse_history(self.game, [text], self.notation, self.preferred)
        if self.asked is not None and len(rows) == 1 and self._is_reply(text):
            raise UsageError(f"{text!r} can be a guess with its reply, or a reply alone: write {words[0]}=REPLY "
                             "or 'reply REPLY'")  # fmt: skip
        return rows

    def guess_in(self, text: str) -> int | None:
        """The guess of a line that is one guess and something after it, whether that is a reply or not; else None."""
        words = re.split(r"[\s=:]+", text.strip())
        one_row = len(words) > 1 and not re.search(r"[,;]", text) and not any(map(self._is_code, words[1:]))
        return parse_code(self.game, words[0]) if one_row and self._is_code(words[0]) else None

    def read_reply(self, text: str) -> tuple[tuple[int, int], ...]:
        """A reply alone as a row."""
        if self.asked is None:
            raise UsageError(f"{text!r}: a guess and its reply are wanted, like {example_row(self.game)}")
        return ((self.asked, parse_reply(self.game, text, self.notation, self.preferred)),)

    def _is_code(self, text: str) -> bool:
        try:
            parse_code(self.game, text)
        except UsageError:
            return False
        return True

    def _is_reply(self, text: str) -> bool:
        try:
            parse_reply(self.game, text, self.notation)
        except AmbiguousReplyError:
            return True
        except UsageError:
            return False
        return True
