"""The question that is probably next is worked on while workers would be idle, and changes nothing but the time."""

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from bcsearch.errors import ExecutionError
from bcsearch.executors import Failure, LocalExecutor
from bcsearch.game import parse_game
from bcsearch.ledger import Ledger
from bcsearch.optimal import extract, objectives
from bcsearch.optimal import run as optimal_run
from bcsearch.optimal.extract import extract_tree
from bcsearch.optimal.objectives import Result, solve_game
from bcsearch.optimal.options import Objective
from bcsearch.optimal.run import Search
from bcsearch.optimal.session import Session
from bcsearch.optimal.tables import LOST, TOTAL, UNLIMITED
from bcsearch.optimal.task import Question
from bcsearch.signals import Stop


class Diary(Ledger):
    """Notes which search each answer was for, in the order in which they came."""

    def __init__(self) -> None:
        super().__init__()
        self.order: list[str] = []

    def keep_answer(self, key: str, *rest: Any) -> None:
        self.order.append(key.partition("/")[0])
        super().keep_answer(key, *rest)


class SlowTotals(LocalExecutor):
    """Items of the total take so long that workers without work have time for more; `lose` names keys that fail."""

    def __init__(self, workers: int, lose: str = "") -> None:
        super().__init__(workers)
        self.lose = lose

    def submit(self, key: str, function: Callable[..., Any], *arguments: Any) -> None:
        def slowly(*arguments: Any) -> Any:
            time.sleep(0.05)
            return function(*arguments)

        super().submit(key, slowly if key.startswith("total-any/") else function, *arguments)

    def outcomes(self, *rest: Any) -> Iterator[tuple[str, Any]]:
        for key, outcome in super().outcomes(*rest):
            lost = self.lose and key.startswith(self.lose)
            yield key, Failure(ExecutionError(f"work item {key}: lost")) if lost else outcome


@pytest.fixture(autouse=True)
def many_items(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optimal_run, "SMALL", 3000)


def solve(game: str, executor: LocalExecutor, objective: Objective, **rest: Any) -> tuple[Result, Diary]:
    diary = Diary()
    with executor:
        result = solve_game(parse_game(game), objective, executor, ledger=diary, **rest)
        assert executor._running == {}
    return result, diary


@pytest.mark.parametrize("game", ["p3c8n", "p3c9n"])
def test_the_depth_is_asked_while_the_total_is_not_settled(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    alone, one = solve(game, LocalExecutor(1), Objective())
    depth = alone.tree.summary().depth
    monkeypatch.setattr(objectives._Ahead, "_depth", lambda self: depth)
    several, diary = solve(game, SlowTotals(100), Objective())
    asked_ahead = f"lost-{depth - 1}" in diary.order[: len(diary.order) - diary.order[::-1].index("total-any")]
    assert asked_ahead and several.exact and alone.exact
    assert several.value == alone.value
    assert several.tree.guess.tobytes() == alone.tree.guess.tobytes()
    assert one.order == sorted(one.order, key=one.order.index)  # one worker: one search after the other
    assert alone.failed == several.failed == {}


def test_the_best_tree_so_far_names_the_question() -> None:
    game = parse_game("p3c9n")
    with LocalExecutor(4) as executor:
        session = Session(executor, objectives.columns_for(game), Stop())
        solver = objectives._Solver(game, Objective(), session)
        search = solver.new_search(TOTAL, UNLIMITED)
        search.quick_passes()
        ahead = objectives._Ahead(solver, search)
        named = ahead()
        assert ahead.trial is not None
        session.work(lambda: not ahead.trial.ready)
        named = named or ahead()
        assert named is not None and named.k == extract_tree(search).summary().depth - 1
        assert ahead() is named


def test_one_worker_is_never_without_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objectives._Ahead, "__call__", lambda self: pytest.fail("asked"))
    result, _ = solve("p3c9n", LocalExecutor(1), Objective())
    assert result.exact


def test_a_question_that_nobody_asks_later_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    alone, _ = solve("p3c8n", LocalExecutor(1), Objective())
    depth = alone.tree.summary().depth
    for wrong in (depth - 1, depth + 2):
        monkeypatch.setattr(objectives._Ahead, "_depth", lambda self, wrong=wrong: wrong)
        other, diary = solve("p3c8n", SlowTotals(100), Objective())
        assert wrong < depth or f"lost-{wrong - 1}" in diary.order
        assert other.exact and other.value == alone.value
        assert other.tree.guess.tobytes() == alone.tree.guess.tobytes()


@pytest.mark.parametrize("lost", ["trial-", "lost-"])
def test_what_fails_ahead_is_only_reported_where_it_was_needed(lost: str, monkeypatch: pytest.MonkeyPatch) -> None:
    alone, _ = solve("p3c8n", LocalExecutor(1), Objective())
    if lost == "lost-":
        deeper = alone.tree.summary().depth + 2
        monkeypatch.setattr(objectives._Ahead, "_depth", lambda self: deeper)
        lost = f"lost-{deeper - 1}"
    other, _ = solve("p3c8n", SlowTotals(100, lost), Objective())
    assert other.failed == {} and other.exact and other.value == alone.value


