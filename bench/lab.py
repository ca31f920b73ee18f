"""The data of the tools' benchmark: the same events in a DuckDB file as we build it, and in SQLite."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import tempfile
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from bench.figures import Say

ROWS = 20_000_000
"""What the goals are for."""
ROWS_VARIABLE = "DDR_BENCH_ROWS"
"""Environment variable with a smaller number of rows, for tests."""
ROWS_PER_ENTITY = 400
ITEMS = 40
SEED = 20310101
BYTES_PER_ROW = 110
"""Of disk, for both files and what DuckDB spills while it sorts."""
BATCH = 100_000
RECORD = "lab.json"

ITEMS_SQL = f"""
CREATE TABLE items AS
SELECT range::SMALLINT AS item_id, printf('item %02d', range) AS label,
       ['vital', 'laboratory', 'dose', 'score'][1 + range % 4] AS category
FROM range(1, {ITEMS + 1})
"""
# Two hashes of the row's number are cut into the columns, so that no number of threads changes a
# row. An entity has up to eight visits of five days, and 400 events on average.
EVENTS_SQL = """
CREATE TABLE events AS
WITH drawn AS (
    SELECT hash(range + {seed}) AS h, hash(31 * range + {seed}) AS g FROM range({rows})
), placed AS (
    SELECT h, g, (h >> 30) & 7 AS visit, (g & 65535) % {items} AS item,
           1 + floor({entities} * ((h >> 40) / 16777216.0) ** 1.1)::INTEGER AS entity
    FROM drawn
)
SELECT printf('E%05d', entity) AS entity_id,
       TIMESTAMP '2031-01-01' + to_seconds(
           (60 * (hash(entity) % 1440000 + visit * 100000) + (h & 1073741823) % 432000)::BIGINT
       ) AS recorded_at,
       (entity * 8 + visit)::INTEGER AS visit_id,
       (1 + item)::SMALLINT AS item_id,
       round(
           20 + 3 * item + (((g >> 16) & 4095) + ((g >> 28) & 4095) + ((g >> 40) & 4095)) / 341.0, 1
       ) AS value,
       ['mmHg', 'bpm', 'mg/dL', 'mmol/L', '%'][(1 + item % 5)::BIGINT] AS unit,
       (100 + ((h >> 16) & 255))::SMALLINT AS device_id,
       CASE WHEN (h >> 24) & 15 = 0 THEN 'suspect'
            WHEN (h >> 24) & 15 < 3 THEN 'corrected' ELSE 'valid' END AS quality,
       ((g >> 52) & 31) = 0 AS is_alarm
FROM placed ORDER BY entity_id, recorded_at, item_id, value
"""
# As an importer of CSV files leaves them: a type for numbers and one for text, and no index.
OLD_TABLES = (
    "CREATE TABLE items(item_id INTEGER, label TEXT, category TEXT)",
    "CREATE TABLE events(entity_id TEXT, recorded_at TEXT, visit_id INTEGER, item_id INTEGER,"
    " value REAL, unit TEXT, device_id INTEGER, quality TEXT, is_alarm INTEGER)",
)
OLD_ROWS = {
    "items": "SELECT * FROM items",
    "events": "SELECT * REPLACE (recorded_at::VARCHAR AS recorded_at, is_alarm::TINYINT AS is_alarm)"
    " FROM events",
}


@dataclass(frozen=True)
class Lab:
    """Both files, as they lie on the disk."""

    folder: Path
    rows: int

    @property
    def database(self) -> Path:
        """Sorted by entity and time, as our builds are."""
        return self.folder / "lab.duckdb"

    @property
    def old_database(self) -> Path:
        """The same rows in the same order, in SQLite without an index."""
        return self.folder / "lab.sqlite3"

    @property
    def entities(self) -> int:
        """How many there are; their ids are text, as the pseudonyms of our builds are."""
        return entities_of(self.rows)

    @property
    def size(self) -> str:
        """In words, for a figure's detail."""
        goal = "" if self.rows == ROWS else f", the goal is for {ROWS:,}"
        return f"{self.rows:,} rows{goal}"

    def entity(self, number: int) -> str:
        """Ids far from one another for numbers that follow one another."""
        return f"E{1 + number * 7919 % self.entities:05d}"


