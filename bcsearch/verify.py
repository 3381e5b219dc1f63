"""The independent checker: plays a tree file against every secret and judges what it claims.

Shares nothing with what builds trees: codes are listed anew with itertools, replies are scored here by counting
symbols, and each secret walks down from the root on its own, whatever the file says of sizes and depths.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import permutations, product
from pathlib import Path

from bcsearch.errors import TreeFileError
from bcsearch.game import Game
from bcsearch.plurals import be, counted
from bcsearch.store import StoredTree, read_tree
from bcsearch.tree import WON

_MOST_EXAMPLES = 3

Code = tuple[int, ...] | tuple[str, ...]


@dataclass
class Verdict:
    """What the checker found.

    Attributes
    ----------
    problems
        What is wrong, a line each; empty for a valid tree.
    distribution
        Secrets found with 1, 2, ... guesses, as replayed.
    """

    problems: list[str] = field(default_factory=list)
    distribution: list[int] = field(default_factory=list)

    @property
    def valid(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems

    @property
    def total(self) -> int:
        """Sum of guesses over the secrets found."""
        return sum((i + 1) * n for i, n in enumerate(self.distribution))

    @property
    def depth(self) -> int:
        """Most guesses any secret needs."""
        return len(self.distribution)

    @property
    def worst(self) -> int:
        """How many secrets need that many."""
        return self.distribution[-1] if self.distribution else 0


def verify_file(path: Path, max_depth: int | None = None, max_total: int | None = None) -> Verdict:
    """Check a tree file. A file that cannot be read as a tree is a verdict too, not an exception."""
    try:
        stored = read_tree(path)
    except TreeFileError as error:
        return Verdict([str(error)])
    return verify(stored, max_depth, max_total)


def verify(stored: StoredTree, max_depth: int | None = None, max_total: int | None = None) -> Verdict:
    """Replay every secret against the tree and compare with its claims and with the bounds asked for."""
    verdict = Verdict()
    _replay(stored, verdict)
    _judge_claims(stored, verdict)
    if max_depth is not None and verdict.depth > max_depth:
        verdict.problems.append(
            f"depth is {verdict.depth}, more than {max_depth}: {counted(verdict.worst, 'secret')} "
            f"{'needs' if verdict.worst == 1 else 'need'} it"
        )
    if max_total is not None and verdict.total > max_total:
        verdict.problems.append(f"total is {verdict.total}, more than {max_total}")
    return verdict


def legal_codes(game: Game) -> list[Code]:
    """All secrets of a game in lexicographic order, from the rules or the lists alone."""
    if game.lists is not None:
        return _listed(game.lists.secrets)
    symbols = range(game.symbols)
    codes = product(symbols, repeat=game.positions) if game.repeats else permutations(symbols, game.positions)
    return [code for code in codes if game.leading_zero or code[0] != 0]


def legal_guesses(game: Game) -> list[Code]:
    """All guesses of a game in lexicographic order, from the rules or the lists alone."""
    if game.lists is not None:
        return _listed(game.lists.guesses)
    return legal_codes(game.asked or game)


def _listed(codes: tuple[tuple[str, ...], ...]) -> list[Code]:
    """Codes of a list, sorted here once more, by their symbols' names."""
    return sorted(codes)


class Scorer:
    """Replies to one guess, by counting symbols; the guess's counts are made once.

    Marks of word games are worked out letter by letter of the alphabet: of the places in the guess that hold a letter
    and are not green, as many as the secret has of it elsewhere are yellow, those on the left.
    """

    def __init__(self, game: Game, guess: Code) -> None:
        self.guess = guess
        self.game = game
        self.counts = Counter(guess)
        self.index = {reply: i for i, reply in enumerate(game.replies)}
        self.repeats = max(self.counts.values()) > 1 or game.repeats

    def reply(self, secret: Code) -> int:
        """Reply index of the guess against a secret."""
        if self.game.marks:
            return self.index[self._marks(secret)]
        in_place = 0
        common = 0
        for g, s in zip(self.guess, secret, strict=True):
            in_place += g == s
        if self.repeats:
            for symbol, n in self.counts.items():
                common += min(n, secret.count(symbol))
        else:
            for s in secret:
                common += s in self.counts
        return self.index[in_place, common - in_place]

    def _marks(self, secret: Code) -> tuple[int, ...]:
        marks = [2 if g == s else 0 for g, s in zip(self.guess, secret, strict=True)]
        for letter in self.counts:
            places = [p for p, g in enumerate(self.guess) if g == letter and marks[p] != 2]
            elsewhere = sum(s == letter and marks[p] != 2 for p, s in enumerate(secret))
            for p in places[:elsewhere]:
                marks[p] = 1
        return tuple(marks)


