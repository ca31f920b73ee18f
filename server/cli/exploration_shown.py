"""Show where agents looked, for people and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

from core.wording import counted
from server.cli.output import one_line

if TYPE_CHECKING:
    from analysis.exploration.explored import Exploration, Explored
    from analysis.exploration.heat import SchemaHeat
    from analysis.exploration.regime import Regime
    from analysis.exploration.thirds import Change
    from analysis.table import Table
    from server.cli.output import Output
    from server.exploration import Found

_LISTED: Final = 12
"""Names of what nobody read that are listed for people."""


def as_json(found: Found, tables: Sequence[Table]) -> dict[str, Any]:
    """The exploration for --json: its tables, and what is read off them."""
    explored = found.exploration
    return {
        "evaluations": [each.id if each else None for each in found.evaluations],
        "not_comparable": [str(each) for each in found.different],
        "recovered": list(found.recovered),
        "left_out": found.left_out,
        "fields": len(explored.fields),
        "without_keys": explored.without_keys,
        "not_followed": [point.trajectory_id for point in explored.unfollowed],
        "never_read": {
            "tables": list(explored.heat.unread_tables),
            "columns": [list(each) for each in explored.heat.unread_columns],
            "facts": [
                {"table": table, "column": column, "unread": unread, "of": of}
                for table, column, unread, of in explored.heat.unread_facts
            ],
        },
        "endings": {
            group.name: {
                "few": group.ending.few,
                "complex": group.ending.complex,
                "small": group.ending.small,
                "all": group.ending.all,
            }
            for group in explored.groups
        },
        "heat": explored.heat.model_dump(mode="json"),
        **{
            each.name: [dict(zip(each.columns, row, strict=True)) for row in each.rows]
            for each in tables
            if each.name not in ("turns", "fields")
        },
    }


def show(found: Found, out: Output) -> None:
    """All that a person wants to know at first."""
    explored = found.exploration
    keys = ", keys left out" if explored.without_keys else ""
    out.say(
        f"{counted(len(explored.fields), 'field')} in "
        f"{counted(len(explored.fields.tables), 'table')}{keys}"
    )
    for each in found.different:
        out.say(f"NOT COMPARABLE, their accuracies rest on different things: {each}")
    if found.recovered:
        out.say(
            f"explored by another program, fields worked out from its SQL: "
            f"{', '.join(found.recovered)}"
        )
    if found.left_out:
        out.say(f"left out, not ended or ended by no fault of the agent: {found.left_out}")
    if not explored.points:
        out.say("there is no trajectory to tell of")
        return
    _groups(explored, out)
    if explored.unfollowed:
        out.say(
            f"{len(explored.unfollowed)} of {counted(len(explored.points), 'trajectory')} ran what could "
            "not be followed: they may have read more, and are left out of the tests of accuracy"
        )
    _never(explored.heat, out)
    _regimes(explored, out)
    for group in explored.groups:
        _ending(group, out)


def _groups(explored: Exploration, out: Output) -> None:
    heads = ["whose", ">n", ">accuracy", ">coverage", ">entropy", ">tables", ">Python"]
    out.table(heads, [_group_row(group) for group in explored.groups])
    out.say(
        "n: trajectories; coverage, entropy: mean and range; tables: mean; Python: share of accesses "
        "through it, the rest through SQL"
    )


def _group_row(group: Explored) -> list[str]:
    points = group.points
    uses = [point.use for point in points]
    accesses = sum(use.accesses for use in uses)
    python = sum(use.by_source["python"] for use in uses)
    known = [p.accuracy for p in points if p.accuracy is not None]
    return [
        group.name,
        str(len(points)),
        f"{fmean(known):.3f}" if known else "",
        _spread([use.coverage for use in uses]),
        _spread([use.entropy for use in uses]),
        f"{fmean(point.tables for point in points):.1f}" if points else "",
        f"{python / accesses:.0%}" if accesses else "",
    ]


def _spread(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    if not known:
        return "unknown"
    return f"{fmean(known):.2f} ({min(known):.2f}-{max(known):.2f})"


def _never(heat: SchemaHeat, out: Output) -> None:
    tables, columns, facts = heat.unread_tables, heat.unread_columns, heat.unread_facts
    if not tables and not columns and not facts:
        out.say("\nnever read: nothing; each field was read by a trajectory at least")
        return
    out.say("\nnever read, by any trajectory:")
    if tables:
        out.say(f"  {counted(len(tables), 'table')}: {_some(tables)}")
    if columns:
        names = [f"{table}.{column}" for table, column in columns]
        out.say(f"  {counted(len(names), 'column')} of other tables: {_some(names)}")
    for table, column, unread, of in facts:
        name = _some([f"{table}.{column}"])
        out.say(f"  {unread} of {counted(of, 'fact')} in {name}, which nobody asked for by name")


def _some(names: Sequence[str]) -> str:

    more = len(names) - _LISTED
    listed = ", ".join(one_line(name) for name in names[:_LISTED])
    return f"{listed} and {more} more" if more > 0 else listed


def _regimes(explored: Exploration, out: Output) -> None:
    if not explored.regimes:
        out.say("\nno accuracy is known, so whether a middle coverage does best cannot be told")
        return
    out.say("\nis accuracy highest in the middle? accuracy on x and x squared:")
    told = [each for each in explored.regimes if each.square is not None]
    if told:
        heads = ["x", "errors by", ">square", ">95 %", ">p", ">turns at", ">p hill", "hill"]
        out.table(heads, [_regime_row(each) for each in told])
        out.say(
            "hill: it rises at the lowest x and falls at the highest; p hill: of the weaker of both"
        )
    for each in explored.regimes:
        if each.why_not:
            out.say(f"{each.measure}, clustered by {each.clustered_by}: {each.why_not}")
    for warning in dict.fromkeys(each.warning for each in explored.regimes if each.warning):
        out.say(f"warning: {warning}")
    heads = ["x", ">from", ">to", ">n", ">models", ">accuracy"]
    out.table(
        heads,
        [
            [
                b.measure,
                f"{b.low:.3f}",
                f"{b.high:.3f}",
                str(b.n),
                str(b.models),
                f"{b.accuracy:.3f}",
            ]
            for b in explored.bins
        ],
    )


def _regime_row(each: Regime) -> list[str]:
    says = {True: "yes", False: "no sign", None: "unknown"}[each.is_balanced]
    inside = "" if each.is_inside is not False else " (outside)"
    return [
        each.measure,
        f"{each.clustered_by} ({each.clusters})",
        _number(each.square),
        ""
        if each.low is None or each.high is None
        else f"{_short(each.low)} to {_short(each.high)}",
        _p(each.p),
        "" if each.vertex is None else f"{each.vertex:.2f}{inside}",
        _p(each.p_inverted),
        says,
    ]


def _ending(group: Explored, out: Output) -> None:
    paired = max((change.trajectories for change in group.changes), default=0)
    if not paired:
        out.say(
            f"\n{one_line(group.name)}: no trajectory has three turns with a call, so thirds tell nothing"
        )
        return
    out.say(
        f"\n{one_line(group.name)}: first third against last, over {counted(paired, 'trajectory')}"
    )
    heads = ["what", ">first", ">last", ">change", ">95 %", ">p", ">down/up"]
    out.table(heads, [_change_row(change) for change in group.changes if change.trajectories])
    end = group.ending
    parts = [
        f"{name}: {_yes(holds)}"
        for name, holds in (
            ("few", end.few),
            ("complex", end.complex),
            ("small answers", end.small),
        )
    ]
    out.say(
        f"ends in few, complex queries with small answers: {_yes(end.all)} ({', '.join(parts)})"
    )


def _change_row(change: Change) -> list[str]:
    by = "x" if change.kind == "ratio" else ""
    low, high = change.low, change.high
    return [
        change.quantity.replace("_per_", "/").replace("_", " "),
        _number(change.first),
        _number(change.last),
        "" if change.change is None else f"{by}{_short(change.change)}",
        "" if low is None or high is None else f"{_short(low)} to {_short(high)}",
        _p(change.p),
        f"{change.fell}/{change.rose}",
    ]


def _yes(holds: bool | None) -> str:
    return {True: "yes", False: "not shown", None: "cannot be told"}[holds]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"


def _short(value: float) -> str:
    """Two digits, or all that stand before the point."""
    return f"{value:.0f}" if abs(value) >= 10 else f"{value:.2g}"


def _p(value: float | None) -> str:
    if value is None:
        return ""
    return "<0.001" if value < 0.001 else f"{value:.3f}"
