"""Replies of word games may begin with dashes, as options do: here they are told apart."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from bcsearch.game import Game

_END = "--"  # ends the options; it is a reply too, to a word of two letters


class RowsCommand(click.Command):
    """A command whose arguments are rows: `rows_given` sorts out what is a reply in them."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Leave the sign that ends the options among the arguments."""
        if _END in args:
            args = [*args[: args.index(_END)], _END, *args[args.index(_END) :]]
        return super().parse_args(context, args)


class HistoryCommand(click.Command):
    """A command with --history: a reply that stands outside of its quotes is told from an option."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Parse; raises UsageError saying where a reply goes."""
        given = list(args)  # which parsing empties
        try:
            return super().parse_args(context, args)
        except click.NoSuchOption as error:
            word = next((word for word in given if word.startswith(error.option_name)), error.option_name)
            if _may_be_reply(word):
                raise click.UsageError(f"{word!r} is a reply: it goes into quotes with its guess, like "
                                       f"--history 'GUESS {word}'") from None  # fmt: skip
            raise


def rows_given(game: Game, words: tuple[str, ...]) -> tuple[str, ...]:
    """The words of the rows; raises NoSuchOption for words that begin with a dash and are no replies.

    Words made of marks are replies, right or wrong: what is wrong with them is said when they are read.
    """
    from bcsearch.errors import UsageError
    from bcsearch.notation import is_code, parse_reply

    if _END in words:
        at = words.index(_END)
        if not (game.marks and at and is_code(game, words[at - 1])):
            words = words[:at] + words[at + 1 :]
    for word in words:
        if word.startswith("-") and not word[1:2].isdigit() and not _may_be_reply(word, game.marks):
            try:
                parse_reply(game, word)
            except UsageError:
                raise click.NoSuchOption(word) from None
    return words


def _may_be_reply(word: str, marks: bool = False) -> bool:
    """Whether a word is made of marks; a dash and a single letter are an option, unless replies are marks."""
    from bcsearch.notation import looks_like_marks

    return looks_like_marks(word) and (marks or not re.fullmatch(r"-\w", word))
