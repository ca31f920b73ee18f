"""State a fact, or spoil it in one known way: every sentence that makes a case of one label."""

from __future__ import annotations

import random
from typing import Final

from core.evaluation import Label
from evaluator.calibration import wording
from evaluator.calibration.facts import MONTHS, WEEKDAYS, Fact

CERTAIN: Final = (
    "plain",
    "compared",
    "in two parts",
    "denied",
    "unrelated",
    "other entity",
    "announced",
)
"""What is done to a fact so that the label of an open question on it hangs on no criteria. (Of a wrong
place the figure is right, and who is lenient may find a part enough.)"""

Sentences = tuple[list[str], list[str]]
"""What stands anywhere, and what stands after all of it."""


def ways(fact: Fact, label: Label, draw: random.Random) -> dict[str, Sentences]:
    """Everything that makes this label of an open question on the fact, by what was done."""
    words, say = fact.words, fact.say
    saying, again = draw.sample(words.sayings, 2)
    plain, wrong = say(saying), fact.wrong(draw)
    found: dict[str, Sentences] = {}
    if label == "supported":
        found["plain"] = [plain], []
        if (rounded := fact.rounded()) is not None:
            found["rounded"] = [say(saying, v=f"about {fact.shown(rounded)}")], []
        if fact.overall is not None:
            found["compared"] = (
                [_with(plain, f"against {fact.shown(fact.overall)} over all teams")],
                [],
            )
        if words.halves:
            found["in two parts"] = [say(words.halves[0])], [say(words.halves[1])]
        mistaken = say(again, v=fact.shown(wrong))
        corrected = f"Correction of what was said before on this: {_joined(plain)} The other figure was wrong."
        found["corrected"] = [mistaken], [corrected]
    elif label == "contradicted":
        found["wrong figure"] = [say(saying, v=fact.shown(wrong))], []
        if (near := fact.near()) is not None:
            found["near figure"] = [say(saying, v=fact.shown(near))], []
        if fact.places:
            found["wrong place"] = [say(saying, p=draw.choice(fact.places))], []
        if fact.overall is not None and fact.overall != fact.figure:
            swapped = say(saying, v=fact.shown(fact.overall))
            found["swapped"] = [_with(swapped, f"against {fact.shown()} over all teams")], []
        if "{d}" in saying:
            found["wrong direction"] = [say(saying, d="down" if fact.figure > 0 else "up")], []
        found["denied"] = [f"A closer look shows that it is not true that {_joined(plain)}"], []
        found["disputed"] = [plain, say(again, v=fact.shown(wrong))], []
    else:
        found["unrelated"] = [], []
        found["announced"] = [say(f"A question for the next step is {words.topic}.")], []
        if words.place != "agent":  # an agent's id names the team
            found["other entity"] = [say(saying, t=fact.other_team)], []
        found["other statistic"] = [say(words.other)], []
        found["either"] = [say(saying, v=f"either {fact.shown()} or {fact.shown(wrong)}")], []
        if words.halves:
            found["half"] = [say(words.halves[draw.randrange(2)])], []
        elif not words.place and not words.is_count and "{d}" not in saying:
            if "growth" not in fact.item.source:
                period = draw.choice(wording.PERIODS)
                found["other period"] = [f"{period}, {_joined(plain)}"], []
            parts = wording.CHANGE_PARTS if fact.item.category == "changes" else wording.PARTS
            found["other part"] = [f"{draw.choice(parts)}, {_joined(plain)}"], []
    return found


def _joined(sentence: str) -> str:
    """A sentence as the rest of another one; names keep their capitals."""
    first = sentence.split(maxsplit=1)[0]
    names = (*WEEKDAYS, *MONTHS, "Category", "Agent", "Priority")
    keeps = any(name.startswith(first.rstrip("s")) for name in names if name[0] == first[0])
    keeps = keeps and first not in ("Category", "Agent", "Priority")
    return sentence if keeps else sentence[0].lower() + sentence[1:]


def _with(sentence: str, more: str) -> str:
    return f"{sentence.removesuffix('.')}, {more}."
