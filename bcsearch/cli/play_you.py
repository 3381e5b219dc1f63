"""You guess and the program hosts; and the race, in which both look for each other's secret."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from bcsearch.cli.console import complain, not_understood, read_line, words_that_are_commands, wrapped
from bcsearch.cli.play_program import Quit, ask_reply, information_text, make_asker
from bcsearch.plurals import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from bcsearch.advice import Adviser
    from bcsearch.cli.play import Setup
    from bcsearch.cli.play_program import Asker
    from bcsearch.summary import Summary

HELP = """\
Type a guess.
  hint      the best guess now, and why
  why CODE  what CODE would tell, against the best guess; counts as a hint
  left      how many candidates are left, and which, when they are few
  rows      your guesses so far
  give up   show the secret
  quit      leave"""


class Guesser:
    """Your side of a game: your guesses, the host's replies, hints."""

    def __init__(self, setup: Setup, secret: int | None = None) -> None:
        self.setup, self.game = setup, setup.game
        self.host = setup.make_host(secret)
        self.rows: list[tuple[int, int]] = []
        self.hints = 0
        self.gave_up = False

    @property
    def won(self) -> bool:
        """Whether the last guess was the secret."""
        return bool(self.rows) and self.rows[-1][1] == self.game.win

    @property
    def lie_prob(self) -> float:
        """How often the host lies."""
        return self.setup.lie_prob or 0.0 if self.setup.host == "lying" else 0.0

    def turn(self) -> None:
        """Read lines until a guess is made, or the game is given up."""
        from bcsearch.errors import BcsearchError, UsageError
        from bcsearch.notation import describe_reply, format_code, format_reply

        quiet = self.setup.as_json
        while True:
            line = read_line(f"{len(self.rows) + 1}> ")
            if line is None:
                raise BcsearchError("the input ended before the win")
            if line in ("give up", "giveup"):
                self.gave_up = True
                return
            try:
                if not line or self._carried_out(line.lower()):
                    continue
                guess = self._parse_guess(line)
                self.adviser().check(tuple(self.rows), guess)
            except UsageError as error:
                complain(error)
                continue
            reply = self.host.reply(guess)
            self.rows.append((guess, reply))
            click.echo(f"{len(self.rows)}. {format_code(self.game, guess)}  {format_reply(self.game, reply)}   "
                       f"{describe_reply(self.game, reply)}", err=quiet)  # fmt: skip
            return

    def _parse_guess(self, line: str) -> int:
        from bcsearch.errors import UsageError
        from bcsearch.notation import parse_code

        word, _, rest = line.partition(" ")
        try:
            return parse_code(self.game, rest if word.lower() == "guess" and rest else line)
        except UsageError as error:
            raise not_understood(line, error, self.commands, "guess") from error

    def adviser(self) -> Adviser:
        """Who gives hints, and knows what may be asked."""
        from bcsearch.advice import Adviser

        return Adviser(self.game, scans=0, hard=self.setup.hard)

    @property
    def commands(self) -> dict[str, Callable[[], list[str]]]:
        """What can be typed instead of a guess, and the lines to print then."""
        return {"help": self.help, "hint": self.hint, "why": self.hint, "left": self.left, "candidates": self.left,
                "rows": self.show_rows}  # fmt: skip

    def _carried_out(self, line: str) -> bool:
        if line in ("quit", "exit", "q"):
            raise Quit
        word, _, rest = line.partition(" ")
        if line in self.commands:
            texts = self.commands[line]()
        elif word == "why" and rest:
            texts = self.why(rest.strip())
        else:
            return False
        quiet = self.setup.as_json
        for text in texts:
            click.echo(wrapped(text, sys.stderr if quiet else sys.stdout) if "\n" not in text else text, err=quiet)
        return True

    def help(self) -> list[str]:
        """What can be typed."""
        return [HELP]

    def show_rows(self) -> list[str]:
        """The guesses so far."""
        from bcsearch.notation import format_code, format_reply

        return [f"   {number}. {format_code(self.game, guess)}  {format_reply(self.game, reply)}"
                for number, (guess, reply) in enumerate(self.rows, 1)]  # fmt: skip

    def hint(self) -> list[str]:
        """The best guess and why."""
        from bcsearch.advice import Adviser
        from bcsearch.reasons import why

        if self.won:  # in a race, while the program has its last turn
            return [f"   {self.secret_text()} was right: there is nothing left to guess."]
        self.hints += 1
        if self.lie_prob:
            from bcsearch.bayes import best_guesses

            return [f"   {information_text(self.game, best_guesses(self._belief())[0])}"]

        at = Adviser(self.game, self.setup.tree, scans=0, hard=self.setup.hard).advise(tuple(self.rows), 1)
        return [f"   {why(at, at.best[0])}."]

    def why(self, code: str) -> list[str]:
        """What a guess would tell; raises UsageError for what is none."""
        from bcsearch.advice import Adviser
        from bcsearch.notation import parse_code
        from bcsearch.reasons import why

        guess = parse_code(self.game, code)
        self.adviser().check(tuple(self.rows), guess)
        self.hints += 1
        if self.lie_prob:
            from bcsearch.bayes import information_of

            return [f"   {information_text(self.game, information_of(self._belief(), guess))}"]
        adviser = Adviser(self.game, self.setup.tree, scans=0, hard=self.setup.hard)
        at = adviser.advise(tuple(self.rows), 1)
        return [f"   {why(at, adviser.explain(at, guess))}."]

    def left(self) -> list[str]:
        """What can still be."""
        from bcsearch.cli.position import left_text

        return [f"   {left_text(self.game, tuple(self.rows), self.lie_prob)}"]

    def _belief(self) -> Any:
        from bcsearch.bayes import posterior_after
        from bcsearch.hosts import Scorer

        return posterior_after(Scorer(self.game), self.lie_prob, self.rows)

    def secret_text(self) -> str:
        """The secret, or one that fits."""
        from bcsearch.notation import format_secret

        return format_secret(self.game, self.host.reveal())


