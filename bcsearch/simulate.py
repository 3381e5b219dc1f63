"""Many games: a player against a host, over all secrets or random ones.

Every game has a random generator of its own, made from the seed and the game's number: the result does not depend on
the number of threads.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import sqrt
from threading import Event
from typing import TYPE_CHECKING

import numpy as np

from bcsearch.hosts import EvilHost, HonestHost, Host, LyingHost, Scorer
from bcsearch.players import Player, Playing
from bcsearch.tree import Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CHUNK = 32  # games a thread plays before it comes back for more, or soon after an interrupt


@dataclass(frozen=True)
class Played:
    """A finished game: the secret (index), and the number of guesses; 0 where the player had no guess left."""

    secret: int
    guesses: int


@dataclass(frozen=True)
class Results:
    """What many games cost.

    Attributes
    ----------
    games
        In order.
    sample
        Whether they are a random sample (of secrets, or of a host's or player's dice) and not each secret just once.
    """

    games: tuple[Played, ...]
    sample: bool

    @property
    def found(self) -> NDArray[np.int64]:
        """Guesses of the games in which the secret was found."""
        return np.array([game.guesses for game in self.games if game.guesses], dtype=np.int64)

    @property
    def lost(self) -> int:
        """Games in which the player had no guess left."""
        return len(self.games) - len(self.found)

    @property
    def mean(self) -> float | None:
        """Mean number of guesses of the games won; None if there are none."""
        return float(self.found.mean()) if len(self.found) else None

    @property
    def deviation(self) -> float | None:
        """Standard deviation; of a sample, the estimate for what it was drawn from."""
        spare = 1 if self.sample else 0
        return float(self.found.std(ddof=spare)) if len(self.found) > spare else None

    @property
    def standard_error(self) -> float | None:
        """Of the mean of a sample; None where each secret was played just once and nothing left to chance."""
        return self.deviation / sqrt(len(self.found)) if self.sample and self.deviation is not None else None

    def distribution(self) -> list[int]:
        """How many games took 1, 2, 3, ... guesses."""
        return [int(n) for n in np.bincount(self.found)[1:]]

    def worst(self, count: int) -> list[Played]:
        """The longest games, in the order of their secrets."""
        if not len(self.found):
            return []
        most = int(self.found.max())
        longest = {game.secret: game for game in self.games if game.guesses == most}
        return [longest[secret] for secret in sorted(longest)][:count]


@contextlib.contextmanager
def pool_that_lets_go(workers: int, stopped: Event) -> Iterator[ThreadPoolExecutor]:
    """Threads that drop what is waiting when the work is interrupted; `stopped` tells those at work to end soon."""
    pool = ThreadPoolExecutor(workers)
    try:
        yield pool
    finally:
        stopped.set()
        pool.shutdown(wait=False, cancel_futures=True)


def play_game(host: Host, playing: Playing, win: int) -> list[tuple[int, int]]:
    """One game to its end: rows of (guess, reply) indices; the last reply is not the win where the player gave up."""
    rows: list[tuple[int, int]] = []
    while not rows or rows[-1][1] != win:
        guess = playing.guess()
        if guess is None:
            break
        rows.append((guess, host.reply(guess)))
        playing.take(*rows[-1])
    return rows


def simulate(
    scorer: Scorer,
    player: Player,
    host: str = "honest",
    *,
    secrets: Sequence[int] | None = None,
    games: int | None = None,
    seed: int = 0,
    lie_prob: float = 0.0,
    tree: Tree | None = None,
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Results:
    """Play many games.

    Parameters
    ----------
    host
        "honest", "evil" or "lying" (with `lie_prob`); `tree` is the one whose branches an evil host knows.
    secrets, games
        The secrets to play, or how many random ones; without either all of them, once each. An evil host has no
        secret: it plays `games` games, without a number one.
    progress
        Told (games finished, games in all), in the calling thread.
    """
    total = len(scorer.game.secrets)
    if secrets is None:
        drawn = np.random.default_rng([seed, 0]).integers(total, size=games or 0)
        secrets = [int(s) for s in drawn] if games else [0] if host == "evil" else range(total)

    def one(number: int) -> Played:
        random = np.random.default_rng([seed, 1, number])
        opponent = _host(scorer, host, secrets[number], lie_prob, tree, random)
        rows = play_game(opponent, player.begin(random), scorer.game.win)
        won = bool(rows) and rows[-1][1] == scorer.game.win
        return Played(opponent.reveal(), len(rows) if won else 0)

    def some(start: int) -> list[Played]:
        numbers = range(start, min(start + _CHUNK, len(secrets)))
        return [one(number) for number in numbers if not stopped.is_set()]

    played: list[Played] = []
    stopped = Event()
    with pool_that_lets_go(workers, stopped) as pool:
        for chunk in pool.map(some, range(0, len(secrets), _CHUNK)):
            played += chunk
            if progress:
                progress(len(played), len(secrets))
    return Results(tuple(played), games is not None or host == "lying" or player.rolls_dice)


def _host(
    scorer: Scorer, kind: str, secret: int, lie_prob: float, tree: Tree | None, random: np.random.Generator
) -> Host:
    if kind == "evil":
        return EvilHost(scorer, tree)
    if kind == "lying":
        return LyingHost(scorer, secret, lie_prob, random)
    return HonestHost(scorer, secret)
