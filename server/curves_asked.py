"""What `ddr curves` is asked for, and all that it shows of one run or several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

from analysis.area import check_range, common_range
from analysis.axes import AXES, Axis
from analysis.curve_drawing import Budget, Mark, draw_curves
from analysis.curve_tables import tables
from analysis.curves import Curves, read_off
from analysis.drawing import Form
from analysis.growth import Find
from analysis.marginal import budgets as budgets_of
from analysis.table import Table, table
from core.errors import UnknownNameError, UsageError
from core.evaluation import LEVELS, Level
from core.run import RunSpec
from evaluator.asking import Protocol
from evaluator.comparable import Differences, basis, differences
from server import judges
from server.curves import RunCurves, of_side, sides
from server.diffing import Side
from server.reruns import Rerun, is_rerun, limit_of, reruns
from server.settings import Settings
from server.spending import Spending, spent
from server.store import Repository


@dataclass(frozen=True)
class Asked:
    """The options."""

    axis: Axis = "turn"
    level: Level = "message"
    protocol: Protocol | None = None
    at: tuple[float, ...] | None = None
    over: tuple[float, float] | None = None
    evaluations: tuple[str, ...] = ()
    although_different: bool = False
    checklist: str | None = None
    found: Mapping[str, Sequence[Find]] | None = None
    """By run: finds in place of the evaluation's own."""


@dataclass(frozen=True)
class Shown:
    """What was found."""

    axis: Axis
    runs: tuple[RunCurves, ...]
    """Those that have a curve of their own."""
    curves: tuple[Curves, ...]
    """Of each of them."""
    reruns: tuple[Rerun, ...]
    differences: Differences
    roles: Mapping[str, Mapping[str, Spending]]
    """By run: what each role took; the agent's alone is on the axis."""

    def draw(self, form: Form) -> bytes:
        """The figure."""
        names = {each.spec.id: each.name for each in self.runs}
        marks = [
            Mark(names[r.beside], r.limit, r.real, r.announced)
            for r in self.reruns
            if r.beside in names
        ]
        budgets = [
            Budget(each.name, limit, each.spec.announced_budget)
            for each in self.runs
            if (limit := limit_of(each.spec, self.axis)) is not None
        ]
        return draw_curves(self.curves, self.axis, form, marks=marks, budgets=budgets)


def chosen(
    asked: Asked, specs: Sequence[RunSpec], beside: Sequence[RunSpec], store: Repository
) -> tuple[Side, ...]:
    """The evaluation that speaks for each run, `specs` first.

    Raises UsageError where they rest on different things, unless that is wanted, for a run that is not
    scored, and for one in `beside` that is no rerun.
    """
    every = sides([*specs, *beside], store, asked.evaluations)
    told = compared(asked, every, specs, beside)
    told.refuse("one figure", although_different=asked.although_different)
    return every


def compared(
    asked: Asked, every: Sequence[Side], specs: Sequence[RunSpec], beside: Sequence[RunSpec]
) -> Differences:
    """In what they differ.

    That a rerun has a limit, or was told of it, is what it is for: its judging alone must be alike.
    """
    explored = [*specs, *(_longer(each, specs, asked.axis) for each in beside)]
    return differences(
        [
            basis(side.name, as_if, side.evaluation)
            for side, as_if in zip(every, explored, strict=True)
        ]
    )


