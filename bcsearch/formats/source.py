"""A text that is being read: where in it something stands, and the codes and replies in it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bcsearch.errors import TreeFileError, UsageError
from bcsearch.game import ALPHABET, Game
from bcsearch.notation import format_code, parse_code, parse_reply


class Source:
    """A file's text; offsets into it become lines and columns, both counted from 1."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.text = path.read_bytes().decode("utf-8-sig")
        except OSError as error:
            raise TreeFileError(f"{path}: cannot be read ({error.strerror})") from error
        except UnicodeDecodeError as error:
            line, column = _place(error.object[: error.start].decode("utf-8", "replace"))
            raise TreeFileError(f"{path}, line {line}, column {column}: not UTF-8 text") from error

    def wrong(self, offset: int, problem: str) -> TreeFileError:
        """Error that says what is wrong at an offset."""
        line, column = _place(self.text[:offset])
        return TreeFileError(f"{self.path}, line {line}, column {column}: {problem}")

    def line_of(self, offset: int) -> int:
        """Line of an offset, counted from 1."""
        return _place(self.text[:offset])[0]


def _place(before: str) -> tuple[int, int]:
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1


class Reader:
    """Codes and replies of a game as a source writes them; each text is parsed once."""

    def __init__(self, source: Source, game: Game, alphabet: str | None = None) -> None:
        self.source, self.game = source, game
        self._symbols = symbol_map(alphabet, game.alphabet, game) if alphabet is not None else None
        self._alphabet = alphabet
        self._codes: dict[str, int] = {}
        self._replies: dict[str, int] = {}

    def code(self, text: str, offset: int) -> int:
        """Index of the guess that stands at an offset."""
        if text not in self._codes:
            try:
                self._codes[text] = parse_code(self.game, self._translated(text))
            except UsageError as error:
                raise self.source.wrong(offset, f"{error}{self._hint(text)}") from error
        return self._codes[text]

    def reply(self, text: str, offset: int) -> int:
        """Index of the reply that stands at an offset."""
        if text not in self._replies:
            try:
                self._replies[text] = parse_reply(self.game, text)
            except UsageError as error:
                raise self.source.wrong(offset, str(error)) from error
        return self._replies[text]

    def _translated(self, text: str) -> str:
        if self._symbols is None:
            return text
        foreign = next((s for s in text if s not in self._symbols), None)
        if foreign is not None:
            raise UsageError(f"code {text!r}: {foreign!r} is no symbol of the alphabet {self._alphabet}")
        return self.game.separator.join(self._symbols[s] for s in text)

    def _hint(self, text: str) -> str:
        """Advice for files that number symbols from 1, as many published strategies do."""
        game = self.game
        beyond = ALPHABET[len(game.alphabet) : len(game.alphabet) + 1]
        if self._symbols is None and len(text) == game.positions and beyond.isdecimal() and beyond in text:
            from_one = ALPHABET[1 : len(game.alphabet) + 1]
            return f"; if the file counts symbols from 1, give --alphabet {from_one}"
        return ""


def symbol_map(alphabet: Sequence[str], other: Sequence[str], game: Game) -> dict[str, str]:
    """Map each symbol of one alphabet to the one at its place in the other; raises UsageError if they do not fit."""
    if len(alphabet) != len(other) or len(set(alphabet)) != len(alphabet):
        raise UsageError(
            f"alphabet {''.join(alphabet)!r}: {len(game.alphabet)} different symbols wanted for {game}, one for each"
        )
    return dict(zip(alphabet, other, strict=True))


class Writer:
    """Codes of a game as text, in its own symbols or in those of another alphabet."""

    def __init__(self, game: Game, alphabet: str | None = None) -> None:
        self.game = game
        self._alphabet = alphabet
        if alphabet is not None:
            symbol_map(alphabet, game.alphabet, game)

    def code(self, guess: int) -> str:
        """Text of a guess."""
        if self._alphabet is None:
            return format_code(self.game, guess)
        return "".join(self._alphabet[s] for s in self.game.guesses[guess])
