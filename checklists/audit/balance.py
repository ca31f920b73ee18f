"""What guessing would score on closed items: the commonest answer, and that of each construct."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from checklists.audit.words import squeezed
from checklists.tagging.tagging import UNTAGGED
from core.checklist import ChecklistItem
from core.record import Record


class Guess(Record):
    """A way of guessing, and how often it is right."""

    right: int
    items: int
    ties: int = 0
    """Items whose construct had several commonest answers; the one that its options list first is taken."""

    @property
    def accuracy(self) -> float:
        """Item-averaged, 0 to 1."""
        return self.right / self.items


class Balance(Record):
    """The closed items of a checklist."""

    items: int
    entities: int
    answers: dict[str, int]
    """How often each is right, the commonest first."""
    constructs: dict[str, dict[str, int]]
    """The same inside each construct."""
    constant: Guess
    """The commonest answer for everything."""
    constant_answer: str
    per_construct: Guess
    """The commonest answer to the same question about other entities (leave one entity out)."""
    per_construct_in_sample: Guess
    """The same with the entity's own answer counted too: what no honest guess reaches."""


def balance(items: Sequence[ChecklistItem]) -> Balance | None:
    """The balance of the closed items among these; None where there is none."""
    closed = [item for item in items if item.kind == "closed"]
    if not closed:
        return None
    answers = Counter(item.answer for item in closed)
    constructs: dict[str, Counter[str]] = defaultdict(Counter)
    own: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for item in closed:
        constructs[construct_of(item)][item.answer] += 1
        own[construct_of(item), item.entity_id][item.answer] += 1
    constant, _ = _commonest(answers, closed[0].options)
    return Balance(
        items=len(closed),
        entities=len({item.entity_id for item in closed}),
        answers=_ordered(answers),
        constructs={name: _ordered(counted) for name, counted in sorted(constructs.items())},
        constant=Guess(right=answers[constant], items=len(closed)),
        constant_answer=constant,
        per_construct=_per_construct(closed, constructs, own),
        per_construct_in_sample=_per_construct(closed, constructs, {}),
    )


def construct_of(item: ChecklistItem) -> str:
    """What a closed item asks about: its category; where it has none, its question."""
    return squeezed(item.question) if item.category == UNTAGGED else item.category


def _per_construct(
    closed: Sequence[ChecklistItem],
    constructs: Mapping[str, Counter[str]],
    own: Mapping[tuple[str, str], Counter[str]],
) -> Guess:
    right = ties = 0
    everything: Counter[str] = Counter(item.answer for item in closed)
    for item in closed:
        name = construct_of(item)
        others = constructs[name] - own.get((name, item.entity_id), Counter())
        guess, tied = _commonest(others or everything, item.options)
        right += guess == item.answer
        ties += tied
    return Guess(right=right, items=len(closed), ties=ties)


def _commonest(answers: Counter[str], options: Sequence[str]) -> tuple[str, bool]:
    """The commonest answer, and whether another is as common; options say who goes first."""
    most = max(answers.values())
    first = sorted(
        (answer for answer, count in answers.items() if count == most),
        key=lambda answer: (options.index(answer) if answer in options else len(options), answer),
    )
    return first[0], len(first) > 1


def _ordered(counted: Counter[str]) -> dict[str, int]:
    return dict(sorted(counted.items(), key=lambda pair: (-pair[1], pair[0])))