def _replay(stored: StoredTree, verdict: Verdict) -> None:
    """Let all secrets walk down together, node by node, from the root.

    A secret is found where the guess is the secret itself and the win slot says so. Every reply that a secret gives
    must have a child, and every child must be reached by some secret.
    """
    tree, codes, guesses = stored.tree, legal_codes(stored.tree.game), legal_guesses(stored.tree.game)
    guess, child, size = tree.guess.tolist(), tree.child.tolist(), tree.size.tolist()
    found: Counter[int] = Counter()
    times_found = 0
    problems = _Problems(verdict)
    visited = 0
    hard = stored.claims.pool == "hard" and tree.game.marks
    walking: list[tuple[int, tuple[tuple[Code, int], ...], list[Code]]] = [(0, (), codes)]
    while walking:
        node, history, secrets = walking.pop()
        asked = len(history) + 1
        visited += 1
        if asked > len(guess):
            problems.add("cycle", f"row {node}: the tree runs in a circle")
            continue
        if size[node] != len(secrets):
            problems.add(
                "size",
                f"row {node}: claims {counted(size[node], 'candidate')}, {counted(len(secrets), 'secret')} arrived",
            )
        parts: dict[int, list[Code]] = {}
        if hard and not keeps_to_hard_mode(tree.game, history, guesses[guess[node]]):
            problems.add(
                "hard", f"row {node}: asks {_code(tree.game, guesses[guess[node]])}, which hard mode forbids there"
            )
        scorer = Scorer(tree.game, guesses[guess[node]])
        for secret in secrets:
            parts.setdefault(scorer.reply(secret), []).append(secret)
        for reply, below in enumerate(child[node]):
            part = parts.get(reply, [])
            if reply == len(child[node]) - 1:
                if (below == WON) != bool(part):
                    problems.add("win", f"row {node}: its win slot does not say whether the guess can be the secret")
                found[asked] += len(part)
                times_found += len(part)
            elif below >= 0 and not part:
                problems.add("branch", f"row {node}: illegal reply branch: no secret gives {_text(tree.game, reply)}")
            elif below >= 0:
                walking.append((below, (*history, (scorer.guess, reply)), part))
            elif part:
                problems.add("lost", f"row {node}: secret {_code(tree.game, part[0])} is never found (no branch)")
    if times_found != len(codes):
        problems.add("count", f"{times_found} of {counted(len(codes), 'secret')} {be(times_found)} found")
    if visited != len(guess):
        problems.add("unused", f"{counted(len(guess), 'node')} stored, {visited} reached")
    verdict.distribution = [found[k] for k in range(1, max(found, default=0) + 1)]


def keeps_to_hard_mode(game: Game, history: tuple[tuple[Code, int], ...], guess: Code) -> bool:
    """Whether a guess has all greens in place and as many of each letter as were green or yellow, row by row.

    `history` are (code, reply index).
    """
    for before, reply in history:
        marks = game.replies[reply]
        shown: Counter[object] = Counter()
        for letter, mark, now in zip(before, marks, guess, strict=True):
            if mark == 2 and letter != now:
                return False
            shown[letter] += mark > 0
        if shown - Counter[object](guess):
            return False
    return True


class _Problems:
    """Collects problems, a few examples of each kind."""

    def __init__(self, verdict: Verdict) -> None:
        self.verdict = verdict
        self.seen: Counter[str] = Counter()

    def add(self, kind: str, text: str) -> None:
        self.seen[kind] += 1
        if self.seen[kind] <= _MOST_EXAMPLES:
            self.verdict.problems.append(text)


def _judge_claims(stored: StoredTree, verdict: Verdict) -> None:
    """Compare the claimed sums, bound and pool with what the replay gave."""
    claimed, claims = stored.summary, stored.claims
    pairs = [
        ("total", claimed.total, verdict.total),
        ("depth", claimed.depth, verdict.depth),
        ("worst", claimed.worst, verdict.worst),
        ("secrets", claimed.secrets, sum(verdict.distribution)),
    ]
    for name, said, replayed in pairs:
        if said != replayed:
            verdict.problems.append(f"claims {name} {said}, the replay gives {replayed}")
    if claims.bound not in ("exact", "upper"):
        verdict.problems.append(f"claims a bound of unknown kind {claims.bound!r}; exact or upper are known")
    if claims.pool not in ("all", "consistent", "hard"):
        verdict.problems.append(f"claims an unknown guess pool {claims.pool!r}; all, consistent or hard are known")
    if claims.pool == "hard" and not stored.tree.game.marks:
        verdict.problems.append(f"claims hard mode, which {stored.tree.game} has not")
    _judge_objective(stored, verdict)
    if claims.pool == "consistent":
        lone = _inconsistent_guess(stored)
        if lone is not None:
            verdict.problems.append(f"claims consistent guesses only; row {lone} asks one that cannot be the secret")


def _judge_objective(stored: StoredTree, verdict: Verdict) -> None:
    """Compare what an optimal tree says its objective reached with what the replay gave."""
    objective, lower = stored.claims.objective, stored.claims.lower_bound
    reached: int | None = None
    if "total" in objective:
        reached = verdict.total
    elif "lost" in objective:
        reached = sum(verdict.distribution[int(objective.get("within", 0)) :])
    elif "late" in objective:
        reached = verdict.worst if verdict.depth == objective.get("max_depth") else 0
    for name in ("total", "lost", "late"):
        if name in objective and objective[name] != reached:
            verdict.problems.append(f"claims to reach {name} {objective[name]}, the replay gives {reached}")
    depth = objective.get("max_depth")
    if depth is not None and verdict.depth > depth:
        verdict.problems.append(f"claims a depth of at most {depth}, the replay gives {verdict.depth}")
    if (
        reached is not None
        and lower is not None
        and (lower > reached or (stored.claims.bound == "exact" and lower < reached))
    ):
        verdict.problems.append(
            f"claims bound {stored.claims.bound} with lower bound {lower}, the tree reaches {reached}"
        )
    if stored.claims.bound == "exact" and (reached is None or lower is None):
        verdict.problems.append("claims an exact value, but does not say of what")


def _inconsistent_guess(stored: StoredTree) -> int | None:
    """First row whose guess cannot be the secret there."""
    return next((row for row, child in enumerate(stored.tree.child.tolist()) if child[-1] != WON), None)


def _code(game: Game, code: Code) -> str:
    return game.separator.join(s if isinstance(s, str) else game.alphabet[s] for s in code)


def _text(game: Game, reply: int) -> str:
    if game.marks:
        return "".join("-YG"[mark] for mark in game.replies[reply])
    bulls, cows = game.replies[reply]
    return f"{bulls}A{cows}B"
