"""Generate the twin: from one hidden state per patient its rows, table by table, and its notes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from databases.patients.layout import create
from databases.patients.twin import dictionaries, hospital, intensive, laboratory, orders
from databases.patients.twin.courses import State
from databases.patients.twin.draws import Draws
from databases.patients.twin.notes import Note, notes_of
from databases.patients.twin.people import Crowd
from databases.patients.twin.writing import Writer

if TYPE_CHECKING:
    import duckdb

    from databases.patients.layout import Table
    from databases.patients.twin.draws import Ints

SHARES = {
    "labevents": 330, "poe": 120, "prescriptions": 50, "pharmacy": 50, "emar": 130, "poe_detail": 25,
    "omr": 25, "microbiologyevents": 30, "hcpcsevents": 10, "inputevents": 70,
    "ingredientevents": 60, "outputevents": 60, "procedureevents": 15, "datetimeevents": 25,
    "chartevents": 600, "emar_detail": 130,
}  # fmt: skip
"""How events are divided among tables, about as in the real one."""


@dataclass(frozen=True)
class Recipe:
    """What was asked for."""

    seed: str
    people: int
    rows: int
    intensity: int
    """Of a thousand."""
    hostile: bool
    tables: tuple[Table, ...]


def generate(
    connection: duckdb.DuckDBPyConnection,
    recipe: Recipe,
    progress: Callable[[float], None],
) -> Iterator[Note]:
    """Fill the tables block by block, and hand back the notes of each block as they are written."""
    connection.begin()
    for table in recipe.tables:
        create(connection, table)
    writer = Writer(connection, frozenset(table.name for table in recipe.tables))
    draws = Draws(recipe.seed)
    fixed = dictionaries.write(writer)
    crowd = Crowd.drawn(draws, recipe.people, recipe.rows)
    done = 0
    for block in crowd.blocks(draws):
        state = State.drawn(draws, block, recipe.intensity)
        taken = hospital.write(writer, draws, state)
        # The dictionaries' rows are taken off evenly, so that the whole is what was asked for.
        free = block.budget - taken - fixed * block.budget // max(1, int(crowd.budget.sum()))
        _write_events(writer, draws, state, divided(free, state, writer), hostile=recipe.hostile)
        done += block.people
        progress(done / recipe.people)
        # A commit for each of a block's tables would take as long as all the rest.
        connection.commit()
        yield from notes_of(state)
        connection.begin()
    connection.commit()


def divided(free: Ints, state: State, writer: Writer) -> dict[str, Ints]:
    """How many rows each patient gets in each table of events."""
    import numpy as np

    wanted = {table: share for table, share in SHARES.items() if writer.wants(table)}
    has_icu = np.bincount(state.block.owner[state.block.icu], minlength=state.block.people) > 0
    found: dict[str, Ints] = {}
    whole = np.zeros_like(free)
    for table, share in wanted.items():
        where = has_icu if table in intensive.TABLES else np.ones_like(has_icu)
        found[table] = np.where(where, share, 0)
        whole = whole + found[table]
    counts = {table: np.maximum(free * share // whole, 0) for table, share in found.items()}
    # Orders of drugs come in threes: one each of pharmacy and prescriptions, and never without an order.
    drugs = np.maximum(counts["prescriptions"], 1)
    counts["prescriptions"] = counts["pharmacy"] = drugs
    counts["poe"] = np.maximum(counts["poe"], drugs)
    if "emar_detail" in counts:
        counts["emar_detail"] = counts["emar"]
    named = sum(counts.values()) - counts["labevents"]
    counts["labevents"] = np.maximum(free - named, 0)
    return counts


def _write_events(
    writer: Writer, draws: Draws, state: State, counts: dict[str, Ints], *, hostile: bool
) -> None:
    laboratory.labevents(writer, draws, state, counts["labevents"], hostile=hostile)
    cultures = counts["microbiologyevents"]
    laboratory.microbiology(writer, draws, state, cultures, hostile=hostile)
    laboratory.omr(writer, draws, state, counts["omr"])
    drugs, placed = counts["prescriptions"], counts["poe"]
    given = orders.poe(writer, draws, state, placed, drugs)
    fields = counts["poe_detail"]
    orders.poe_detail(writer, draws, state, fields, placed, hostile=hostile)
    orders.prescribed(writer, draws, state, given)
    orders.emar(writer, draws, state, given, counts=counts["emar"], drugs=drugs)
    orders.hcpcsevents(writer, draws, state, counts["hcpcsevents"])
    for table, write in _INTENSIVE.items():
        if writer.wants(table):
            write(writer, draws, state, counts[table])


_INTENSIVE = {
    "chartevents": intensive.charted,
    "outputevents": intensive.left_the_body,
    "inputevents": intensive.given,
    "ingredientevents": intensive.ingredients,
    "procedureevents": intensive.procedures,
    "datetimeevents": intensive.dated,
}
