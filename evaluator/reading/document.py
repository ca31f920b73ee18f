"""Read all insights of one level once: clauses, their words, and their subjects."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from evaluator.reading.clauses import MAX_WORDS, Clause, clauses
from evaluator.reading.folding import Folded, fold
from evaluator.reading.mentions import IdAndLabel, Mention, Names
from evaluator.reading.owners import Owner, may_own
from evaluator.reading.sayings import sayings
from evaluator.reading.statements import Annotated, annotate


@dataclass(slots=True)
class Document:
    """The insights of one level, read; what is asked of a clause is worked out when asked."""

    names: Names
    texts: list[Folded] = field(default_factory=list)
    clauses: list[Clause] = field(default_factory=list)
    owners: list[int] = field(default_factory=list)
    """Per clause: which insight it comes from."""
    subjects: list[Owner | None] = field(default_factory=list)
    """Per clause: of whom the clauses before it speak."""
    stems: list[set[str]] = field(default_factory=list)
    """Per clause: what it can be found by."""
    vocabulary: set[str] = field(default_factory=set)
    """All of these; what is not among them need not be looked for clause by clause."""
    memo: dict[Any, Any] = field(default_factory=dict)
    """What was found in it, for the next item that asks the same."""
    _annotated: dict[int, Annotated] = field(default_factory=dict)
    _skeletons: dict[int, tuple[str, ...]] = field(default_factory=dict)
    _may_be_own: dict[int, bool] = field(default_factory=dict)
    _mentions: dict[int, list[Mention]] = field(default_factory=dict)
    _twins: dict[tuple[str, ...], list[int]] = field(default_factory=lambda: defaultdict(list))
    _holding: dict[frozenset[str], frozenset[int]] = field(default_factory=dict)
    _having: dict[str, frozenset[int]] = field(default_factory=dict)

    def annotated(self, number: int) -> Annotated:
        """A clause with its statements, worked out once."""
        found = self._annotated.get(number)
        if found is None:
            found = annotate(
                self.clauses[number], self.mentions(number), self.names.nouns, self.subjects[number]
            )
            self._annotated[number] = found
        return found

    def may_be_own(self, number: int) -> bool:
        """Whether a clause can speak of the entity: it is the subject, named in it, or meant."""
        found = self._may_be_own.get(number)
        if found is None:
            forms = self.clauses[number].forms
            found = may_own(forms, self.mentions(number), self.subjects[number])
            self._may_be_own[number] = found
        return found

    def mentions(self, number: int) -> list[Mention]:
        """The names and pronouns of a clause, found once."""
        found = self._mentions.get(number)
        if found is None:
            found = self.names.mentions(self.clauses[number])
            self._mentions[number] = found
        return found

    def quote(self, number: int) -> str:
        """A clause word for word as it was written."""
        clause, folded = self.clauses[number], self.texts[self.owners[number]]
        start, end = clause.span
        return folded.raw[folded.place(start) : folded.place(end - 1) + 1]

    def skeleton(self, number: int) -> tuple[str, ...]:
        """The words of a clause with its figures, codes and periods blanked out."""
        found = self._skeletons.get(number)
        if found is None:
            forms = self.clauses[number].forms
            found = tuple(["" if form.blank else form.text for form in forms])
            self._skeletons[number] = found
        return found

    def twins(self, number: int) -> list[int]:
        """Other clauses that say the same with other figures, codes or periods."""
        if not self._twins:
            for each in range(len(self.clauses)):
                self._twins[self.skeleton(each)].append(each)
        own = [form.text for form in self.clauses[number].forms]
        alike = self._twins[self.skeleton(number)]
        return [n for n in alike if [form.text for form in self.clauses[n].forms] != own]

    def holding(self, stems: frozenset[str]) -> frozenset[int]:
        """The clauses in which all of these words stand; every clause where there are none."""
        found = self._holding.get(stems)
        if found is None and not stems <= self.vocabulary:
            found = self._holding[stems] = frozenset()
        if found is None:
            sets = sorted((self.having(stem) for stem in stems), key=len)
            found = sets[0].intersection(*sets[1:]) if sets else frozenset(range(len(self.clauses)))
            self._holding[stems] = found
        return found

    def having(self, stem: str) -> frozenset[int]:
        """The clauses in which this word stands, looked for once."""
        found = self._having.get(stem)
        if found is None:
            found = frozenset([n for n, stems in enumerate(self.stems) if stem in stems])
            self._having[stem] = found
        return found


def read(
    texts: Sequence[str],
    own: IdAndLabel,
    others: tuple[IdAndLabel, ...] = (),
    nouns: Iterable[str] = (),
) -> Document:
    """Read insights about one entity; `nouns` are what such an entity is called (carrier)."""
    document = Document(Names(own, others, nouns))
    for owner, text in enumerate(texts):
        folded = fold(text)
        document.texts.append(folded)
        found = [clause for clause in clauses(folded) if len(clause.forms) <= MAX_WORDS]
        for clause in found:
            if clause.idioms:
                clause.sayings = sayings(clause.forms, clause.idioms)
        document.clauses += found
        document.owners += [owner] * len(found)
        document.stems += [clause.stems for clause in found]
    document.vocabulary = set().union(*document.stems)
    document.names.learn(document.clauses, document.having)
    document.subjects = _subjects(document)
    return document


def _subjects(document: Document) -> list[Owner | None]:
    """Whom each clause's predecessors leave as the one who is spoken of.

    A named entity stays the subject until another is named or its section ends; a blank line
    falls back on what the heading above, or the text's own opening, names.
    """
    triggers, owners, stems = document.names.triggers, document.owners, document.stems
    subjects: list[Owner | None] = []
    current: Owner | None = None
    headings: list[tuple[int, Owner]] = []
    opening: Owner | None = None
    owner = -1
    for number, clause in enumerate(document.clauses):
        if owners[number] != owner:
            owner, current, headings, opening = owners[number], None, [], None
        elif clause.fresh or clause.heading:
            if clause.heading:
                headings = [(level, who) for level, who in headings if level < clause.heading]
            current = headings[-1][1] if headings else opening
        subjects.append(current)
        if not triggers.isdisjoint(stems[number]):
            current = _after(document.mentions(number), current)
        if clause.heading and current is not None:
            headings.append((clause.heading, current))
        if opening is None and current == "own":
            opening = current
    return subjects


def _after(mentions: Sequence[Mention], current: Owner | None) -> Owner | None:
    """The subject once a clause is read: its first name, for what follows it is compared."""
    pronouns: list[Mention] = []
    for mention in mentions:
        who = mention.who
        if who == "pronoun":
            pronouns.append(mention)
        elif who != "population":
            return current if pronouns and current is not None else who
    if pronouns:
        definite = any(mention.first != mention.last for mention in pronouns)
        return current or ("own" if definite else None)
    if mentions and mentions[0].first <= 3:
        return "population"
    return current
