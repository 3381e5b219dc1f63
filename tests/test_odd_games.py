"""Games at the edge, played with nonsense, nothing and sense: one line and an exit code, whatever is typed."""

from __future__ import annotations

from typing import Any

import pytest

from bcsearch.game import parse_game
from bcsearch.notation import format_reply, format_secret

NONSENSE = ["", "\n\n", "x", "0A0B 0A0B 0A0B", "-1", "9" * 5000, "\x00\x1b[2J", "undo", "why", "why x", "left", "rows",
            "hint", "give up", "notation", "help", "\u00b2\u0663"]  # fmt: skip


@pytest.mark.parametrize("extra", [[], ["--json"], ["--lie-prob", "0.2"]])
@pytest.mark.parametrize("mode", ["program", "you", "race"])
@pytest.mark.parametrize("name", ["p1c1r", "p1c2n", "p2c2n", "p8c2r", "p4c10n-nz"])
def test_odd_games_are_played_in_every_mode(run: Any, name: str, mode: str, extra: list[str]) -> None:
    game = parse_game(name)
    lying = ["--host", "lying"] if "--lie-prob" in extra and mode != "program" else []
    start = ["play", "--game", name, "--mode", mode, "--seed", 1, *extra, *lying]
    for line in NONSENSE:
        outcome = run(*start, stdin=f"{line}\n" if line else "")
        assert outcome.code in (0, 1, 2) and "Traceback" not in outcome.err, line
        assert outcome.code == 0 or outcome.err.splitlines()[-1].startswith("bcsearch: "), line
    secret, win = format_secret(game, len(game.secrets) - 1), format_reply(game, game.win)
    if mode == "program":
        outcome = run(*start, stdin=f"{win}\n")
    else:
        outcome = run(*start, *([] if lying else ["--secret", secret]), stdin=f"{secret}\ngive up\n")
    assert outcome.code in ((0,) if mode != "race" else (0, 2)), outcome.err
