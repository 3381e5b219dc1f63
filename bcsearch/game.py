"""The rules of a game, and what follows from them: its codes and its replies.

A game is written ``p<positions>c<symbols>`` followed by ``n`` (no repeats) or ``r`` (repeats allowed) and, optionally,
``-nz`` (no leading zero). ``p4c10n`` is Bulls and Cows: 4 different digits out of 10, 5040 secrets. Then may follow

    +p4c10r     the rules of the guesses, where they are not those of the secrets
    :RGBYOW     symbols of one's own, or names of symbols: ``:red,green,blue``

or a game is made of the user's lists (see `codelists`): ``words:SECRETS[,GUESSES]`` with the replies of word games
(see `marks`), ``codes:SECRETS[,GUESSES]`` with bulls and cows.

Layers above ask a `Game` for its lists and never for its kind: the secrets, the guesses, which guess is which secret,
the replies with the win last, and which positions and symbols a renaming must leave alone (see `symmetry`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import product
from math import perm
from typing import TYPE_CHECKING, Any

import numpy as np

from bcsearch.codelists import MOST_SYMBOLS, CodeLists, lists_of, read_lists
from bcsearch.errors import UsageError
from bcsearch.marks import GREEN, mark_numbers, marks_of, number_of
from bcsearch.memory import check_room
from bcsearch.plurals import counted
from bcsearch.symbols import names_problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

Reply = tuple[int, ...]  #: (bulls, cows), or a mark for each letter

ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz"
DEFAULT_GAME = "p4c10n"
ALIASES = {"bulls-cows": "p4c10n", "mastermind": "p4c6r", "logik": "p5c8r"}
WORDS, CODES = "words:", "codes:"  #: what games of the user's lists begin with

MAX_CODES = 2**31 - 1  # a code's index is an int32 in tree files
MAX_REPLIES = 255  # a reply index is a uint8 in the reply matrix
_ALL_MARKS = 5  # letters; of longer words only the replies are listed that occur
_MOST_LETTERS = 36  # a reply as a number in base 3 is an int64
_BLOCK = 1 << 20

_RULES = re.compile(r"p(\d{1,3})c(\d{1,3})([nr])(-nz)?", re.ASCII)


@dataclass(frozen=True)
class Game:
    """One set of rules. Instances are immutable and compare by their rules.

    Attributes
    ----------
    positions, symbols
        Length of a code, and how many symbols secrets choose from.
    repeats
        Whether a symbol may stand in a secret more than once.
    leading_zero
        Whether symbol 0 may stand at position 0 of a secret.
    asked
        Rules of the guesses, where they are not those of the secrets.
    names
        Names of the symbols, where they are not the usual digits and letters.
    lists
        The codes, where they are not all that the rules allow.
    marks
        Whether replies are marks (word games); else bulls and cows.
    """

    positions: int
    symbols: int
    repeats: bool
    leading_zero: bool = True
    asked: Game | None = None
    names: tuple[str, ...] = ()
    lists: CodeLists | None = None
    marks: bool = False

    @cached_property
    def name(self) -> str:
        """The rules as text, in the one canonical spelling; of lists, their sizes and the beginning of their digest."""
        if self.lists is not None:
            kind = "words" if self.marks else "codes"
            more = "" if self.lists.guesses is self.lists.secrets else f"+{len(self.lists.guesses)}"
            return f"{kind}{self.positions}x{len(self.lists.secrets)}{more}-{self.lists.digest[:8]}"
        zero = "" if self.leading_zero else "-nz"
        rules = f"p{self.positions}c{self.symbols}{'r' if self.repeats else 'n'}{zero}"
        if self.asked is not None:
            rules += f"+{self.asked.name}"
        if self.names:
            joined = ",".join(self.names) if self.separator else "".join(self.names)
            rules += f":{joined}"
        return rules

    @property
    def label(self) -> str:
        """The name with nothing in it that file systems or shells mind: for file names."""
        return re.sub(r"[^\w.+-]", "-", self.name)[:100]

    @cached_property
    def definition(self) -> str | dict[str, Any]:
        """All that `game_of` needs to make this game, as a JSON value: the name; of lists, the lists themselves.

        Its keys are sorted, as those of all that is hashed.
        """
        if self.lists is None:
            return self.name
        text = self.separator.join
        return {
            "guesses": None if self._same else [text(code) for code in self.lists.guesses],
            "name": self.name,
            "replies": "marks" if self.marks else "pairs",
            "secrets": [text(code) for code in self.lists.secrets],
            "separator": self.separator,
        }

    @property
    def alphabet(self) -> Sequence[str]:
        """Name of each symbol, those that only guesses use included."""
        return self.names or ALPHABET[: max(self.symbols, self.asked.symbols if self.asked else 0)]

    @cached_property
    def separator(self) -> str:
        """What stands between the symbols of a printed code: nothing where all have names of one character."""
        return "-" if any(len(name) > 1 for name in self.names) else ""

    @property
    def code_count(self) -> int:
        """How many secrets there are, without listing them."""
        if self.lists is not None:
            return len(self.lists.secrets)
        first = self.symbols if self.leading_zero else self.symbols - 1
        rest = self.positions - 1
        return first * (self.symbols**rest if self.repeats else perm(self.symbols - 1, rest))

    @cached_property
    def secrets(self) -> NDArray[np.uint8]:
        """All secrets in lexicographic order, shape (secrets, positions), dtype uint8, read-only.

        Raises UsageError where they would not fit into the memory that is free.
        """
        return _read_only(self._numbered(self.lists.secrets) if self.lists else _lexicographic_codes(self))

    @cached_property
    def guesses(self) -> NDArray[np.uint8]:
        """All guesses, in the same form as `secrets`; the very same array where the lists are the same."""
        if self._same:
            return self.secrets
        if self.lists is not None:
            return _read_only(self._numbered(self.lists.guesses))
        return _read_only(_lexicographic_codes(self.asked or self))

    @property
    def _same(self) -> bool:
        return self.asked is None and (self.lists is None or self.lists.guesses is self.lists.secrets)

    def _numbered(self, codes: Sequence[tuple[str, ...]]) -> NDArray[np.uint8]:
        number = {name: i for i, name in enumerate(self.names)}
        return np.array([[number[name] for name in code] for code in codes], dtype=np.uint8)

    @cached_property
    def secret_of_guess(self) -> NDArray[np.int32]:
        """For each guess the index of the secret it equals, or -1; shape (guesses,), int32."""
        found = np.full(len(self.guesses), -1, dtype=np.int32)
        found[self.guess_of_secret] = np.arange(len(self.secrets), dtype=np.int32)
        return _read_only(found)

    @cached_property
    def guess_of_secret(self) -> NDArray[np.int32]:
        """For each secret the index of the guess it equals; shape (secrets,), int32, ascending."""
        if self._same:
            return _read_only(np.arange(len(self.secrets), dtype=np.int32))
        # Both lists are in the same order, so the codes as byte strings (without zero bytes) are too.
        rows = [
            np.ascontiguousarray(codes + 1).view(f"S{self.positions}")[:, 0] for codes in (self.guesses, self.secrets)
        ]
        return _read_only(np.searchsorted(rows[0], rows[1]).astype(np.int32))

    def find_guess(self, code: Sequence[int]) -> int:
        """Index of the guess with these symbols, or -1."""
        if self.lists is not None:
            return self._index.get(bytes(code), -1)
        key = code_keys(np.array([code], dtype=np.uint8), len(self.alphabet))[0]
        at = int(np.searchsorted(self.keys, key))
        return at if at < len(self.keys) and self.keys[at] == key else -1

    @cached_property
    def _index(self) -> dict[bytes, int]:
        return {code.tobytes(): i for i, code in enumerate(self.guesses)}

    @cached_property
    def replies(self) -> tuple[Reply, ...]:
        """All replies sorted; the win is the last.

        Bulls and cows without the impossible (positions-1, 1). Marks of up to 5 letters all, of longer words those that
        occur.
        """
        p = self.positions
        if not self.marks:
            return tuple((b, c) for b in range(p + 1) for c in range(p - b + 1) if not (b == p - 1 and c == 1))
        if p <= _ALL_MARKS:
            return tuple(product(range(GREEN + 1), repeat=p))
        return tuple(marks_of(number, p) for number in _numbers_that_occur(self))

    @cached_property
    def reply_numbers(self) -> NDArray[np.int64]:
        """Of games with marks: each reply as a number (see `marks`), ascending; shape (replies,), int64."""
        return _read_only(np.array([number_of(reply) for reply in self.replies], dtype=np.int64))

    def reply_index(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Of games with marks: indices of replies that are given as numbers; same shape."""
        if len(self.reply_numbers) == 3**self.positions:
            return numbers
        return np.searchsorted(self.reply_numbers, numbers)

    @property
    def win(self) -> int:
        """Index of the winning reply: always the last."""
        return len(self.replies) - 1

    @cached_property
    def keys(self) -> NDArray[np.uint64]:
        """Each guess as a number in base `len(alphabet)`, ascending; shape (guesses,), uint64. Not for lists."""
        return code_keys(self.guesses, len(self.alphabet))

    @property
    def fixed_positions(self) -> tuple[int, ...]:
        """Positions that a symmetry of the game must leave in place: all of them in lists, which have none."""
        if self.lists is not None:
            return tuple(range(self.positions))
        return () if self.leading_zero and (self.asked is None or self.asked.leading_zero) else (0,)

    @property
    def fixed_symbols(self) -> tuple[int, ...]:
        """Symbols that a symmetry of the game must leave as they are."""
        if self.lists is not None:
            return tuple(range(len(self.alphabet)))
        guesses_only = tuple(range(self.symbols, len(self.alphabet)))
        return ((0,) if self.fixed_positions else ()) + guesses_only

    @property
    def most_repeats(self) -> int:
        """Most times that both a secret and a guess may hold one symbol: what a count of common symbols may need."""
        if self.lists is not None:
            return self.positions
        return self.positions if self.repeats and (self.asked is None or self.asked.repeats) else 1

    def __str__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[Callable[[str], Game], tuple[str]]:
        """Travel as the definition alone; made once in each process."""
        return _restored, (json.dumps(self.definition),)


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array


