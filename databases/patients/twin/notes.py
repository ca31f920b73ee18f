"""Write a patient's notes from the same state as the rows: discharge summaries and radiology reports."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from databases.patients.twin import vocabulary

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from databases.patients.twin.courses import State

_TELLS = 300
"""A course whose level in the stay stays below is not worth a sentence."""
_EPOCH = dt.datetime(1970, 1, 1)
_MARKERS = {
    "diabetes": ("% Hemoglobin A1c", "Glucose"),
    "kidney": ("Creatinine", "Urea Nitrogen"),
    "infection": ("White Blood Cells", "Lactate"),
    "anaemia": ("Hemoglobin", "MCV"),
    "heart": ("NTproBNP", "Sodium"),
}


@dataclass(frozen=True)
class Note:
    """One note, in the columns of the owners' release."""

    note_id: str
    subject_id: int
    hadm_id: int
    kind: str
    """discharge or radiology."""
    number: int
    written: dt.datetime
    text: str


def notes_of(state: State) -> Iterator[Note]:
    """By patient and stay: a discharge summary, and a report of the chest where there is cause."""
    import numpy as np

    block = state.block
    stays = np.arange(len(block.owner))
    length = block.discharged - block.admitted
    height = block.admitted + length * 3 // 10
    early, peak, late = (
        state.levels(block.owner, time, stays)
        for time in (block.admitted, height, block.discharged)
    )
    treated = state.under_treatment(block.owner, height, stays)
    for stay in stays:
        subject, number = int(block.subject[block.owner[stay]]), int(block.number[stay]) + 1
        told = np.maximum(early[stay], peak[stay])
        sentences = _sentences(told, late[stay], treated[stay])
        days = int(length[stay]) // 1440
        in_unit = "including intensive care, " if stay in block.icu else ""
        lines = [
            f"Brief hospital course: stay of {days} days, {in_unit}number {number} on record.",
            *(sentences or ["The course was uneventful; values stayed near what is usual."]),
            f"Discharge medications: {', '.join(_drugs(treated[stay])) or 'as on admission'}.",
        ]
        yield Note(
            note_id=f"{subject}-DS-{number}",
            subject_id=subject,
            hadm_id=int(block.hadm[stay]),
            kind="discharge",
            number=number,
            written=_moment(int(block.discharged[stay])),
            text="\n".join(lines),
        )
        if findings := _chest(told):
            yield Note(
                note_id=f"{subject}-RR-{number}",
                subject_id=subject,
                hadm_id=int(block.hadm[stay]),
                kind="radiology",
                number=number,
                written=_moment(int(block.admitted[stay]) + 120),
                text=f"CHEST X-RAY\nFindings: {findings}",
            )


def _sentences(
    told: NDArray[np.int64], late: NDArray[np.int64], treated: NDArray[np.bool_]
) -> list[str]:
    """What the note says of each course that shows."""
    said = []
    names, words = vocabulary.courses(), vocabulary.words()
    for course, name in enumerate(names):
        if told[course] < _TELLS:
            continue
        first, second = _MARKERS[name]
        answer = "has not been treated yet"
        if treated[course]:
            answer = f"was treated with {words['treatments'][name]}"
        fell = "and had eased at discharge" if late[course] < told[course] * 7 // 10 else ""
        said.append(
            f"The patient has {words['words'][name]}: {first} about {_expected(first, told)}, "
            f"{second} about {_expected(second, told)}. It {answer} {fell}".strip()
            + "."
        )
    return said


def _expected(label: str, levels: NDArray[np.int64]) -> str:
    """What a value is at these levels, without the person and the noise."""
    items = vocabulary.laboratory()
    item = items.labels.index(label)
    moved = sum(
        int(e) * int(level) // 1000 for e, level in zip(items.effects[item], levels, strict=True)
    )
    value, digits = int(items.typical[item]) + moved, int(items.digits[item])
    return f"{value / 10**digits:.{digits}f} {items.units[item]}"


def _drugs(treated: NDArray[np.bool_]) -> list[str]:
    names, drugs = vocabulary.courses(), vocabulary.words()["treatments"]
    return [drugs[name] for name, is_given in zip(names, treated, strict=True) if is_given]


def _chest(told: NDArray[np.int64]) -> str:
    names = list(vocabulary.courses())
    findings = {
        "heart": "enlarged heart with signs of fluid in the lungs.",
        "infection": "new consolidation, in keeping with an infection.",
    }
    said = [text for name, text in findings.items() if told[names.index(name)] >= _TELLS]
    return " ".join(text[0].upper() + text[1:] for text in said)


def _moment(minutes: int) -> dt.datetime:
    return _EPOCH + dt.timedelta(minutes=minutes)
