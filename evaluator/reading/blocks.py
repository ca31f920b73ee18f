"""Cut a text into headings, paragraphs, list items and table rows (Markdown or plain)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Literal, NamedTuple

from evaluator.reading.lexicon import FUNCTION

_BULLET = re.compile(r"[ \t>]*(?:[-*+•–][ \t]+|\(?\d{1,3}[.)][ \t]+)?")
_HEADING = re.compile(r"[ \t>]*(#{1,6})[ \t]+")
_BOLD_LINE = re.compile(r"[ \t>]*(?:\*\*|__)[^*_]{1,120}(?:\*\*|__):?[ \t]*$")
_LONGEST_WORD = 20
_UNDER_BOLD = 7
_RULE = frozenset("|:-+ \t")

MAX_COLUMNS = 20
"""Wider tables are dumps, not claims; their rows are read as plain lines."""


class Block(NamedTuple):
    """One stretch of the text that stands by itself; places in the folded text."""

    kind: Literal["heading", "prose", "row"]
    start: int
    end: int
    level: int = 0
    """Of a heading: 1 is the highest."""
    fresh: bool = False
    """A blank line or a heading stands before it."""
    header: tuple[tuple[int, int], ...] = ()
    """Of a row: the places of its table's header cells."""
    cells: tuple[tuple[int, int], ...] = ()


def blocks(text: str) -> Iterator[Block]:
    """The blocks of a folded text, in order. A wrapped line goes on with its paragraph."""
    open_block: Block | None = None
    header: tuple[tuple[int, int], ...] = ()
    fresh = True
    lines = text.split("\n")
    start = 0
    for number, line in enumerate(lines):
        end = start + len(line)
        block = _line(text, start, end, line)
        if block is not None and block.kind == "row":
            if _is_rule(line):
                block = None
            elif not header and number + 1 < len(lines) and _is_rule(lines[number + 1]):
                header, block = block.cells, None
            elif header:
                block = block._replace(header=header)
            elif block is not None:
                block = block._replace(kind="prose", cells=())
        else:
            header = ()
        if block is None:
            if open_block is not None:
                yield open_block
                open_block = None
            fresh = fresh or not line.strip()
        elif open_block is not None and _goes_on(text, open_block, block, line, start):
            open_block = open_block._replace(end=end)
        else:
            if open_block is not None:
                yield open_block
            open_block = Block(
                block.kind, block.start, block.end, block.level, fresh, block.header, block.cells
            )
            fresh = block.kind == "heading"
        start = end + 1
    if open_block is not None:
        yield open_block


def _line(text: str, start: int, end: int, line: str) -> Block | None:
    if not line or line.isspace() or line.lstrip().startswith("```"):
        return None
    if line.count("|") >= 2 or (line.count("|") == 1 and _is_rule(line)):
        cells = _cells(text, start, end)
        if len(cells) <= MAX_COLUMNS:
            return Block("row", start, end, cells=cells)
    heading = _HEADING.match(line)
    if heading:
        return Block("heading", start + heading.end(), end, level=len(heading.group(1)))
    if _BOLD_LINE.match(line):
        return Block("heading", start, end, level=_UNDER_BOLD)
    bullet = _BULLET.match(line)
    return Block("prose", start + (bullet.end() if bullet else 0), end)


def _goes_on(text: str, before: Block, block: Block, line: str, start: int) -> bool:
    """Whether a line is the rest of a hard-wrapped paragraph.

    It has no bullet, and it starts small or follows a line that cannot end so ('... delay is').
    """
    bare = block.start - start == len(line) - len(line.lstrip())
    if not (before.kind == block.kind == "prose" and bare) or "|" in line:
        return False
    tail = text[max(before.start, before.end - _LONGEST_WORD) : before.end].split()
    return line.lstrip()[:1].islower() or (bool(tail) and tail[-1] in FUNCTION)


def _is_rule(line: str) -> bool:
    return "-" in line and "|" in line and _RULE.issuperset(line)


def _cells(text: str, start: int, end: int) -> tuple[tuple[int, int], ...]:
    places = [start - 1, *(i for i in range(start, end) if text[i] == "|"), end]
    found = [(low + 1, high) for low, high in pairwise(places)]
    if found and not text[found[0][0] : found[0][1]].strip():
        found = found[1:]
    if found and not text[found[-1][0] : found[-1][1]].strip():
        found = found[:-1]
    return tuple(found)
