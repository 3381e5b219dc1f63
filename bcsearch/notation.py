"""Text to codes, replies and histories, and back.

A code is a sequence of symbols, never a number: ``0123`` keeps its zero. Input is read kindly where its meaning is
certain (full-width digits, capital letters, spaces around) and refused with a reason where it is not.
"""

from __future__ import annotations

import contextlib
import re
import unicodedata
from collections.abc import Iterable

import numpy as np

from bcsearch.conventions import AUTO, CONVENTIONS, readings
from bcsearch.errors import UsageError
from bcsearch.game import Game, code_keys

_SEPARATORS = re.compile(r"[,;\n]+")
_COMMENT = re.compile(r"#.*")


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


class AmbiguousReplyError(UsageError):
    """A reply that conventions read differently.

    Attributes
    ----------
    readings
        Reply index by the name of the convention that reads it so; at least two different ones.
    """

    def __init__(self, text: str, readings: dict[str, int]) -> None:
        super().__init__(text)
        self.readings = readings


def parse_reply(game: Game, text: str, notation: str = AUTO, preferred: str | None = None) -> int:
    """Index of the reply a text stands for, in one of the conventions of `conventions`.

    With "auto" the text is read in every convention whose letters or signs it has; plain pairs have bulls (in place)
    first. Readings that the game does not have are passed over where another one is possible. `preferred` names the
    convention that decides where conventions disagree.

    Raises
    ------
    AmbiguousReplyError
        Where conventions disagree, like ``1B``: misplaced in AB and SB, in place in BC and pegs.
    UsageError
        For unreadable texts; for impossible replies, with the possible ones.
    """
    plain = normalise(text)
    found = readings(plain, notation)
    if not found:
        raise UsageError(_unreadable(text, plain, notation))
    possible = {name: game.replies.index(pair) for name, pair in found.items() if pair in game.replies}
    if not possible:
        raise UsageError(_impossible(game, text, plain, next(iter(found.values()))))
    if preferred in possible:
        return possible[preferred]
    if len(set(possible.values())) > 1:
        choices = "; ".join(f"{name} reads {describe_reply(game, reply)}" for name, reply in possible.items())
        raise AmbiguousReplyError(f"reply {text!r} can be read in more than one way: {choices}; name the notation",
                                  possible)  # fmt: skip
    return next(iter(possible.values()))


def _unreadable(text: str, plain: str, notation: str) -> str:
    if notation == AUTO:
        return f"reply {text!r}: written 1A2B or 1 2 (1 in place, 2 misplaced), 1S2B, 1B2C, +1 -2 or bww"
    others = ", ".join(readings(plain)) or "none"
    example = CONVENTIONS[notation].example
    return f"reply {text!r} is not of notation {notation}, which writes {example} for 1 in place, 2 misplaced; " \
           f"notations that can read it: {others}"  # fmt: skip


def _impossible(game: Game, text: str, plain: str, pair: tuple[int, int]) -> str:
    possible = " ".join(format_reply(game, r) for r in range(len(game.replies)))
    swapped = readings(plain, "pairs-reversed").get("pairs-reversed")
    hint = f" (misplaced first, it would be {swapped[0]}A{swapped[1]}B: notation pairs-reversed)" \
        if swapped in game.replies else ""  # fmt: skip
    return f"reply {text!r}: {pair[0]} in place, {pair[1]} misplaced cannot be in {game}{hint}; possible: {possible}"


def format_reply(game: Game, index: int) -> str:
    """Text of a reply: ``1A2B``."""
    bulls, cows = game.replies[index]
    return f"{bulls}A{cows}B"


def describe_reply(game: Game, index: int) -> str:
    """A reply in words, for echoing what was understood: ``1 in place, 2 misplaced``."""
    bulls, cows = game.replies[index]
    return f"{bulls} in place, {cows} misplaced" + (", the win" if index == game.win else "")


