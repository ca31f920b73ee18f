"""Generate a twin of the wearables database: people of a seed, their days, their surveys."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Final

import numpy as np

from core.errors import UsageError
from core.sql import quote
from core.wording import counted
from databases.draws import Draws
from databases.variants import within
from databases.wearables import answers, around, body, phone
from databases.wearables.features import known, tables
from databases.wearables.remarks import remark
from databases.wearables.state import FULL, Days, People
from databases.wearables.tables import create, create_participants

if TYPE_CHECKING:
    from collections.abc import Callable

    import duckdb

    from databases.build import BuildContext
    from databases.wearables.columns import Columns

BEGINS: Final = dt.date(2031, 3, 31)
"""A Monday."""
_DEFAULT_PEOPLE, _DEFAULT_DAYS, _LEAST_DAYS = 40, 70, 28
_MOST_PEOPLE = 1_000_000
ROWS_PER_DAY: Final = 4.8
"""Rows that a person's day has on average, over all tables."""
_BLOCK = 60_000
"""Days of people that are made at once: some 200 columns of so many numbers."""

SENSORS: Final[dict[str, Callable[[Days], Columns]]] = {
    "steps": body.steps,
    "sleep": body.sleep,
    "screen": phone.screen,
    "calls": phone.calls,
    "bluetooth": around.bluetooth,
    "wifi": around.wifi,
    "location": around.location,
}
"""How each table's rows are made."""


def fill(connection: duckdb.DuckDBPyConnection, context: BuildContext) -> None:
    """Fill an empty database, and keep the surveys as documents."""
    number, days = sizes(str(context.options["entities"]), int(context.options["rows"]))
    # How far habits follow the mood: twice as far as people's do, at most.
    share = round(within(context.options, "intensity", 0, 2) * FULL)
    hostile = bool(context.options["hostile"])
    draws = Draws(context.seed)
    width = max(4, len(str(number)))
    ids = [f"P{place:0{width}d}" for place in range(1, number + 1)]
    create_participants(connection, remarks=hostile)
    for table in tables():
        create(connection, table, known(table))
    at_once = max(1, _BLOCK // days)
    for start in range(0, number, at_once):
        context.progress(
            f"living {counted(days, 'day')} of {counted(number, 'person', 'people')}",
            0.02 + 0.75 * start / number,
        )
        block = People(draws, np.arange(start, min(start + at_once, number), dtype=np.int64))
        mine = ids[start : start + at_once]
        _write_people(connection, block, mine, hostile=hostile)
        low = block.low(np.arange(days, dtype=np.int64), days)
        _write_days(connection, block, low * share // FULL, mine)
        context.documents.add_all(
            answers.documents(
                block,
                mine,
                {"pre": low[:, 0], "post": low[:, -1]},
                {
                    "pre": BEGINS - dt.timedelta(days=3),
                    "post": BEGINS + dt.timedelta(days=days + 1),
                },
            )
        )


def sizes(entities: str, rows: int) -> tuple[int, int]:
    """People and days. Raises UsageError where there are too few or too many for a study."""
    try:
        number = int(entities) if entities else _DEFAULT_PEOPLE
    except ValueError as exc:
        raise UsageError(f"--entities of a twin is a number of people, not {entities!r}") from exc
    if not 1 <= number <= _MOST_PEOPLE:
        raise UsageError(f"--entities is 1 to {_MOST_PEOPLE:,}, not {number}")
    if not rows:
        return number, _DEFAULT_DAYS
    days = round(rows / (number * ROWS_PER_DAY))
    if days < _LEAST_DAYS:
        least = round(number * ROWS_PER_DAY * _LEAST_DAYS)
        raise UsageError(
            f"--rows {rows} leaves {number} people less than {_LEAST_DAYS} days each; give at least "
            f"--rows {least}, or fewer --entities"
        )
    return number, days


def _write_people(
    connection: duckdb.DuckDBPyConnection, block: People, ids: list[str], *, hostile: bool
) -> None:
    platforms = ["android" if n < 4 else "ios" for n in block.between("platform", 0, 9)]
    rows = [ids, platforms]
    if hostile:
        kinds = block.between("remark", 0, 999)
        rows.append([remark(int(kind), who) for kind, who in zip(kinds, ids, strict=True)])
    shown = ", ".join("unnest(?)" for _ in rows)
    connection.execute(f"INSERT INTO participants SELECT {shown}", rows)


def _write_days(
    connection: duckdb.DuckDBPyConnection,
    block: People,
    low: np.ndarray[tuple[int, int], np.dtype[np.int64]],
    ids: list[str],
) -> None:
    number, days = low.shape
    person = np.repeat(np.arange(number, dtype=np.int64), days)
    scene = Days(block, person, np.tile(np.arange(days, dtype=np.int64), number), low.ravel())
    for table, sense in SENSORS.items():
        columns = sense(scene)
        columns["person"], columns["day"] = person, scene.day
        listed = ", ".join(f"b.{quote(f.column)}" for f in known(table))
        connection.register("block", columns)
        connection.execute(
            f"INSERT INTO {quote(table)} SELECT ids[b.person + 1], ?::DATE + b.day::INTEGER, {listed} "
            "FROM block b, (SELECT ?::VARCHAR[] AS ids) WHERE b.sensed",
            [BEGINS, ids],
        )
        connection.unregister("block")