def play_you(setup: Setup) -> None:
    """You look for the program's secret."""
    from bcsearch.cli.output import print_json

    you = Guesser(setup, setup.secret)
    click.echo(wrapped(f"{_welcome(setup)} Type a guess; 'help' for more.", sys.stdout), err=setup.as_json)
    _say_which_words_are_commands(you)
    try:
        while not you.won and not you.gave_up:
            you.turn()
    except Quit:
        return
    if setup.as_json:
        print_json({"game": setup.game.name, "host": setup.host, "secret": you.secret_text(), "won": you.won,
                    **_record(you)})  # fmt: skip
        return
    _say_end(you)
    _print_summary(you)


def _welcome(setup: Setup) -> str:
    host = {
        "honest": "I have a secret",
        "evil": "I pretend to have a secret",
        "lying": f"I have a secret, and {100 * (setup.lie_prob or 0):g} % of my replies are random (never the win)",
    }[setup.host]
    return f"{host}: one of the {counted(len(setup.game.secrets), 'code')} of {setup.game} (such as {_example(setup)})."


def _say_which_words_are_commands(you: Guesser) -> None:
    for note in words_that_are_commands(you.game, [*you.commands, "quit", "exit"]):
        click.echo(wrapped(note, sys.stderr), err=True)


def _example(setup: Setup) -> str:
    from bcsearch.notation import format_secret

    return format_secret(setup.game, len(setup.game.secrets) // 3)


def _say_end(you: Guesser) -> None:
    count = len(you.rows)
    hints = f", {counted(you.hints, 'hint')}" if you.hints else ""
    if you.won:
        click.echo(f"The secret is {you.secret_text()}, found with {counted(count, 'guess')}{hints}.")
    elif you.setup.host == "evil":
        click.echo(f"It could have been {you.secret_text()}.")
    else:
        click.echo(f"The secret was {you.secret_text()}.")


def _summary(you: Guesser) -> Summary:
    from bcsearch.summary import summarise

    return summarise(you.game, tuple(you.rows), you.lie_prob, you.setup.hard)


def _tree_needs(you: Guesser) -> int | None:
    """Guesses that the tree needs for the secret."""
    from bcsearch.hosts import HonestHost, Scorer
    from bcsearch.players import TreeFollower
    from bcsearch.simulate import play_game

    if you.setup.tree is None or (not you.won and you.setup.host == "evil"):
        return None
    import numpy as np

    follower = TreeFollower(you.setup.tree.tree, "").begin(np.random.default_rng(0))
    return len(play_game(HonestHost(Scorer(you.game), you.host.reveal()), follower, you.game.win))


def _print_summary(you: Guesser) -> None:
    """Your guesses against the best ones."""
    from bcsearch.cli.output import print_table
    from bcsearch.notation import format_code, format_reply

    if not you.rows:
        return
    summary = _summary(you)
    rows = [
        [
            str(number),
            format_code(you.game, turn.guess),
            format_reply(you.game, turn.reply),
            f"{turn.left:.1f}" if you.lie_prob else f"{turn.left:.0f}",
            f"{turn.told:.2f}",
            f"{turn.expected:.2f}",
            f"{turn.best:.2f} ({format_code(you.game, turn.best_guess)})",
        ]
        for number, turn in enumerate(summary.turns, 1)
    ]
    names = [("row", "right"), ("guess", "left"), ("reply", "left"), ("left", "right"), ("bits told", "right"),
             ("on average", "right"), ("best on average", "right")]  # fmt: skip
    click.echo()
    print_table(names, rows)
    needs = _tree_needs(you)
    name = you.setup.tree.path.stem if you.setup.tree else ""
    against = f" The tree {name} finds {you.secret_text()} with {needs}." if needs else ""
    text = (f"Skill {100 * summary.skill:.0f} %: your guesses tell that share of what the best would, on average. "
            f"Luck {summary.luck:+.2f} bits.{against}")  # fmt: skip
    click.echo("\n" + wrapped(text, sys.stdout))


def _record(you: Guesser) -> dict[str, Any]:
    from bcsearch.notation import format_code, format_reply

    summary = _summary(you)
    turns = [
        {
            "guess": format_code(you.game, turn.guess),
            "reply": format_reply(you.game, turn.reply),
            "left": turn.left,
            "told": turn.told,
            "expected": turn.expected,
            "best": turn.best,
            "best_guess": format_code(you.game, turn.best_guess),
        }
        for turn in summary.turns
    ]
    return {"guesses": len(turns), "rounds": turns, "skill": summary.skill, "luck": summary.luck,
            "hints": you.hints, "tree_needs": _tree_needs(you)}  # fmt: skip


def play_race(setup: Setup) -> None:
    """Both have a secret and guess in turns; you begin, and the program has as many turns as you."""
    from bcsearch.cli.output import print_json

    you, program = Guesser(setup), make_asker(setup, race=True)
    mine = setup.make_host(setup.secret) if setup.secret is not None and setup.host == "honest" else None
    think = "" if setup.secret is not None else " Think of a code of your own for me to find."
    click.echo(wrapped(f"{_welcome(setup)}{think} You begin; 'help' for more.", sys.stdout), err=setup.as_json)
    _say_which_words_are_commands(you)
    try:
        while not (you.won or program.won or you.gave_up):
            you.turn()
            if not you.gave_up:
                _program_turn(program, mine, you)
    except Quit:
        return
    result = "draw" if you.won and program.won else "you" if you.won else "program"
    if setup.as_json:
        print_json({"game": setup.game.name, "winner": result, "your_secret": program.text if program.won else None,
                    "my_secret": you.secret_text(), **_record(you), "program": program.rounds()})  # fmt: skip
        return
    click.echo({"draw": "A draw: both found it in the same round.", "you": "You win.", "program": "I win."}[result])
    if program.won:
        click.echo(f"Your secret is {program.text}, found with {counted(len(program.rows), 'guess')}.")
    _say_end(you)
    _print_summary(you)


def _program_turn(program: Asker, mine: Any, you: Guesser) -> None:
    """The program asks one guess about your secret."""
    from bcsearch.notation import format_reply

    quiet = program.setup.as_json
    wanted = len(program.rows) + 1
    while len(program.rows) < wanted:  # an undo makes it ask more than once
        if mine is not None:
            reply = mine.reply(program.guess)
            click.echo(f"   I ask {program.text}: {format_reply(program.game, reply)}   ({program.note()})", err=quiet)
            program.take(reply)
            continue
        click.echo(f"   I ask {program.text}   ({program.note()})", err=quiet)
        ask_reply(program, {"hint": you.hint})
