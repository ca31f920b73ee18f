"""Whether a fact stays true when the rows are drawn anew: what hangs on a few rows is no finding."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from checklists.authoring.asked import Asked, Stand
from checklists.authoring.candidates import Candidate
from checklists.evidence import Value
from checklists.perturb import Copy, copy_of
from checklists.proof import Outcome, Progress, Strikes
from checklists.reading import Reading, columns_of, read
from checklists.statement import Schema, columns_read
from core.checklist import ChecklistItem
from core.errors import ChecklistError
from core.sql import quote

if TYPE_CHECKING:
    import duckdb


def shaken_by_resampling(
    items: Sequence[ChecklistItem],
    connection: duckdb.DuckDBPyConnection,
    seeds: Sequence[int],
    *,
    asked: Asked | None,
    schema: Schema,
    progress: Progress,
) -> Outcome:
    """Which items do not stay true in at least 19 of 20 bootstrap samples, and why.

    To stay true is to say the same in words, since every figure moves a little: the same group comes
    first, a difference or a correlation keeps its sign, and the entity stays on the same side of the
    other entities, which are drawn anew with it. That side is the measure for counts and extremes
    too: a sample has fewer different values and no higher maximum, and so it is for all of them.
    Without a template the others are not known: a number keeps its sign, a text its words.
    """
    outcome = Outcome()
    groups = _by_table(items, connection, schema, asked, outcome)
    done, whole = 0, max(1, len(groups) * len(seeds))
    with copy_of(connection) as copy:
        for table, members in groups.items():
            strikes = Strikes(members, len(seeds))
            columns = columns_of(members, table, schema, asked)
            for seed in seeds:
                progress(f"rows drawn anew ({table}): seed {seed}", done / whole)
                done += 1
                copy.resample(table, seed, columns)
                strikes.add(seed, _moved(strikes.open, copy, asked))
            for item_id, number, why in strikes.out():
                outcome.failed[item_id] = (
                    f"is another in {number} samples of {strikes.copies}, where {strikes.allowed} "
                    f"may be ({why})"
                )
    progress("rows drawn anew", 1.0)
    return outcome


def _moved(
    items: Sequence[ChecklistItem], copy: Copy, asked: Asked | None
) -> Iterable[tuple[str, str]]:
    known = [item for item in items if asked is not None and asked.knows(item)]
    stands: Mapping[str, Stand] = asked.stands(known, copy.cursor) if asked else {}
    for item in known:
        assert asked is not None
        if why := _why_it_stands_elsewhere(asked.candidates[item.id], stands.get(item.id)):
            yield item.id, why
    others = [item for item in items if asked is None or not asked.knows(item)]
    readings = read(others, copy.cursor, None)
    for item in others:
        assert item.expected is not None
        if why := _why_it_says_another(item.expected.value, readings[item.id]):
            yield item.id, why


def _why_it_stands_elsewhere(candidate: Candidate, stand: Stand | None) -> str | None:
    if stand is None:
        return "no value"
    if stand.group != candidate.group:
        return f"{stand.group} comes first"
    kept_sign = candidate.template.figure.signed or candidate.template.figure.kind == "correlation"
    if kept_sign and stand.value * candidate.value <= 0:
        return f"the sign turns: {stand.value:g}"
    if stand.standing * candidate.standing <= 0 and candidate.standing != 0:
        return f"it is on the other side of the entities: {stand.value:g}"
    return None


def _why_it_says_another(expected: float | str, reading: Reading) -> str | None:
    value: Value = reading.value
    if reading.fault is not None:
        return reading.fault
    if value is None:
        return "no value"
    if isinstance(expected, str) or isinstance(value, str):
        return None if value == expected else f"it is {value!r}"
    same = (value > 0) == (expected > 0) and (value < 0) == (expected < 0)
    return None if same else f"it is {value:g}"


def _by_table(
    items: Sequence[ChecklistItem],
    connection: duckdb.DuckDBPyConnection,
    schema: Schema,
    asked: Asked | None,
    outcome: Outcome,
) -> dict[str, list[ChecklistItem]]:
    """Items by the table whose rows are drawn: the entities' own, or the largest that is read."""
    rows = {
        table: connection.execute(f"SELECT count(*) FROM {quote(table)}").fetchall()[0][0]
        for table in schema
    }
    lower = {table.lower(): table for table in schema}
    groups: dict[str, list[ChecklistItem]] = {}
    for item in items:
        if item.evidence_sql is None or item.expected is None:
            outcome.failed[item.id] = "it has no evidence_sql or no expected value"
            continue
        own = asked.subject.table if asked is not None and asked.knows(item) else None
        # One row per entity: drawn anew, a third of the entities would be gone, and not their rows.
        if own is not None and rows[own] == max(rows.values()):
            groups.setdefault(own, []).append(item)
            continue
        try:
            read_tables = [lower[name] for name in columns_read(item.evidence_sql, schema)]
        except ChecklistError as exc:
            outcome.unknown[item.id] = str(exc)
            continue
        if not read_tables:
            outcome.unknown[item.id] = "the evidence reads no table"
            continue
        largest = max(read_tables, key=lambda table: (rows[table], table))
        groups.setdefault(largest, []).append(item)
    return groups