def parse_history(
    game: Game, texts: Iterable[str], notation: str = AUTO, preferred: str | None = None
) -> tuple[tuple[int, int], ...]:
    """Read (guess, reply) pairs such as ``1234 0A3B, 4321 1A2B`` or ``1234=0A3B``, from one or several texts.

    Rows end at commas, semicolons or line ends, or after each reply; ``#`` starts a comment.

    Returns
    -------
    Pairs (guess index, reply index) in the order given.
    """
    rows: list[tuple[int, int]] = []
    for text in texts:
        for piece in _SEPARATORS.split(_COMMENT.sub("", text)):
            words = [word for word in re.split(r"[\s=:]+", piece.strip()) if word]
            if words:
                rows += _rows(game, piece.strip(), words, notation, preferred)
    return tuple(rows)


def _rows(game: Game, piece: str, words: list[str], notation: str, preferred: str | None) -> list[tuple[int, int]]:
    """Cut words into guesses, each with the one, two or more words of its reply; refuse where that is not unique."""
    if len(words) == 2:
        guess = parse_code(game, words[0])
        if not readings(normalise(words[1]), notation) and _is_code(game, words[1]):
            raise UsageError(f"history {piece!r}: {words[0]} has no reply")
        return [(guess, parse_reply(game, words[1], notation, preferred))]
    ways = _ways(game, tuple(words), notation, preferred)
    if len(ways) == 1:
        return list(ways[0])
    if len(ways) > 1:
        raise UsageError(f"history {piece!r} can be cut into rows in more than one way: put commas between the rows")
    lone = _without_reply(game, words, notation, preferred) if len(words) > 1 else None
    if lone is not None:
        raise UsageError(f"history {piece!r}: {lone} has no reply")
    if len(words) == 3:
        return [(parse_code(game, words[0]), parse_reply(game, " ".join(words[1:]), notation, preferred))]
    if len(words) % 2 or len(words) == 1:
        raise UsageError(f"history {piece!r} is not a guess and its reply, like 1234 0A3B")
    return [
        (parse_code(game, guess), parse_reply(game, reply, notation, preferred))
        for guess, reply in zip(words[::2], words[1::2], strict=True)
    ]


def _is_code(game: Game, text: str) -> bool:
    try:
        parse_code(game, text)
    except UsageError:
        return False
    return True


def _without_reply(game: Game, words: list[str], notation: str, preferred: str | None) -> str | None:
    """The one word that is a guess without a reply, where all the others are rows; None where that is not so."""
    for at, word in enumerate(words):
        around = [part for part in (words[:at], words[at + 1 :]) if part]
        if _is_code(game, word) and all(_ways(game, tuple(part), notation, preferred) for part in around):
            return word
    return None


def _ways(
    game: Game, words: tuple[str, ...], notation: str, preferred: str | None
) -> list[tuple[tuple[int, int], ...]]:
    """The different ways (two are enough to know) of reading words as rows; worked out from the last row back."""
    ways: list[list[tuple[tuple[int, int], ...]]] = [[] for _ in words] + [[()]]
    longest = game.positions + 1  # a peg a word, or a sign and a number each
    for start in range(len(words) - 2, -1, -1):
        with contextlib.suppress(UsageError):
            guess = parse_code(game, words[start])
            for stop in range(start + 2, min(len(words), start + 1 + max(longest, 4)) + 1):
                if not ways[stop]:
                    continue
                with contextlib.suppress(UsageError):
                    reply = parse_reply(game, " ".join(words[start + 1 : stop]), notation, preferred)
                    ways[start] += [((guess, reply), *rest) for rest in ways[stop]]
        ways[start] = list(dict.fromkeys(ways[start]))[:2]
    return ways[0]


def format_history(game: Game, history: Iterable[tuple[int, int]]) -> str:
    """Text that `parse_history` reads back."""
    return ", ".join(f"{format_code(game, guess)} {format_reply(game, reply)}" for guess, reply in history)