def code_keys(codes: NDArray[np.uint8], symbols: int) -> NDArray[np.uint64]:
    """Read codes, shape (n, positions), as numbers in base `symbols`; order-preserving. Returns uint64, shape (n,)."""
    keys = np.zeros(len(codes), dtype=np.uint64)
    for column in codes.T:
        keys = keys * np.uint64(symbols) + column
    return keys


def parse_game(text: str, guesses: str | None = None, say: Callable[[str], None] | None = None) -> Game:
    """Read rules such as ``p4c10n``, ``p5c8r``, ``p4c10n-nz``, an alias, or what else the module's head shows.

    Parameters
    ----------
    guesses
        Rules of the guesses, like what may follow a plus sign.
    say
        Told in one line what was left out of the user's lists.

    Raises
    ------
    UsageError
        Naming what is wrong with the text and what would be right.
    """
    for start in (WORDS, CODES):
        if text.startswith(start):
            if guesses is not None:
                raise UsageError(f"game {text!r}: its guesses are named with a comma: {start}SECRETS,GUESSES")
            return list_game(read_lists(text.removeprefix(start), start == WORDS, say), start == WORDS, text)
    return _parse(text, guesses)


@lru_cache(maxsize=64)
def _parse(text: str, guesses: str | None) -> Game:
    rules, colon, alphabet = text.strip().partition(":")
    first, plus, second = rules.partition("+")
    if plus and guesses is not None:
        raise UsageError(f"game {text!r}: says what the guesses are; --guesses says it once more")
    game = _one_rule(first, text)
    wanted = second if plus else guesses
    if wanted is not None:
        asked = _rules_of_guesses(wanted, text if plus else wanted)
        _check_guesses(game, asked)
        game = game if asked == game else replace(game, asked=asked)
    if colon:
        game = replace(game, names=_symbol_names(alphabet, len(game.alphabet), text))
    return game


