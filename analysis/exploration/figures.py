"""The figures of an exploration: trajectories as points, and their course over turns."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING, Any, Final, Literal

from analysis.drawing import INK, SOFT, Form, end_labels, fitted, look, saved, sheet
from analysis.exploration import course
from analysis.exploration.explored import Exploration, Explored, Point
from analysis.exploration.heat_figure import MAP, draw_heat

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap

Name = Literal["points", "heat", "turns"]
NAMES: Final[tuple[Name, Name, Name]] = ("points", "heat", "turns")

_PALE: Final = 0.15
"""Where the scale of accuracy begins in the map: an accuracy of 0 is not taken for an unknown one."""
_ACROSS: Final = 3
_TURNS_ACROSS: Final = 4
_NARROWEST: Final = 0.2
"""Of what is shown of an axis, however close the points lie: no small difference looks great."""
_LABELLED: Final = 5
"""Groups that are named at the ends of their lines; more are named below the figure."""


def draw(found: Exploration, name: Name, form: Form) -> bytes:
    """The file's bytes."""
    if name == "points":
        return draw_points(found, form)
    return draw_heat(found.heat, form) if name == "heat" else draw_turns(found, form)


def draw_points(found: Exploration, form: Form) -> bytes:
    """Entropy over coverage, a point per trajectory, dark where accuracy is high; a panel per group.

    A hollow point has no accuracy. A frame round it: a statement could not be followed, and its
    coverage is a lower bound.
    """
    groups = found.groups
    across = 2 if len(groups) == 4 else min(len(groups), _ACROSS)
    down = ceil(len(groups) / across)
    width = 5.6 if across == 1 else 3.0 * across + 0.9
    with sheet(
        across,
        down,
        width=width,
        height=4.0 if across == 1 else 2.6 * down + 0.9,
        sharex=True,
        sharey=True,
    ) as (figure, axes):
        shade: Any = None
        for place, ax in enumerate(axes):
            if place >= len(groups):
                ax.set_visible(False)
                continue
            shade = _scatter(ax, groups[place].points) or shade
            ax.set_title(
                fitted(groups[place].name, 4.0 if across == 1 else 2.6, 10), color=INK, fontsize=10
            )
            # Where no panel stands below, this is the column's last.
            ax.xaxis.set_tick_params(labelbottom=place + across >= len(groups))
        _limits(axes[0], found.points)
        figure.supxlabel(
            f"Coverage: fields read / {len(found.fields)} fields"
            + (", keys left out" if found.without_keys else ""),
            fontsize=10,
            color=SOFT,
        )
        figure.supylabel("Normalised entropy of accesses", fontsize=10, color=SOFT)
        if remark := _remark(found.points):
            figure.suptitle(remark, x=0.01, ha="left", fontsize=9, color=SOFT)
        if shade is not None:
            bar = figure.colorbar(shade, ax=axes, shrink=0.8, pad=0.02)
            bar.set_label("Accuracy of its insights", color=SOFT)
            bar.outline.set_visible(False)
        return saved(figure, form)


def _scatter(ax: Axes, points: Sequence[Point]) -> Any:
    """What the colour bar is made of; None without a coloured point."""
    placed = [
        (point, point.use.coverage, point.use.entropy)
        for point in points
        if point.use.coverage is not None and point.use.entropy is not None
    ]
    known = [(p.accuracy, x, y) for p, x, y in placed if p.accuracy is not None]
    hollow = [each for each in placed if each[0].accuracy is None]
    framed = [each for each in placed if not each[0].is_followed]
    ax.scatter(
        [x for _, x, _ in hollow],
        [y for _, _, y in hollow],
        s=42,
        facecolors="none",
        edgecolors=INK,
        linewidths=0.9,
    )
    shade = None
    if known:
        shade = ax.scatter(
            [x for _, x, _ in known],
            [y for _, _, y in known],
            c=[accuracy for accuracy, _, _ in known],
            cmap=_scale(),
            vmin=0,
            vmax=1,
            s=42,
            edgecolors=INK,
            linewidths=0.6,
        )
    ax.scatter(
        [x for _, x, _ in framed],
        [y for _, _, y in framed],
        marker="s",
        s=120,
        facecolors="none",
        edgecolors=INK,
        linewidths=0.9,
    )
    if not placed:
        ax.text(0.5, 0.5, "nothing was read", transform=ax.transAxes, ha="center", color=SOFT)
    return shade


