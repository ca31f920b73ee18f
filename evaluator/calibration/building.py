"""Make a calibration set from a checklist of proved facts: state each, or spoil it in one known way.

    python -m evaluator.calibration.building CHECKLIST.json > set.json

The facts on one page are of different categories, so that no sentence speaks of another's matter.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from core.checklist import Checklist
from core.evaluation import Label
from evaluator.calibration import wording
from evaluator.calibration.cases import CLASSES, CalibrationSet, Case, Page
from evaluator.calibration.facts import Fact, facts_of
from evaluator.calibration.spoiling import CERTAIN, Sentences, ways

SEED: Final = 4031


def build(checklist: Checklist, *, seed: int = SEED) -> CalibrationSet:
    """The set: the same checklist and seed give the same one, byte for byte.

    Raises ValueError where an item's answer does not show the figure that it was proved with.
    """
    draw = random.Random(seed)
    facts = facts_of(checklist, draw)
    used: Counter[tuple[str, str]] = Counter()
    pages: list[Page] = []
    begun = 0
    for number, (team, mine) in enumerate(facts.items(), 1):
        labels = [CLASSES[(begun + n) % 3] for n in range(len(mine))]
        begun += len(mine)
        draw.shuffle(labels)
        closed_at = next((n for n, fact in enumerate(mine) if fact.words.ask), None)
        cases: list[Case] = []
        first: list[str] = []
        later: list[str] = []
        for n, (fact, label) in enumerate(zip(mine, labels, strict=True)):
            make = _closed if n == closed_at else _open
            case, (anywhere, after) = make(fact, label, f"c{number:02}-{n + 1}", draw, used)
            cases.append(case)
            first += anywhere
            later += after
        first += [text.format(t=team) for text in draw.sample(wording.FILLERS, 2)]
        draw.shuffle(first)
        turns = sorted(draw.sample(range(1, len(first) + len(later) + 6), len(first) + len(later)))
        pages.append(
            Page(
                id=f"p{number:02}",
                entity_id=team,
                level="message" if number % 2 else "trajectory",
                insights=tuple(zip(turns, first + later, strict=True)),
                cases=tuple(cases),
            )
        )
    return CalibrationSet(
        source=f"{checklist.scenario_id}, {checklist.hash[:12]}", pages=tuple(pages)
    )


def _open(
    fact: Fact, label: Label, case_id: str, draw: random.Random, used: Counter[tuple[str, str]]
) -> tuple[Case, Sentences]:
    made = ways(fact, label, draw)
    how = _rarest(list(made), label, used)
    case = Case(
        id=case_id,
        question=fact.item.question,
        answer=fact.item.answer,
        label=label,
        how=how,
        criteria=() if how in CERTAIN else ("strict",),
    )
    return case, made[how]


def _closed(
    fact: Fact, label: Label, case_id: str, draw: random.Random, used: Counter[tuple[str, str]]
) -> tuple[Case, Sentences]:
    """A question with options after the fact's place or direction."""
    saying = draw.choice(fact.words.sayings)
    if fact.words.place:
        wrong = draw.sample(fact.places, 3)
        truth, options = fact.place, sorted([fact.place, *wrong])
        false = fact.say(saying, p=wrong[0])
    else:
        rises = fact.figure > 0
        truth, options = ("rises" if rises else "falls"), [*wording.COURSES]
        false = fact.say(saying, d="down" if rises else "up")
    made: dict[str, Sentences]
    if label == "supported":
        made = {"plain": ([fact.say(saying)], [])}
    elif label == "contradicted":
        made = {"wrong place" if fact.words.place else "wrong direction": ([false], [])}
    else:
        made = {
            "unrelated": ([], []),
            "other entity": ([fact.say(saying, t=fact.other_team)], []),
            "announced": ([fact.say(f"A question for the next step is {fact.words.topic}.")], []),
        }
        if fact.words.place == "agent":
            del made["other entity"]
    how = _rarest(list(made), f"closed {label}", used)
    case = Case(
        id=case_id,
        question=fact.say(fact.words.ask),
        answer=truth,
        options=tuple(options),
        label=label,
        how=how,
    )
    return case, made[how]


def _rarest(known: Sequence[str], label: str, used: Counter[tuple[str, str]]) -> str:
    how = min(known, key=lambda way: used[label, way])
    used[label, how] += 1
    return how


def main() -> None:
    """Read a checklist's file, write the set."""
    checklist = Checklist.model_validate_json(Path(sys.argv[1]).read_bytes())
    sys.stdout.write(as_text(build(checklist)))


def as_text(made: CalibrationSet) -> str:
    """The set as its file holds it: a line per page."""
    pages = ",\n".join(page.model_dump_json(exclude_defaults=True) for page in made.pages)
    head = made.model_copy(update={"pages": ()}).model_dump_json()
    return head.replace('"pages":[]', f'"pages":[\n{pages}\n]') + "\n"


if __name__ == "__main__":
    main()