def _rules_of_guesses(rules: str, text: str) -> Game:
    if _RULES.fullmatch(ALIASES.get(rules.strip().lower(), rules.strip().lower())) is None:
        raise UsageError(f"guesses {text!r}: rules read p<positions>c<symbols> and n (no repeats) or r (repeats), like "
                         f"p4c10r; names of symbols go with the game, lists are {WORDS}SECRETS,GUESSES")  # fmt: skip
    return _one_rule(rules, text)


def _one_rule(rules: str, text: str) -> Game:
    """One ``p<positions>c<symbols>[nr][-nz]``, or an alias."""
    wanted = rules.strip().lower()
    match = _RULES.fullmatch(ALIASES.get(wanted, wanted))
    if match is None:
        raise UsageError(
            f"game {text!r}: rules read p<positions>c<symbols> and n (no repeats) or r (repeats), "
            f"like p4c10n, p4c6r or p4c10n-nz; or one of {', '.join(ALIASES)}; or words:FILE, codes:FILE"
        )
    game = Game(int(match[1]), int(match[2]), match[3] == "r", match[4] is None)
    _check(game, text)
    return game


def _check(game: Game, text: str) -> None:
    """Refuse rules that fix no playable game, or one that the data types cannot hold."""
    p, c = game.positions, game.symbols
    if p < 1:
        raise UsageError(f"game {text!r}: at least 1 position is needed")
    if not 1 <= c <= len(ALPHABET):
        raise UsageError(f"game {text!r}: 1 to {len(ALPHABET)} symbols (0-9a-z), not {c}")
    if not game.repeats and c < p:
        raise UsageError(f"game {text!r}: {p} positions without repeats need at least {p} symbols, not {c}")
    if game.code_count < 1:
        raise UsageError(f"game {text!r}: these rules leave no code")
    if len(game.replies) > MAX_REPLIES:
        raise UsageError(f"game {text!r}: {len(game.replies)} different replies; at most {MAX_REPLIES} can be stored")
    if game.code_count > MAX_CODES:
        raise UsageError(f"game {text!r}: {counted(game.code_count, 'code')}; at most {MAX_CODES} can be numbered")


