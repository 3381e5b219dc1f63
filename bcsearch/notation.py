"""Text to codes, replies and histories, and back.

A code is a sequence of symbols, never a number: ``0123`` keeps its zero. Input is read kindly where its meaning is
certain (full-width digits, capital letters, spaces around) and refused with a reason where it is not.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

import numpy as np

from bcsearch.errors import UsageError
from bcsearch.game import Game, code_keys

_AB = re.compile(r"(\d+)\s*[Aa]\s*(\d+)\s*[Bb]", re.ASCII)
_PAIR = re.compile(r"(\d+)\s*[ ,]\s*(\d+)|(\d)(\d)", re.ASCII)
_SEPARATORS = re.compile(r"[,;\n]+")


def normalise(text: str) -> str:
    """Map full-width letters and digits to plain ones (NFKC) and letters to lower case.

    Only letters and decimal digits are mapped: NFKC would also make a 2 of the exponent in ``1²``, which is no digit.
    """
    kept = (
        unicodedata.normalize("NFKC", c) if unicodedata.category(c)[0] in "LZP" or c.isdecimal() else c for c in text
    )
    return "".join(kept).strip().lower()


def parse_code(game: Game, text: str) -> int:
    """Index of the guess a text stands for.

    Raises
    ------
    UsageError
        Naming the first thing wrong: a foreign symbol, the length, a repeated symbol, a leading zero.
    """
    plain = normalise(text)
    for given, symbol in zip(text.strip(), plain, strict=False):
        if symbol not in game.alphabet:
            raise UsageError(f"code {text!r}: {given!r} is no symbol of {game} ({_span(game.alphabet)})")
    if len(plain) != game.positions:
        raise UsageError(f"code {text!r} has {len(plain)} symbols, {game.positions} wanted (game {game})")
    if not game.repeats:
        repeated = next((s for s in plain if plain.count(s) > 1), None)
        if repeated is not None:
            raise UsageError(f"code {text!r} repeats {repeated}; in {game} all symbols of a code differ")
    code = np.array([[game.alphabet.index(s) for s in plain]], dtype=np.uint8)
    key = code_keys(code, game.symbols)[0]
    at = int(np.searchsorted(game.keys, key))
    if at >= len(game.keys) or game.keys[at] != key:
        raise UsageError(f"code {text!r} starts with {plain[0]}, which {game} does not allow")
    return at


def _span(alphabet: str) -> str:
    return f"{alphabet[0]}-{alphabet[-1]}" if len(alphabet) > 1 else alphabet


def format_code(game: Game, index: int) -> str:
    """Text of a guess (or of a secret, where both lists are the same)."""
    return "".join(game.alphabet[s] for s in game.guesses[index])


def format_secret(game: Game, index: int) -> str:
    """Text of a secret."""
    return "".join(game.alphabet[s] for s in game.secrets[index])


def parse_reply(game: Game, text: str) -> int:
    """Index of the reply a text stands for: ``1A2B``, ``1 2``, ``1,2`` or ``12``; bulls (in place) come first.

    Raises
    ------
    UsageError
        For other texts; for impossible replies, with the possible ones.
    """
    plain = normalise(text)
    match = _AB.fullmatch(plain) or _PAIR.fullmatch(plain)
    if match is None:
        raise UsageError(f"reply {text!r}: written 1A2B or 1 2 (1 in place, 2 misplaced)")
    bulls, cows = (int(number) for number in match.groups() if number is not None)
    if (bulls, cows) not in game.replies:
        possible = " ".join(format_reply(game, r) for r in range(len(game.replies)))
        raise UsageError(
            f"reply {text!r}: {bulls} in place, {cows} misplaced cannot be in {game}; possible: {possible}"
        )
    return game.replies.index((bulls, cows))


def format_reply(game: Game, index: int) -> str:
    """Text of a reply: ``1A2B``."""
    bulls, cows = game.replies[index]
    return f"{bulls}A{cows}B"


def parse_history(game: Game, texts: Iterable[str]) -> tuple[tuple[int, int], ...]:
    """Read (guess, reply) pairs such as ``1234 0A3B, 4321 1A2B`` or ``1234=0A3B``, from one or several texts.

    Returns
    -------
    Pairs (guess index, reply index) in the order given.
    """
    rows = [row for text in texts for row in _rows(text)]
    return tuple((parse_code(game, guess), parse_reply(game, reply)) for guess, reply in rows)


def _rows(text: str) -> list[tuple[str, str]]:
    """Cut a history into (guess, reply) texts: rows end at commas, semicolons or line ends, or after each reply."""
    rows = []
    for piece in _SEPARATORS.split(text):
        words = re.split(r"[\s=:]+", piece.strip())
        if words == [""]:
            continue
        if len(words) == 3 and words[1].isdigit() and words[2].isdigit():
            words = [words[0], f"{words[1]} {words[2]}"]
        if len(words) % 2:
            raise UsageError(f"history {text!r}: {piece.strip()!r} is not a guess and its reply, like 1234 0A3B")
        rows += list(zip(words[::2], words[1::2], strict=True))
    return rows


def format_history(game: Game, history: Iterable[tuple[int, int]]) -> str:
    """Text that `parse_history` reads back."""
    return ", ".join(f"{format_code(game, guess)} {format_reply(game, reply)}" for guess, reply in history)