def entities_of(rows: int) -> int:
    """How many entities so many rows are spread over."""
    return max(1, rows // ROWS_PER_ENTITY)


def rows_wanted() -> int:
    """The full size, or what the environment says."""
    return int(os.environ.get(ROWS_VARIABLE, ROWS))


def prepare(home: Path, say: Say, rows: int | None = None) -> Lab:
    """The lab below `home`; made where it is missing, cut short or of another version.

    Raises ScenarioError where the disk has no room for it.
    """
    from databases.workplace import one_builder, refuse_full_disk, sweep

    rows = rows_wanted() if rows is None else rows
    lab = Lab(home / f"lab-{rows}", rows)
    lab.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with one_builder(lab.folder, lambda what, _: say(what)):
        if _is_whole(lab):
            return lab
        sweep(lab.folder)
        for old in (lab.folder / RECORD, lab.database, lab.old_database):
            old.unlink(missing_ok=True)
        refuse_full_disk(lab.folder, rows * BYTES_PER_ROW // 1_000_000 + 1)
        _make(lab, say)
    return lab


def _make(lab: Lab, say: Say) -> None:
    from databases.installed import TEMP_PREFIX

    with tempfile.TemporaryDirectory(prefix=TEMP_PREFIX, dir=lab.folder) as temporary:
        fresh = Lab(Path(temporary), lab.rows)
        say(f"{lab.rows:,} rows of data, kept for the next time")
        _fill(fresh)
        _copy(fresh, say)
        fresh.database.replace(lab.database)
        fresh.old_database.replace(lab.old_database)
    (lab.folder / RECORD).write_text(json.dumps(_record(lab)), "utf-8")


def _fill(lab: Lab) -> None:
    import duckdb

    events = EVENTS_SQL.format(
        seed=SEED, rows=lab.rows, items=ITEMS, entities=entities_of(lab.rows)
    )
    with duckdb.connect(str(lab.database), config={"temp_directory": str(lab.folder)}) as made:
        made.execute("SET enable_progress_bar = false")
        made.execute(ITEMS_SQL)
        made.execute(events)
        made.execute("CHECKPOINT")


def _copy(lab: Lab, say: Say) -> None:
    import duckdb

    with (
        duckdb.connect(str(lab.database), read_only=True) as source,
        closing(sqlite3.connect(lab.old_database, isolation_level=None)) as old,
    ):
        old.execute("PRAGMA synchronous = OFF")  # made anew after a crash, so nothing is lost
        old.execute("PRAGMA journal_mode = OFF")
        old.execute("BEGIN")
        for table in OLD_TABLES:
            old.execute(table)
        for table, select in OLD_ROWS.items():
            rows = source.execute(select)
            places = ", ".join("?" * len(source.description or ()))
            done = 0
            while batch := rows.fetchmany(BATCH):
                old.executemany(f"INSERT INTO {table} VALUES ({places})", batch)
                done += len(batch)
                say(f"SQLite has {done:,} rows of {table}")
        old.execute("COMMIT")


def _record(lab: Lab) -> dict[str, object]:
    """What the files were made by, and their sizes; a change of any of it makes them anew."""
    import duckdb

    how = (ITEMS_SQL, EVENTS_SQL, OLD_TABLES, OLD_ROWS, SEED, duckdb.__version__)
    return {
        "version": hashlib.sha256(repr(how).encode()).hexdigest(),
        "rows": lab.rows,
        "bytes": {path.name: path.stat().st_size for path in (lab.database, lab.old_database)},
    }


def _is_whole(lab: Lab) -> bool:
    try:
        kept = json.loads((lab.folder / RECORD).read_text("utf-8"))
        return bool(kept == _record(lab))
    except (OSError, ValueError):
        return False
