"""The rules of a game, and what follows from them: its codes and its replies.

A game is written ``p<positions>c<symbols>`` followed by ``n`` (no repeats) or ``r`` (repeats allowed) and, optionally,
``-nz`` (no leading zero). ``p4c10n`` is Bulls and Cows: 4 different digits out of 10, 5040 secrets.

Layers above ask a `Game` for its lists and never for its kind: the secrets, the guesses, which guess is which secret,
the replies with the win last, and which positions and symbols a renaming must leave alone (see `symmetry`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import perm
from typing import TYPE_CHECKING

import numpy as np

from bcsearch.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

Reply = tuple[int, int]

ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz"
DEFAULT_GAME = "p4c10n"
ALIASES = {"bulls-cows": "p4c10n", "mastermind": "p4c6r", "logik": "p5c8r"}

MAX_CODES = 2**31 - 1  # a code's index is an int32 in tree files
MAX_REPLIES = 255  # a reply index is a uint8 in the reply matrix

_RULES = re.compile(r"p(\d{1,3})c(\d{1,3})([nr])(-nz)?", re.ASCII)


@dataclass(frozen=True)
class Game:
    """One set of rules. Instances are immutable and compare by their rules.

    Attributes
    ----------
    positions, symbols
        Length of a code, and how many symbols there are to choose from.
    repeats
        Whether a symbol may stand in a code more than once.
    leading_zero
        Whether symbol 0 may stand at position 0.
    """

    positions: int
    symbols: int
    repeats: bool
    leading_zero: bool = True

    @property
    def name(self) -> str:
        """The rules as text, in the one canonical spelling."""
        zero = "" if self.leading_zero else "-nz"
        return f"p{self.positions}c{self.symbols}{'r' if self.repeats else 'n'}{zero}"

    @property
    def alphabet(self) -> str:
        """One printed character per symbol."""
        return ALPHABET[: self.symbols]

    @property
    def code_count(self) -> int:
        """How many codes there are, without listing them."""
        first = self.symbols if self.leading_zero else self.symbols - 1
        rest = self.positions - 1
        return first * (self.symbols**rest if self.repeats else perm(self.symbols - 1, rest))

    @cached_property
    def secrets(self) -> NDArray[np.uint8]:
        """All secrets in lexicographic order, shape (secrets, positions), dtype uint8, read-only."""
        codes = _lexicographic_codes(self)
        codes.flags.writeable = False
        return codes

    @property
    def guesses(self) -> NDArray[np.uint8]:
        """All guesses, in the same form as `secrets`; here the very same list."""
        return self.secrets

    @cached_property
    def secret_of_guess(self) -> NDArray[np.int32]:
        """For each guess the index of the secret it equals, or -1; shape (guesses,), int32."""
        return np.arange(len(self.guesses), dtype=np.int32)

    @cached_property
    def guess_of_secret(self) -> NDArray[np.int32]:
        """For each secret the index of the guess it equals; shape (secrets,), int32."""
        return np.arange(len(self.secrets), dtype=np.int32)

    @cached_property
    def replies(self) -> tuple[Reply, ...]:
        """All replies (bulls, cows) sorted, the impossible (positions-1, 1) left out; the win is the last."""
        p = self.positions
        return tuple((b, c) for b in range(p + 1) for c in range(p - b + 1) if not (b == p - 1 and c == 1))

    @property
    def win(self) -> int:
        """Index of the winning reply: always the last."""
        return len(self.replies) - 1

    @cached_property
    def keys(self) -> NDArray[np.uint64]:
        """Each guess as a number in base `symbols`, ascending; shape (guesses,), uint64. For look-ups by code."""
        return code_keys(self.guesses, self.symbols)

    @property
    def fixed_positions(self) -> tuple[int, ...]:
        """Positions that a symmetry of the game must leave in place."""
        return () if self.leading_zero else (0,)

    @property
    def fixed_symbols(self) -> tuple[int, ...]:
        """Symbols that a symmetry of the game must leave as they are."""
        return () if self.leading_zero else (0,)

    def __str__(self) -> str:
        return self.name


def code_keys(codes: NDArray[np.uint8], symbols: int) -> NDArray[np.uint64]:
    """Read codes, shape (n, positions), as numbers in base `symbols`; order-preserving. Returns uint64, shape (n,)."""
    keys = np.zeros(len(codes), dtype=np.uint64)
    for column in codes.T:
        keys = keys * np.uint64(symbols) + column
    return keys


@lru_cache(maxsize=16)
def parse_game(text: str) -> Game:
    """Read rules such as ``p4c10n``, ``p5c8r``, ``p4c10n-nz`` or an alias.

    Raises
    ------
    UsageError
        Naming what is wrong with the text and what would be right.
    """
    wanted = text.strip().lower()
    match = _RULES.fullmatch(ALIASES.get(wanted, wanted))
    if match is None:
        raise UsageError(
            f"game {text!r}: rules read p<positions>c<symbols> and n (no repeats) or r (repeats), "
            f"like p4c10n, p4c6r or p4c10n-nz; or one of {', '.join(ALIASES)}"
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
        raise UsageError(f"game {text!r}: {game.code_count} codes; at most {MAX_CODES} can be numbered")


def _lexicographic_codes(game: Game) -> NDArray[np.uint8]:
    """List all codes by lengthening all prefixes by one symbol at a time; order is kept at each step."""
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
