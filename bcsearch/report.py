"""What is said of a tree: one record, the same in every command's JSON."""

from __future__ import annotations

from typing import Any

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