def test_what_nobody_asked_for_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    depth = solve("p3c8n", LocalExecutor(1), Objective())[0].tree.summary().depth
    monkeypatch.setattr(objectives._Ahead, "_depth", lambda self: depth + 2)
    begun, told = threading.Event(), threading.Event()

    class Endless(SlowTotals):
        def submit(self, key: str, function: Callable[..., Any], *arguments: Any) -> None:
            def until_told(*arguments: Any) -> Any:
                begun.set()
                while not arguments[-1][0]:
                    time.sleep(0.01)
                told.set()
                return [None for _ in arguments[2]]

            super().submit(key, until_told if key.startswith(f"lost-{depth + 1}/") else function, *arguments)

    result, _ = solve("p3c8n", Endless(100), Objective())
    assert begun.is_set() and told.wait(5) and result.exact


def test_a_stop_ends_what_runs_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    depth = solve("p3c8n", LocalExecutor(1), Objective())[0].tree.summary().depth
    monkeypatch.setattr(objectives._Ahead, "_depth", lambda self: depth + 2)
    stop, told = Stop(), threading.Event()

    class Stopped(SlowTotals):
        def submit(self, key: str, function: Callable[..., Any], *arguments: Any) -> None:
            def until_told(*arguments: Any) -> Any:
                stop.flag[0] = 1
                while not arguments[-1][0]:
                    time.sleep(0.01)
                told.set()
                return [None for _ in arguments[2]]

            super().submit(key, until_told if key.startswith(f"lost-{depth + 1}/") else function, *arguments)

    result, _ = solve("p3c8n", Stopped(100), Objective(), stop=stop)
    assert told.wait(5) and result.stopped and not result.exact
    assert result.tree.summary().total >= result.bound


@pytest.mark.parametrize("obeys", [True, False])
def test_a_search_that_was_given_up_can_be_taken_up_anew(obeys: bool) -> None:
    """Whether its items obey the flag, as those of threads do, or take their time, as those on Ray do."""
    game = parse_game("p3c8n")
    depth = solve("p3c8n", LocalExecutor(1), Objective())[0].tree.summary().depth

    class Disobedient(LocalExecutor):
        def submit(self, key: str, function: Callable[..., Any], *arguments: Any) -> None:
            def slowly(*arguments: Any) -> Any:
                time.sleep(0.05)
                return function(*arguments[:-1], arguments[-1] if obeys else np.zeros(1, dtype=np.int8))

            super().submit(key, slowly if key.startswith("lost-") else function, *arguments)

    diary = Diary()
    with Disobedient(4) as executor:
        session = Session(executor, objectives.columns_for(game), Stop(), None, diary)
        solver = objectives._Solver(game, Objective(), session)
        ahead = solver.ahead = solver.new_search(LOST, depth - 1, 1, ahead=True)
        while session.idle and ahead.send_task():
            pass
        assert len(session.waiting) > 1
        assert not solver.cannot(depth)  # another question: what was begun is given up
        assert solver.ahead is None and ahead.flag[0]
        assert solver.cannot(depth - 1)
        session.drop()
    assert not any(known.split for known in diary.answers.values())


@pytest.mark.parametrize("proven", [False, True])
@pytest.mark.parametrize("after", [1, 2, 5])
def test_a_stop_while_a_tree_is_made_leaves_no_hole(after: int, proven: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces that are queued when a stop comes are dropped by the executor, and then made by nobody else."""
    monkeypatch.setattr(extract, "_OWN_PIECE_SIZE", 5)
    monkeypatch.setattr(extract, "_OWN_PIECE_SECONDS", -1.0)
    game, stop, made = parse_game("p3c8n"), Stop(), 0

    class Stopping(LocalExecutor):
        def submit(self, key: str, function: Callable[..., Any], *arguments: Any) -> None:
            nonlocal made
            if key.startswith("tree-"):
                made += 1
                if made == after:
                    stop.flag[0] = 1
            super().submit(key, function, *arguments)

        def outcomes(self, *rest: Any) -> Iterator[tuple[str, Any]]:
            if stop:  # as where none of them finishes soon enough
                self.forget()
            yield from super().outcomes(*rest)

    with Stopping(1) as executor:
        search = Search(Session(executor, objectives.columns_for(game), stop), Question(game, TOTAL), UNLIMITED)
        search.quick_passes()
        if proven:
            search.prove()
        tree = extract_tree(search)
    assert made >= after and tree.summary().secrets == len(game.secrets)
    assert tree.summary().total <= search.root.upper
