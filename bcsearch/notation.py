"""Text to codes, replies and histories, and back.

A code is a sequence of symbols, never a number: ``0123`` keeps its zero. Input is read kindly where its meaning is
certain (full-width digits, capital letters, spaces around) and refused with a reason where it is not.
"""

from __future__ import annotations

import contextlib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

from bcsearch.conventions import AUTO, CONVENTIONS, readings
from bcsearch.errors import UsageError
from bcsearch.game import Game
from bcsearch.plurals import counted
from bcsearch.symbols import normalise

_SEPARATORS = re.compile(r"[,;\n]+")
_COMMENT = re.compile(r"#.*")
_SYMBOL_ENDS = re.compile(r"[-./]")  # between symbols with names of more than one character


def parse_code(game: Game, text: str) -> int:
    """Index of the guess a text stands for.

    Raises
    ------
    UsageError
        Naming the first thing wrong: a foreign symbol, the length, a repeated symbol, a leading zero, a code that is
        not in the list.
    """
    return _find(game, text, counted(len(game.guesses), "guess"))


def parse_secret(game: Game, text: str) -> int:
    """Index of the secret a text stands for; raises UsageError as `parse_code`, and for guesses that are no secrets."""
    index = int(game.secret_of_guess[_find(game, text, counted(len(game.secrets), "secret"))])
    if index < 0:
        raise UsageError(f"code {text!r} may be asked in {game}, but is no secret")
    return index


def _find(game: Game, text: str, listed: str) -> int:
    """Index of the guess a text stands for; `listed` says what a code of a list was looked for in."""
    code = [_symbol_number(game, text, symbol, given) for symbol, given in _symbols(game, text)]
    kind = "letter" if game.marks else "symbol"
    if len(code) != game.positions:
        raise UsageError(f"code {text!r} has {counted(len(code), kind)}, {game.positions} wanted (game {game})")
    at = game.find_guess(code)
    if at >= 0:
        return at
    if game.lists is not None:
        raise UsageError(f"code {text!r} is not among the {listed} of {game}")
    repeated = next((s for s in code if code.count(s) > 1), None)
    if repeated is not None and not (game.asked or game).repeats:
        raise UsageError(f"code {text!r} repeats {game.alphabet[repeated]}; in {game} all symbols of a code differ")
    raise UsageError(f"code {text!r} starts with {game.alphabet[code[0]]}, which {game} does not allow")


def symbols_of(game: Game, text: str) -> list[str]:
    """The symbols that a text is made of, known to the game or not, in plain form."""
    return [symbol for symbol, _ in _symbols(game, text)]


def looks_like_code(game: Game, text: str) -> bool:
    """Whether a text has the length and the symbols of a code."""
    found, known = symbols_of(game, text), _numbers(game)
    return len(found) == game.positions and all(symbol in known for symbol in found)


def _symbols(game: Game, text: str) -> list[tuple[str, str]]:
    """Symbols of a text, in plain form and as they were given."""
    given, plain = unicodedata.normalize("NFC", text).strip(), normalise(text)
    if game.separator:
        return list(zip(_SYMBOL_ENDS.split(plain), _SYMBOL_ENDS.split(given), strict=False)) if plain else []
    return list(zip(plain, given if len(given) == len(plain) else plain, strict=True))


def _symbol_number(game: Game, text: str, symbol: str, given: str) -> int:
    number = _numbers(game).get(symbol)
    if number is None:
        raise UsageError(f"code {text!r}: {given!r} is no symbol of {game} ({_span(game.alphabet)})")
    return number


@lru_cache(maxsize=16)
def _numbers(game: Game) -> dict[str, int]:
    """Number of each symbol by its name in plain form."""
    return {normalise(name): i for i, name in enumerate(game.alphabet)}


def _span(alphabet: Sequence[str]) -> str:
    if isinstance(alphabet, str):
        return f"{alphabet[0]}-{alphabet[-1]}" if len(alphabet) > 1 else alphabet
    return " ".join(alphabet)


def format_code(game: Game, index: int) -> str:
    """Text of a guess (or of a secret, where both lists are the same)."""
    return game.separator.join(game.alphabet[s] for s in game.guesses[index])


def format_secret(game: Game, index: int) -> str:
    """Text of a secret."""
    return game.separator.join(game.alphabet[s] for s in game.secrets[index])


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
    if game.marks:
        return _parse_marks(game, text, notation)
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


