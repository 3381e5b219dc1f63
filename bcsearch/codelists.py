"""Lists of codes from the user's text files: words, or codes of any symbols.

One code a line. Blank lines and lines that begin with ``#`` do not count. Text is UTF-8, with or without a byte order
mark, with any line ends. Letters are read as in all that is typed (`symbols.normalise`): composed (NFC), lower case,
full-width ones as plain ones; so ``É`` is one letter in whatever way it was typed. A code that stands twice counts
once. What cannot be meant is refused with its file and line.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from bcsearch.errors import UsageError
from bcsearch.plurals import counted
from bcsearch.symbols import name_problem, normalise

Symbols = tuple[str, ...]  #: a code as the names of its symbols

MOST_SYMBOLS = 250  # a symbol is a uint8, of which a few values are set aside
_SEPARATORS = str.maketrans(",;-\t", "    ")


@dataclass(frozen=True, eq=False)
class CodeLists:
    """Secrets and guesses by name, both sorted; every secret is a guess too. Equal if their content is.

    Attributes
    ----------
    secrets, guesses
        Codes as tuples of symbol names, in the order of those names; the same object where the lists are the same.
    """

    secrets: tuple[Symbols, ...]
    guesses: tuple[Symbols, ...]

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the content."""
        lists = [self.secrets, None if self.guesses is self.secrets else self.guesses]
        return hashlib.sha256(json.dumps(lists).encode()).hexdigest()

    @cached_property
    def symbols(self) -> Symbols:
        """Names of all symbols that occur, sorted."""
        return tuple(sorted({symbol for code in self.guesses for symbol in code}))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CodeLists) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)


def lists_of(secrets: Iterable[Symbols], guesses: Iterable[Symbols] | None) -> CodeLists:
    """Sort two lists; the secrets are taken into the guesses, for one that could not be asked could not be found."""
    first = tuple(sorted(set(secrets)))
    if guesses is None:
        return CodeLists(first, first)
    both = tuple(sorted({*guesses, *first}))
    return CodeLists(first, first if both == first else both)


def read_lists(text: str, words: bool, say: Callable[[str], None] | None = None) -> CodeLists:
    """Read ``SECRETS`` or ``SECRETS,GUESSES``, names of files.

    Parameters
    ----------
    words
        Whether codes are words: letters only, one symbol each.
    say
        Told in one line what was left out.

    Raises
    ------
    UsageError
        Naming the file, the line and what is wrong.
    """
    whole = os.path.expanduser(text)  # a name may have a comma in it
    names = [whole] if os.path.exists(whole) else [os.path.expanduser(name) for name in text.split(",")]
    if len(names) > 2 or not all(names):
        raise UsageError(f"{text!r}: one file of secrets is wanted, or SECRETS,GUESSES")
    lists = [_read(Path(name), words, say) for name in names]
    length = len(lists[0][0])
    if len(lists) > 1 and len(lists[1][0]) != length:
        raise UsageError(f"{names[1]}: its codes have {_letters(len(lists[1][0]), words)}, those of {names[0]} "
                         f"{length}")  # fmt: skip
    made = lists_of(*lists) if len(lists) > 1 else lists_of(lists[0], None)
    if len(made.symbols) > MOST_SYMBOLS:
        raise UsageError(f"{text}: {len(made.symbols)} different symbols; at most {MOST_SYMBOLS} can be told apart")
    return made


def _letters(count: int, words: bool) -> str:
    return counted(count, "letter" if words else "symbol")


def _read(path: Path, words: bool, say: Callable[[str], None] | None) -> list[Symbols]:
    """The codes of a file in its order, each once."""
    codes: dict[Symbols, int] = {}
    twice: list[str] = []
    first = ""
    for number, line in enumerate(_text(path).splitlines(), 1):
        plain = normalise(line)
        if not plain or plain.startswith("#"):
            continue
        code = _word(path, number, line.strip(), plain) if words else _code(plain)
        problem = next(filter(None, map(name_problem, code)), None)
        if problem is not None:
            raise UsageError(f"{path}, line {number}: {problem}")
        if codes and len(code) != len(next(iter(codes))):
            raise UsageError(f"{path}, line {number}: {line.strip()!r} has {_letters(len(code), words)}, the first "
                             f"one, {first!r}, has {len(next(iter(codes)))}; all must be equally long")  # fmt: skip
        if not code:
            raise UsageError(f"{path}, line {number}: {line.strip()!r} holds no symbol")
        first = first or line.strip()
        if code in codes:
            twice.append(f"{line.strip()} (lines {codes[code]} and {number})")
        codes.setdefault(code, number)
    if not codes:
        raise UsageError(f"{path}: no {'words' if words else 'codes'} in it; one a line is wanted")
    if twice and say is not None:
        more = f" and {len(twice) - 1} more" if len(twice) > 1 else ""
        say(f"{path}: stands twice, counted once: {twice[0]}{more}")
    return list(codes)


def _text(path: Path) -> str:
    try:
        mode = path.stat().st_mode
        if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
            raise UsageError(f"{path}: a device; a text file is wanted")
        content = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror})") from error
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise UsageError(f"{path}, line {line}: not UTF-8 text; save the file as UTF-8") from error


def _word(path: Path, number: int, given: str, plain: str) -> Symbols:
    """Letters of a word; refuses what is no letter, and accents that do not become part of one."""
    for letter in plain:
        if unicodedata.combining(letter):
            raise UsageError(f"{path}, line {number}: {given!r} has an accent that makes no letter of its own with the "
                             "one before it (NFC)")  # fmt: skip
        if not letter.isalpha():
            raise UsageError(f"{path}, line {number}: {given!r}: {letter!r} is no letter; one word a line is wanted")
    return tuple(plain)


def _code(plain: str) -> Symbols:
    """Symbols of a code: its words where it has separators (spaces, commas, minus signs), else its characters."""
    spread = plain.translate(_SEPARATORS).split()
    return tuple(spread) if len(spread) > 1 else tuple(spread[0]) if spread else ()
