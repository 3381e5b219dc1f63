"""The program guesses, from a tree or, where replies may be wrong, from a posterior; the person replies."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from bcsearch.cli.console import ask_notation, complain, interactive, not_understood, read_line, wrapped
from bcsearch.plurals import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from bcsearch.bayes import Informative, Posterior
    from bcsearch.cli.play import Setup
    from bcsearch.game import Game
    from bcsearch.player import Node

HELP = """\
Type the reply to the guess, like {reply}.
  undo           take the last reply back
  why [CODE]     why this guess, or what CODE would tell
  left           what your secret can still be
  rows           the replies so far
  notation NAME  read replies as AB, SB, BC, plus-minus, pegs, pairs, pairs-reversed or auto
  quit           leave"""


def information_text(game: Game, best: Informative) -> str:
    """What a guess tells where replies may be wrong, and how likely it is the secret."""
    from bcsearch.cli.position import percent
    from bcsearch.notation import format_code

    return (f"{format_code(game, best.guess)} tells {best.bits:.2f} bits, and is the secret with probability "
            f"{percent(best.probability)}.")  # fmt: skip


class Quit(Exception):
    """The person has had enough."""


class Asker:
    """The program's side of a game: its guess, and what it learns."""

    def __init__(self, setup: Setup) -> None:
        self.setup, self.game, self.notation = setup, setup.game, setup.notation
        self.preferred: str | None = None
        self.rows: list[tuple[int, int]] = []
        self.notes: list[Any] = []  # what is said of each round in JSON

    lie_prob = 0.0  #: how often replies are expected to be wrong

    @property
    def guess(self) -> int:
        """Index of the guess to ask."""
        raise NotImplementedError

    @property
    def text(self) -> str:
        """The guess as text."""
        from bcsearch.notation import format_code

        return format_code(self.game, self.guess)

    @property
    def won(self) -> bool:
        """Whether the last reply was the win."""
        return bool(self.rows) and self.rows[-1][1] == self.game.win

    def note(self) -> str:
        """What is known, in a few words."""
        raise NotImplementedError

    def fact(self) -> dict[str, Any]:
        """What is known, for JSON."""
        raise NotImplementedError

    def why(self, guess: int) -> str:
        """Why a guess is good, or what it misses."""
        from bcsearch.advice import Adviser
        from bcsearch.reasons import why

        adviser = Adviser(self.game, self.setup.tree, scans=0)
        at = adviser.advise(tuple(self.rows), 1)
        return f"{why(at, at.best[0] if at.best[0].guess == guess else adviser.explain(at, guess))}."

    def left(self) -> str:
        """What the secret can still be."""
        from bcsearch.cli.position import left_text

        return left_text(self.game, tuple(self.rows), self.lie_prob)

    def learn(self, reply: int) -> None:
        """Change what is known; raises UsageError for a reply that cannot be."""
        raise NotImplementedError

    def forget(self) -> None:
        """Take the last `learn` back."""
        raise NotImplementedError

    def take(self, reply: int) -> None:
        """Enter a reply; raises UsageError for one that no secret gives."""
        guess, fact = self.guess, self.fact()
        self.learn(reply)
        self.rows.append((guess, reply))
        self.notes.append(fact)

    def undo(self) -> None:
        """Take the last reply back."""
        from bcsearch.errors import UsageError

        if not self.rows:
            raise UsageError("nothing to undo")
        self.rows.pop()
        self.notes.pop()
        self.forget()

    def rounds(self) -> list[dict[str, Any]]:
        """All rounds for JSON."""
        from bcsearch.notation import format_code, format_reply

        return [
            {"guess": format_code(self.game, guess), "reply": format_reply(self.game, reply), **fact}
            for (guess, reply), fact in zip(self.rows, self.notes, strict=True)
        ]


class TreeAsker(Asker):
    """Asks what a tree says."""

    def __init__(self, setup: Setup) -> None:
        from bcsearch.player import TreePlayer

        super().__init__(setup)
        assert setup.tree is not None
        self.tree = setup.tree.tree
        self.nodes: list[Node] = [TreePlayer(setup.tree).root]

    @property
    def guess(self) -> int:
        """Index of the tree's guess."""
        return int(self.tree.guess[abs(self.nodes[-1].row)])

    def note(self) -> str:
        """Number of candidates."""
        n = self.nodes[-1].candidates
        return f"{counted(n, 'candidate')}"

    def fact(self) -> dict[str, Any]:
        """Number of candidates."""
        return {"candidates": self.nodes[-1].candidates}

    def learn(self, reply: int) -> None:
        """Go to the next node."""
        self.nodes.append(self.nodes[-1].reply(self.game.replies[reply]))

    def forget(self) -> None:
        """Go back to the node before."""
        self.nodes.pop()


