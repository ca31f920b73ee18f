"""Cut blocks into clauses: sentences, parts between semicolons, and what 'while' sets apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evaluator.reading.blocks import Block, blocks
from evaluator.reading.folding import Folded
from evaluator.reading.forms import Form, form
from evaluator.reading.lexicon import ABBREVIATIONS
from evaluator.reading.sayings import Saying
from evaluator.reading.tokens import Tokens, tokenize

MAX_WORDS = 150
"""A longer clause claims nothing: nobody can say which figure belongs to which word."""

_OPENERS = frozenset({"while", "whereas", "although", "though", "unlike"})
_COMMA = form("mark", ",")
_COLON = form("mark", ":")


class Places(dict[str, list[int]]):
    """Where each stem of a clause stands, looked for when asked: most of them never are."""

    __slots__ = ("_clause",)

    def __init__(self, clause: Clause) -> None:
        self._clause = clause

    def __missing__(self, stem: str) -> list[int]:
        found = [i for i, each in enumerate(self._clause.forms) if each.stem == stem]
        found += [saying.place for saying in self._clause.sayings if stem in saying.stems]
        self[stem] = found
        return found


@dataclass(slots=True)
class Clause:
    """One stretch that can claim something, with its words."""

    forms: list[Form]
    tokens: Sequence[tuple[Tokens | None, int, int]]
    """Out of which tokens, from which on, and before which; None where a table's header lends it."""
    whole: tuple[int, int] | None = None
    """Places in the folded text of what would be quoted, where that is more than its own words."""
    question: bool = False
    heading: int = 0
    """Of a heading: its level; 0 of all else."""
    fresh: bool = False
    """A blank line or a heading stands before it."""
    figures_in_row: int = 0
    """Of a table cell: the numbers in its whole row."""
    idioms: Sequence[int] = ()
    """Where an idiom or a time of day may start."""
    sayings: Sequence[Saying] = ()
    """Idioms and times of day that stand for other words."""

    _places: Places | None = None

    @property
    def starts(self) -> list[int]:
        """The place of each word in the folded text; -1 where a table's header lends it."""
        return [
            place
            for tokens, first, last in self.tokens
            for place in (tokens.starts[first:last] if tokens is not None else [-1] * last)
        ]

    @property
    def ends(self) -> list[int]:
        """Where each word ends in the folded text; -1 where a table's header lends it."""
        return [
            place
            for tokens, first, last in self.tokens
            for place in (tokens.ends[first:last] if tokens is not None else [-1] * last)
        ]

    @property
    def span(self) -> tuple[int, int]:
        """Places in the folded text of what would be quoted."""
        if self.whole is not None:
            return self.whole
        ((tokens, first, last),) = self.tokens
        assert tokens is not None
        return tokens.starts[first], tokens.ends[last - 1]

    @property
    def stems(self) -> set[str]:
        """What it can be found by: the stems of its words, and those its sayings stand for."""
        stems = {form.stem for form in self.forms}
        for saying in self.sayings:
            stems.update(saying.stems)
        return stems

    @property
    def places(self) -> Places:
        """Where each of its stems stands."""
        if self._places is None:
            self._places = Places(self)
        return self._places

    def glued(self, i: int) -> bool:
        """Whether the token at `i` follows the one before it without a space."""
        for tokens, first, last in self.tokens:
            if i < last - first:
                return i > 0 and tokens is not None and tokens.glued(first + i)
            i -= last - first
        return False


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
    tokens = tokenize(folded, block.start, block.end)
    forms = tokens.forms
    first = 0
    idioms: list[int] = []
    cut_at_comma = bool(forms) and forms[0].text in _OPENERS
    for i in [i for i, token in enumerate(forms) if token.notable]:
        token = forms[i]
        if not token.breaks:
            idioms.append(i - first)
        elif token.kind == "word":
            if i <= first + 1:
                continue
            yield _clause(tokens, first, i, block.level, idioms)
            first, idioms = i + 1, []
        elif (
            token.text == ";"
            or (cut_at_comma and token.text == ",")
            or (token.text in ".!?" and _ends(tokens, i))
        ):
            yield _clause(tokens, first, i + 1, block.level, idioms)
            first, idioms = i + 1, []
            cut_at_comma = first < len(forms) and forms[first].text in _OPENERS
    if first < len(forms):
        yield _clause(tokens, first, len(forms), block.level, idioms)


def _clause(tokens: Tokens, first: int, last: int, heading: int, idioms: Sequence[int]) -> Clause:
    forms = tokens.forms[first:last]
    question = forms[-1].text == "?"
    place = ((tokens, first, last),)
    return Clause(forms, place, None, question, heading, idioms=idioms or ())


def _ends(tokens: Tokens, i: int) -> bool:
    """Whether the mark at `i` ends a sentence: not after 'vs.', 'e.g.', an initial or a decimal."""
    forms = tokens.forms
    if i + 1 == len(forms):
        return True
    follows = forms[i + 1]
    if tokens.glued(i + 1) and follows.text not in ")]":
        return False
    if forms[i].text != ".":
        return True
    before = forms[i - 1] if i else None
    if before is None or not tokens.glued(i) or before.kind != "word":
        return True
    if before.text in ABBREVIATIONS or (len(before.text) == 1 and not before.code):
        return False
    starts_small = follows.kind == "word" and not follows.capital
    return not starts_small or len(before.text) > 4


def _row(folded: Folded, block: Block) -> Iterator[Clause]:
    """A clause for each cell: the row's first cell, then the column's header, then the cell."""
    cells = [tokenize(folded, *place) for place in block.cells]
    header = [tokenize(folded, *place) for place in block.header]
    if not cells:
        return
    numbers = sum(token.kind == "number" for cell in cells[1:] for token in cell.forms)
    label = cells[0]
    title = header[0].forms if header else []
    for column in range(1, len(cells)):
        name = header[column].forms if column < len(header) else []
        cell = cells[column]
        forms = [*title, *label.forms, _COMMA, *name, _COLON, *cell.forms]
        yield Clause(
            forms,
            (
                (None, 0, len(title)),
                (label, 0, len(label)),
                (None, 0, len(name) + 2),
                (cell, 0, len(cell)),
            ),
            (block.start, block.end),
            fresh=block.fresh and column == 1,
            figures_in_row=numbers,
            idioms=[i for i, form in enumerate(forms) if form.idiomatic],
        )
