"""One work item of the exact search: a set of candidates and a limit in, a value or a bound out.

An item is pure data and its key comes from its history, so it may be run on any thread, process or machine, again if
need be. What a process remembers between items (the cache) makes them faster and never changes an answer.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bcsearch import kernels
from bcsearch.game import Game, parse_game
from bcsearch.kernels import warm_up
from bcsearch.optimal.cache import cache_words, new_cache
from bcsearch.optimal.columns import Columns, still_allowed
from bcsearch.optimal.scan import PLANE
from bcsearch.optimal.search import BEST, BUDGET, NODES, PROVEN, SCANS, STOPPED, TOO_SMALL, TRIED, Work, solve_set
from bcsearch.optimal.shared import shared_words
from bcsearch.optimal.tables import INFINITE, TOTAL, UNLIMITED, lower_bounds
from bcsearch.scoring import fill_replies, packed_candidates, replies_from, reply_matrix
from bcsearch.sizes import is_symmetric
from bcsearch.symmetry import canonical_guesses

if TYPE_CHECKING:
    from numpy.typing import NDArray

EVERY_GUESS = 1 << 30  #: width of a proof
_CACHE_SLOTS = 1 << 21  # 50 MB a process
_MOST_LEVELS = 1 << 16
MOST_ITEM_BYTES = 1 << 30  #: memory of one thread's item, above which its set is split instead
_TASK_SECONDS = 1.0  # several items in one task stop after this: others may need what is known by then


@dataclass(frozen=True)
class Question:
    """What is asked of every set of a search: mode (see `tables`), pool, guesses tried per node, hard mode.

    `memory` names what the processes of one machine share meanwhile (see `shared`), where there are several.
    """

    game: Game
    mode: int
    consistent: bool = False
    width: int = EVERY_GUESS
    hard: bool = False
    memory: str = ""


class Item(NamedTuple):
    """A set of candidates reached by asking `asked`, k guesses left; values under `limit` are wanted exactly."""

    asked: tuple[int, ...]
    candidates: NDArray[np.int32]
    k: int
    limit: int
    budget: int  # scans after which to come back unfinished


class Answer(NamedTuple):
    """`value` < limit is exact and reached by `guess`; else a lower bound. Unfinished: always a lower bound.

    Of a search that tries every guess, that is. `seconds` is what the item took where it ran, `limit` what it was
    asked with in the end (see `run_items`).
    """

    value: int
    guess: int
    finished: bool
    nodes: int
    scans: int
    tried: int
    seconds: float
    limit: int


def reply_columns(game: Game) -> NDArray[np.uint8]:
    """Replies by secret, shape (secrets, guesses), uint8, read-only: what `run_item` scans."""
    matrix = reply_matrix(game)
    columns = matrix if is_symmetric(game) else np.ascontiguousarray(matrix.T)
    columns.flags.writeable = False
    return columns


def run_item(question: Question, columns: NDArray[np.uint8] | None, item: Item, stop: NDArray[np.int8]) -> Answer:
    """Carry out an item; what executors run. `stop[0]` set to 1 by another thread makes it return soon.

    `columns` are those of the whole game, or None: then the item makes its own.
    """
    kernels.ready()
    start = time.monotonic()
    if not stop.flags.writeable:  # came out of another process: nobody can set it
        stop = np.zeros(1, dtype=np.int8)
    memory = memory_of_thread(question.game)
    choice, guesses, source, places = _replies_of(question, columns, item)
    while True:
        work = memory.work(question, len(item.candidates), stop)
        work.control[:] = 0
        work.control[BUDGET] = item.budget
        value = int(solve_set(work, source, places, guesses, item.candidates.copy(), choice, item.k, item.limit))
        if work.control[STOPPED] != TOO_SMALL:
            break
        memory.grow()
    nodes, scans, tried = (int(work.control[c]) for c in (NODES, SCANS, TRIED))
    finished = bool(work.control[STOPPED] == 0)
    if not finished:
        value = int(work.control[PROVEN])
    return Answer(value, int(work.control[BEST]), finished, nodes, scans, tried, time.monotonic() - start, item.limit)


def _replies_of(
    question: Question, columns: NDArray[np.uint8] | None, item: Item
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.uint8], NDArray[np.int32]]:
    """What an item works on: guesses to try first, all guesses, their replies, each candidate's place in them."""
    game = question.game
    choice, guesses = first_guesses(game, item.asked), all_guesses(game)
    if question.hard:
        guesses = still_allowed(game, item.asked, item.candidates)
        choice = np.intersect1d(choice, guesses)
    if columns is not None and not question.hard:
        return choice, guesses, columns, item.candidates.copy()
    made = Columns(game, columns).block(item.candidates, guesses)
    for array in (made, choice, guesses):
        array.flags.writeable = False  # as the whole matrix: one specialisation of the kernel
    return choice, guesses, made, np.arange(len(item.candidates), dtype=np.int32)


