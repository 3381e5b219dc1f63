"""Names of symbols, and text in the form in which it is read.

Whatever is printed has to be read back as what it was. So names must survive `normalise`, stay apart after it, and hold
nothing that ends a symbol, a code or a row of a history.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_ENDS_SOMETHING = re.compile(r"[\s,;:=#\-]")
_ENDS_A_NAME = re.compile(r"[./]")  # between names of more than one character


def normalise(text: str) -> str:
    """Map full-width characters to plain ones (NFKC) and letters to lower case, accents composed (NFC).

    Only letters, decimals, spaces and punctuation are mapped: NFKC would also make a 2 of the exponent in ``1²``.
    """
    kept = (
        unicodedata.normalize("NFKC", c) if unicodedata.category(c)[0] in "LZP" or c.isdecimal() else c
        for c in unicodedata.normalize("NFC", text)
    )
    return unicodedata.normalize("NFC", "".join(kept).strip().lower())


def name_problem(name: str) -> str | None:
    """Why a text cannot name a symbol, in words; None where it can."""
    if any(not text or _ENDS_SOMETHING.search(text) or not text.isprintable() for text in (name, normalise(name))):
        return f"{name!r} cannot name a symbol: no spaces, nor any of , ; : = # -"
    return None


def names_problem(names: Sequence[str]) -> str | None:
    """Why texts cannot name the symbols of one game, in words; None where they can."""
    alone = all(len(name) == 1 for name in names)
    known: dict[str, str] = {}
    for name in names:
        problem = name_problem(name)
        if problem is not None:
            return problem
        plain = normalise(name)
        if alone and len(plain) != 1:
            return f"{name!r} cannot name a symbol: it is read as {plain!r}"
        if not alone and _ENDS_A_NAME.search(plain):
            return f"{name!r} cannot name a symbol: . and / may stand between names of more than one character"
        if plain in known:
            return _same(known[plain], name)
        known[plain] = name
    return None


def _same(one: str, other: str) -> str:
    why = "capital and small letters are read as the same"
    if one == other:
        return f"two symbols are named {one!r}"
    if one.lower() == other.lower():
        return f"two symbols are named {one!r}; {why}"
    return f"the symbols {one!r} and {other!r} are read as the same"
