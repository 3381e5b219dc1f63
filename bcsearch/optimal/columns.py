"""Where the exact search gets replies from: the columns of the whole game, or those of one set, made when needed.

The whole matrix of a large game does not fit; then every item makes the small matrix of its own candidates from the
codes. In hard mode it holds only the guesses that may still be asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bcsearch.hard import allowed_after
from bcsearch.kernels import kernel
from bcsearch.scoring import Replies, fill_replies, packed_candidates, replies_from

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bcsearch.game import Game


@dataclass(frozen=True)
class Columns:
    """Replies by secret.

    Attributes
    ----------
    whole
        Replies of all guesses to all secrets, uint8, shape (secrets, guesses), read-only; None to compute what is
        wanted.
    """

    game: Game
    whole: NDArray[np.uint8] | None

    def block(self, candidates: NDArray[np.int32], guesses: NDArray[np.int32]) -> NDArray[np.uint8]:
        """Replies of some guesses to some secrets, shape (candidates, guesses), uint8, C order."""
        if self.whole is not None:
            return self.whole[np.ix_(candidates, guesses)]
        rows = np.empty((len(guesses), len(candidates)), dtype=np.uint8)
        fill_block(replies_from(self.game, None), guesses.astype(np.int32), candidates.astype(np.int32), rows)
        return np.ascontiguousarray(rows.T)

    def column(self, candidates: NDArray[np.int32], guess: int) -> NDArray[np.uint8]:
        """Replies of one guess, shape (candidates,), uint8."""
        return self.block(candidates, np.array([guess], dtype=np.int32))[:, 0]


def still_allowed(game: Game, asked: tuple[int, ...], candidates: NDArray[np.int32]) -> NDArray[np.int32]:
    """Guesses that hard mode allows after `asked`, whose replies are those that all candidates give; ascending."""
    source = Columns(game, None)
    history = ((guess, int(source.column(candidates[:1], guess)[0])) for guess in asked)
    return allowed_after(game, history)


@kernel
def fill_block(
    source: Replies, guesses: NDArray[np.int32], candidates: NDArray[np.int32], out: NDArray[np.uint8]
) -> None:
    """Write the replies of some guesses to some candidates to out[g, j]."""
    places, counts = packed_candidates(source, candidates)
    for g in range(len(guesses)):
        fill_replies(source, guesses[g], candidates, places, counts, out[g])
