"""Keep the answers to the surveys before and after a study as documents, which agents never see."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from core.document import Document
from core.errors import ScenarioError
from databases.wearables.files import SURVEYS, Text, located, opened, rows
from databases.wearables.people import Key, Person

KIND: Final = "survey"
WAVES: Final = {"pre": "before", "post": "after"}
"""The owners' word for a survey, and when it was answered."""


def survey(
    person_id: str, wave: str, written_on: dt.date | None, scores: Mapping[str, float]
) -> Document:
    """One person's answers to one survey; `scores` by scale and wave, as STAIS_PRE."""
    lines = (f"{name}: {score:g}" for name, score in scores.items())
    return Document(
        id=f"{person_id}-{wave}",
        entity_id=person_id,
        kind=KIND,
        title=f"Survey {WAVES[wave]} the study",
        text="\n".join(lines),
        written_on=written_on,
        values=dict(scores),
    )


def read_surveys(
    studies: Sequence[Path], people: Mapping[Key, Person], workspace: Path
) -> Iterator[Document]:
    """The surveys of these people. Raises ScenarioError with file, line and column."""
    for study in studies:
        for wave in WAVES:
            path = located(study, SURVEYS, wave)
            if path is None:
                raise ScenarioError(f"{study / SURVEYS} has no {wave}.csv")
            text = opened(path, workspace)
            seen: dict[str, int] = {}
            for line, row in rows(text, ("pid", "date")):
                pid = row["pid"]
                if pid in seen:
                    said = f"is the same participant as line {seen[pid]}"
                    text.fail(said, line=line, column="pid")
                seen[pid] = line
                person = people.get((study.name, pid))
                if person is not None:
                    yield survey(person.id, wave, _date(text, line, row), _scores(text, line, row))


def _date(text: Text, line: int, row: Mapping[str, str]) -> dt.date | None:
    if not row["date"]:
        return None
    try:
        return dt.date.fromisoformat(row["date"][:10])
    except ValueError:
        text.fail("is not a date (2018-04-13)", line=line, column="date")


def _scores(text: Text, line: int, row: Mapping[str, str]) -> dict[str, float]:
    found = {}
    for name, cell in row.items():
        if name in ("pid", "date") or not cell:
            continue
        try:
            score = float(cell)
        except ValueError:
            score = math.nan
        if not math.isfinite(score):
            text.fail("is not a number", line=line, column=name)
        found[name] = score
    return found
