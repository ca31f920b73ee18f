"""Read the paraphrases of proved facts, each true or false by one slot, and judge them by rules."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from checklists.loader import load
from core.checklist import ChecklistItem
from core.evaluation import Label
from core.scenario import Entity
from evaluator.matching import match_all

FOLDER = Path(__file__).parent / "paraphrases"
"""One file per checklist: facts, each as a true sentence and as one that is false by one slot, by
authors who saw the facts and not the code. Written before the rules were tuned, and never edited.
Of these only flights was read while tuning; destinations was counted at each step, but not read."""

FILES = ("flights", "destinations")
_NOUNS = {"flights": "carrier", "destinations": "destination"}


@dataclass(frozen=True)
class Ground:
    """A shipped checklist with its entities; no database is needed to read claims about them."""

    name: str

    @property
    def noun(self) -> str:
        """What its entities are called."""
        return _NOUNS[self.name]

    @cached_property
    def items(self) -> Mapping[str, ChecklistItem]:
        """By id."""
        return {item.id: item for item in load(self.name).items}

    @cached_property
    def entities(self) -> Sequence[Entity]:
        """In the order of their ids; called by these."""
        ids = sorted({item.entity_id for item in self.items.values()})
        return [Entity(scenario_id=self.name, id=each, label=each) for each in ids]

    def label(self, item: ChecklistItem, *texts: str) -> Label | None:
        """What the rules say of one item, each text the insight of a turn of its entity."""
        (found,) = match_all(
            [item],
            list(enumerate(texts, 1)),
            entity=next(each for each in self.entities if each.id == item.entity_id),
            others=self.entities,
            nouns=(self.noun,),
        )
        return found.label


@dataclass(frozen=True)
class Judged:
    """A paraphrase with what the rules said."""

    fact: str
    text: str
    slot: str
    """Which slot its false sister gets wrong, or it does itself."""
    is_true: bool
    label: Label | None


def judged(ground: Ground) -> Iterator[Judged]:
    """Every paraphrase of one file, each by itself."""
    for pair in json.loads((FOLDER / f"{ground.name}.json").read_text(encoding="utf-8")):
        item = ground.items[pair["fact"]]
        for side in ("true", "false"):
            label = ground.label(item, pair[side])
            yield Judged(item.id, pair[side], pair["slot"], side == "true", label)
