"""Word lists for tests, made by a small generator of its own: nobody's list is copied."""

from __future__ import annotations

import random
from pathlib import Path

_SHAPES = ("cvccv", "cvcvc", "clvcv", "vccvc", "cvvcs")
_LETTERS = {"c": "bcdfghklmnprst", "v": "aeiou", "l": "rl", "s": "snt"}


def made_words(count: int, seed: int = 5) -> list[str]:
    """Words of five letters, many with repeated ones, sorted."""
    chance = random.Random(seed)
    words: set[str] = set()
    while len(words) < count:
        words.add("".join(chance.choice(_LETTERS[kind]) for kind in chance.choice(_SHAPES)))
    return sorted(words)


def write_words(path: Path, words: list[str]) -> Path:
    """A word list file."""
    path.write_text("\n".join(words) + "\n", encoding="utf-8")
    return path
