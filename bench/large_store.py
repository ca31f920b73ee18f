"""A store as a year of benchmarking leaves it: many models, each over every entity, judged.

22 models x 291 entities x 30 turns, whose records are what a run stores: turns with SQL, results and
model calls, an insight per turn, a report, verdicts at both levels with quotes and reasons, and a judged
baseline beside each. Made once below the benchmarks' home, and made anew where the code that makes
it has changed.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bench import large_records
from bench.figures import Bench

if TYPE_CHECKING:
    from core.checklist import Checklist
    from databases.catalog import InstalledScenario
    from server.settings import Settings

SCENARIO: Final = "incidents"


@dataclass(frozen=True)
class Size:
    """How much there is."""

    models: int = 22
    entities: int = 291
    turns: int = 30
    rows: int = 60_000
    """Of the database that was explored."""


@dataclass(frozen=True)
class Large:
    """What was made."""

    settings: Settings
    runs: tuple[str, ...]
    """Ids, the best model's first."""
    entity: str
    """One of the entities."""


def large_store(bench: Bench, size: Size = Size()) -> Large:
    """The home with it. Takes some minutes the first time."""
    from databases.build import build
    from server.authoring import author_checklist
    from server.settings import Settings
    from server.standings import standings
    from server.store import open_store

    home = bench.home / "large"
    settings = Settings(home).prepare()
    bench.say(f"{size.entities} entities (built once)")
    options: dict[str, bool | int | str] = {
        "synthetic": True,
        "entities": str(size.entities),
        "rows": size.rows,
        "seed": "7",
    }
    installed = build(SCENARIO, home, options=options)
    checklist = author_checklist(installed, settings, lambda _what, _share: None)
    if checklist is None:
        raise RuntimeError(f"{SCENARIO} has a book of templates")
    runs = tuple(f"20260131-{SCENARIO}-m{number:03d}" for number in range(size.models))
    stamp = home / "made-of"
    how = b"".join(Path(each).read_bytes() for each in (__file__, large_records.__file__))
    mine = hashlib.sha256(how + f"{size} {checklist.hash}".encode()).hexdigest()
    if not stamp.is_file() or stamp.read_text() != mine:
        for old in home.glob("store.sqlite3*"):
            old.unlink()
        open_store(settings.store_path).close()
        _fill(settings.store_path, runs, size, installed, checklist, bench=bench)
        stamp.write_text(mine)
    bench.say("what each run came to, as `ddr evaluate` sums it up at its end")
    with open_store(settings.store_path) as store:
        standings(store, settings)
    return Large(settings, runs, installed.entities()[0].id)


def _fill(
    path: Path,
    runs: Sequence[str],
    size: Size,
    installed: InstalledScenario,
    checklist: Checklist,
    *,
    bench: Bench,
) -> None:
    """All records by one connection: through the store's own methods it would take an hour."""
    entities = [entity.id for entity in installed.entities()]
    with sqlite3.connect(path) as store:
        store.execute("PRAGMA synchronous = OFF")
        for place, run_id in enumerate(runs):
            bench.say(f"run {place + 1} of {len(runs)}: {len(entities) * size.turns:,} turns")
            spec = large_records.spec(run_id, place, installed, entities)
            store.execute(
                "INSERT INTO runs VALUES (?, ?, ?)",
                (run_id, spec.created_at.isoformat(), spec.model_dump_json()),
            )
            large_records.explored(store, spec, place, size.turns)
            large_records.judged(store, spec, place, checklist, size.turns)
            store.commit()
        store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store.close()
