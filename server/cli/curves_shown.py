"""Show curves: what was found by each budget, the fit, the area, what more buys, and what is left out."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Final

from core.wording import counted
from server.cli.output import one_line

if TYPE_CHECKING:
    from analysis.axes import Axis
    from analysis.curves import Curves
    from analysis.fits import Estimate
    from server.cli.output import Output
    from server.curves import RunCurves
    from server.curves_asked import Shown
    from server.reruns import Rerun


DATED: Final = {
    "first": "first supporting turn",
    "last": "last supporting turn (protocol ddr)",
    "sufficient": "first turn by which the insights suffice",
}
"""What a curve's finds are dated by."""


def show(found: Shown, out: Output) -> None:
    """All of it, run by run, then what stands beside."""
    from analysis.discovery import WARNING
    from analysis.scaling import LABEL

    for each in found.differences.forbidding:
        out.say(f"NOT COMPARABLE, shown all the same: {one_line(str(each))}")
    for each in found.differences.remarks:
        out.say(f"differs too: {one_line(str(each))}")
    for run, curves in zip(found.runs, found.curves, strict=True):
        _head(run, curves, found, out)
        if curves.curve.points:
            _budgets(curves, out)
            _fit(curves, out)
            _marginal(curves, out)
    _areas(found, out)
    _reruns(found.reruns, out)
    out.say(
        f"{LABEL}: a point says what had been found by there in runs that were not held to it; an "
        "agent that is may do otherwise"
    )
    if any(point.found is not None for each in found.curves for point in each.active):
        out.say(f"among active: {WARNING}")


def as_json(found: Shown) -> dict[str, Any]:
    """For --json."""
    from analysis.discovery import WARNING
    from analysis.marginal import PER
    from analysis.scaling import LABEL

    return {
        "axis": found.axis,
        "label": LABEL,
        "warning": WARNING,
        "marginal_per": PER[found.axis][1],
        "runs": [
            _run_json(run, curves, found)
            for run, curves in zip(found.runs, found.curves, strict=True)
        ],
        "reruns": [dataclasses.asdict(each) for each in found.reruns],
        "differences": found.differences.as_json(),
    }


def _run_json(run: RunCurves, curves: Curves, found: Shown) -> dict[str, Any]:
    from server.reruns import limit_of

    own = curves.growth
    fit = curves.fit
    return {
        "run": run.spec.id,
        "name": run.name,
        "evaluation": run.evaluation.id,
        "level": run.level,
        "dated_by": DATED[run.dating],
        "source": own.source,
        "entities": len(own.entities),
        "trajectories": len(own.explorations),
        "left_out": dict(own.left_out),
        "undated_share": own.undated_share,
        "limit": limit_of(run.spec, found.axis),
        "budget_announced": run.spec.announced_budget,
        "points": [point.model_dump() for point in curves.curve.points],
        "budgets": [point.model_dump() for point in curves.table.points],
        "active": [dataclasses.asdict(point) for point in curves.active],
        "fit": None if isinstance(fit, str) else dataclasses.asdict(fit),
        "no_fit": fit if isinstance(fit, str) else None,
        "shapes": [{**dataclasses.asdict(each), "ruling": each.ruling} for each in curves.rivals],
        "area": None if curves.area is None else dataclasses.asdict(curves.area),
        "marginal": [dataclasses.asdict(each) for each in curves.marginal],
        "roles": {role: spent.as_json() for role, spent in found.roles[run.spec.id].items()},
    }


def _head(run: RunCurves, curves: Curves, found: Shown, out: Output) -> None:
    from server.reruns import limit_of

    own, spec = curves.growth, run.spec
    out.say(
        f"{one_line(run.name)}: run {spec.id}, evaluation {run.evaluation.id} ({run.evaluation.checker}), "
        f"{_trajectories(len(own.explorations))} of {_entities(len(own.entities))}"
    )
    if run.dating != "first":
        out.say(f"a find counts from the {DATED[run.dating]}")
    if run.level == "trajectory":
        out.say("of reports: a find counts from where the exploration ended")
    limit = limit_of(spec, found.axis)
    told = "the agent was told of it" if spec.announced_budget else "the agent was not told of it"
    if limit is not None:
        out.say(f"limit of the run: {_x(limit, found.axis)}; {told}")
    elif spec.announced_budget:
        out.say("the agent was told of a budget")
    if own.source == "reported":
        out.say(
            "usage is the agent's own word, and a total alone: all that an exploration found counts "
            "from where it ended"
        )
    for reason, count in own.left_out.items():
        out.say(f"left out, not counted as 0: {_trajectories(count)}, {reason}")
    if own.undated_share:
        out.say(
            f"undated: {_percent(own.undated_share)} of items are supported by no turn in particular "
            "and are in no curve"
        )
    apart = [
        f"{role}{' (on the axis)' if role == 'agent' else ''} {spent.tokens} tokens, {spent.cost}"
        for role, spent in found.roles[spec.id].items()
    ]
    if apart:
        out.say(f"took by role, in / out: {'; '.join(apart)}")


