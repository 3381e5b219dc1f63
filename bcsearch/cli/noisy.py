"""``bcsearch assist`` where replies may be wrong: by chance (--lie-prob), or at most so many of them (--wrong)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from bcsearch.cli.output import print_table
from bcsearch.cli.position import percent, print_rows
from bcsearch.plurals import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bcsearch.game import Game
    from bcsearch.session import Session

_MOST_LISTED = 60


@dataclass(frozen=True)
class Noise:
    """How replies may be wrong: one of the two is given."""

    lie_prob: float | None
    wrong: int | None

    def look(self, session: Session, top: int) -> tuple[dict[str, Any], int | None]:
        """The position as a record, and the guess to ask; None once the secret is found.

        Raises
        ------
        ImpossibleRepliesError
            Where even so no secret is left.
        """
        if self.lie_prob is not None:
            return _posterior_record(session, self.lie_prob, top)
        return _doubt_record(session, self.wrong or 0, top)

    def show(self, session: Session, record: dict[str, Any]) -> None:
        """Print a record of `look`."""
        if self.lie_prob is not None:
            _print_posterior(session, record)
        else:
            _print_doubt(session, record)


def _found(session: Session) -> bool:
    return any(reply == session.game.win for _, reply in session.history)


def _rows_record(
    game: Game, history: Sequence[tuple[int, int]], after: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    from bcsearch.notation import describe_reply, format_code, format_reply

    return [
        {"guess": format_code(game, guess), "reply": format_reply(game, reply), "reading": describe_reply(game, reply),
         **known}
        for (guess, reply), known in zip(history, after, strict=True)
    ]  # fmt: skip


def _posterior_record(session: Session, lie_prob: float, top: int) -> tuple[dict[str, Any], int | None]:
    from bcsearch.bayes import Posterior, best_guesses, whole_matrix
    from bcsearch.hosts import Scorer
    from bcsearch.notation import format_code, format_secret

    game = session.game
    belief = Posterior.start(Scorer(game, whole_matrix(game)), lie_prob)
    after = []
    for guess, reply in session.history:
        belief = belief.update(guess, reply)
        after.append({"entropy": belief.entropy, "effective": belief.effective})
    p = belief.probabilities
    likely = sorted(range(len(p)), key=lambda i: (-p[i], i))[:top]
    best = [] if _found(session) else best_guesses(belief, top, tuple(guess for guess, _ in session.history))
    record = {
        "game": game.name,
        "lie_prob": lie_prob,
        "history": _rows_record(game, session.history, after),
        "possible": len(p),
        "entropy": belief.entropy,
        "effective": belief.effective,
        "likeliest": [
            {"secret": format_secret(game, int(belief.secrets[i])), "probability": float(p[i])} for i in likely
        ],
        "won": _found(session),
        "best": [
            {"guess": format_code(game, b.guess), "information": b.bits, "probability": b.probability} for b in best
        ],
    }
    return record, best[0].guess if best else None


def _print_posterior(session: Session, record: dict[str, Any]) -> None:
    print_rows(session.game, session.rows, "bits missing", [f"{row['entropy']:.2f}" for row in record["history"]])
    likely = record["likeliest"]
    if record["won"]:
        click.echo(f"Found: {likely[0]['secret']}, with {counted(len(record['history']), 'guess')}.")
        return
    click.echo(f"{record['entropy']:.2f} bits missing, as of {record['effective']:.1f} equally likely candidates\n")
    rows = [[row["secret"], percent(row["probability"])] for row in likely]
    print_table([("likeliest", "left"), ("probability", "right")], rows)
    click.echo()
    rows = [[b["guess"], f"{b['information']:.3f}", percent(b["probability"])] for b in record["best"]]
    print_table([("guess", "left"), ("bits", "right"), ("is the secret", "right")], rows)
    best = record["best"][0]
    click.echo(f"\nAsk {best['guess']}: its reply tells most, {best['information']:.2f} bits, wrong ones allowed for.")


def _doubt_record(session: Session, wrong: int, top: int) -> tuple[dict[str, Any], int | None]:
    from bcsearch.hosts import Scorer
    from bcsearch.liars import Doubt
    from bcsearch.notation import format_code, format_secret

    game = session.game
    doubt = Doubt.start(Scorer(game), wrong)
    after = []
    for guess, reply in session.history:
        doubt = doubt.update(guess, reply)
        after.append({"left": len(doubt.secrets)})
    best = None if _found(session) else doubt.best_guess()
    groups = [
        [format_secret(game, int(s)) for s in doubt.secrets[doubt.wrong == w]]
        for w in range(min(wrong, len(session.history)) + 1)
    ]
    record = {
        "game": game.name,
        "wrong": wrong,
        "history": _rows_record(game, session.history, after),
        "possible": len(doubt.secrets),
        "candidates_by_wrong_replies": groups,
        "won": _found(session),
        "best": [] if best is None else [{"guess": format_code(game, best)}],
        "surely_within": None if best is None else doubt.fewest_guesses(),
    }
    return record, best


def _print_doubt(session: Session, record: dict[str, Any]) -> None:
    print_rows(session.game, session.rows, "left", [str(row["left"]) for row in record["history"]])
    groups = record["candidates_by_wrong_replies"]
    if record["won"]:
        click.echo(
            f"Found: {next(names[0] for names in groups if names)}, with {counted(len(record['history']), 'guess')}."
        )
        return
    click.echo(f"{counted(record['possible'], 'candidate')}, at most {record['wrong']} of the replies being wrong:")
    for wrong, names in enumerate(groups):
        listed = f": {' '.join(names)}" if 0 < len(names) <= _MOST_LISTED else ""
        click.echo(f"  {len(names)} with {wrong} wrong{listed}")
    sure = record["surely_within"]
    more = f" {sure} more guess{'es are' if sure != 1 else ' is'} surely enough." if sure is not None else ""
    click.echo(f"\nAsk {record['best'][0]['guess']}: its worst reply leaves least that can be.{more}")
