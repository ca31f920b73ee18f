"""An exploration as tables of plain values: for files, for --json, for a notebook."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Final, TypeVar

from analysis.exploration.explored import Exploration, Explored, Point
from analysis.exploration.regime import Bin, Regime
from analysis.exploration.steps import Step
from analysis.exploration.thirds import Change
from analysis.table import Cell, Table, table

Row = TypeVar("Row")
Columns = Mapping[str, Callable[[Row], Cell]]

_POINTS: Final[Columns[Point]] = {
    "group": lambda p: p.group,
    "trajectory_id": lambda p: p.trajectory_id,
    "entity_id": lambda p: p.entity_id,
    "cluster": lambda p: p.cluster,
    "trial": lambda p: p.trial,
    "accuracy": lambda p: p.accuracy,
    "turns": lambda p: p.turns,
    "fields_available": lambda p: p.use.available,
    "fields_read": lambda p: len(p.use.counts),
    "coverage": lambda p: p.use.coverage,
    "entropy": lambda p: p.use.entropy,
    "accesses": lambda p: p.use.accesses,
    "accesses_by_sql": lambda p: p.use.by_source["sql"],
    "accesses_by_python": lambda p: p.use.by_source["python"],
    "calls": lambda p: p.use.calls,
    "calls_not_followed": lambda p: p.use.unfollowed,
    "statements_not_parsed": lambda p: p.unparsed,
    "tables_read": lambda p: p.tables,
}
_REGIMES: Final[Columns[Regime]] = {
    "measure": lambda r: r.measure,
    "clustered_by": lambda r: r.clustered_by,
    "trajectories": lambda r: r.n,
    "clusters": lambda r: r.clusters,
    "linear": lambda r: r.linear,
    "square": lambda r: r.square,
    "low": lambda r: r.low,
    "high": lambda r: r.high,
    "p": lambda r: r.p,
    "vertex": lambda r: r.vertex,
    "x_low": lambda r: r.x_low,
    "x_high": lambda r: r.x_high,
    "vertex_is_inside": lambda r: r.is_inside,
    "p_inverted": lambda r: r.p_inverted,
    "is_balanced": lambda r: r.is_balanced,
    "warning": lambda r: r.warning,
    "why_not": lambda r: r.why_not,
}
_BINS: Final[Columns[Bin]] = {
    "measure": lambda b: b.measure,
    "low": lambda b: b.low,
    "high": lambda b: b.high,
    "trajectories": lambda b: b.n,
    "models": lambda b: b.models,
    "accuracy": lambda b: b.accuracy,
}
_STEPS: Final[Columns[Step]] = {
    "turn": lambda s: s.turn,
    "new_fields": lambda s: s.look.new_fields,
    "fields_so_far": lambda s: s.look.fields_so_far,
    "new_tables": lambda s: s.look.new_tables,
    "tables_stayed": lambda s: s.look.stayed,
    "tables_returned": lambda s: s.look.returned,
    "calls": lambda s: s.calls,
    "queries": lambda s: s.queries,
    "python": lambda s: s.python,
    "errors": lambda s: s.errors,
    "not_parsed": lambda s: s.unparsed,
    # From here on: the mean over the turn's queries, or answers.
    "nodes": lambda s: _mean([c.nodes for c in s.complexities]),
    "joins": lambda s: _mean([c.joins for c in s.complexities]),
    "subqueries": lambda s: _mean([c.subqueries for c in s.complexities]),
    "ctes": lambda s: _mean([c.ctes for c in s.complexities]),
    "aggregates": lambda s: _mean([c.aggregates for c in s.complexities]),
    "windows": lambda s: _mean([c.windows for c in s.complexities]),
    "rows": lambda s: _mean(s.rows),
    "characters": lambda s: _mean(s.characters),
    "own_tokens": lambda s: s.tokens.own,
    "tool_tokens": lambda s: s.tokens.tools,
    "prompt_tokens": lambda s: s.tokens.prompts,
}
_CHANGES: Final[Columns[Change]] = {
    "quantity": lambda c: c.quantity,
    "first": lambda c: c.first,
    "middle": lambda c: c.middle,
    "last": lambda c: c.last,
    "change_is": lambda c: c.kind,
    "change": lambda c: c.change,
    "low": lambda c: c.low,
    "high": lambda c: c.high,
    "p": lambda c: c.p,
    "fell": lambda c: c.fell,
    "rose": lambda c: c.rose,
    "trajectories": lambda c: c.trajectories,
    "clusters": lambda c: c.clusters,
}


def tables(found: Exploration) -> list[Table]:
    """Every table, each under its own name."""
    return [
        _made("trajectories", _POINTS, found.points),
        _made("regime", _REGIMES, found.regimes),
        _made("bins", _BINS, found.bins),
        field_table(found),
        turn_table(found),
        change_table(found),
    ]


def field_table(found: Exploration) -> Table:
    """One row per group and column, unread ones included; a fact is a row of its own once it is read."""
    rows: list[tuple[Cell, ...]] = []
    for group in found.groups:
        for block in group.heat.tables:
            rows += [
                (
                    group.name,
                    block.name,
                    c.name,
                    None,
                    c.is_key,
                    c.read_by,
                    c.of,
                    c.share,
                    c.accesses,
                )
                for c in block.columns
            ]
        rows += _facts(group, found)
    names = ("group", "table", "column", "fact", "is_key", "read_by", "of", "share", "accesses")
    return table("fields", names, rows)


def turn_table(found: Exploration) -> Table:
    """One row per turn of each trajectory."""
    rows = [
        (group.name, name, *(of(step) for of in _STEPS.values()))
        for group in found.groups
        for name, steps in group.steps.items()
        for step in steps
    ]
    return table("turns", ("group", "trajectory_id", *_STEPS), rows)


def change_table(found: Exploration) -> Table:
    """One row per group and quantity: its first third against its last."""
    rows = [
        (group.name, *(of(change) for of in _CHANGES.values()))
        for group in found.groups
        for change in group.changes
    ]
    return table("thirds", ("group", *_CHANGES), rows)


def _made(name: str, columns: Columns[Row], rows: Sequence[Row]) -> Table:
    return table(name, tuple(columns), [[of(row) for of in columns.values()] for row in rows])


def _facts(group: Explored, found: Exploration) -> list[tuple[Cell, ...]]:
    reach = {block.name: block.of for block in group.heat.tables}
    read: dict[str, list[int]] = {}
    for point in group.points:
        for name, count in point.use.counts.items():
            if found.fields.by_name[name].fact is not None:
                read.setdefault(name, []).append(count)
    rows: list[tuple[Cell, ...]] = []
    for name, counts in sorted(read.items()):
        fact = found.fields.by_name[name]
        of, n = reach[fact.table], len(counts)
        rows.append(
            (group.name, fact.table, fact.column, fact.fact, False, n, of, n / of, sum(counts))
        )
    return rows


def _mean(parts: Sequence[int]) -> float | None:
    return fmean(parts) if parts else None
