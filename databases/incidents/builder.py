"""Fill the incidents database: hidden states, the rows and notes drawn from them, and what is planted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

from databases.builder import Built
from databases.incidents import hostile, notes, rows
from databases.incidents.state import Plan, Teams
from databases.incidents.words import (
    CATEGORIES,
    CHANNELS,
    COVER,
    GRADES,
    OUTCOMES,
    SITES,
    SUMMARIES,
)

if TYPE_CHECKING:
    import duckdb

    from databases.builder import BuildContext

_MB_PER_MILLION: Final = 60
"""Disk that a million rows take while they are written and hashed, MB."""

_INCIDENTS = """
INSERT INTO incidents SELECT number, ids[team + 1], agents[agent + 1], 'K' || (category + 1),
    start + to_minutes(minute), priority, channels[channel + 1], response,
    CASE WHEN resolution >= 0 THEN resolution / 100 END, reopened,
    CASE WHEN satisfaction >= 0 THEN satisfaction END, summaries[summary + 1]
FROM block, names
"""
_CHANGES = """
INSERT INTO changes SELECT number, ids[team + 1], 'K' || (category + 1),
    start::DATE + day::INTEGER, outcomes[outcome + 1], CASE WHEN downtime >= 0 THEN downtime END
FROM block, names
"""


def build(connection: duckdb.DuckDBPyConnection, context: BuildContext) -> Built:
    """Fill an empty database (databases.builder.Builder); the secrets are the hidden states."""
    plan = Plan.of(context.seed, context.options)
    context.refuse_full_disk(20 + plan.rows * _MB_PER_MILLION // 1_000_000)
    context.progress("drawing the teams", 0.01)
    teams = Teams(plan)
    script = resources.files(__package__).joinpath("tables.sql").read_text(encoding="utf-8")
    connection.execute(script)
    _write_teams(connection, teams)
    _name(connection, teams)
    written = 0
    for sql, blocks in ((_INCIDENTS, rows.incidents(teams)), (_CHANGES, rows.changes(teams))):
        for block in blocks:
            _insert(connection, sql, block)
            written += len(block["number"])
            share = 0.02 + 0.68 * written / plan.rows
            context.progress(f"writing rows: {written:,} of {plan.rows:,}", share)
    context.documents.add_all(notes.documents(teams))
    if plan.hostile:
        context.progress("planting what must not be obeyed", 0.72)
        context.documents.add_all(hostile.plant(connection, teams))
    connection.execute("DROP TABLE names")
    return Built(secrets=secrets(teams))


def secrets(teams: Teams) -> dict[str, Any]:
    """The hidden state of each team, by its id."""
    traits: Mapping[str, Iterable[Any]] = {
        name: value.tolist()
        for name, value in vars(teams).items()
        if hasattr(value, "tolist") and not name.startswith("_")
    }
    return {
        team: {name: list(values)[place] for name, values in traits.items()}
        for place, team in enumerate(teams.ids)
    }


def agent_ids(teams: Teams) -> list[str]:
    """Every agent's id, team by team."""
    return [
        f"{team}-{letter}"
        for team, count in zip(teams.ids, teams.agents.tolist(), strict=True)
        for letter in "ABCDEFGHIJ"[:count]
    ]


def _write_teams(connection: duckdb.DuckDBPyConnection, teams: Teams) -> None:
    draws, every = teams.people, range(teams.count)
    sites = draws.whole("site", every, len(SITES)).tolist()
    team_rows = [
        (team, teams.names[place], SITES[sites[place]], COVER[0 if teams.round_clock[place] else 1])
        for place, team in enumerate(teams.ids)
    ]
    ids = agent_ids(teams)
    grades = draws.whole("grade", range(len(ids)), 10).tolist()
    hours = draws.whole("hours", range(len(ids)), 5).tolist()
    agent_rows = [
        (
            agent,
            agent.split("-")[0],
            GRADES[(grade >= 4) + (grade >= 9)],
            (20, 30, 40, 40, 40)[worked],
        )
        for agent, grade, worked in zip(ids, grades, hours, strict=True)
    ]
    kinds = [(f"K{place}", name, days) for place, (name, days) in enumerate(CATEGORIES.items(), 1)]
    for table, records in (("teams", team_rows), ("agents", agent_rows), ("categories", kinds)):
        # One statement with a list per column: row by row takes seconds.
        columns = [list(column) for column in zip(*records, strict=True)]
        connection.execute(
            f"INSERT INTO {table} SELECT {', '.join(['unnest(?)'] * len(columns))}", columns
        )


def _name(connection: duckdb.DuckDBPyConnection, teams: Teams) -> None:
    """One row of lists: what the codes of the blocks stand for. Temporary, so that no file holds it."""
    summaries = [text.format(kind.lower()) for kind in CATEGORIES for text in SUMMARIES]
    summaries = [text[0].upper() + text[1:] for text in summaries]
    connection.execute(
        "CREATE TEMP TABLE names AS SELECT ?::VARCHAR[] AS ids, ?::VARCHAR[] AS agents, "
        "?::VARCHAR[] AS channels, ?::VARCHAR[] AS outcomes, ?::VARCHAR[] AS summaries, "
        "?::TIMESTAMP AS start",
        [teams.ids, agent_ids(teams), CHANNELS, OUTCOMES, summaries, teams.start.isoformat()],
    )


def _insert(connection: duckdb.DuckDBPyConnection, sql: str, block: rows.Columns) -> None:
    import pandas as pd

    connection.register("block", pd.DataFrame(block, copy=False))
    connection.execute(sql)
    connection.unregister("block")