def run_items(
    question: Question,
    columns: NDArray[np.uint8] | None,
    items: list[Item],
    groups: list[tuple[int, int]],
    stop: NDArray[np.int8],
) -> list[Answer | None]:
    """Carry out some items, one after the other.

    Each has a group and a lower bound that is known of it; by what one is worth more, the limits of the others of its
    group fall. None stands for an item that was not looked at: it is beyond its limit even so, or the others took long.
    """
    answers: list[Answer | None] = []
    used: dict[int, int] = {}
    start = time.monotonic()
    for item, (group, lower) in zip(items, groups, strict=True):
        limit = item.limit - used.get(group, 0)
        if limit <= lower or (answers and time.monotonic() - start > _TASK_SECONDS):
            answers.append(None)
            continue
        answer = run_item(question, columns, item._replace(limit=limit), stop)
        used[group] = used.get(group, 0) + max(0, answer.value - lower)
        answers.append(answer)
    return answers


def first_guesses(game: Game, asked: tuple[int, ...]) -> NDArray[np.int32]:
    """Guesses to try after a history: one of each class of equivalent ones, all of them after three guesses."""
    return canonical_guesses(game, asked) if len(asked) < 3 else all_guesses(game)


@lru_cache(maxsize=8)
def all_guesses(game: Game) -> NDArray[np.int32]:
    """Indices of all guesses, int32, read-only."""
    every = np.arange(len(game.guesses), dtype=np.int32)
    every.flags.writeable = False
    return every


@lru_cache(maxsize=8)
def _largest_parts(game: Game) -> tuple[int, ...]:
    """Largest part that each reply but the win can make of all secrets."""
    largest = np.zeros(len(game.replies), dtype=np.int64)
    source = replies_from(game, None)
    everyone = np.arange(len(game.secrets), dtype=np.int32)
    packs = packed_candidates(source, everyone)
    row = np.empty(len(everyone), dtype=np.uint8)
    for g in canonical_guesses(game, ()):
        fill_replies(source, g, everyone, *packs, row)
        largest = np.maximum(largest, np.bincount(row, minlength=len(largest)))
    return tuple(int(m) for m in largest[:-1])


@lru_cache(maxsize=16)
def bounds_by_size(game: Game, mode: int) -> NDArray[np.int64]:
    """The table of `tables.lower_bounds` for a game, shape (UNLIMITED + 1, secrets + 1)."""
    return lower_bounds(_largest_parts(game), len(game.secrets), mode, UNLIMITED)


@lru_cache(maxsize=16)
def _keys(question: Question) -> NDArray[np.uint64]:
    """Random words of the secrets, the same in every process, and a salt that names the question in the last row."""
    rows = len(question.game.secrets) + 1
    keys = np.random.default_rng(20).integers(0, 2**64, (rows, 2), dtype=np.uint64)
    salt = [question.mode, int(question.consistent), question.width] + [1] * question.hard
    keys[-1] = np.random.default_rng(salt).integers(0, 2**64, 2, dtype=np.uint64)
    return keys