class AdviceAsker(Asker):
    """Asks what an adviser would: for games of which there is no tree at hand."""

    def __init__(self, setup: Setup) -> None:
        from bcsearch.advice import Adviser

        super().__init__(setup)
        self.adviser = Adviser(setup.game, scans=0, hard=setup.hard)  # no compiled kernels during a game
        self.positions = [self.adviser.advise((), 1)]

    @property
    def guess(self) -> int:
        """Index of the advised guess."""
        return self.rows[-1][0] if self.won else self.positions[-1].best[0].guess

    def note(self) -> str:
        """Number of candidates."""
        n = len(self.positions[-1].candidates)
        return f"{counted(n, 'candidate')}"

    def fact(self) -> dict[str, Any]:
        """Number of candidates."""
        return {"candidates": len(self.positions[-1].candidates)}

    def learn(self, reply: int) -> None:
        """Advance; raises ContradictionError where no secret is left."""
        from bcsearch.notation import format_reply
        from bcsearch.player import ContradictionError

        after = self.adviser.advise((*self.rows, (self.guess, reply)), 1)
        if not len(after.candidates):
            raise ContradictionError(
                f"reply {format_reply(self.game, reply)} to {self.text}: no secret gives all these replies; one of "
                f"them is wrong, or the secret is outside {self.game}"
            )
        self.positions.append(after)

    def forget(self) -> None:
        """Go back to the position before."""
        self.positions.pop()


class BayesAsker(Asker):
    """Asks what tells most, when replies may be wrong."""

    def __init__(self, setup: Setup, lie_prob: float) -> None:
        from bcsearch.bayes import Posterior, whole_matrix
        from bcsearch.hosts import Scorer

        super().__init__(setup)
        self.lie_prob = lie_prob
        self.beliefs: list[Posterior] = [Posterior.start(Scorer(setup.game, whole_matrix(setup.game)), lie_prob)]
        self._chosen: dict[int, int] = {}

    @property
    def guess(self) -> int:
        """Index of the guess that tells most."""
        from bcsearch.bayes import best_guesses

        if self.won:
            return self.rows[-1][0]
        at = len(self.beliefs)
        if at not in self._chosen:
            self._chosen[at] = best_guesses(self.beliefs[-1], 1, tuple(guess for guess, _ in self.rows))[0].guess
        return self._chosen[at]

    def note(self) -> str:
        """Bits missing and the likeliest secret."""
        from bcsearch.cli.position import percent
        from bcsearch.notation import format_secret

        belief = self.beliefs[-1]
        secret, p = belief.likeliest
        return (f"{belief.entropy:.2f} bits missing, as of {belief.effective:.1f} candidates; likeliest "
                f"{format_secret(self.game, secret)}: {percent(p)}")  # fmt: skip

    def fact(self) -> dict[str, Any]:
        """Bits missing, effective number of candidates, the likeliest secret and its probability."""
        from bcsearch.notation import format_secret

        belief = self.beliefs[-1]
        secret, p = belief.likeliest
        return {"entropy": belief.entropy, "effective": belief.effective,
                "likeliest": format_secret(self.game, secret), "probability": p}  # fmt: skip

    def learn(self, reply: int) -> None:
        """Update the posterior."""
        self.beliefs.append(self.beliefs[-1].update(self.guess, reply))

    def why(self, guess: int) -> str:
        """What its reply tells, wrong ones allowed for."""
        from bcsearch.bayes import information_of

        return information_text(self.game, information_of(self.beliefs[-1], guess))

    def forget(self) -> None:
        """Go back to the posterior before."""
        self._chosen.pop(len(self.beliefs), None)
        self.beliefs.pop()


def make_asker(setup: Setup, race: bool = False) -> Asker:
    """The program's side: a posterior where replies may be wrong, else a tree, or advice where there is none.

    In a race the lies are those of your host; you are believed.
    """
    if setup.lie_prob is not None and not race:
        return BayesAsker(setup, setup.lie_prob)
    return TreeAsker(setup) if setup.tree is not None else AdviceAsker(setup)


