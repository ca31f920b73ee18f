"""A home with a run that can be judged: weather stations, what an agent said of each, and what is true."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from checklists.canonical import items_hash
from core.checklist import Checklist, ChecklistItem
from core.run import Limits, RunSpec
from core.scenario import License
from core.trajectory import Insight, StopReason, Trajectory, Turn
from databases.build import build_manifest
from databases.manifest import read_manifest
from server.store import Repository, open_store

RUN: Final = "20310101-stations-0001"
TURNS: Final = 12
_NOW: Final = datetime(2031, 1, 1, tzinfo=UTC)
_LICENSE: Final = License(name="CC0-1.0", source="made by a formula")
_MANIFEST: Final = """\
id = "stations"
title = "Weather stations"
version = "1"
dialect = "sqlite"
entity_noun = "station"
task_template = "Explore the database and report what stands out about {entity_noun} {entity_id}."

[license]
name = "CC0-1.0"

[entities]
query = "SELECT station_id AS id, station_id AS label FROM stations ORDER BY station_id"

[database]
path = "stations.sqlite3"
"""
_MEASURES: Final = (
    "temperature",
    "humidity",
    "air pressure",
    "wind speed",
    "rainfall",
    "visibility",
    "cloud cover",
    "hours of sunshine",
    "snow depth",
    "soil moisture",
)
_AROUND: Final = (
    "The {0} follows the seasons, with its highest values in the middle of the year and its lowest "
    "around the turn of the year.",
    "Gaps in the record of the {0} are short: no more than three days in a row are missing, and none "
    "of them falls on a month's end.",
    "Compared with the months before, the {0} changes little in the second half of the record, and "
    "its spread stays much the same.",
    "The readings of the {0} were joined to the list of stations, grouped by month, and compared "
    "with the station's own mean over all years.",
    "Two readings of the {0} lie far from all others; both were taken on the day on which the "
    "instrument was replaced, and they were left out here.",
)


@dataclass(frozen=True)
class Size:
    """How much there is to judge: entities x items x 2 levels."""

    entities: int = 100
    items: int = 8

    @property
    def questions(self) -> int:
        """To be asked in all."""
        return 2 * self.entities * self.items


def furnish(home: Path, size: Size, *, seed: int = 7) -> None:
    """Make the scenario, its checklist and the run RUN in an empty home; the same for the same seed."""
    home.mkdir(mode=0o700, parents=True)
    names = [f"ST{number:03}" for number in range(1, size.entities + 1)]
    _scenario(home, names)
    items = [item for name in names for item in _items(name, size.items, seed)]
    (home / "checklists").mkdir()
    checklist = Checklist(
        id="stations",
        version="1",
        scenario_id="stations",
        hash=items_hash(items),
        license=_LICENSE,
        items=tuple(items),
    )
    (home / "checklists" / "stations.json").write_text(checklist.model_dump_json(), "utf-8")
    fingerprint = json.loads((home / "scenarios" / "stations" / "scenario.json").read_bytes())
    run = RunSpec(
        id=RUN,
        scenario_id="stations",
        scenario_fingerprint=fingerprint["fingerprint"],
        entity_ids=tuple(names),
        agent="bench",
        limits=Limits(),
        created_at=_NOW,
    )
    with open_store(home / "store.sqlite3") as store, store.together() as whole:
        whole.add_run(run)
        for name in names:
            _explored(whole, run, name, [i for i in items if i.entity_id == name], seed)


def _scenario(home: Path, names: Sequence[str]) -> None:
    folder = home / "scenarios" / "stations"
    folder.mkdir(parents=True)
    with sqlite3.connect(folder / "stations.sqlite3") as connection:
        connection.execute("CREATE TABLE stations (station_id TEXT PRIMARY KEY)")
        connection.executemany("INSERT INTO stations VALUES (?)", [(name,) for name in names])
    connection.close()
    (folder / "scenario.toml").write_text(_MANIFEST, "utf-8")
    build_manifest(read_manifest(folder / "scenario.toml"), home)


def _items(name: str, number: int, seed: int) -> Iterator[ChecklistItem]:
    chance = random.Random(f"{seed} {name}")
    for at, measure in enumerate(_MEASURES[:number], start=1):
        yield ChecklistItem(
            id=f"{name}-{at}",
            entity_id=name,
            question=f"What is the mean {measure} of station {name} over the whole record?",
            answer=_fact(name, measure, chance.uniform(1, 90)),
            category="level",
            source="bench",
        )


def _fact(name: str, measure: str, value: float) -> str:
    return f"The mean {measure} of station {name} over the whole record is {value:.2f} units."


def _explored(
    store: Repository, run: RunSpec, name: str, items: Sequence[ChecklistItem], seed: int
) -> None:
    """A trajectory whose insights (twelve of some 60 words, and a report of some 500) state some of the
    facts, some with another figure, and some not.
    """
    chance = random.Random(f"{seed} {name} explored")
    draft = Trajectory(
        id="",
        run_id=run.id,
        scenario_id=run.scenario_id,
        scenario_fingerprint=run.scenario_fingerprint,
        entity_id=name,
        agent=run.agent,
        started_at=_NOW,
    )
    mine = store.start_trajectory(draft).id
    said = [_said(item, chance) for item in items]
    texts = [_around(chance, fact) for fact in said]
    texts += [_around(chance, None) for _ in range(TURNS - len(texts))]
    chance.shuffle(texts)
    for number, text in enumerate(texts, start=1):
        store.add_turn(mine, Turn(index=number, text="", started_at=_NOW, duration_s=1.0))
        store.add_insight(_insight(mine, number, text))
    told = [fact if chance.random() < 0.8 else None for fact in said]
    report = "\n\n".join(_around(chance, fact) for fact in told)
    store.add_insight(_insight(mine, None, f"Report on station {name}.\n\n{report}"))
    store.end_trajectory(mine, StopReason.FINISHED, ended_at=_NOW)


def _said(item: ChecklistItem, chance: random.Random) -> str | None:
    """What is said of a fact: itself, with another figure, nothing."""
    drawn = chance.random()
    if drawn < 0.5:
        return item.answer
    measure = item.question.split(" of station")[0].removeprefix("What is the mean ")
    other = _fact(item.entity_id, measure, chance.uniform(100, 200))
    return other if drawn < 0.7 else None


def _around(chance: random.Random, fact: str | None) -> str:
    """A fact, or none, among sentences that state none; some 60 words."""
    measure = chance.choice(_MEASURES)
    sentences = [text.format(measure) for text in chance.sample(_AROUND, 2)]
    if fact is not None:
        sentences.insert(chance.randrange(3), fact)
    return " ".join(sentences)


def _insight(trajectory_id: str, turn: int | None, text: str) -> Insight:
    return Insight(
        id=f"{trajectory_id}.{turn or 'report'}",
        trajectory_id=trajectory_id,
        level="trajectory" if turn is None else "message",
        turn=turn,
        text=text,
        author="bench",
    )
