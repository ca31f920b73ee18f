"""Word what a checker's model is asked: criteria, items, and the insights fenced as data."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from core.checklist import ChecklistItem
from core.errors import CheckerError, UnknownNameError
from core.evaluation import CANNOT_TELL, Label, Level
from evaluator.filling import filled, text_of

Passages = Sequence[tuple[int | None, str]]
"""(turn, text) of each insight with a text; the turn is None where it has none."""
Protocol = Literal["default", "ddr"]
"""ddr: a closed item must be answered, as in DDR-Bench (DDR-08); else a judge may say that it cannot."""
Message = Mapping[str, str]

CRITERIA: Final = ("strict", "lenient")
LABELS: Final[tuple[Label, ...]] = ("supported", "contradicted", "insufficient")

_NAMES: Final = ("open", "message", "trajectory", "fact", "again")
_CLOSED: Final[Mapping[Protocol, tuple[str, str]]] = {
    "default": ("closed", "choice"),
    "ddr": ("forced", "options"),
}
_MANY: Final = ("several", "numbered")
_INDENT: Final = "\n    "


@dataclass(frozen=True)
class Criteria:
    """What counts as supported, in words for the judge."""

    name: str
    text: str


def criteria_named(name: str) -> Criteria:
    """Ours of that name. Raises UnknownNameError for what nobody wrote."""
    if name not in CRITERIA:
        raise UnknownNameError("criteria", name, CRITERIA)
    return Criteria(name, text_of(name))


@dataclass(frozen=True)
class Enquiry:
    """One item at one level, ready to be asked."""

    system: str
    shown: str
    """The insights."""
    asked: str
    """The item."""
    key: str
    """Of the reply: where its one word stands."""
    labels: Mapping[str, Label]
    """What each word that it may hold says of the item."""

    @property
    def messages(self) -> tuple[Message, ...]:
        """In OpenAI's form. What all items of a level share comes first, so that caches can help."""
        return _messages(self.system, f"{self.shown}\n\n{self.asked}")


class Prompts:
    """The texts that a model is asked with, under one set of criteria and one protocol."""

    def __init__(self, criteria: Criteria | str = "strict", protocol: Protocol = "default") -> None:
        """Raises UnknownNameError for criteria that nobody wrote."""
        self.criteria = criteria_named(criteria) if isinstance(criteria, str) else criteria
        self.protocol = protocol
        self._closed, self._choice = _CLOSED[protocol]
        names = (*_NAMES, self._closed, self._choice)
        self._texts = {name: text_of(name) for name in names}
        self._several = {name: text_of(name) for name in _MANY}

    @property
    def hash(self) -> str:
        """sha-256 of all the texts, unfilled, with which items are asked singly."""
        return _sha256(self.hashed_text())

    @property
    def batch_hash(self) -> str:
        """The same where several items are asked together."""
        return _sha256(self.hashed_text(together=True))

    def hashed_text(self, *, together: bool = False) -> str:
        """All the texts by their names, as JSON: what the hash is of."""
        texts = {**self._texts, **(self._several if together else {})}
        return json.dumps(sorted({**texts, self.criteria.name: self.criteria.text}.items()))

    def enquire(self, item: ChecklistItem, level: Level, passages: Passages) -> Enquiry:
        """What to ask of one item. Raises CheckerError for a closed item that cannot be answered."""
        labels: Mapping[str, Label]
        if item.kind == "closed":
            labels = self._choices(item)
            system = self._fill(self._closed)
            options = "\n".join(f"- {' '.join(option.split())}" for option in item.options)
            asked = self._fill(self._choice, question=item.question, options=options)
        else:
            labels = {label: label for label in LABELS}
            system = self._fill("open", criteria=self.criteria.text)
            asked = self._fill("fact", question=item.question, answer=item.answer)
        insights = numbered(passages) if level == "message" else "\n\n".join(t for _, t in passages)
        return Enquiry(
            system=system,
            shown=self._fill(level, insights=insights, fence=fence(insights)),
            asked=asked,
            key="answer" if item.kind == "closed" else "label",
            labels=labels,
        )

    def together(self, enquiries: Sequence[Enquiry]) -> tuple[Message, ...]:
        """Several items of one kind at one level, as one question; their numbers count from 1.

        All but the questions is what one item is asked with, so that caches help either way.
        """
        first = enquiries[0]
        questions = "\n\n".join(
            filled(self._several["numbered"], number=str(number), asked=each.asked)
            for number, each in enumerate(enquiries, start=1)
        )
        several = filled(self._several["several"], questions=questions)
        return _messages(first.system, f"{first.shown}\n\n{several}")

    def again(self, fault: str) -> dict[str, str]:
        """The message that asks once more, and says what was wrong."""
        return {"role": "user", "content": self._fill("again", fault=fault)}

    def _choices(self, item: ChecklistItem) -> dict[str, Label]:
        """Each possible answer of a closed item with what it says of the true one (DDR-08)."""
        truth = plain(item.answer)
        options = [plain(option) for option in item.options]
        if len(set(options)) < len(options):
            raise CheckerError("two of its options are the same")
        if truth not in options:
            raise CheckerError("its answer is none of its options")
        labels: dict[str, Label] = {}
        if self.protocol != "ddr":
            labels[CANNOT_TELL] = "insufficient"
        labels.update((o, "supported" if o == truth else "contradicted") for o in options)
        return labels

    def _fill(self, name: str, **values: str) -> str:
        return filled(self._texts[name], **values)


def numbered(passages: Passages) -> str:
    """The insights with their turns; a line that starts with '[Turn 7]' is always ours."""
    return "\n".join(
        f"[{'no turn' if turn is None else f'Turn {turn}'}] {_INDENT.join(text.splitlines())}"
        for turn, text in passages
    )


def fence(data: str) -> str:
    """A line that the data cannot hold, since it follows from all of the data; always the same."""
    return f"===== {hashlib.sha256(data.encode()).hexdigest()[:20]} ====="


def plain(word: str) -> str:
    """A word without the accidents of its writing: case, spaces, marks that have no width."""
    return " ".join(re.sub("[\u200b-\u200d\u2060\ufeff]", "", word).casefold().split())


def _messages(system: str, user: str) -> tuple[Message, ...]:
    return ({"role": "system", "content": system}, {"role": "user", "content": user})


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
