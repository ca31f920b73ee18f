"""Cut blocks into clauses: sentences, parts between semicolons, and what 'while' sets apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from evaluator.reading.blocks import Block, blocks
from evaluator.reading.folding import Folded
from evaluator.reading.forms import Form, form
from evaluator.reading.lexicon import ABBREVIATIONS
from evaluator.reading.tokens import Tokens, tokenize

MAX_WORDS = 150
"""A longer clause claims nothing: nobody can say which figure belongs to which word."""

_OPENERS = frozenset({"while", "whereas", "although", "though", "unlike"})
_COMMA = form("mark", ",")
_COLON = form("mark", ":")


@dataclass(slots=True)
class Clause:
    """One stretch that can claim something, with its words."""

    forms: list[Form]
    starts: list[int]
    ends: list[int]
    """Places of each word in the folded text; -1 where a table's header lends it."""
    start: int
    end: int
    """Places in the folded text of what would be quoted."""
    question: bool = False
    heading: int = 0
    """Of a heading: its level; 0 of all else."""
    fresh: bool = False
    """A blank line or a heading stands before it."""
    figures_in_row: int = 0
    """Of a table cell: the numbers in its whole row."""

    def glued(self, i: int) -> bool:
        """Whether the token at `i` follows the one before it without a space."""
        return i > 0 and self.starts[i] == self.ends[i - 1] >= 0


def clauses(folded: Folded) -> list[Clause]:
    """The clauses of a folded text, in order."""
    found: list[Clause] = []
    for block in blocks(folded.text):
        if block.kind == "row":
            found.extend(_row(folded, block))
        else:
            first = len(found)
            found.extend(_split(folded, block))
            if len(found) > first:
                found[first].fresh = block.fresh
    return found


def _split(folded: Folded, block: Block) -> Iterator[Clause]:
    tokens = Tokens([], [], [])
    tokenize(folded, block.start, block.end, tokens)
    first = 0
    forms = tokens.forms
    cut_at_comma = bool(forms) and forms[0].text in _OPENERS
    for i, token in enumerate(forms):
        if not token.breaks:
            continue
        if token.kind == "word":
            if i <= first + 1:
                continue
            yield _clause(tokens, first, i, block.level)
            first = i + 1
        elif (
            token.text == ";"
            or (cut_at_comma and token.text == ",")
            or (token.text in ".!?" and _ends(tokens, i))
        ):
            yield _clause(tokens, first, i + 1, block.level)
            first = i + 1
            cut_at_comma = first < len(forms) and forms[first].text in _OPENERS
    if first < len(forms):
        yield _clause(tokens, first, len(forms), block.level)


def _clause(tokens: Tokens, first: int, last: int, heading: int) -> Clause:
    forms = tokens.forms[first:last]
    starts, ends = tokens.starts[first:last], tokens.ends[first:last]
    question = forms[-1].text == "?"
    return Clause(forms, starts, ends, starts[0], ends[-1], question=question, heading=heading)


def _ends(tokens: Tokens, i: int) -> bool:
    """Whether the mark at `i` ends a sentence: not after 'vs.', 'e.g.', an initial or a decimal."""
    if i + 1 == len(tokens):
        return True
    follows = tokens.forms[i + 1]
    if tokens.starts[i + 1] == tokens.ends[i] and follows.text not in ")]":
        return False
    if tokens.forms[i].text != ".":
        return True
    before = tokens.forms[i - 1] if i else None
    if before is None or tokens.ends[i - 1] != tokens.starts[i] or before.kind != "word":
        return True
    if before.text in ABBREVIATIONS or (len(before.text) == 1 and not before.code):
        return False
    starts_small = follows.kind == "word" and not follows.capital
    return not starts_small or len(before.text) > 4


def _row(folded: Folded, block: Block) -> Iterator[Clause]:
    """A clause for each cell: the row's first cell, then the column's header, then the cell."""
    cells = [_words(folded, place) for place in block.cells]
    header = [_words(folded, place) for place in block.header]
    if not cells:
        return
    numbers = sum(token.kind == "number" for cell in cells[1:] for token in cell.forms)
    label = cells[0]
    title = header[0].forms if header else []
    for column in range(1, len(cells)):
        name = header[column].forms if column < len(header) else []
        cell = cells[column]
        lent, gap = [-1] * len(title), [-1] * (len(name) + 2)
        yield Clause(
            [*title, *label.forms, _COMMA, *name, _COLON, *cell.forms],
            lent + label.starts + gap + cell.starts,
            lent + label.ends + gap + cell.ends,
            block.start,
            block.end,
            fresh=block.fresh and column == 1,
            figures_in_row=numbers,
        )


def _words(folded: Folded, place: tuple[int, int]) -> Tokens:
    tokens = Tokens([], [], [])
    tokenize(folded, *place, tokens)
    return tokens