def _scale() -> Colormap:
    """One hue from pale to dark, so that a print in grey keeps the order."""
    import matplotlib as mpl
    from matplotlib.colors import ListedColormap

    steps = (_PALE + (1 - _PALE) * k / 255 for k in range(256))
    return ListedColormap([mpl.colormaps[MAP](step) for step in steps])


def _remark(points: Sequence[Point]) -> str:
    """What the marks mean that are there."""
    placed = [point for point in points if point.use.entropy is not None]
    nowhere = len(points) - len(placed)
    said = [
        "hollow: no accuracy" if any(p.accuracy is None for p in placed) else "",
        "" if all(p.is_followed for p in placed) else "framed: not all that it read is known",
        f"not drawn: {nowhere} that read nothing" if nowhere and placed else "",
    ]
    return "; ".join(filter(None, said))


def _limits(ax: Axes, points: Sequence[Point]) -> None:
    """The whole of 0 to 1 where the points need it, else the part that they lie in."""
    xs = [p.use.coverage for p in points if p.use.coverage is not None and p.use.counts]
    ys = [p.use.entropy for p in points if p.use.entropy is not None]
    for values, limit, ticks in (
        (xs, ax.set_xlim, ax.set_xticks),
        (ys, ax.set_ylim, ax.set_yticks),
    ):
        low, high = (min(values), max(values)) if values else (0.0, 1.0)
        room = max(0.1 * (high - low), (_NARROWEST - (high - low)) / 2)
        low, high = max(low - room, 0.0), min(high + room, 1.0)
        step = 0.2 if high - low > 0.5 else 0.1 if high - low > 0.25 else 0.05
        first = ceil(round(low / step, 6))
        ticks([step * k for k in range(first, int(high / step + 1e-6) + 1)])
        # Room for the whole of a point that lies on the edge.
        limit(low - 0.04 * (high - low), high + 0.04 * (high - low))


def draw_turns(found: Exploration, form: Form) -> bytes:
    """Eight quantities over the tenths of trajectories: the median of each group."""
    groups = found.groups
    courses = [(group, course.course(group.steps)) for group in groups]
    named_below = len(groups) > _LABELLED
    with sheet(_TURNS_ACROSS, 2, width=12.6, height=5.2 + 0.22 * named_below) as (figure, axes):
        for place, (ax, quantity) in enumerate(zip(axes, course.QUANTITIES, strict=True)):
            ends = _lines(ax, quantity.name, courses)
            ax.set_title(quantity.title, color=INK, fontsize=10)
            ax.set_xlim(0, 100)
            ax.set_ylim(bottom=0)
            ax.set_xticks([0, 50, 100])
            # Once a row: colour and line say the same to its left.
            if place % _TURNS_ACROSS == _TURNS_ACROSS - 1 and 1 < len(groups) <= _LABELLED:
                end_labels(ax, ends, gap=0.09)
            if place >= _TURNS_ACROSS:
                ax.set_xlabel("Share of the trajectory's turns, %")
        if named_below:
            handles, names = axes[0].get_legend_handles_labels()
            figure.legend(handles, names, loc="outside lower center", ncols=4, fontsize=8)
        elif len(groups) == 1:
            n = len(groups[0].points)
            figure.suptitle(
                f"{fitted(groups[0].name, 8.0, 11)}: median of {n} {'trajectory' if n == 1 else 'trajectories'}",
                x=0.01,
                ha="left",
                fontsize=11,
            )
        return saved(figure, form)


def _lines(
    ax: Axes, name: str, courses: Sequence[tuple[Explored, Sequence[course.CoursePoint]]]
) -> list[tuple[float, float, str, str]]:
    ends = []
    for place, (group, points) in enumerate(courses):
        mine = [p for p in points if p.quantity == name and p.value is not None]
        if not mine:
            continue
        own = look(place)
        xs = [100 * (p.part - 0.5) / course.PARTS for p in mine]
        ys = [p.value or 0.0 for p in mine]
        ax.plot(xs, ys, color=own.colour, linestyle=own.line, label=fitted(group.name, 2.3, 8))
        ends.append((102.0, ys[-1], fitted(group.name, 1.6, 9), own.colour))
    if not ends:
        ax.text(0.5, 0.5, "not reported", transform=ax.transAxes, ha="center", color=SOFT)
        ax.set_yticks([])
    return ends
