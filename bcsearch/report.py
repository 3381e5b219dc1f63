"""What is said of trees, positions and guesses: one record each, the same in every command's JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bcsearch.advice import Advice, Position
    from bcsearch.assist import Split
    from bcsearch.contradictions import Contradiction
    from bcsearch.game import Game
    from bcsearch.store import StoredTree


def tree_record(stored: StoredTree, executor: str | None = None, seconds: float | None = None) -> dict[str, Any]:
    """Describe a tree as plain values; `executor` and `seconds` are None for a tree that was not built just now."""
    summary, claims = stored.tree.summary(), stored.claims
    return {
        "game": stored.tree.game.name,
        "strategy": claims.strategy,
        "pool": claims.pool,
        "total": summary.total,
        "average": round(summary.average, 6),
        "depth": summary.depth,
        "worst": summary.worst,
        "distribution": stored.tree.distribution(),
        "bound": claims.bound,
        "lower_bound": claims.lower_bound,
        "nodes": len(stored.tree),
        "executor": executor,
        "seconds": seconds,
        "file": str(stored.path),
        "sha256": stored.sha256,
    }


def split_record(game: Game, guess: int, split: Split) -> dict[str, Any]:
    """What a guess makes of the candidates."""
    from bcsearch.notation import format_code

    return {
        "guess": format_code(game, guess),
        "is_candidate": split.is_candidate,
        "parts": split.parts,
        "largest": split.largest,
        "expected_size": split.expected_size,
        "entropy": split.entropy,
    }


def advice_record(game: Game, advice: Advice) -> dict[str, Any]:
    """A guess with what it costs; `average` and `worst` count the guess itself, None where they are not known."""
    cost = advice.cost
    return {
        **split_record(game, advice.guess, advice.split),
        "average": advice.average,
        "worst": cost.worst if cost else None,
        "bound": None if cost is None else "exact" if cost.proven else "upper",
    }


def position_record(at: Position) -> dict[str, Any]:
    """A position with its best guesses."""
    from bcsearch.notation import describe_reply, format_code, format_reply, format_secret
    from bcsearch.reasons import why

    game = at.game
    rows = [
        {
            "guess": format_code(game, guess),
            "reply": format_reply(game, reply),
            "reading": describe_reply(game, reply),
            "left": left,
        }
        for (guess, reply), left in zip(at.history, at.left, strict=True)
    ]
    return {
        "game": game.name,
        "history": rows,
        "candidates": [format_secret(game, int(s)) for s in at.candidates],
        "won": at.won,
        "source": at.source or None,
        "best": [advice_record(game, advice) for advice in at.best],
        "why": why(at, at.best[0]) if at.best else None,
    }


def contradiction_record(game: Game, found: Contradiction) -> dict[str, Any]:
    """Why no candidate is left; rows are numbered from 1."""
    from bcsearch.notation import format_reply

    return {
        "row": found.row + 1,
        "dropped": [{"row": row + 1, "candidates": count} for row, count in found.dropped],
        "rereadings": [
            {"row": r.row + 1, "reply": format_reply(game, r.reply), "kind": r.kind, "candidates": r.candidates}
            for r in found.rereadings
        ],
        "fewest_wrong": found.fewest_wrong,
        "outside": None if found.outside is None else {"game": found.outside[0], "codes": found.outside[1]},
    }