_MARK_SIGNS = ("-x._b0\u2b1b\u2b1c\u2013\u2014", "y1\U0001f7e8\U0001f7e6", "g2\U0001f7e9\U0001f7e7")
# of grey, yellow, green; yellow and green squares are blue and orange for those who see colours badly
_MARKS = {sign: mark for mark, signs in enumerate(_MARK_SIGNS) for sign in signs}
_MARK_NAMES = ("grey", "yellow", "green")
_MARK_LETTERS = "-YG"


def _parse_marks(game: Game, text: str, notation: str) -> int:
    """A reply of a word game: a mark for each letter."""
    if notation != AUTO:
        raise UsageError(
            f"notation {notation}: in {game} replies are marks like {_marks_example(game)}; no other notation"
        )
    plain = _signs(text)
    foreign = next((c for c in plain if c not in _MARKS), None)
    if foreign is not None or len(plain) != game.positions:
        what = (
            f"{foreign!r} is no mark"
            if foreign is not None
            else f"{counted(len(plain), 'mark')}, {game.positions} wanted"
        )
        raise UsageError(f"reply {text!r}: {what}; written {_marks_example(game)}: G green, Y yellow, - grey (or "
                         "2 1 0, g y x)")  # fmt: skip
    reply = tuple(_MARKS[c] for c in plain)
    if reply not in game.replies:
        raise UsageError(f"reply {text!r}: no guess of {game} earns it from any secret")
    return game.replies.index(reply)


def _signs(text: str) -> list[str]:
    return [c for c in normalise(text) if c != "\ufe0f" and not c.isspace()]  # U+FE0F says that a picture is one


def looks_like_marks(text: str) -> bool:
    """Whether a text is made of marks only, of whatever number, as replies of word games are."""
    signs = _signs(text)
    return bool(signs) and all(sign in _MARKS for sign in signs)


def _marks_example(game: Game) -> str:
    return "".join("GY--G"[p % 5] for p in range(game.positions))


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
    """Text of a reply: ``1A2B``; of a word game, a mark a letter: ``GY-G-``."""
    if game.marks:
        return "".join(_MARK_LETTERS[mark] for mark in game.replies[index])
    bulls, cows = game.replies[index]
    return f"{bulls}A{cows}B"


def describe_reply(game: Game, index: int) -> str:
    """A reply in words, for echoing what was understood: ``1 in place, 2 misplaced``."""
    if game.marks:
        counts = [game.replies[index].count(mark) for mark in (2, 1, 0)]
        words = [f"{count} {name}" for count, name in zip(counts, _MARK_NAMES[::-1], strict=True) if count]
        return ", ".join(words) + (", the win" if index == game.win else "")
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
        if not readings(normalise(words[1]), notation) and is_code(game, words[1]):
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
        raise UsageError(f"history {piece!r} is not a guess and its reply, like {example_row(game)}")
    return [
        (parse_code(game, guess), parse_reply(game, reply, notation, preferred))
        for guess, reply in zip(words[::2], words[1::2], strict=True)
    ]


def is_code(game: Game, text: str) -> bool:
    """Whether a text is a guess of the game."""
    try:
        parse_code(game, text)
    except UsageError:
        return False
    return True


def _without_reply(game: Game, words: list[str], notation: str, preferred: str | None) -> str | None:
    """The one word that is a guess without a reply, where all the others are rows; None where that is not so."""
    for at, word in enumerate(words):
        around = [part for part in (words[:at], words[at + 1 :]) if part]
        if is_code(game, word) and all(_ways(game, tuple(part), notation, preferred) for part in around):
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


def example_row(game: Game) -> str:
    """A guess and its reply as they could be typed."""
    if game.marks:
        return f"{format_code(game, 0)} {_marks_example(game)}"
    usual = "1234 0A3B"
    try:
        parse_history(game, [usual])
    except UsageError:
        return f"{format_code(game, 0)} {format_reply(game, 1 if len(game.replies) > 1 else 0)}"
    return usual


def reply_example(game: Game) -> str:
    """A reply as it could be typed, in words too."""
    if game.marks:
        return f"{_marks_example(game)} (G green, Y yellow, - grey)"
    return "1A2B or 1 2 (1 in place, 2 misplaced)"


def format_history(game: Game, history: Iterable[tuple[int, int]]) -> str:
    """Text that `parse_history` reads back."""
    return ", ".join(f"{format_code(game, guess)} {format_reply(game, reply)}" for guess, reply in history)
