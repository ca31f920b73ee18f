"""What a twin's people answer in their surveys: scores from the same hidden state as their rows."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from core.document import Document
from databases.wearables.state import FULL, People
from databases.wearables.surveys import survey

if TYPE_CHECKING:
    from databases.draws import Whole


@dataclass(frozen=True)
class Scale:
    """A questionnaire's score, in whole points of which `per` make one."""

    least: int
    most: int
    mean: int
    sd: int
    low: int
    """Points that the deepest low adds."""
    wobble: int
    """How far two answers of one person may differ without any reason."""
    per: int = 1


SCALES: Final = {
    "UCLA_10items": Scale(10, 40, 22, 4, 7, 1),
    "SocialFit": Scale(20, 120, 76, 10, -26, 5),
    "2waySSS_receiving_emotional": Scale(0, 35, 27, 4, -7, 1),
    "2waySSS_giving_emotional": Scale(0, 25, 20, 3, -5, 1),
    "2waySSS_giving_instrumental": Scale(0, 25, 17, 3, -5, 1),
    "2waySSS_receiving_instrumental": Scale(0, 20, 14, 3, -5, 1),
    "ERQ_reappraisal": Scale(6, 42, 31, 4, -7, 1, per=6),
    "ERQ_suppression": Scale(4, 28, 14, 4, 5, 1, per=4),
    "BRS": Scale(6, 30, 21, 3, -6, 1, per=6),
    "CHIPS": Scale(0, 132, 18, 7, 15, 1),
    "PSS_10items": Scale(0, 40, 18, 5, 10, 2),
    "STAIS": Scale(20, 80, 37, 7, 16, 2),
    "MAAS_7items": Scale(7, 42, 29, 5, -7, 1, per=7),
    "CESD_10items": Scale(0, 30, 8, 3, 10, 1),
}
"""By the owners' names; ranges are those of the questionnaires."""


def scores(people: People, wave: str, low: Whole) -> dict[str, Whole]:
    """Everybody's points in every scale, where their mood is so low (0 to FULL)."""
    found = {}
    for name, scale in SCALES.items():
        usual = people.around(f"score {name}", scale.mean, scale.sd)
        felt = scale.low * people.between(f"feeling {name}", 700, 1300) * low // (1000 * FULL)
        # Most people who feel the same answer the same.
        odd = people.between(f"odd {name} {wave}", 0, 99) < 35
        wobble = people.between(f"wobble {name} {wave}", -scale.wobble, scale.wobble) * odd
        found[name] = np.clip(usual + felt + wobble, scale.least, scale.most)
    return found


def documents(
    people: People, ids: list[str], low: dict[str, Whole], written_on: dict[str, dt.date]
) -> Iterator[Document]:
    """The surveys of some people: `low` and `written_on` by wave (pre, post)."""
    found = {wave: scores(people, wave, low[wave]) for wave in low}
    for place, person_id in enumerate(ids):
        for wave, points in found.items():
            said = {
                f"{name}_{wave.upper()}": round(int(values[place]) / SCALES[name].per, 6)
                for name, values in points.items()
            }
            yield survey(person_id, wave, written_on[wave], said)