def take(
    asked: Asked,
    specs: Sequence[RunSpec],
    beside: Sequence[RunSpec],
    store: Repository,
    settings: Settings,
) -> Shown:
    """The curves of `specs`; `beside` are real runs of one of them under a limit.

    Raises UsageError where they rest on different things, unless that is wanted, for a run that is not
    scored, and for one in `beside` that is no rerun; ChecklistError.
    """
    every = chosen(asked, specs, beside, store)
    own = [
        of_side(
            side,
            store,
            settings,
            axes=(asked.axis,),
            level=asked.level,
            protocol=asked.protocol,
            checklist=asked.checklist,
            found=(asked.found or {}).get(side.spec.id),
        )
        for side in every
    ]
    drawn = own[: len(specs)]
    grown = [each.growths[asked.axis] for each in drawn]
    over = asked.over or common_range(grown)
    return Shown(
        axis=asked.axis,
        runs=tuple(drawn),
        curves=tuple(
            read_off(
                growth,
                each.spec.id,
                over=over,
                at=asked.at or budgets_of(growth, ddr=each.dating == "last"),
                seed=each.spec.seed,
            )
            for each, growth in zip(drawn, grown, strict=True)
        ),
        reruns=reruns(own, asked.axis),
        differences=compared(asked, every, specs, beside),
        roles={each.spec.id: roles(each, store) for each in drawn},
    )


def _longer(short: RunSpec, specs: Sequence[RunSpec], axis: Axis) -> RunSpec:
    """The run that it is again under a lower limit. Raises UsageError where it is none's."""
    for long in specs:
        if is_rerun(short, long, axis):
            return long
    raise UsageError(
        f"--rerun {short.id}: it is not one of these runs again under a lower limit on {axis} (same "
        "scenario, agent, model and rules; see `limits` of both)"
    )


def roles(found: RunCurves, store: Repository) -> dict[str, Spending]:
    """What each role took: exploring, over all attempts, and judging, in this evaluation."""
    calls = store.calls(found.spec.id)
    for verdict in store.verdicts(found.evaluation.id):
        calls += verdict.calls
    named = dict.fromkeys(call.role for call in calls)
    return {role: spent(call for call in calls if call.role == role) for role in named}


def tables_of(found: Shown) -> list[Table]:
    """Those of the curves, and one of the real runs beside them."""
    columns = ("run", "beside", "axis", "limit", "announced", "entities", "accuracy", "threshold")
    rows = [
        (
            *(r.run_id, r.beside, found.axis, r.limit, r.announced, r.entities),
            *(r.real, r.threshold, r.low, r.high),
        )
        for r in found.reruns
    ]
    beside = table("reruns", (*columns, "difference_low", "difference_high"), rows)
    return [*tables(found.curves), beside]


def nothing(found: Shown) -> str:
    """Why there is no curve on this axis."""
    reasons = {
        f"{each.name}: {reason} ({count} of its trajectories)": None
        for each in found.curves
        for reason, count in each.growth.left_out.items()
    }
    told = "; ".join(reasons) or "nothing was explored"
    return f"no curve along {found.axis}: {told}. By turn there always is one: --axis turn"


def axis_of(text: str) -> Axis:
    """Raises UnknownNameError."""
    known: dict[str, Axis] = {name: name for name in AXES}
    if text not in known:
        raise UnknownNameError("axis", text, known)
    return known[text]


def level_of(text: str) -> Level:
    """Raises UnknownNameError."""
    known: dict[str, Level] = {name: name for name in LEVELS}
    if text not in known:
        raise UnknownNameError("level", text, known)
    return known[text]


def protocol_of(text: str | None) -> Protocol | None:
    """Raises UnknownNameError."""
    return judges.protocol_of(text)


def places_of(text: str) -> tuple[float, ...]:
    """'5,10,20' in rising order. Raises UsageError."""
    places = sorted({_number(part, f"--at {text}") for part in text.split(",") if part.strip()})
    if not places or places[0] < 0:
        raise UsageError(f"--at {text}: give numbers, as 5,10,20")
    return tuple(places)


def range_of(text: str) -> tuple[float, float]:
    """'0.01:2'. Raises UsageError."""
    low, colon, high = text.partition(":")
    if not colon:
        raise UsageError(f"--range {text}: give two numbers, as 0.01:2")
    return check_range(_number(low, f"--range {text}"), _number(high, f"--range {text}"))


def _number(text: str, where: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not isfinite(number):
        raise UsageError(f"{where}: {text.strip()!r} is no number")
    return number