def _budgets(curves: Curves, out: Output) -> None:
    active = {point.x: point for point in curves.active}
    axis = curves.growth.axis
    rows = []
    for point in curves.table.points:
        beside = active.get(point.x)
        rows.append(
            [
                _x(point.x, axis),
                _percent(point.value),
                _band(point.low, point.high),
                "-" if beside is None else str(beside.active),
                _percent(None if beside is None else beside.found),
                "-" if beside is None else _band(beside.low, beside.high),
            ]
        )
    heads = [f">{_title(axis)}", ">found", ">95 %", ">active", ">among active", ">95 %"]
    out.table(heads, rows)


def _fit(curves: Curves, out: Output) -> None:
    fit = curves.fit
    if isinstance(fit, str):
        out.say(f"no logistic: {fit}")
        return
    axis = curves.growth.axis
    middle = fit.midpoint
    beyond = "" if fit.is_reached else " (beyond what was explored)"
    slope = "per factor e" if fit.is_log else f"per {_title(axis)}"
    out.say(
        f"logistic: ceiling {_percent(fit.ceiling.value)}{_of(fit.ceiling, _percent)}, midpoint "
        f"{_x(middle.value, axis)}{_of(middle, lambda x: _x(x, axis))}{beyond}, slope "
        f"{fit.slope.value:.3g}{_of(fit.slope, lambda x: f'{x:.3g}')} {slope}, rmse {fit.rmse:.4f}"
    )
    if fit.no_interval:
        out.say(f"no intervals: {fit.no_interval}")
    for rival in curves.rivals:
        if rival.worse is not None:
            out.say(
                f"against {rival.name} (rmse {rival.rmse:.4f}): {rival.ruling}; squared error on "
                f"unseen entities {rival.worse.value:+.5f}{_of(rival.worse, lambda x: f'{x:+.5f}')}"
            )


def _marginal(curves: Curves, out: Output) -> None:
    from analysis.marginal import PER

    axis = curves.growth.axis
    _, per = PER[axis]
    rows = [
        [
            f"{_x(step.start, axis)} - {_x(step.stop, axis)}",
            str(step.new),
            "-" if step.value is None else f"{step.value:.3g}",
        ]
        for step in curves.marginal
    ]
    if rows:
        out.table([f">{_title(axis)}", ">new items", f">per {per}"], rows)


def _areas(found: Shown, out: Output) -> None:
    known = [each for each in found.curves if each.area is not None]
    for each in known:
        area = each.area
        assert area is not None
        out.say(
            f"area over log {_title(found.axis)}, {_x(area.start, found.axis)} to "
            f"{_x(area.stop, found.axis)}: {one_line(each.name)} {_percent(area.value)}"
            + (f" ({_band(area.low, area.high)})" if area.low is not None else "")
        )


def _reruns(reruns: tuple[Rerun, ...], out: Output) -> None:
    for each in reruns:
        told = "told of it" if each.announced else "not told of it"
        gap = each.real - each.threshold
        out.say(
            f"really held to {each.limit:g} ({told}): {each.run_id} found {_percent(each.real)}; by "
            f"there {each.beside} had found {_percent(each.threshold)}; difference "
            f"{100 * gap:+.1f} points ({_band(each.low, each.high)}), {_entities(each.entities)}"
        )


def _of(estimate: Estimate, shown: Any) -> str:
    if estimate.low is None or estimate.high is None:
        return ""
    return f" ({shown(estimate.low)} to {shown(estimate.high)})"


def _title(axis: Axis) -> str:
    from analysis.axes import TITLES

    return TITLES[axis]


def _x(value: float, axis: Axis) -> str:
    if axis == "cost_usd":
        return f"${value:.4g}"
    if axis == "seconds":
        return f"{value:,.1f} s"
    return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}%"


def _band(low: float | None, high: float | None) -> str:
    return "-" if low is None or high is None else f"{100 * low:.1f} - {100 * high:.1f}"


def _trajectories(count: int) -> str:
    return counted(count, "trajectory", "trajectories")


def _entities(count: int) -> str:
    return counted(count, "entity", "entities")
