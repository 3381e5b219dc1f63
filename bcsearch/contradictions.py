"""When no candidate is left: which row did it, and what could be wrong.

Every secret is held against every row. A secret that fits all rows but one would be back if that row were dropped, and
it says which reply that row must have had; so one table of misfits (rows x secrets) answers every question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bcsearch.assist import candidates_after, reply_row
from bcsearch.codelists import lists_of
from bcsearch.game import MAX_CODES, Game, list_game
from bcsearch.notation import describe_reply, format_code, format_reply
from bcsearch.plurals import be, counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

History = tuple[tuple[int, int], ...]

_MOST_CODES = 1 << 21  # of a wider game that is listed to see whether a secret outside the rules fits


@dataclass(frozen=True)
class Rereading:
    """One row whose reply, read otherwise, brings candidates back.

    Attributes
    ----------
    row
        Index of the row in the history.
    reply
        Reply index that it must have had.
    candidates
        How many secrets would be left.
    kind
        "swapped" (in place and misplaced exchanged), "off by one" (one number wrong by one, or one symbol counted as
        the other kind), or "otherwise". Where replies are marks: "swapped" (two marks exchanged), "off by one" (a
        single mark differs), or "otherwise".
    """

    row: int
    reply: int
    candidates: int
    kind: str


@dataclass(frozen=True)
class Contradiction:
    """Why a history leaves no candidate.

    Attributes
    ----------
    row
        Index of the first row after which none is left.
    dropped
        (row, candidates): the single rows without which there are candidates, and how many.
    rereadings
        Single replies that bring candidates back when read otherwise; the likeliest slips first.
    fewest_wrong
        How many rows must be wrong at least, if the secret is one of the game's.
    outside
        (rules, codes): wider rules under which all replies are right, and for how many codes; None if there are none.
    """

    row: int
    dropped: tuple[tuple[int, int], ...]
    rereadings: tuple[Rereading, ...]
    fewest_wrong: int
    outside: tuple[str, int] | None


def find_contradiction(game: Game, history: History) -> Contradiction | None:
    """What is wrong with a history of (guess, reply) indices; None where candidates are left.

    Needs rows x secrets bytes twice.
    """
    everyone = np.arange(len(game.secrets), dtype=np.int32)
    replies = np.array([reply_row(game, guess, everyone) for guess, _ in history]).reshape(len(history), len(everyone))
    wrong = replies != np.array([reply for _, reply in history]).reshape(-1, 1)
    misfits = wrong.sum(axis=0)
    if not len(history) or (misfits == 0).any():
        return None
    empty_after = np.logical_not(np.logical_or.accumulate(wrong, axis=0)).sum(axis=1) == 0
    dropped, rereadings = [], []
    for row in range(len(history)):
        back = replies[row, wrong[row] & (misfits == 1)]
        if len(back):
            dropped.append((row, len(back)))
            rereadings += _rereadings(game, row, history[row][1], back)
    kinds = _KINDS_OF_MARKS if game.marks else _KINDS
    rereadings.sort(key=lambda r: (kinds.index(r.kind), -r.candidates, r.row, r.reply))
    return Contradiction(
        int(np.argmax(empty_after)), tuple(dropped), tuple(rereadings), int(misfits.min()), _outside(game, history)
    )


# the likeliest first: numbers are told apart by their order alone, marks are typed one by one
_KINDS = ("swapped", "off by one", "otherwise")
_KINDS_OF_MARKS = ("off by one", "swapped", "otherwise")


def _rereadings(game: Game, row: int, given: int, back: NDArray[np.intp]) -> list[Rereading]:
    """One for each reply among those that the returning candidates would give."""
    counts = np.bincount(back, minlength=len(game.replies))
    return [
        Rereading(row, int(reply), int(counts[reply]), slip_kind(game, given, int(reply)))
        for reply in np.flatnonzero(counts)
    ]


def slip_kind(game: Game, given: int, meant: int) -> str:
    """How one reply could be taken for another: see `Rereading.kind`."""
    a, b = np.array(game.replies[given]), np.array(game.replies[meant])
    if game.marks:
        differs = a != b
        if differs.sum() == 1:
            return "off by one"
        exchanged = differs.sum() == 2 and (a[differs][::-1] == b[differs]).all()
        return "swapped" if exchanged else "otherwise"
    if (a[::-1] == b).all():
        return "swapped"
    return "off by one" if int(np.abs(a - b).max()) == 1 and int(abs((a - b).sum())) <= 1 else "otherwise"


def _outside(game: Game, history: History) -> tuple[str, int] | None:
    """The next wider rules under which some code gives all replies."""
    for wider in wider_games(game):
        if wider.code_count > min(_MOST_CODES, MAX_CODES):
            continue
        rows = tuple((wider.find_guess(game.guesses[guess].tolist()), reply) for guess, reply in history)
        found = len(candidates_after(wider, rows))
        if found:
            return wider.name, found
    return None


def wider_games(game: Game) -> list[Game]:
    """Games with the same replies and more codes, that somebody may have had in mind: leading zeros, then repeats."""
    if game.lists is not None:
        return [] if game.guesses is game.secrets else [list_game(lists_of(game.lists.guesses, None), game.marks)]
    if game.asked is not None:
        return [replace(game.asked, names=game.names)]
    wider = [replace(game, leading_zero=True)] if not game.leading_zero else []
    return [*wider, replace(game, leading_zero=True, repeats=True)] if not game.repeats else wider


def explain(
    game: Game, history: History, found: Contradiction, listed: int = 6, numbers: Sequence[int] | None = None
) -> list[str]:
    """A contradiction in words, a line each. Rows are numbered from 1, or as `numbers` says.

    At most `listed` readings are named.
    """
    names = numbers or range(1, len(history) + 1)
    rows = [
        f"row {number} ({format_code(game, guess)} {format_reply(game, reply)})"
        for number, (guess, reply) in zip(names, history, strict=True)
    ]
    lines = [f"no secret gives all these replies: none is left after {rows[found.row]}"]
    for row, count in found.dropped:
        lines.append(f"without {rows[row]}: {_candidates(count)}")
    for r in found.rereadings[:listed]:
        kind = "" if r.kind == "otherwise" else f"{r.kind}: "
        lines.append(
            f"{kind}{rows[r.row]} read as {format_reply(game, r.reply)} ({describe_reply(game, r.reply)}): "
            f"{_candidates(r.candidates)}"
        )
    if len(found.rereadings) > listed:
        lines.append(f"and {counted(len(found.rereadings) - listed, 'more way')} to read one reply otherwise")
    if not found.dropped:
        replies, fewest = counted(len(history), "reply"), found.fewest_wrong
        lines.append(f"no single row is to blame: at least {fewest} of the {replies} {be(fewest)} wrong")
    if found.outside:
        wider, count = found.outside
        lines.append(f"or the secret is outside the rules of {game}: under {wider}, {_codes(count)} all replies")
    else:
        lines.append(f"or the secret is outside the rules of {game}")
    return lines


def _candidates(count: int) -> str:
    return counted(count, "candidate")


def _codes(count: int) -> str:
    return f"{counted(count, 'code')} {'gives' if count == 1 else 'give'}"
