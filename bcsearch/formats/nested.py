"""``json``: the tree as nested objects, with all its claims.

A node is ``{"guess": "0123", "candidates": 24, "replies": {"0A0B": node, ...}}``; the winning reply holds ``"won"``.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from json.decoder import JSONObject  # type: ignore[attr-defined]
from json.scanner import py_make_scanner  # type: ignore[attr-defined]
from pathlib import Path
from typing import Any

from bcsearch.errors import TreeFileError, UsageError
from bcsearch.formats.builder import Imported, TreeBuilder, with_claims, wrong_size
from bcsearch.formats.source import Reader, Source
from bcsearch.game import Game, game_of
from bcsearch.notation import format_code, format_reply
from bcsearch.store import StoredTree
from bcsearch.tree import NO_CHILD, Tree

FORMAT = "bcsearch-tree-json"
WON_TEXT = "won"


def write_json(stored: StoredTree) -> str:
    """The tree and its claims as one JSON document; a line for each reply to the first and second guess."""
    tree, summary = stored.tree, stored.tree.summary()
    document = {
        "format": FORMAT,
        "version": 1,
        "game": tree.game.definition,
        **vars(stored.claims),
        "summary": vars(summary),
        "sha256": stored.sha256,
    }
    head = ",\n".join(f" {json.dumps(name)}: {json.dumps(value)}" for name, value in document.items())
    return f'{{\n{head},\n "tree": {_node_text(tree, 0, 2)}\n}}\n'


def _node_text(tree: Tree, row: int, lines: int) -> str:
    """A node as JSON; the `lines` uppermost levels put each reply on a line of its own."""
    parts = []
    for reply, below in enumerate(tree.child[row].tolist()):
        if below != NO_CHILD:
            text = json.dumps(WON_TEXT) if below < 0 else _node_text(tree, below, lines - 1)
            parts.append(f'"{format_reply(tree.game, reply)}": {text}')
    start = "\n" + " " * (4 - lines) if lines > 0 else ""
    between = f",{start}" if start else ", "
    guess = json.dumps(format_code(tree.game, int(tree.guess[row])), ensure_ascii=False)
    return f'{{"guess": {guess}, "candidates": {tree.size[row]}, "replies": {{{start}{between.join(parts)}}}}}'


class _Objects(json.JSONDecoder):
    """Decodes JSON and remembers where each object starts; a name that stands twice in one object is an error."""

    def __init__(self, source: Source) -> None:
        super().__init__(object_pairs_hook=self._single)
        self.source = source
        self.starts: dict[int, int] = {}
        self._opened: list[int] = []
        self.parse_object = self._placed
        self.scan_once = py_make_scanner(self)

    def _placed(self, s_and_end: tuple[str, int], *rest: Any) -> tuple[dict[str, Any], int]:
        self._opened.append(s_and_end[1] - 1)
        value, end = JSONObject(s_and_end, *rest)
        self.starts[id(value)] = self._opened.pop()
        return value, end

    def _single(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise self.source.wrong(self._opened[-1], f"{twice!r} stands twice in this object")
        return value


def read_json(path: Path, game: Game | None = None) -> Imported:
    """Read `write_json`'s document; `game` must agree with it if given."""
    source = Source(path)
    decoder = _Objects(source)
    try:
        document = decoder.decode(source.text)
    except json.JSONDecodeError as error:
        raise source.wrong(error.pos, f"not JSON ({error.msg})") from error
    except RecursionError as error:
        raise TreeFileError(f"{path}: nested too deeply") from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise source.wrong(0, f'JSON, but not a tree: an object with "format": "{FORMAT}" is wanted')
    if document.get("version") != 1:
        raise source.wrong(0, f"version {document.get('version')!r}; this bcsearch reads version 1")
    named = _game(source, document)
    if game is not None and game != named:
        raise UsageError(f"{path}: a tree of {named}, not of {game}")
    nodes = _Nodes(source, named, decoder.starts)
    try:
        return with_claims(nodes.tree(document.get("tree"), 0), document)
    except RecursionError as error:
        raise TreeFileError(f"{path}: nested too deeply") from error


def _game(source: Source, document: dict[str, Any]) -> Game:
    try:
        return game_of(document.get("game"))
    except UsageError as error:
        raise source.wrong(0, str(error)) from error


class _Nodes:
    """Makes a tree of nested objects."""

    def __init__(self, source: Source, game: Game, starts: dict[int, int]) -> None:
        self.source, self.game, self.starts = source, game, starts
        self.reader = Reader(source, game)
        self.builder = TreeBuilder(game)
        self.claimed: list[tuple[int, int, int]] = []  # (row, offset, candidates claimed)

    def tree(self, top: Any, offset: int) -> Tree:
        self._add(top, offset, self.builder.add)
        size = self.builder.sizes()
        for row, at, candidates in self.claimed:
            if size[row] != candidates:
                raise self.source.wrong(at, wrong_size(candidates, int(size[row])))
        return self.builder.finish()

    def _add(self, node: Any, offset: int, add: Callable[[int], int]) -> None:
        if not isinstance(node, dict):
            raise self.source.wrong(offset, 'a node is wanted: an object with "guess" and "replies"')
        at = self.starts[id(node)]
        guess, replies = node.get("guess"), node.get("replies")
        if not isinstance(guess, str) or not isinstance(replies, dict) or not replies:
            raise self.source.wrong(at, 'this node lacks a "guess", a text, or "replies", an object that is not empty')
        try:
            row = add(self.reader.code(guess, at))
        except TreeFileError as error:
            raise error if ", line " in str(error) else self.source.wrong(at, str(error)) from error
        candidates = node.get("candidates")
        if candidates is not None:
            self.claimed.append((row, at, candidates))
        inside = self.starts[id(replies)]
        for text, below in replies.items():
            reply = self.reader.reply(text, inside)
            if self.builder.child[row][reply] != NO_CHILD:
                raise self.source.wrong(inside, f"the reply {text} stands here twice")
            if (reply == self.game.win) != (below == WON_TEXT):
                win = format_reply(self.game, self.game.win)
                raise self.source.wrong(inside, f'"{WON_TEXT}" belongs to the winning reply {win}, and to no other')
            if reply == self.game.win:
                self.builder.win(row)
            else:
                self._add(below, inside, lambda g, reply=reply: self.builder.add(g, row, reply))  # type: ignore[misc]