def play_program(setup: Setup) -> None:
    """The whole game: the program asks until it has found the secret."""
    from bcsearch.cli.output import print_json
    from bcsearch.notation import format_reply

    asker = make_asker(setup)
    host = setup.make_host(setup.secret) if setup.secret is not None else None
    if interactive() and host is None:
        click.echo(f"Think of a code of {setup.game}; I shall find it. Type the reply to each guess; 'help' for more.",
                   err=setup.as_json)  # fmt: skip
    try:
        while not asker.won:
            text, note, number = asker.text, asker.note(), len(asker.rows) + 1
            if host is not None:
                reply = host.reply(asker.guess)
                asker.take(reply)
                if not setup.as_json:
                    click.echo(f"{number}. {text}  {format_reply(setup.game, reply)}   ({note})")
            else:
                click.echo(f"{number}. {text}   ({note})", err=setup.as_json)
                ask_reply(asker)
    except Quit:
        return
    found, count = asker.text, len(asker.rows)
    if setup.as_json:
        print_json({"game": setup.game.name, "secret": found, "guesses": count, "rounds": asker.rounds()})
    else:
        click.echo(f"The secret is {found}, found with {counted(count, 'guess')}.")


def ask_reply(asker: Asker, others: dict[str, Callable[[], list[str]]] | None = None) -> None:
    """Read lines until one is a reply that can be, or takes one back; `others` are commands of the other side."""
    from bcsearch.errors import BcsearchError, UsageError
    from bcsearch.notation import describe_reply

    while True:
        line = read_line("   reply> ")
        if line is None:
            raise BcsearchError(f"the input ended before the win, with {asker.note()}")
        try:
            if line.lower() == "undo":
                asker.undo()
                return
            if not line or _carried_out(asker, line, others or {}):
                continue
            reply = _read_reply(asker, line)
        except UsageError as error:
            complain(error)
            continue
        try:
            asker.take(reply)
        except UsageError as error:
            complain(error)
            _suggest(asker, reply)
            continue
        if interactive():
            click.echo(f"   {describe_reply(asker.game, reply)}", err=asker.setup.as_json)
        return


def _read_reply(asker: Asker, line: str) -> int:
    """A reply; where it has two readings the person says which notation is meant."""
    from bcsearch.errors import UsageError
    from bcsearch.notation import AmbiguousReplyError, parse_reply

    word, _, rest = line.partition(" ")
    text = rest if word.lower() == "reply" and rest else line
    try:
        return parse_reply(asker.game, text, asker.notation, asker.preferred)
    except AmbiguousReplyError as error:
        asker.preferred = ask_notation(asker.game, error)
        return parse_reply(asker.game, text, asker.notation, asker.preferred)
    except UsageError as error:
        raise not_understood(line, error, ("undo", "left", "candidates", "rows", "help"), "reply") from error


def _carried_out(asker: Asker, line: str, others: dict[str, Callable[[], list[str]]]) -> bool:
    """Carry out a command that changes no row; False where the line is none."""
    from bcsearch.notation import parse_code

    word, _, rest = line.partition(" ")
    whole, word, quiet = line.lower(), word.lower(), asker.setup.as_json
    if whole in ("quit", "exit", "q"):
        raise Quit
    if whole == "help":
        from bcsearch.notation import reply_example

        click.echo(HELP.format(reply=reply_example(asker.game)), err=quiet)
    elif whole == "rows":
        for number, row in enumerate(asker.rounds(), 1):
            click.echo(f"   {number}. {row['guess']}  {row['reply']}", err=quiet)
    elif word == "why" or whole in ("left", "candidates"):
        text = asker.left() if word != "why" else asker.why(parse_code(asker.game, rest) if rest else asker.guess)
        click.echo(wrapped(f"   {text}", sys.stderr if quiet else sys.stdout), err=quiet)
    elif whole in others:
        for text in others[whole]():
            click.echo(wrapped(text, sys.stderr if quiet else sys.stdout), err=quiet)
    elif word == "notation":
        _set_notation(asker, rest.strip())
    else:
        return False
    return True


def _set_notation(asker: Asker, name: str) -> None:
    from bcsearch.conventions import NOTATIONS
    from bcsearch.errors import UsageError

    named = {known.lower(): known for known in NOTATIONS}.get(name.lower())
    if named is None:
        raise UsageError(f"notation {name!r}: known are {', '.join(NOTATIONS)}")
    asker.notation = named
    click.echo(f"   Replies are read as {named} from now on.", err=asker.setup.as_json)


def _suggest(asker: Asker, reply: int) -> None:
    """After a reply that no secret gives: which rows may be wrong."""
    from bcsearch.contradictions import explain, find_contradiction

    rows = (*asker.rows, (asker.guess, reply))
    found = find_contradiction(asker.game, rows)
    for text in explain(asker.game, rows, found)[1:] if found else []:
        click.echo(wrapped(f"   {text}", sys.stderr), err=True)
    click.echo("   Type the reply again, or 'undo' to change the one before.", err=True)
