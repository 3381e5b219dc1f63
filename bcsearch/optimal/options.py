"""What an optimal tree should minimise, and which options go together; checked before anything heavy is imported."""

from __future__ import annotations

from dataclasses import dataclass

from bcsearch.errors import UsageError

OBJECTIVES = ("average", "worst-case", "fewest-at-worst", "win-within")
MOST_GUESSES = 39  #: largest depth or K that can be asked for


@dataclass(frozen=True)
class Objective:
    """What is to be minimised, over which trees.

    Attributes
    ----------
    name
        One of `OBJECTIVES`.
    within
        K of win-within, else None.
    max_depth
        Only trees of at most this depth; None for all.
    consistent
        Ask candidates only.
    width
        Try only the first few guesses per node: an upper bound, quickly. None for a proof.
    hard
        Hard mode of word games (see `hard`).
    """

    name: str = "average"
    within: int | None = None
    max_depth: int | None = None
    consistent: bool = False
    width: int | None = None
    hard: bool = False

    def check(self) -> None:
        """Raise UsageError where the parts do not go together."""
        if self.name not in OBJECTIVES:
            raise UsageError(f"objective {self.name!r}: one of {', '.join(OBJECTIVES)}")
        if (self.within is not None) != (self.name == "win-within"):
            raise UsageError("--objective win-within needs --within K, and nothing else takes it")
        if self.max_depth is not None and self.name == "win-within":
            raise UsageError("--max-depth does not go with --objective win-within")
        for option, value in (("--within", self.within), ("--max-depth", self.max_depth)):
            if value is not None and not 1 <= value <= MOST_GUESSES:
                raise UsageError(f"{option} {value}: 1 to {MOST_GUESSES} is wanted")
        if self.width is not None and self.width < 1:
            raise UsageError(f"--width {self.width}: at least 1")

    @property
    def label(self) -> str:
        """Part of a file name that tells optimal trees of a game apart."""
        words = ["optimal", self.name]
        words += [f"depth{self.max_depth}"] if self.max_depth else []
        words += [str(self.within)] if self.within else []
        words += [f"width{self.width}"] if self.width else []
        words += ["hard"] if self.hard else []
        return "-".join(words + (["consistent"] if self.consistent else []))

    @property
    def pool(self) -> str:
        """Which guesses may be asked, as tree files say it."""
        return "hard" if self.hard else "consistent" if self.consistent else "all"
