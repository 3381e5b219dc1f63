"""The top of the search: histories of no and one guess, split into subproblems for the executor.

Each node here is a generator. It yields a list of jobs, kernel calls or other nodes, is resumed with the list of their
results when all are there, and returns its own. So the logic reads as if it ran alone, and whatever executor there is
carries jobs of many nodes out at once. A node's decisions depend on results only, never on when they came.

The order of work at a node: bound all parts of all guesses one step ahead; then take the guess with the smallest sum,
solve its parts, and go on with the next while its sum is below the best.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bcsearch import kernels
from bcsearch.executors import Executor
from bcsearch.expand import History, history_key
from bcsearch.game import Game, parse_game
from bcsearch.kernels import warm_up
from bcsearch.optimal.search import (
    BOUND,
    FULL,
    INFINITE,
    LATE,
    LOST,
    TOTAL,
    UNBOUNDED,
    Context,
    size_bound,
    solve_from,
)
from bcsearch.optimal.tables import make_context
from bcsearch.scoring import Replies, fill_replies, packed_candidates, replies_from, reply_matrix
from bcsearch.symmetry import canonical_guesses

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SMALL = 400  # a node with at most so many candidates is one subproblem, whatever its history
_TOP_GUESSES = 2  # histories shorter than this are split

Answer = tuple[int, int, bool]  #: value, guess index, exact
Jobs = Generator[list[Any], list[Answer], Answer]


@dataclass(frozen=True)
class Task:
    """What is minimised; small, picklable, and the name of a cache.

    Attributes
    ----------
    game
        The rules.
    mode
        `TOTAL`, `LOST` or `LATE`.
    consistent
        Ask candidates only.
    """

    game: Game
    mode: int = TOTAL
    consistent: bool = False


class Subproblem(NamedTuple):
    """A kernel call: pure, its result depends on these values alone."""

    history: History
    candidates: NDArray[np.int32]
    k: int
    limit: int
    effort: int


_contexts: dict[Task, Context] = {}
_last_source: tuple[Game, Any, Replies] | None = None
_stop = np.zeros(1, dtype=np.uint8)


def context_of(task: Task, source: Replies) -> Context:
    """This process's tables and cache for a task."""
    if task not in _contexts:
        _contexts.clear()
        _contexts[task] = make_context(task.game, source, task.mode, task.consistent, _stop)
    return _contexts[task]


def solve_task(task: Task, matrix: NDArray[np.uint8] | None, subproblem: Subproblem) -> Answer:
    """Like `solve_ready`, in any process: compiles the kernels first where that is not done."""
    kernels.ready()
    return solve_ready(task, matrix, subproblem)


def _source_of(game: Game, matrix: NDArray[np.uint8] | None) -> Replies:
    """The kernels' reply source, made once per matrix: packing all codes takes longer than a small subproblem."""
    global _last_source
    last = _last_source
    if last is None or last[0] != game or last[1] is not matrix:
        last = _last_source = (game, matrix, replies_from(game, matrix))
    return last[2]


def forget() -> None:
    """Drop this process's caches, and let searches run again after `interrupt`."""
    _contexts.clear()
    _stop[0] = 0


def interrupt() -> None:
    """Make all searches of this process return soon; what they return then is worthless."""
    _stop[0] = 1


def solve_ready(task: Task, matrix: NDArray[np.uint8] | None, subproblem: Subproblem) -> Answer:
    """Carry out one subproblem."""
    return solve_subproblem(task, _source_of(task.game, matrix), subproblem)


def solve_subproblem(task: Task, source: Replies, subproblem: Subproblem) -> Answer:
    """Value of a subproblem under the contract of `search.solve`."""
    game, (history, candidates, k, limit, effort) = task.game, subproblem
    n = len(candidates)
    first = int(game.guess_of_secret[candidates[0]])
    if n == 1:
        return _lone_value(task.mode, k), first, True
    if k < 1:
        return (n if task.mode == LOST else INFINITE), -1, True
    everything = np.arange(len(game.guesses), dtype=np.int32)
    asked = tuple(g for g, _ in history)
    guesses = game.guess_of_secret[candidates] if task.consistent else everything
    choice = canonical_guesses(game, asked) if len(history) <= _TOP_GUESSES else guesses
    value, guess, exact = solve_from(
        context_of(task, source), source, guesses, choice, candidates.copy(), k, min(limit, INFINITE), effort
    )
    return int(value), int(guess), bool(exact)


