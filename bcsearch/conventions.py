"""How people write replies: one small reader for each convention.

Letters collide. A B is misplaced in ``1A2B`` and ``1S2B`` but in place in ``0B2C`` and ``bbw``; so every convention
has a name, a text is read in each of them, and where they disagree nothing is guessed (see `notation.parse_reply`).

==============  ===============  =====================================================================
AB              ``1A2B``         A in place, B misplaced
SB              ``1S2B``         S (strike) in place, B (ball) misplaced
BC              ``1B2C``         B (bull) in place, C (cow) misplaced
plus-minus      ``+1 -2``        + in place, - misplaced; ``0`` for neither
pegs            ``bww bcc 1b2w`` b (black, bull) in place, w (white) or c (cow) misplaced; ``none``
pairs           ``1 2  1,2  12`` in place first
pairs-reversed  ``2 1  2,1  21`` misplaced first; never read unless it is asked for
==============  ===============  =====================================================================
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

Pair = tuple[int, int]

_PAIR = re.compile(r"(\d+)\s*[ ,]\s*(\d+)|(\d)(\d)", re.ASCII)
_SIGNED = re.compile(r"([+-])\s*(\d+)", re.ASCII)
_MINUS = str.maketrans("\u2212\u2013\uff0d\uff0b", "---+")  # minus sign, en dash, full-width minus and plus


@dataclass(frozen=True)
class Convention:
    """A way of writing replies.

    Attributes
    ----------
    name
        As on the command line.
    example
        One in place, two misplaced, as this convention writes it.
    read
        Makes (in place, misplaced) of a normalised text; None where the text is not of this convention.
    """

    name: str
    example: str
    read: Callable[[str], Pair | None]


def _lettered(place: str, elsewhere: str) -> Callable[[str], Pair | None]:
    """Reader of ``<n><place><m><elsewhere>``; either half may be missing."""
    pattern = re.compile(rf"(?:(\d+)\s*{place})?\s*(?:(\d+)\s*{elsewhere})?", re.ASCII)

    def read(text: str) -> Pair | None:
        match = pattern.fullmatch(text)
        return (int(match[1] or 0), int(match[2] or 0)) if match and text else None

    return read


def _plus_minus(text: str) -> Pair | None:
    plain = text.translate(_MINUS)
    if plain == "0":
        return 0, 0
    found = dict(_SIGNED.findall(plain))
    signs = _SIGNED.sub("", plain).replace(",", "").strip()
    if signs or not found or len(found) != len(_SIGNED.findall(plain)):
        return None
    return int(found.get("+", 0)), int(found.get("-", 0))


_COUNTED_PEGS = _lettered("b", "w")


def _pegs(text: str) -> Pair | None:
    pegs = re.sub(r"[\s,]", "", text)
    if text == "none":
        return 0, 0
    if pegs and (set(pegs) <= set("bw") or set(pegs) <= set("bc")):
        return pegs.count("b"), len(pegs) - pegs.count("b")
    return _COUNTED_PEGS(text)


def _pairs(text: str) -> Pair | None:
    match = _PAIR.fullmatch(text)
    if match is None:
        return None
    first, second = (int(number) for number in match.groups() if number is not None)
    return first, second


def _pairs_reversed(text: str) -> Pair | None:
    pair = _pairs(text)
    return pair and (pair[1], pair[0])


CONVENTIONS = {
    convention.name: convention
    for convention in (
        Convention("AB", "1A2B", _lettered("a", "b")),
        Convention("SB", "1S2B", _lettered("s", "b")),
        Convention("BC", "1B2C", _lettered("b", "c")),
        Convention("plus-minus", "+1 -2", _plus_minus),
        Convention("pegs", "bww", _pegs),
        Convention("pairs", "1 2", _pairs),
        Convention("pairs-reversed", "2 1", _pairs_reversed),
    )
}

AUTO = "auto"  #: every convention that does not have to be asked for
NOTATIONS = (AUTO, *CONVENTIONS)


def readings(text: str, notation: str = AUTO) -> dict[str, Pair]:
    """What a normalised text says as (in place, misplaced), by convention; empty where none can read it."""
    names = [name for name in CONVENTIONS if name != "pairs-reversed"] if notation == AUTO else [notation]
    found = ((name, CONVENTIONS[name].read(text)) for name in names)
    return {name: pair for name, pair in found if pair is not None}


def write_pair(pair: Pair, notation: str) -> str:
    """Text of (in place, misplaced) in a convention, which reads it back as the same."""
    bulls, cows = pair
    if notation == "plus-minus":
        return " ".join(f"{sign}{n}" for sign, n in (("+", bulls), ("-", cows)) if n) or "0"
    if notation == "pegs":
        return "b" * bulls + "w" * cows or "none"
    if notation == "pairs":
        return f"{bulls} {cows}"
    if notation == "pairs-reversed":
        return f"{cows} {bulls}"
    letters = "AB" if notation == AUTO else notation
    return f"{bulls}{letters[0]}{cows}{letters[1]}"
