"""Say whose each figure of a clause is, by the names before and after it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from evaluator.reading.figures import Figure
from evaluator.reading.forms import Form
from evaluator.reading.mentions import PRONOUNS, Mention

Owner = Literal["own", "other", "population"]

_TO_OWNER = frozenset({"for", "among", "across", "in", "at", "by"})
_IDLE = frozenset({"the", "a", "an", "all", "(", ")", "id", "=", "#"})


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
        before = [m for m in near if figure is None or m.last < figure.first]
        for mention in before if figure is not None else before[:1]:
            self._running = self._who(mention)
        if not before and near and self._running is None:
            self._running = self._who(near[0])
        return self._named_after(near, figure) or self._running

    def respectively(self, figures: Sequence[Figure]) -> list[Owner | None]:
        """Owners by position: 'carriers 03 and 07 have 20.0 and 11.9 respectively'.

        Empty where the clause does not say so; all None where names and figures do not pair off,
        for then several metrics do, and which is whose cannot be told.
        """
        if all(form.text != "respectively" for form in self._forms) or not figures:
            return []
        named = [m for m in self._mentions if m.who != "pronoun" and m.last < figures[0].first]
        if len(named) != len(figures):
            return [None] * len(figures)
        return [self._who(mention) for mention in named]

    def _named_after(self, near: Sequence[Mention], figure: Figure | None) -> Owner | None:
        """'20.0 for carrier 03', '11.9 (the rest)': an owner that follows its figure."""
        if figure is None:
            return None
        after = [m for m in near if m.first > figure.last]
        led = (m for m in after if _leads_to(self._forms[figure.last + 1 : m.first]))
        mention = next(led, None)
        return None if mention is None else self._who(mention)

    def _who(self, mention: Mention) -> Owner | None:
        """Whom a mention means. A pronoun with nobody before it names nobody; 'the carrier', whose
        noun comes from the task, then names the one that is explored."""
        if mention.who == "pronoun":
            known = self._running or self._subject
            return known or (None if mention.word in PRONOUNS else "own")
        return mention.who


def _leads_to(gap: Sequence[Form]) -> bool:
    words = [form.text for form in gap if form.text not in _IDLE]
    nouns = [word for word in words if word not in _TO_OWNER]
    if len(gap) > 6 or len(nouns) > 1 or any(word in (",", "and") for word in words):
        return False
    return not words or any(word in _TO_OWNER for word in words)