@lru_cache(maxsize=1)
def _cache(game: Game, memory: str) -> NDArray[np.uint64]:
    slots = 1 << 12
    while slots < _CACHE_SLOTS and slots < len(game.secrets) ** 2:
        slots *= 2
    return shared_words(memory, cache_words(slots)) if memory else new_cache(slots)


def item_bytes(game: Game) -> int:
    """Bytes that a thread needs for each candidate x guess of an item; see `Memory`."""
    return 1 + 5 * ((len(game.replies) + PLANE - 1) // PLANE)


class Memory:
    """Scratch arrays of one thread for one game; they grow when an item needs more."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.planes = (len(game.replies) + PLANE - 1) // PLANE
        self.guesses = len(game.guesses)
        self.wide = (self.guesses + 31) & ~31
        self.most = 0  # candidates the arenas are made for
        self.factor = 1
        self.control = np.zeros(8, dtype=np.int64)
        self.numbers = game.reply_numbers if game.marks else _NO_NUMBERS
        self.rows16 = np.zeros((2, self.wide), dtype=np.uint16)
        self.hashes = np.zeros(self.wide, dtype=np.uint64)
        self.table = np.zeros(64 << (2 * self.guesses).bit_length(), dtype=np.int32)
        self.rows32 = np.zeros((2, self.wide), dtype=np.int32)

    def grow(self) -> None:
        """Make room for deeper items."""
        self.factor *= 2
        self.most = 0

    def work(self, question: Question, n: int, stop: NDArray[np.int8]) -> Work:
        """The kernel's argument for a set of n candidates."""
        if n > self.most:
            self.most = n
            words = (2 * n + (n // 2 + 256) * self.factor) * self.planes * self.wide
            self.words = np.empty(words, dtype=np.uint16)
            ints = (24 * self.guesses + 8 * n + 40 * len(self.game.replies) + 3 * _MOST_LEVELS) * self.factor
            self.ints = np.empty(ints, dtype=np.int32)
            factors = np.random.default_rng(7).integers(0, 2**64, n * self.planes, dtype=np.uint64)
            self.factors = factors | np.uint64(1)
        return Work(
            question.mode, len(self.game.replies), self.planes, question.consistent, question.hard,
            question.width, bounds_by_size(self.game, question.mode), _keys(question),
            _cache(self.game, question.memory), self.factors, stop, self.control, self.words, self.ints,
            self.rows16[0], self.rows16[1], self.hashes, self.table, self.rows32[0], self.rows32[1],
            self.game.guesses, self.numbers,
        )  # fmt: skip


_NO_NUMBERS = np.zeros(0, dtype=np.int64)
_NO_NUMBERS.flags.writeable = False
_threads = threading.local()


def memory_of_thread(game: Game) -> Memory:
    """This thread's scratch arrays, made anew when the game changes."""
    memory: Memory | None = getattr(_threads, "memory", None)
    if memory is None or memory.game != game:
        memory = _threads.memory = Memory(game)
    return memory


def prepare(game: Game) -> None:
    """What a process does once before its first item: load compiled code, make the tables of a game."""
    kernels.ready()
    _warm_up()
    bounds_by_size(game, TOTAL)
    first_guesses(game, ())


@warm_up
def _warm_up() -> None:
    game = parse_game("p2c3r")
    everyone = np.arange(len(game.secrets), dtype=np.int32)
    Columns(game, None).column(everyone, 0)
    work = Memory(game).work(Question(game, TOTAL), len(everyone), np.zeros(1, dtype=np.int8))
    work.control[BUDGET] = 1 << 40
    # ints, not literals: one specialisation for all
    solve_set(
        work, reply_columns(game), everyone.copy(), all_guesses(game), everyone, first_guesses(game, ()), 4, INFINITE
    )
