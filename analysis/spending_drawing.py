"""Draw what runs took: where an exploration's time goes, and how long calls of each tool take (paper Fig. A9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from analysis.drawing import INK, SOFT, Form, fit, look, saved, sheet
from analysis.spending import Costs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_PARTS: Final = (
    ("tool_s", "tools", "////"),
    ("agent_s", "the agent's model", ""),
    ("other_s", "insights and report", "...."),
)
_NAME: Final = 34


def draw(runs: Sequence[Costs], form: Form) -> bytes:
    """One above the other, a row per run in each: seconds per trajectory, and per call of a tool."""
    tools = list(dict.fromkeys(tool.tool for run in runs for tool in run.tools))
    above = 1.5 + 0.4 * max(len(runs), 1)
    below = 1.2 + 0.3 * max(sum(len(run.tools) for run in runs), 1)
    ratios = {"gridspec_kw": {"height_ratios": [above, below]}}
    with sheet(1, 2, width=8.0, height=above + below, **ratios) as (drawn, axes):
        _time(axes[0], runs)
        _latency(axes[1], runs, tools)
        return saved(drawn, form)


def _time(axes: Axes, runs: Sequence[Costs]) -> None:
    axes.set_title("Seconds of an exploration")
    places = list(range(len(runs), 0, -1))
    for place, run in zip(places, runs, strict=True):
        left = 0.0
        for number, (part, words, hatch) in enumerate(_PARTS):
            seconds = run.per_trajectory(part)
            if not seconds:
                continue
            axes.barh(
                place,
                seconds,
                left=left,
                height=0.5,
                color=look(number).colour,
                edgecolor="white",
                hatch=hatch,
            )
            if place == places[0]:
                axes.annotate(
                    words,
                    (left, place + 0.3),
                    fontsize=8,
                    color=look(number).colour,
                    va="bottom",
                    rotation=20,
                )
            left += seconds
        axes.annotate(
            f" {left:,.1f} s" if left else " not measured",
            (left, place),
            va="center",
            fontsize=8,
            color=INK,
        )
    axes.set_yticks(places, [fit(run.name, _NAME) for run in runs])
    axes.set_ylim(0.4, len(runs) + 1.1)
    axes.set_xlabel("mean over trajectories; without waiting and our own work")
    axes.margins(x=0.18)


def _latency(axes: Axes, runs: Sequence[Costs], tools: Sequence[str]) -> None:
    axes.set_title("Seconds of a call: median to 95th percentile")
    names, place = [], 0
    for tool in tools:
        for number, run in enumerate(runs):
            used = next((each for each in run.tools if each.tool == tool), None)
            if used is None or used.median_s is None or used.p95_s is None:
                continue
            place -= 1
            style = look(number)
            axes.plot(
                [used.median_s, used.p95_s], [place, place], color=style.colour, linewidth=1.4
            )
            axes.plot(used.median_s, place, style.marker, color=style.colour)
            axes.plot(used.p95_s, place, "|", color=style.colour, markersize=9)
            axes.annotate(
                f"  {used.p95_s:.3g} s", (used.p95_s, place), va="center", fontsize=7, color=SOFT
            )
            names.append(tool if len(runs) == 1 else f"{tool}, {fit(run.name, 24)}")
    axes.set_yticks(range(-1, place - 1, -1), [fit(name, 48) for name in names])
    axes.set_ylim(place - 0.7, -0.3)
    if any(line.get_xdata()[0] > 0 for line in axes.lines):  # type: ignore[index,operator]
        axes.set_xscale("log")
    axes.margins(x=0.2)
