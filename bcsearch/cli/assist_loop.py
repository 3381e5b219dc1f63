"""The dialogue of ``bcsearch assist``: rows come in one by one, and can be undone, edited, ignored."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from bcsearch.cli.console import (
    ask_notation,
    complain,
    interactive,
    not_understood,
    read_line,
    words_that_are_commands,
    wrapped,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from bcsearch.advice import Adviser, Position
    from bcsearch.cli.noisy import Noise
    from bcsearch.session import Session

HELP = """\
Type a guess and its reply, like {row}; or the reply alone, when you asked the guess advised.
  CODE           you are going to ask this guess instead; then type its reply
  undo           take the last change back
  edit N ROW     replace row N, like: edit 2 {row}  (or only its reply: edit 2 {reply})
  ignore N       leave row N out; once more to take it in again
  hint           the best guess now, and why
  why [CODE]     why the advised guess is best, or what CODE would tell
  left           list all candidates
  rows           the rows so far
  notation NAME  read replies as AB, SB, BC, plus-minus, pegs, pairs, pairs-reversed or auto
  new            begin a new game
  quit           leave (also Ctrl-D)"""


_MOST_DIGITS = 9  # of a row's number


def run_loop(session: Session, adviser: Adviser, top: int, noise: Noise | None = None) -> None:
    """Read lines until the end of the input, showing the position after each change."""
    from bcsearch.errors import UsageError

    dialogue = _Dialogue(session, adviser, top, noise)
    if interactive():
        for note in words_that_are_commands(session.game, dialogue.names):
            click.echo(wrapped(note, sys.stdout))
        click.echo(f"{session.game}: type a guess and its reply, like {dialogue.example()}; 'help' for more.")
    dialogue.show()
    while (line := read_line()) is not None:
        if line in ("quit", "exit", "q"):
            return
        try:
            dialogue.take(line)
        except UsageError as error:
            complain(error)


class _Dialogue:
    """What a line does."""

    def __init__(self, session: Session, adviser: Adviser, top: int, noise: Noise | None) -> None:
        self.session, self.adviser, self.top, self.noise = session, adviser, top, noise
        self.at: Position = adviser.position(())

    def example(self) -> str:
        """A row as it could be typed."""
        from bcsearch.notation import example_row

        return example_row(self.session.game)

    names = ("help", "undo", "edit", "ignore", "why", "hint", "left", "candidates", "rows", "notation", "new", "guess",
             "reply", "quit", "exit")  #: of commands  # fmt: skip

    def take(self, line: str) -> None:
        """Carry out one line; raises UsageError for lines that cannot be meant."""
        from bcsearch.errors import UsageError

        word, _, rest = line.partition(" ")
        commands = {
            "help": self.help, "undo": self.undo, "edit": self.edit, "ignore": self.ignore, "why": self.why,
            "hint": self.hint, "left": self.left, "candidates": self.left, "rows": self.rows,
            "notation": self.notation, "new": self.new, "guess": self.guess, "reply": self.reply,
        }  # fmt: skip
        command = commands.get(word.lower())
        if command is not None and not self.is_row(word, rest):
            command(rest.strip())
        elif line:
            before = self.session.asked
            rows = self.read_rows(line)
            if rows:
                self.session.add(*rows)
                self.show()
                return
            try:
                self.guess(line)
            except UsageError:  # a guess that is refused gets no reply
                self.session.asked = before
                raise

    def is_row(self, word: str, rest: str) -> bool:
        """Whether a command's name is a guess of the game too, and what follows is its reply.

        Raises UsageError where `reply` and a reply could be both.
        """
        from bcsearch.errors import UsageError
        from bcsearch.notation import parse_history

        session = self.session
        first = rest.split()[:1]
        if first and word.lower() in ("edit", "ignore") and first[0] in map(str, range(1, len(session.rows) + 1)):
            return False
        try:
            found = parse_history(session.game, [f"{word} {rest}"], session.notation, session.preferred)
        except UsageError:
            return False
        if found and word.lower() == "reply" and session.asked is not None:
            raise UsageError(f"'{word} {rest}' can be a guess with its reply, or a reply alone: write {word}={rest}, "
                             "or the reply without 'reply'")  # fmt: skip
        return bool(found)

    def read_rows(self, line: str) -> tuple[tuple[int, int], ...]:
        """Rows of a line. Where only the reply in it is wrong, its guess is kept: a reply alone belongs to that one."""
        from bcsearch.errors import UsageError
        from bcsearch.notation import AmbiguousReplyError, format_code

        pending = self.session.guess_in(line)
        again = "type the line again" if len(line.split()) > 1 else "type the reply again"
        if pending is not None:
            again = f"now type the reply to {format_code(self.session.game, pending)}"
        try:
            return self.choose(lambda: self.session.read(line), again)
        except AmbiguousReplyError:
            raise
        except UsageError as error:
            if pending is None:
                raise not_understood(line, error) from error
            self.session.asked = pending
            text = str(error)
            raise error if again in text else UsageError(f"{text}; {again}") from error

    def choose(
        self, read: Callable[[], tuple[tuple[int, int], ...]], again: str = "type the line again"
    ) -> tuple[tuple[int, int], ...]:
        """Read rows; where a reply has two readings ask which is meant, and keep to it."""
        from bcsearch.notation import AmbiguousReplyError

        try:
            return read()
        except AmbiguousReplyError as error:
            self.session.preferred = ask_notation(self.session.game, error, again)
            return read()

    def show(self) -> None:
        """The position as it is now; a contradiction is explained."""
        from bcsearch.cli.assist import say_broken_rows, tree_name
        from bcsearch.cli.position import print_position, print_rows
        from bcsearch.contradictions import explain, find_contradiction

        session = self.session
        if self.noise:
            self.show_noisy(self.noise)
            return
        say_broken_rows(self.adviser, session)
        self.at = self.adviser.advise(session.history, self.top)
        session.asked = self.at.best[0].guess if self.at.best else None
        if len(self.at.candidates):
            print_position(self.at, session.rows, tree_name(self.adviser))
            return
        print_rows(session.game, session.rows, "left", [str(n) for n in self.at.left])
        found = find_contradiction(session.game, session.history)
        assert found is not None
        counted = [i for i, row in enumerate(session.rows, 1) if not row.ignored]
        first, *more = explain(session.game, session.history, found, numbers=counted)
        for line in (f"N{first[1:]}.", *(f"  {text}" for text in more)):
            click.echo(wrapped(line, sys.stdout))
        click.echo("Use 'edit N ROW', 'ignore N' or 'undo'.")

    def show_noisy(self, noise: Noise) -> None:
        """The position where replies may be wrong."""
        from bcsearch.bayes import ImpossibleRepliesError

        self.at = self.adviser.position(self.session.history)
        try:
            record, self.session.asked = noise.look(self.session, self.top)
        except ImpossibleRepliesError as error:
            self.session.asked = None
            click.echo(f"{error}.\nUse 'edit N ROW', 'ignore N' or 'undo'.")
        else:
            noise.show(self.session, record)

    def help(self, _: str) -> None:
        """Print the commands."""
        row = self.example()
        click.echo(HELP.format(row=row, reply=row.split()[-1]))

    def undo(self, _: str) -> None:
        """Take the last change back."""
        self.session.undo()
        self.show()

    def edit(self, rest: str) -> None:
        """Replace a row, or only its reply."""
        from bcsearch.errors import UsageError

        number, _, row = rest.partition(" ")
        at = self.number(number)
        old = self.session.row(at)
        if not row:
            raise UsageError(f"edit {number}: what should the row be? Like: edit {number} {self.example()}")
        before = self.session.asked
        self.session.asked = old.guess
        try:
            rows = self.choose(lambda: self.session.read(row))
        finally:
            self.session.asked = before
        if len(rows) != 1:
            raise UsageError(f"edit {number}: one guess and its reply are wanted, like {self.example()}")
        self.session.edit(at, *rows[0])
        self.show()

    def ignore(self, rest: str) -> None:
        """Leave a row out or take it in."""
        self.session.ignore(self.number(rest))
        self.show()

    def number(self, text: str) -> int:
        """A row's number."""
        from bcsearch.errors import UsageError

        if not text.isdecimal() or len(text) > _MOST_DIGITS:
            raise UsageError(f"{text!r}: the number of a row is wanted")
        return int(text)

    def why(self, rest: str) -> None:
        """Explain the advised guess, or any."""
        from bcsearch.cli.position import print_advice
        from bcsearch.errors import UsageError
        from bcsearch.notation import parse_code
        from bcsearch.reasons import why

        if self.noise or not len(self.at.candidates) or self.at.won:
            raise UsageError("there is no guess to explain here")
        asked = parse_code(self.session.game, rest) if rest else None
        if asked is not None:
            self.adviser.check(self.session.history, asked)
        advice = self.at.best[0] if asked is None else self.adviser.explain(self.at, asked)
        print_advice(self.session.game, [advice])
        click.echo("\n" + wrapped(f"{why(self.at, advice)}.", sys.stdout))

    def hint(self, _: str) -> None:
        """Explain the advised guess; where replies may be wrong, show again what it tells."""
        if self.noise:
            self.show()
        else:
            self.why("")

    def rows(self, _: str) -> None:
        """Print the rows."""
        from bcsearch.cli.position import print_rows

        if self.noise:
            self.show()
        else:
            print_rows(self.session.game, self.session.rows, "left", [str(n) for n in self.at.left])

    def left(self, _: str) -> None:
        """List all candidates."""
        from bcsearch.cli.position import print_candidates

        if self.noise:
            click.echo("Without wrong replies:")
        print_candidates(self.at, everything=True)

    def notation(self, rest: str) -> None:
        """Read replies otherwise from now on."""
        from bcsearch.conventions import NOTATIONS
        from bcsearch.errors import UsageError

        named = {name.lower(): name for name in NOTATIONS}.get(rest.lower())
        if named is None:
            raise UsageError(f"notation {rest!r}: known are {', '.join(NOTATIONS)}")
        self.session.notation = named
        click.echo(f"Replies are read as {named} from now on.")

    def new(self, _: str) -> None:
        """Begin again."""
        self.session.clear()
        self.show()

    def guess(self, rest: str) -> None:
        """Name the guess that is asked next."""
        from bcsearch.notation import parse_code

        asked = parse_code(self.session.game, rest)
        self.adviser.check(self.session.history, asked)
        self.session.asked = asked
        if not self.noise:
            self.why(rest)
        click.echo("Now type its reply.")

    def reply(self, rest: str) -> None:
        """Take a reply to the guess asked."""
        self.session.add(*self.choose(lambda: self.session.read_reply(rest)))
        self.show()
