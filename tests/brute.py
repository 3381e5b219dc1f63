"""The definition of the exact search, and nothing else: a recursion over dictionaries of strings. For small sets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

INFINITE = 10**9


class Brute:
    """Least totals for secrets and guesses as text under a reply function (secret, guess).

    `hard` allows only guesses that keep to the greens and yellows so far: replies are then tuples of 0, 1, 2.
    """

    def __init__(
        self, guesses: Sequence[str], reply: Callable[[str, str], tuple[int, ...]], hard: bool = False,
        consistent: bool = False,
    ) -> None:  # fmt: skip
        self.reply, self.hard, self.consistent = reply, hard, consistent
        self.all = tuple(guesses)
        self.known: dict[tuple[tuple[str, ...], tuple[str, ...], int], int] = {}

    def total(self, secrets: Sequence[str], depth: int = 99) -> int:
        """Least sum of guesses over the secrets within `depth` guesses."""
        return self._total(tuple(secrets), self.all, depth)

    def _total(self, secrets: tuple[str, ...], allowed: tuple[str, ...], depth: int) -> int:
        if not secrets:
            return 0
        if depth == 0:
            return INFINITE
        if len(secrets) == 1:
            return 1
        key = secrets, allowed if self.hard else (), depth
        if key not in self.known:
            self.known[key] = min(
                self._after(guess, secrets, allowed, depth) for guess in (secrets if self.consistent else allowed)
            )
        return self.known[key]

    def _after(self, guess: str, secrets: tuple[str, ...], allowed: tuple[str, ...], depth: int) -> int:
        parts: dict[tuple[int, ...], list[str]] = {}
        for secret in secrets:
            if secret != guess:
                parts.setdefault(self.reply(secret, guess), []).append(secret)
        if any(len(part) == len(secrets) for part in parts.values()):
            return INFINITE
        total = len(secrets)
        for reply, part in parts.items():
            below = tuple(g for g in allowed if keeps_to(g, guess, reply)) if self.hard else allowed
            total += self._total(tuple(part), below, depth - 1)
            if total >= INFINITE:
                return INFINITE
        return total


def keeps_to(later: str, guess: str, marks: tuple[int, ...]) -> bool:
    """Hard mode's rule for one row."""
    if any(m == 2 and g != n for m, g, n in zip(marks, guess, later, strict=True)):
        return False
    shown = Counter(g for m, g in zip(marks, guess, strict=True) if m)
    return all(later.count(letter) >= n for letter, n in shown.items())