def _lone_value(mode: int, k: int) -> int:
    """Value of a single candidate with k guesses left."""
    if k < 1:
        return 1 if mode == LOST else INFINITE
    return int(mode == TOTAL or (mode == LATE and k == 1))


@dataclass
class _Option:
    """A guess at a node: its parts, and what is known of each."""

    guess: int
    is_candidate: bool
    parts: list[tuple[int, NDArray[np.int32]]]
    values: list[int] = field(default_factory=list)
    exact: list[bool] = field(default_factory=list)
    base: int = 0

    @property
    def bound(self) -> int:
        return self.base + sum(self.values)


class Search:
    """One search: its task, and the guesses chosen at the split nodes and subproblems.

    `chosen` maps (history, k) to the guess of every node that was solved exactly.
    """

    def __init__(self, task: Task, source: Replies) -> None:
        self.task, self.source, self.game = task, source, task.game
        self.chosen: dict[tuple[History, int], int] = {}
        self.solved = 0

    def node(self, history: History, candidates: NDArray[np.int32], k: int, limit: int, effort: int) -> Jobs:
        """Value of a node under the contract of `search.solve`, as a generator of jobs."""
        if len(history) >= _TOP_GUESSES or len(candidates) <= _SMALL or k <= 1:
            (answer,) = yield [Subproblem(history, candidates, k, limit, effort)]
        else:
            answer = yield from self._split_node(history, candidates, k, limit, effort)
        if answer[2]:
            self.chosen[history, k] = answer[1]
        return answer

    def _split_node(self, history: History, candidates: NDArray[np.int32], k: int, limit: int, effort: int) -> Jobs:
        options = self._options(history, candidates, k)
        below = k if k >= UNBOUNDED else k - 1
        for option in options:
            if option.bound < limit:
                yield from self._improve(option, history, below, limit, BOUND, range(len(option.parts)))
        options.sort(key=lambda option: (option.bound, not option.is_candidate, option.guess))
        best, guess, open_bound = limit, -1, INFINITE
        for option in options:
            if option.bound >= best or (effort == BOUND and option.bound >= open_bound):
                break
            if effort != BOUND:
                yield from self._finish(option, history, below, best)
            if option.bound >= best:
                continue
            if all(option.exact):
                best, guess = option.bound, option.guess
            else:
                open_bound = min(open_bound, option.bound)
        if open_bound < best:
            return open_bound, -1, False
        return best, guess, guess >= 0

    def _finish(self, option: _Option, history: History, below: int, best: int) -> Generator[list[Any], Any, None]:
        """Solve the parts of a guess: the many small ones at once, then the two largest with a tighter limit."""
        left = [i for i in range(len(option.parts)) if not option.exact[i]]
        order = sorted(left, key=lambda i: len(option.parts[i][1]))
        for some in (order[:-2], order[-2:]):
            if option.bound < best:
                yield from self._improve(option, history, below, best, FULL, some)

    def _improve(
        self, option: _Option, history: History, below: int, best: int, effort: int, some: Any
    ) -> Generator[list[Any], Any, None]:
        """Work on some parts of a guess at once, each with the limit that the others' bounds leave it."""
        todo = [i for i in some if not option.exact[i]]
        spare = best - option.bound
        jobs = []
        for i in todo:
            reply, part = option.parts[i]
            longer = (*history, (option.guess, reply))
            jobs.append(self.node(longer, part, below, option.values[i] + spare, effort))
        answers = yield jobs
        for i, (value, _, exact) in zip(todo, answers, strict=True):
            option.values[i] = max(value, option.values[i])
            option.exact[i] = exact

    def _options(self, history: History, candidates: NDArray[np.int32], k: int) -> list[_Option]:
        """All guesses worth asking, one of each class, with the bounds that the sizes of their parts give."""
        game, win = self.game, self.game.win
        context = context_of(self.task, self.source)
        choice = canonical_guesses(game, tuple(g for g, _ in history))
        if self.task.consistent:
            choice = np.intersect1d(choice, game.guess_of_secret[candidates])
        below = k if k >= UNBOUNDED else k - 1
        row = np.empty(len(candidates), dtype=np.uint8)
        packed = packed_candidates(self.source, candidates)
        options = []
        for guess in choice:
            fill_replies(self.source, guess, candidates, *packed, row)
            parts = [(r, candidates[row == r]) for r in range(win) if (row == r).any()]
            wins = bool((row == win).any())
            if len(parts) + wins < 2:
                continue
            option = _Option(int(guess), wins, parts)
            option.base = len(candidates) if self.task.mode == TOTAL else 0
            for _, part in parts:
                option.values.append(int(size_bound(context, len(part), below)))
                option.exact.append(False)
            options.append(option)
        return sorted(options, key=lambda option: (option.bound, not option.is_candidate, option.guess))


