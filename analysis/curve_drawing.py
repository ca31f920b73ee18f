"""Curves of one or several competitors in one figure for files: lines with bands and direct labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from analysis.axes import LOGARITHMIC, TITLES, Axis
from analysis.curves import Curves
from analysis.drawing import SOFT, Form, Look, end_labels, fit, look, saved, sheet
from analysis.scaling import LABEL

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROOM: Final = 1.05
"""How far the accuracy's scale goes beyond what is drawn."""
_LONGEST_NAME: Final = 28


@dataclass(frozen=True)
class Mark:
    """A real run that was held to a limit: a point beside the curve."""

    competitor: str
    x: float
    value: float
    is_announced: bool = False


@dataclass(frozen=True)
class Budget:
    """What a run that is drawn was itself held to."""

    competitor: str
    x: float
    is_announced: bool


def draw_curves(
    found: Sequence[Curves],
    axis: Axis,
    form: Form,
    *,
    marks: Sequence[Mark] = (),
    budgets: Sequence[Budget] = (),
) -> bytes:
    """The as-run curves, with a diamond for each real run of a limited budget (hollow = announced), and
    a dotted line where a run's own limit was.

    Tokens, money and seconds are on a log scale. A run without places on the axis has no line.
    """
    drawn = [each for each in found if each.curve.points]
    is_log = axis in LOGARITHMIC and all(_from(each) > 0 for each in drawn)
    with sheet(width=7.6, height=4.2) as (figure, (axes,)):
        ends: list[tuple[float, float, str, str]] = []
        reach = max((each.growth.last for each in drawn), default=1.0)
        top = max((mark.value for mark in marks), default=0.0)
        for place, each in enumerate(drawn):
            own = look(place)
            xs, values = _line(each, axes, own, reach=reach, is_log=is_log)
            top = max(
                [top, *(p.high if p.high is not None else p.value for p in each.curve.points)]
            )
            ends.append((xs[-1], values[-1], f" {fit(each.name, _LONGEST_NAME)}", own.colour))
            for mark in marks:
                if mark.competitor == each.name:
                    fill = "none" if mark.is_announced else own.colour
                    axes.plot(
                        [mark.x],
                        [mark.value],
                        "D",
                        color=own.colour,
                        markerfacecolor=fill,
                        zorder=5,
                    )
            for budget in budgets:
                if budget.competitor == each.name:
                    _budget(axes, budget, own.colour)
        if is_log:
            axes.set_xscale("log")
            axes.xaxis.set_major_formatter(lambda x, _: f"{x:,.10g}")
        axes.margins(x=0.01)
        axes.set_ylim(0, max(top * _ROOM, 0.05))
        axes.set_xlabel(f"{TITLES[axis]} of the agent alone")
        axes.set_ylabel("accuracy of message-wise insights")
        axes.yaxis.set_major_formatter(lambda share, _: f"{100 * share:.0f}%")
        end_labels(axes, ends)
        told = f"{LABEL}, mean over entities, 95 % bands" if drawn else "nothing to draw"
        axes.set_title(
            told + (", diamonds: real runs held to a limit" if marks else ""), color=SOFT
        )
        return saved(figure, form)


def _line(
    each: Curves, axes: Axes, own: Look, *, reach: float, is_log: bool
) -> tuple[list[float], list[float]]:
    """A step line from where it begins to where the longest of all ends; held after its own end."""
    points = each.curve.points
    start = _from(each) if is_log else 0.0
    xs = [start, *(p.x for p in points), reach]
    values = [0.0, *(p.value for p in points), points[-1].value]
    axes.plot(xs, values, drawstyle="steps-post", color=own.colour, linestyle=own.line, zorder=4)
    if points[0].low is not None:
        lows = [0.0, *(p.low or 0.0 for p in points), points[-1].low or 0.0]
        highs = [0.0, *(p.high or 0.0 for p in points), points[-1].high or 0.0]
        axes.fill_between(xs, lows, highs, step="post", color=own.colour, alpha=0.15, linewidth=0)
    return xs, values


def _budget(axes: Axes, budget: Budget, colour: str) -> None:
    axes.axvline(budget.x, color=colour, linestyle=":", linewidth=1, zorder=2)
    axes.annotate(
        "budget, announced" if budget.is_announced else "limit, not announced",
        (budget.x, 0.03),
        xycoords=("data", "axes fraction"),
        xytext=(-3, 0),
        textcoords="offset points",
        color=colour,
        fontsize=8,
        rotation=90,
        ha="right",
        va="bottom",
    )


def _from(each: Curves) -> float:
    firsts = [run.first for run in each.growth.explorations if run.first is not None]
    return min([*firsts, each.curve.points[0].x])
