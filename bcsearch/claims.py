"""What a tree's file may claim: which claims there are, and of which kind each has to be.

Whether a claim is true is for `verify` to say. Here is asked only whether it is one: a number where a number is
wanted, a text that can be printed. Files come from anywhere, and a seal that fits says nothing of who made it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

NUMBERS = ("total", "lost", "late", "within", "max_depth", "depth_bound")  #: in an objective, where they are there
MEASURES = ("total", "lost", "late")  #: in an objective: what was minimised

_TEXTS = ("strategy", "pool", "tie_rule", "bound")
_SUMS = ("total", "depth", "worst", "secrets")  # in a summary
_LONGEST = 60  # characters of a wrong value that are shown


def claims_problem(document: Mapping[str, Any]) -> str | None:
    """The first claim that is missing or not of its kind, and what is wanted, in words; None where all are right.

    `document` holds the fields of `store.Claims` by name; other names are left alone.
    """
    for name in (*_TEXTS, "lower_bound", "objective"):
        if name not in document:
            return f"claims no {name}"
    for name in _TEXTS:
        if not isinstance(document[name], str):
            return _wrong(name, document[name], "a text")
    lower, objective = document["lower_bound"], document["objective"]
    if lower is not None and not _is_count(lower):
        return _wrong("lower_bound", lower, "a whole number, 0 or more, or null")
    if not isinstance(objective, dict):
        return _wrong("objective", objective, "an object")
    if not isinstance(objective.get("objective", ""), str):
        return _wrong("objective.objective", objective["objective"], "a text")
    for name in NUMBERS:
        if name in objective and not _is_count(objective[name]):
            return _wrong(f"objective.{name}", objective[name], "a whole number, 0 or more")
    for name in (*_TEXTS, "objective"):
        unclean = next((text for text in _texts(document[name]) if not text.isprintable()), None)
        if unclean is not None:
            return _wrong(name, unclean, "a text of printable characters")
    return None


def summary_problem(summary: Any) -> str | None:
    """The same for a summary: total, depth, worst and secrets."""
    if not isinstance(summary, dict):
        return _wrong("summary", summary, "an object")
    for name in _SUMS:
        if not _is_count(summary.get(name)):
            return _wrong(f"summary.{name}", summary.get(name), "a whole number, 0 or more")
    return None


def says_of_what(document: Mapping[str, Any]) -> bool:
    """Whether claims, all of their kind, name a value and its lower bound: without both, "exact" says nothing."""
    return document["lower_bound"] is not None and any(name in document["objective"] for name in MEASURES)


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0  # true and false are no numbers here


def _wrong(name: str, value: Any, wanted: str) -> str:
    shown = ascii(value)
    shown = shown if len(shown) <= _LONGEST else shown[:_LONGEST] + "..."
    return f"claims {name} {shown}; {wanted} is wanted"


def _texts(value: Any) -> Iterator[str]:
    """All texts in a value made of JSON, names included."""
    left = [value]
    while left:
        now = left.pop()
        if isinstance(now, str):
            yield now
        elif isinstance(now, dict):
            left += [*now, *now.values()]
        elif isinstance(now, list):
            left += now
