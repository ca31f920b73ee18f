"""How trajectories ended, drawn: their turns, how likely the finish was, what came after it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Final

from analysis.drawing import INK, SOFT, Form, Look, fit, look, saved, sheet
from analysis.stopping import Ending, Stopping, histogram
from analysis.stopping_gain import Gain
from analysis.stopping_tokens import Point

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SHOWN: Final[tuple[tuple[Ending, str], ...]] = (
    ("own", "ended by themselves"),
    ("forced", "ended by a limit"),
)
_WIDTH: Final = 7.2
_NARROW: Final = 4.6
"""Inches of a panel that stands beside others."""
_LONGEST_NAME: Final = 48


@dataclass(frozen=True)
class Picture:
    """What is drawn of one run."""

    name: str
    stopping: Stopping
    points: tuple[Point, ...] = ()
    """Log-probability of the finish after each number of turns."""
    gain: Gain | None = None


def draw(runs: Sequence[Picture], form: Form) -> bytes:
    """A row for each run: a histogram of turns; beside it, where they are known, how likely the finish
    was after each turn, and what was gained after it."""
    counts = [stop.turns for run in runs for stop in run.stopping.stops]
    bins = histogram(counts)
    panels: list[Callable[[Axes, Picture, Look], None]] = [
        lambda axes, run, style: _turns(axes, run, style, bins)
    ]
    panels += [_finish] if any(run.points for run in runs) else []
    panels += [_gained] if any(run.gain and run.gain.points for run in runs) else []
    width = _WIDTH if len(panels) == 1 else _NARROW * len(panels)
    rows = max(1, len(runs))
    with sheet(len(panels), rows, width=width, height=1.2 + 1.8 * rows, sharex="col") as (
        figure,
        axes,
    ):
        for place, run in enumerate(runs):
            for column, panel in enumerate(panels):
                panel(axes[place * len(panels) + column], run, look(place))
        return saved(figure, form)


def _turns(axes: Axes, run: Picture, style: Look, bins: Sequence[tuple[int, int, int]]) -> None:
    from matplotlib.ticker import MaxNLocator

    bottom = [0] * len(bins)
    for ending, label in _SHOWN:
        stops = [stop.turns for stop in run.stopping.of(ending)]
        if not stops:
            continue
        heights = [sum(first <= max(1, n) <= last for n in stops) for first, last, _ in bins]
        axes.bar(
            [first - 0.5 for first, _, _ in bins],
            heights,
            width=[last - first + 1 for first, last, _ in bins],
            bottom=bottom,
            align="edge",
            color=style.colour if ending == "own" else "white",
            edgecolor="white" if ending == "own" else SOFT,
            hatch=None if ending == "own" else "////",
            label=f"{label} ({len(stops)})",
            zorder=2,
        )
        bottom = [low + up for low, up in zip(bottom, heights, strict=True)]
    axes.set_title(fit(run.name, _LONGEST_NAME))
    axes.set_xlabel("turns")
    axes.set_ylabel("trajectories")
    axes.set_ylim(0, 1.3 * max(1, *bottom, 1))  # room for names above the bars
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    if axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize=8)
    if (turns := run.stopping.turns("own")) is not None:
        axes.axvline(turns.median, color=INK, linewidth=1, linestyle="--", zorder=5)
        axes.annotate(
            f"median {turns.median:g}",
            (turns.median, axes.get_ylim()[1]),
            xytext=(3, -2),
            textcoords="offset points",
            va="top",
            fontsize=8,
        )


def _finish(axes: Axes, run: Picture, style: Look) -> None:
    _named(axes, "how likely the finish was", "after so many turns", "mean log-probability")
    band = [
        (point.turn, point.logprob.mean - spread, point.logprob.mean + spread)
        for point in run.points
        if (spread := _deviation(point)) is not None
    ]
    ends = [(point.turn, point.logprob.mean) for point in run.points]
    _line(axes, style, ends, band, "one standard deviation")


def _gained(axes: Axes, run: Picture, style: Look) -> None:
    _named(axes, "what more turns found", "turns after the finish", "accuracy gained (%)")
    points = run.gain.points if run.gain else ()
    ends = [(point.turn, 100 * point.value) for point in points]
    band = [
        (point.turn, 100 * point.low, 100 * point.high)
        for point in points
        if point.low is not None and point.high is not None
    ]
    start = [(0, 0.0)] if points else []
    _line(axes, style, start + ends, [(0, 0.0, 0.0), *band] if band else [], "95 % interval")


def _named(axes: Axes, title: str, x: str, y: str) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.set_title(title)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))


def _line(
    axes: Axes,
    style: Look,
    points: Sequence[tuple[int, float]],
    band: Sequence[tuple[int, float, float]],
    label: str,
) -> None:
    """A line in its band; where there is none, that it was not measured."""
    if not points:
        axes.text(0.5, 0.5, "not measured", transform=axes.transAxes, ha="center", color=SOFT)
        return
    xs, ys = zip(*points, strict=True)
    axes.plot(xs, ys, color=style.colour, linestyle=style.line, marker=style.marker, markersize=3)
    if band:
        at, lows, highs = zip(*band, strict=True)
        axes.fill_between(at, lows, highs, label=label, color=style.colour, alpha=0.2, linewidth=0)
        axes.legend(fontsize=8)


def _deviation(point: Point) -> float | None:
    """None of a single trajectory."""
    variance = point.logprob.variance
    return None if variance is None else sqrt(variance)
