"""Draw the leaderboard: each competitor's accuracy with its interval, baselines as lines; models by size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from analysis.drawing import SOFT, Form, fit, look, saved, sheet
from analysis.facets import SIZES, Facets
from core.evaluation import Level

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LEVELS: Final[dict[Level, str]] = {"message": "turn by turn", "trajectory": "final report"}
Mark = tuple[float, float, str]
_WIDE: Final = 0.3
_HIGH: Final = 0.04
"""The room of a name, as shares of a panel's width and height."""
_APART: Final = 1.12
_NAME: Final = 34
"""Characters of a name."""
_WORDS: Final = {
    "total_b": "parameters, 10^9",
    "active_b": "active parameters, 10^9",
    "context_tokens": "context, tokens",
}


@dataclass(frozen=True)
class Bar:
    """A share in [0, 1] with its interval."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Panel:
    """One scenario's ranked rows."""

    title: str
    rows: Sequence[tuple[str, Mapping[Level, Bar]]]
    """The best first."""
    lines: Mapping[str, float]
    """Baselines of the final report, by name."""


def draw(panels: Sequence[Panel], form: Form) -> bytes:
    """A panel per scenario, one above the other: a row per competitor, a mark per level."""
    height = sum(0.9 + 0.34 * len(panel.rows) for panel in panels) or 2.0
    with sheet(1, max(len(panels), 1), width=7.2, height=max(height, 2.2)) as (drawn, axes):
        for panel, one in zip(panels, axes, strict=False):
            _panel(one, panel)
        if not panels:
            axes[0].set_title("nothing to rank yet")
            axes[0].set_axis_off()
        return saved(drawn, form)


def draw_facets(
    found: Mapping[Level, Facets], means: Mapping[Level, Mapping[str, float]], form: Form
) -> bytes:
    """A panel per level: accuracy over a size (log scale), or over groups; models named at their marks.

    `means`: level -> model -> item-averaged accuracy.
    """
    with sheet(len(found), 1, width=9.4, height=4.2, sharey=True) as (drawn, axes):
        for (level, each), one in zip(found.items(), axes, strict=True):
            one.set_title(_LEVELS[level])
            one.set_xlabel(_WORDS.get(each.attribute, each.attribute))
            if each.attribute in SIZES:
                _by_size(one, each, means[level])
            else:
                _by_group(one, each, means[level])
        axes[0].set_ylabel("accuracy, %")
        return saved(drawn, form)


def _panel(axes: Axes, panel: Panel) -> None:
    axes.set_title(fit(panel.title, 80))
    places = range(len(panel.rows), 0, -1)
    for shift, (level, words) in zip((0.14, -0.14), _LEVELS.items(), strict=True):
        style = look(1 if level == "message" else 0)
        for place, (_, bars) in zip(places, panel.rows, strict=True):
            bar = bars.get(level)
            if bar is None:
                continue
            if bar.low is not None and bar.high is not None:
                axes.plot(
                    [100 * bar.low, 100 * bar.high],
                    [place + shift] * 2,
                    color=style.colour,
                    linewidth=1.4,
                )
            axes.plot(100 * bar.value, place + shift, style.marker, color=style.colour, label=words)
            if place == len(panel.rows):
                # Direct labels, at the first row's marks.
                axes.annotate(
                    words,
                    (100 * bar.value, place + shift),
                    xytext=(0, 7 if shift > 0 else -14),
                    textcoords="offset points",
                    ha="center",
                    fontsize=8,
                    color=style.colour,
                )
    for number, (name, value) in enumerate(sorted(panel.lines.items(), key=lambda e: e[1])):
        axes.axvline(100 * value, color=SOFT, linewidth=0.9, linestyle=look(number).line)
        axes.annotate(
            fit(name, 20),
            (100 * value, 0.45),
            xytext=(2, 0),
            textcoords="offset points",
            rotation=90,
            va="bottom",
            fontsize=7,
            color=SOFT,
        )
    axes.set_yticks(list(places), [fit(name, _NAME) for name, _ in panel.rows])
    axes.set_ylim(0.4, len(panel.rows) + 0.75)
    axes.set_xlim(left=min(0.0, axes.get_xlim()[0]))
    axes.set_xlabel("accuracy, % (95 % interval, clustered by entity)")


def _by_size(axes: Axes, found: Facets, means: Mapping[str, float]) -> None:
    """Lines join models that are alike in the rest, each with the next larger one."""
    marks: list[Mark] = []
    at: dict[str, tuple[float, float]] = {}
    for place, facet in enumerate(found.groups):
        for name in facet.models:
            if name in means:
                at[name] = (float(facet.value), 100 * means[name])
                axes.plot(*at[name], look(place).marker, color=look(place).colour)
                marks.append((*at[name], name))
    nearest: dict[str, str] = {}
    for contrast in found.contrasts:
        held = nearest.get(contrast.other)
        if held is None or float(contrast.one_value) < at.get(held, (float("inf"), 0.0))[0]:
            nearest[contrast.other] = contrast.one
    for other, one in nearest.items():
        if other in at and one in at:
            (x, y), (further, higher) = at[other], at[one]
            axes.plot([x, further], [y, higher], color=SOFT, linewidth=0.8, zorder=0)
    values = [float(facet.value) for facet in found.groups]
    axes.set_xscale("log")
    shown = [
        # Two that are nearly the same would stand on one another.
        "" if place and value < _APART * values[place - 1] else f"{value:,g}"
        for place, value in enumerate(values)
    ]
    axes.set_xticks(values, shown, rotation=45, fontsize=8)
    axes.minorticks_off()
    if values:
        axes.set_xlim(min(values) / 1.25, max(values) * (max(values) / min(values)) ** 0.4 * 1.3)
    _name(axes, marks)


def _by_group(axes: Axes, found: Facets, means: Mapping[str, float]) -> None:
    marks: list[Mark] = []
    for place, facet in enumerate(found.groups):
        for name in facet.models:
            if name in means:
                axes.plot(place, 100 * means[name], look(place).marker, color=look(place).colour)
                marks.append((float(place), 100 * means[name], name))
    named = [fit(str(each.value), 18) for each in found.groups]
    axes.set_xticks(range(len(named)), named, rotation=30, ha="right", fontsize=8)
    axes.set_xlim(-0.5, len(named) - 0.2)
    _name(axes, marks)


def _name(axes: Axes, marks: Sequence[Mark]) -> None:
    """Names beside marks; those that would lie on one another are moved apart."""
    low, high = axes.get_ylim()
    left, right = axes.transData.transform([(x, low) for x in axes.get_xlim()])[:, 0]
    placed: list[tuple[float, float]] = []
    for x, y, name in sorted(marks, key=lambda mark: mark[1]):
        across = (axes.transData.transform((x, y))[0] - left) / (right - left)
        up = (y - low) / (high - low)
        while any(abs(across - a) < _WIDE and abs(up - u) < _HIGH for a, u in placed):
            up += _HIGH / 4
        placed.append((across, up))
        axes.annotate(
            "   " + fit(name.rpartition("/")[2], 22),
            (x, y),
            xytext=(x, low + up * (high - low)),
            xycoords="data",
            textcoords="data",
            fontsize=7,
            color=SOFT,
            va="center",
            annotation_clip=False,
        )