def _check_guesses(game: Game, asked: Game) -> None:
    """Refuse guesses among which some secret is not: it could never be found."""
    if asked.positions != game.positions:
        raise UsageError(
            f"guesses {asked}: {counted(asked.positions, 'position')}, but the secrets of {game} have {game.positions}"
        )
    reason = ""
    if asked.symbols < game.symbols:
        reason = f"have {counted(asked.symbols, 'symbol')}, secrets {game.symbols}"
    elif game.repeats and not asked.repeats and game.positions > 1:
        reason = "have no repeats, secrets have"
    elif game.leading_zero and not asked.leading_zero:
        reason = "have no leading zero, secrets have"
    if reason:
        raise UsageError(f"guesses {asked}: not every secret of {game} could be asked, and so found: guesses {reason}")


def _symbol_names(alphabet: str, wanted: int, text: str) -> tuple[str, ...]:
    """Names of symbols: separated by commas, else one character each."""
    names = tuple(name.strip() for name in alphabet.split(",")) if "," in alphabet else tuple(alphabet.strip())
    if len(names) != wanted:
        raise UsageError(f"game {text!r}: {counted(wanted, 'symbol')}, but {counted(len(names), 'name')} of symbols in "
                         f"{alphabet!r}; write :RGB or :red,green,blue")  # fmt: skip
    wrong = next((name for name in names if "+" in name), None)  # what may follow belongs to the rules
    problem = f"{wrong!r} cannot name a symbol: no +" if wrong is not None else names_problem(names)
    if problem is not None:
        raise UsageError(f"game {text!r}: {problem}")
    return names


