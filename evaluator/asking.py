"""Word what a checker's model is asked: criteria, one item, and the insights fenced as data."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from core.checklist import ChecklistItem
from core.errors import CheckerError, UnknownNameError
from core.evaluation import Label, Level

Passages = Sequence[tuple[int | None, str]]
"""(turn, text) of each insight with a text; the turn is None where it has none."""

CRITERIA: Final = ("strict",)
CANNOT_TELL: Final = "cannot tell"
LABELS: Final[tuple[Label, ...]] = ("supported", "contradicted", "insufficient")

_FOLDER: Final = Path(__file__).parent / "prompts"
_NAMES: Final = ("open", "closed", "message", "trajectory", "fact", "choice", "again")
_PLACEHOLDER: Final = re.compile(r"\{([a-z]+)\}")
_INDENT: Final = "\n    "


@dataclass(frozen=True)
class Enquiry:
    """One item at one level, ready to be asked."""

    messages: tuple[Mapping[str, str], ...]
    """In OpenAI's form. What all items of a level share comes first, so that caches can help."""
    key: str
    """Of the reply: where its one word stands."""
    labels: Mapping[str, Label]
    """What each word that it may hold says of the item."""


class Prompts:
    """The texts that a model is asked with, under one set of criteria."""

    def __init__(self, criteria: str = "strict") -> None:
        """Raises UnknownNameError for criteria that nobody wrote."""
        if criteria not in CRITERIA:
            raise UnknownNameError("criteria", criteria, CRITERIA)
        self.criteria = criteria
        self._texts = {name: _read(name) for name in (*_NAMES, criteria)}

    @property
    def hash(self) -> str:
        """sha-256 of all the texts, unfilled."""
        return hashlib.sha256(json.dumps(sorted(self._texts.items())).encode()).hexdigest()

    def enquire(self, item: ChecklistItem, level: Level, passages: Passages) -> Enquiry:
        """What to ask of one item. Raises CheckerError for a closed item that cannot be answered."""
        if item.kind == "closed":
            labels = _choices(item)
            system = self._fill("closed")
            options = "\n".join(f"- {' '.join(option.split())}" for option in item.options)
            asked = self._fill("choice", question=item.question, options=options)
        else:
            labels = {label: label for label in LABELS}
            system = self._fill("open", criteria=self._texts[self.criteria])
            asked = self._fill("fact", question=item.question, answer=item.answer)
        insights = numbered(passages) if level == "message" else "\n\n".join(t for _, t in passages)
        shown = self._fill(level, insights=insights, fence=fence(insights))
        return Enquiry(
            messages=(
                {"role": "system", "content": system},
                {"role": "user", "content": f"{shown}\n\n{asked}"},
            ),
            key="answer" if item.kind == "closed" else "label",
            labels=labels,
        )

    def again(self, fault: str) -> dict[str, str]:
        """The message that asks once more, and says what was wrong."""
        return {"role": "user", "content": self._fill("again", fault=fault)}

    def _fill(self, name: str, **values: str) -> str:
        """One text with its values, in one pass: a value is never scanned for placeholders."""
        return _PLACEHOLDER.sub(lambda found: values[found[1]], self._texts[name])


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


def _choices(item: ChecklistItem) -> dict[str, Label]:
    """Each possible answer of a closed item with what it says of the true one (DDR-08)."""
    truth = plain(item.answer)
    options = [plain(option) for option in item.options]
    if len(set(options)) < len(options):
        raise CheckerError("two of its options are the same")
    if truth not in options:
        raise CheckerError("its answer is none of its options")
    labels: dict[str, Label] = {CANNOT_TELL: "insufficient"}
    labels.update((o, "supported" if o == truth else "contradicted") for o in options)
    return labels


def _read(name: str) -> str:
    return (_FOLDER / f"{name}.txt").read_text(encoding="utf-8").strip()