def run(search: Search, top: Jobs, executor: Executor, handle: Any, progress: Any = None) -> Answer:
    """Carry a node's jobs out on an executor, those of all nodes under way at once; returns the node's answer."""
    return _Run(search, executor, handle, progress).answer(top)


class _Run:
    """Generators under way: whose jobs are out, and whom to resume when a result arrives."""

    def __init__(self, search: Search, executor: Executor, handle: Any, progress: Any) -> None:
        self.search, self.executor, self.handle, self.progress = search, executor, handle, progress
        self.calls: dict[str, tuple[_Waiting, int]] = {}
        self.numbered = 0

    def answer(self, top: Jobs) -> Answer:
        root = _Waiting(top, None, 0)
        self.resume(root, None)
        for key, result in self.executor.results():
            waiting, at = self.calls.pop(key)
            self.search.solved += 1
            self.deliver(waiting, at, result)
            if self.progress:
                self.progress(self.search.solved, len(self.calls))
        assert root.result is not None
        return root.result

    def resume(self, waiting: _Waiting, answers: list[Answer] | None) -> None:
        """Let a generator run until it needs results that are not there."""
        while True:
            try:
                jobs = next(waiting.jobs) if answers is None else waiting.jobs.send(answers)
            except StopIteration as stop:
                waiting.result = stop.value
                if waiting.parent is not None:
                    self.deliver(waiting.parent, waiting.place, stop.value)
                return
            if jobs:
                break
            answers = []
        waiting.answers = [None] * len(jobs)
        waiting.missing = len(jobs)
        for at, job in enumerate(jobs):
            if isinstance(job, Subproblem):
                self.submit(waiting, at, job)
            else:
                self.resume(_Waiting(job, waiting, at), None)

    def submit(self, waiting: _Waiting, at: int, job: Subproblem) -> None:
        """Send a kernel call out."""
        self.numbered += 1
        key = f"{history_key(job.history)} k={job.k} effort={job.effort} #{self.numbered}"
        self.calls[key] = waiting, at
        self.executor.submit(key, solve_task, self.search.task, self.handle, job)

    def deliver(self, waiting: _Waiting, at: int, answer: Answer) -> None:
        """Put a result in its place; the last one resumes the generator."""
        waiting.answers[at] = answer
        waiting.missing -= 1
        if waiting.missing == 0:
            self.resume(waiting, [answer for answer in waiting.answers if answer is not None])


@dataclass(eq=False)
class _Waiting:
    """A generator that waits for `missing` answers; `parent` and `place` say where its own goes."""

    jobs: Jobs
    parent: _Waiting | None
    place: int
    answers: list[Answer | None] = field(default_factory=list)
    missing: int = 0
    result: Answer | None = None


@warm_up
def _warm_up() -> None:
    game = parse_game("p3c5n")
    secrets = np.arange(len(game.secrets), dtype=np.int32)
    solve_ready(Task(game), reply_matrix(game), Subproblem((), secrets, UNBOUNDED, INFINITE, FULL))
    forget()


__all__ = ["Search", "Subproblem", "Task", "forget", "interrupt", "run", "solve_subproblem"]