def list_game(lists: CodeLists, marks: bool, text: str = "") -> Game:
    """The game of the user's lists: with marks for replies, or with bulls and cows."""
    positions = len(lists.secrets[0])
    repeats = any(len(set(code)) < positions for code in lists.guesses)
    game = Game(positions, len(lists.symbols), repeats, names=lists.symbols, lists=lists, marks=marks)
    problem = names_problem(lists.symbols)
    if problem is not None:
        raise UsageError(f"game {text or game.name!r}: {problem}")
    limit = _MOST_LETTERS if marks else 255
    if positions > limit:
        noun = "letters" if marks else "symbols"
        raise UsageError(f"game {text or game.name!r}: {positions} {noun}; at most {limit} are scored")
    if len(game.replies) > MAX_REPLIES:
        raise UsageError(f"game {text!r}: {len(game.replies)} different replies; at most {MAX_REPLIES} can be stored")
    return game


def _numbers_that_occur(game: Game) -> list[int]:
    """All replies that some guess earns from some secret, as numbers, and the win.

    Raises UsageError where there are more than can be stored.
    """
    found = {number_of((GREEN,) * game.positions)}
    step = max(1, _BLOCK // len(game.secrets))
    for start in range(0, len(game.guesses), step):
        found.update(np.unique(mark_numbers(game.guesses[start : start + step], game.secrets)).tolist())
        if len(found) > MAX_REPLIES:
            raise UsageError(f"game {game}: words of {game.positions} letters, with more than {MAX_REPLIES} different "
                             "replies that occur; more cannot be stored. Fewer words have fewer")  # fmt: skip
    return sorted(found)


def game_of(definition: Any) -> Game:
    """The game of a `Game.definition`.

    Raises
    ------
    UsageError
        For definitions that make no game, or not the one they name.
    """
    if isinstance(definition, str):
        return (
            parse_game(definition) if not definition.startswith((WORDS, CODES)) else _one_rule(definition, definition)
        )
    try:
        separator = str(definition["separator"])
        marks = {"marks": True, "pairs": False}[definition["replies"]]
        codes = [None if texts is None else [_symbols(text, separator) for text in texts]
                 for texts in (definition["secrets"], definition["guesses"])]  # fmt: skip
        lengths = {len(code) for some in codes for code in some or ()}
        if not codes[0] or len(lengths) != 1 or 0 in lengths:
            raise UsageError("the lists of its game are empty, or their codes not equally long")
        lists = lists_of(codes[0], codes[1])
        if len(lists.symbols) > MOST_SYMBOLS:
            raise UsageError("the lists of its game have too many symbols")
        game = list_game(lists, marks)
    except (KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"the lists of its game are incomplete ({error})") from error
    if game.name != definition.get("name"):
        raise UsageError(f"the lists of its game are those of {game}, not of {definition.get('name')!r}")
    return game


def name_of(definition: Any) -> str:
    """The name in a `Game.definition` that is known to be one."""
    return definition if isinstance(definition, str) else str(definition["name"])


def _symbols(text: str, separator: str) -> tuple[str, ...]:
    return tuple(text.split(separator)) if separator else tuple(text)


@lru_cache(maxsize=16)
def _restored(text: str) -> Game:
    return game_of(json.loads(text))


def _lexicographic_codes(game: Game) -> NDArray[np.uint8]:
    """List all codes by lengthening all prefixes by one symbol at a time; order is kept at each step."""
    check_room(f"game {game}: its {counted(game.code_count, 'code')}", 3 * game.code_count * game.positions)
    codes = np.zeros((1, 0), dtype=np.uint8)
    alphabet = np.arange(game.symbols, dtype=np.uint8)
    for position in range(game.positions):
        longer = np.empty((len(codes), game.symbols, position + 1), dtype=np.uint8)
        longer[:, :, :position] = codes[:, None, :]
        longer[:, :, position] = alphabet
        allowed = np.ones(longer.shape[:2], dtype=bool)
        if position == 0 and not game.leading_zero:
            allowed[:, 0] = False
        if not game.repeats:
            allowed &= (longer[:, :, :position] != alphabet[None, :, None]).all(axis=2)
        codes = longer[allowed]
    return np.ascontiguousarray(codes)
