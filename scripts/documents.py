"""The fenced blocks of README and docs: which commands and outputs are shown, and who runs them.

A block says by its language what it is:

- ``console``: lines that begin with ``$`` are commands, what follows is what they print. ``^C`` is Ctrl-C.
- ``sh``: commands. A block without a language after it is the end of what they print.
- ``python``, ``py``, ``js``: programs. A block without a language after one is what it prints.

The test-suite runs a block, unless a comment on the line before its fence says otherwise::

    <!-- run by scripts/reproduce transcripts -->
    <!-- not run: THE REASON -->

`console_slow` is run with ``scripts/test --slow``. In what is shown, ``...`` stands for anything, in a line or for any
number of lines.
"""

from __future__ import annotations

import re
import shlex
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))

_BLOCK = re.compile(
    r"(?:^ *<!-- (?P<mark>run by|not run):? (?P<text>[^\n]*?) -->\n)?"
    r"^(?P<indent> *)```(?P<language>\w*)\n(?P<body>.*?)^(?P=indent)```$",
    re.DOTALL | re.MULTILINE,
)
SECONDS = r"\d+(?:\.\d+)? s\b"


@dataclass(frozen=True)
class Block:
    """One fenced block. `line` is that of its first fence, from 1."""

    page: Path
    line: int
    language: str
    text: str
    mark: str = ""  # "run by" or "not run", from the comment before it
    who: str = ""  # what the comment says after that

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT) if self.page.is_relative_to(ROOT) else self.page}:{self.line}"


@dataclass(frozen=True)
class Step:
    """A command, the lines it is shown to print, and whether it is stopped with Ctrl-C after the first `before`."""

    command: str
    shown: tuple[str, ...] = ()
    before: int | None = None

    @property
    def words(self) -> list[str]:
        return shlex.split(self.command, comments=True)


def blocks(page: Path) -> list[Block]:
    """All fenced blocks of a page, also those in lists."""
    text = page.read_text()
    return [
        Block(
            page,
            text.count("\n", 0, found.start("indent")) + 1,
            found["language"],
            textwrap.dedent(found["body"]),
            found["mark"] or "",
            found["text"] or "",
        )
        for found in _BLOCK.finditer(text)
    ]


def outputs(of: Sequence[Block]) -> dict[Block, Block]:
    """Blocks that are the output of the one before them, by that one: those without a language after a program."""
    return {
        before: block for before, block in pairwise(of) if not block.language and before.language in ("sh", "python")
    }


def steps(block: Block) -> list[Step]:
    """The commands of a block `sh` or `console`, in order."""
    lines = block.text.splitlines()
    if block.language == "sh":
        joined = block.text.replace("\\\n", " ").splitlines()
        return [Step(line) for line in joined if shlex.split(line, comments=True)]
    starts = [at for at, line in enumerate(lines) if line.startswith("$ ")]
    return [
        _step(lines[start][2:], lines[start + 1 : end])
        for start, end in zip(starts, [*starts[1:], len(lines)], strict=True)
    ]


def _step(command: str, shown: list[str]) -> Step:
    while shown and not shown[-1]:
        shown = shown[:-1]  # the blank line between two commands is for the reader
    before = shown.index("^C") if "^C" in shown else None
    return Step(command, tuple(line for line in shown if line != "^C"), before)


def pattern(shown: Iterable[str], differs: Sequence[str] = (SECONDS,), spaced: bool = True) -> str:
    """Regular expression for what is shown; what it is to match goes through `plain` first, with the same `spaced`.

    What a regular expression in `differs` (without groups) matches may be anything else that it matches.
    """
    parts = []
    for line in shown:
        if line.strip() == "...":
            parts.append(r"(?:.*\n)*?")
            continue
        parts += [_any(text, differs) for text in re.split(r"(\.\.\.)", plain(line, spaced).rstrip("\n"))]
        parts.append(r"\n")
    return "".join(parts)


def _any(text: str, differs: Sequence[str]) -> str:
    if text == "...":
        return ".*"
    at, parts = 0, []
    for found in re.finditer("|".join(f"({one})" for one in differs) or r"(?!)", text):
        parts += [re.escape(text[at : found.start()]), f"(?:{differs[(found.lastindex or 1) - 1]})"]
        at = found.end()
    return "".join(parts) + re.escape(text[at:])


def plain(text: str, spaced: bool = True) -> str:
    """Text with rules as short as can be and no spaces at the ends of lines; unless `spaced`, single spaces only."""
    lines = (re.sub(r"─{3,}", "───", line).rstrip() for line in text.splitlines())
    return "".join(f"{line if spaced else ' '.join(line.split())}\n" for line in lines)


def of_transcripts(pages: Iterable[Path] = PAGES) -> Iterator[Block]:
    """The blocks that scripts/reproduce transcripts runs."""
    for page in pages:
        yield from (block for block in blocks(page) if block.mark == "run by" and "transcripts" in block.who)


def not_run(pages: Iterable[Path] = PAGES) -> Iterator[Block]:
    """The blocks that nobody runs, each with its reason in `who`."""
    for page in pages:
        yield from (block for block in blocks(page) if block.mark == "not run")
