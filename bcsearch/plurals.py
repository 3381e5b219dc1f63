"""Numbers with their nouns."""

from __future__ import annotations


def counted(n: int, noun: str) -> str:
    """``1 guess``, ``2 guesses``: a number with its noun in the form that goes with it."""
    return f"{n} {plural(n, noun)}"


def be(n: int) -> str:
    """The verb that goes with a number: ``is`` or ``are``."""
    return "is" if n == 1 else "are"


def plural(n: int, noun: str) -> str:
    """The noun alone in the form that goes with a number."""
    if n == 1:
        return noun
    if noun[-1] == "y" and noun[-2] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith("s") else f"{noun}s"
