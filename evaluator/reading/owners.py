"""Say whose each figure of a clause is, by the names before and after it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from evaluator.reading.comparisons import AMONG
from evaluator.reading.figures import Figure
from evaluator.reading.forms import Form
from evaluator.reading.mentions import PRONOUNS, Mention

Owner = Literal["own", "other", "population"]

_TO_OWNER = frozenset({"for", "among", "across", "in", "at", "by"})
_MAY_COMPARE = AMONG | {"("}
_IDLE = frozenset({"the", "a", "an", "all", "(", ")", "id", "=", "#"})


def may_own(forms: Sequence[Form], mentions: Sequence[Mention], subject: Owner | None) -> bool:
    """Whether a statement of a clause can be the entity's: quick, and False only where none is.

    Where another is the subject, only the entity's name makes it so; where the entity is, whoever
    is named before anything is stated or compared takes its place.
    """
    named = [mention.who for mention in mentions]
    if "own" in named:
        return True
    if subject != "own":
        return subject is None and "pronoun" in named
    if not mentions or named[0] == "pronoun":
        return True
    first = mentions[0].first
    if forms[first].compares:
        return True
    for form in forms[:first]:
        if form.counts or form.dated or form.compares or form.text in _MAY_COMPARE:
            return True
    return False


class Owners:
    """Goes through the figures of one clause from left to right."""

    def __init__(
        self, forms: Sequence[Form], mentions: Sequence[Mention], subject: Owner | None
    ) -> None:
        self._forms, self._mentions, self._subject = forms, mentions, subject
        self._running = subject

    def next(self, figure: Figure | None, first: int, last: int) -> Owner | None:
        """Whose the next figure is, in the stretch from `first` to `last`.

        The last name before it, unless one follows that it leads to ('11.9 for the rest'); without
        a name, whoever owned the figure before, and at first the clause's subject.
        """
        near = [m for m in self._mentions if first <= m.first <= last]
        if not near:
            return self._running
        before = near[:1] if figure is None else [m for m in near if m.last < figure.first]
        for mention in before:
            self._running = self._who(mention)
        if not before and near and self._running is None:
            self._running = self._who(near[0])
        return self._named_after(near, figure) or self._running

    def respectively(self, figures: Sequence[Figure]) -> list[Owner | None]:
        """Owners by position: 'carriers 03 and 07 have 20.0 and 11.9 respectively'.

        Empty where the clause does not say so; all None where names and figures do not pair off,
        for then several metrics do, and which is whose cannot be told.
        """
        if len(figures) < 2 or all(form.text != "respectively" for form in self._forms):
            return []
        named = [m for m in self._mentions if m.who != "pronoun" and m.last < figures[0].first]
        if len(named) != len(figures):
            return [None] * len(figures)
        return [self._who(mention) for mention in named]

    def _named_after(self, near: Sequence[Mention], figure: Figure | None) -> Owner | None:
        """'20.0 for carrier 03', '11.9 (the rest)': an owner that follows its figure."""
        if figure is None:
            return None
        last = figure.last
        for mention in near:
            if (
                mention.first > last
                and _leads_to(self._forms[last + 1 : mention.first])
                and not self._has_own(mention, figure)
            ):
                return self._who(mention)
        return None

    def _has_own(self, mention: Mention, figure: Figure) -> bool:
        """'(all carriers: 11.9)': a name in brackets with a figure of its own behind it."""
        gap = [form.text for form in self._forms[figure.last + 1 : mention.first]]
        if "(" not in gap:
            return False
        for form in self._forms[mention.last + 1 :]:
            if form.text == ")":
                return False
            if form.kind == "number":
                return True
        return False

    def _who(self, mention: Mention) -> Owner | None:
        """Whom a mention means. A pronoun with nobody before it names nobody; 'the carrier', whose
        noun comes from the task, then names the one that is explored."""
        if mention.who == "pronoun":
            known = self._running or self._subject
            return known or (None if mention.word in PRONOUNS else "own")
        return mention.who


def _leads_to(gap: Sequence[Form]) -> bool:
    if len(gap) > 6:
        return False
    words = [form.text for form in gap if form.text not in _IDLE]
    nouns = [word for word in words if word not in _TO_OWNER]
    if len(nouns) > 1 or "," in words or "and" in words:
        return False
    return len(nouns) < len(words) or not words
