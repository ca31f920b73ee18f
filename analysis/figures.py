"""Draw a run's small charts: direct labels, colours by CSS class, readable in grey and by ear."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from markupsafe import Markup

from analysis.svg import Point, element, figure, label, polyline
from core.evaluation import Curve, CurvePoint

BUDGETS = (5, 10, 20, 40, 80, 160, 320)
"""The turns at which a curve is read out."""
NARROW = 500
"""Below this width a chart is drawn for a phone."""

Scale = Callable[[float], float]


@dataclass(frozen=True)
class Bar:
    """One bar of a chart; all values are shares from 0 to 1."""

    label: str
    value: float | None
    low: float | None = None
    high: float | None = None
    baseline: bool = False
    is_least: bool = False
    """Too little was judged for more than a lower bound: 'at least'."""


@dataclass(frozen=True)
class BarGroup:
    """Bars under one heading."""

    title: str
    bars: tuple[Bar, ...]


def percent(value: float | None, digits: int = 1) -> str:
    """A share in per cent; a dash where there is none."""
    return "–" if value is None else f"{100 * value:.{digits}f}%"


def curve_figure(
    curve: Curve, *, name: str, stops: Sequence[int] = (), width: int = 880, height: int = 330
) -> Markup:
    """Accuracy by turn or call with its band; `stops` are where the trajectories stopped.

    The scale runs from 0 to a round value above the band. An empty curve draws nothing.
    """
    if not curve.points:
        return Markup()
    left, right, top, bottom = 44, width - (100 if width > NARROW else 66), 28, height - 46
    unit = "call" if curve.axis == "calls" else "turn"
    last = max(point.x for point in curve.points)
    peak = max(point.high if point.high is not None else point.value for point in curve.points)
    ceiling = min(1.0, max(2, ceil(peak * 10)) / 10)

    def x(turn: float) -> float:
        return left + (right - left) * turn / last

    def y(value: float) -> float:
        return bottom - (bottom - top) * value / ceiling

    parts = [*_grid(ceiling, left, right, y), *_band(curve.points, x, y)]
    values = _steps([(point.x, point.value) for point in curve.points], x, y)
    parts.append(element("path", class_="line", d=polyline(values)))
    parts += [
        label((x(k), bottom + 32), str(k) if k else f"{unit} 0", "tick", "middle")
        for k in _ticks(last, width)
    ]
    marks = "".join(f"M{x(k):.1f} {bottom + 4}v9" for k in sorted(set(stops)))
    parts.append(element("path", class_="stop", d=marks))
    read = [p for p in curve.points if p.x in BUDGETS and p.x < last * 0.93]
    parts += [part for point in read for part in _dot(point, x, y)]
    parts += _end(curve.points[-1], x, y, unit)
    parts.append(label((0, 14), "share of checklist items found (post-hoc threshold)", "axis"))
    said = f"{curve.competitor}: " + ", ".join(
        f"{percent(p.value)} by {unit} {p.x:g}" for p in [*read, curve.points[-1]]
    )
    title = f"Cumulative accuracy by {unit}"
    return figure((width, height), parts, name=name, title=title, said=said)


def score_figure(groups: Sequence[BarGroup], *, name: str, width: int = 880) -> Markup:
    """Bars from 0 to 100 % with their intervals; baselines are thin and grey."""
    left, right = (150, width - 76) if width > NARROW else (124, width - 52)
    row, gap, at = 24, 40, 0
    height = sum(gap + row * len(group.bars) for group in groups) + 30

    def x(value: float) -> float:
        return left + (right - left) * value

    parts, said = [], []
    for tick in (0, 0.25, 0.5, 0.75, 1):
        kind = "grid" if tick else "grid zero"
        parts.append(element("path", class_=kind, d=f"M{x(tick):.1f} 24V{height - 22}"))
        parts.append(label((x(tick), height - 6), percent(tick, 0), "tick", "middle"))
    for group in groups:
        at += gap
        parts.append(label((0, at - 10), group.title, "heading"))
        for bar in group.bars:
            parts += _bar(bar, at + row / 2, x)
            least = "at least " if bar.is_least and bar.value is not None else ""
            words = f"{least}{percent(bar.value)}"
            if bar.low is not None and bar.high is not None:
                words += f" ({percent(bar.low)} to {percent(bar.high)})"
            said.append(f"{group.title}, {bar.label}: {words}")
            at += row
    title = "Scores and baselines"
    return figure((width, height), parts, name=name, title=title, said="; ".join(said))


def turn_strip(tones: Mapping[int, str]) -> Markup:
    """One tick per turn, high where an item was first found, low where nothing was said.

    `tones` gives 'found', 'told', 'silent' or 'error' by turn. Heights differ as well as colours.
    """
    heights = {"found": 16, "told": 9, "silent": 3, "error": 3}
    paths = Markup()
    for tone, height in heights.items():
        places = [i for i, own in enumerate(tones.values()) if own == tone]
        if places:
            path = "".join(f"M{4 * i + 2} 18v-{height}" for i in places)
            paths += element("path", class_=tone, d=path)
    found = [str(turn) for turn, tone in tones.items() if tone == "found"]
    where = f"items first found at turns {', '.join(found)}" if found else "no item found"
    width = max(4 * len(tones), 4)
    return element(
        "svg",
        paths,
        class_="strip",
        viewBox=f"0 0 {width} 20",
        width=min(width, 260),
        height=20,
        preserveAspectRatio="none",
        role="img",
        aria_label=f"{len(tones)} turns; {where}",
    )


def _bar(bar: Bar, middle: float, x: Scale) -> Iterator[Markup]:
    kind = "baseline" if bar.baseline else "main"
    thick, half = (7, 3.5) if bar.baseline else (13, 5.0)
    # A letter is about 6.4 units wide; a long model name keeps its head.
    room = int((x(0) - 10) / 6.4)
    name = bar.label if len(bar.label) <= room else bar.label[: room - 1] + "…"
    yield label((x(0) - 10, middle + 4), name, f"label {kind}", "end")
    if bar.value is None:
        yield label((x(0) + 6, middle + 4), "not scored", "tick")
        return
    yield element(
        "rect",
        class_=f"bar {kind}",
        x=x(0),
        y=middle - thick / 2,
        width=max(x(bar.value) - x(0), 1.5),
        height=thick,
    )
    reach = bar.value
    if bar.low is not None and bar.high is not None and bar.high > bar.low:
        reach = max(reach, bar.high)
        caps = "".join(f"M{x(e):.1f} {middle - half:.1f}v{2 * half:g}" for e in (bar.low, bar.high))
        line = f"M{x(bar.low):.1f} {middle:.1f}H{x(bar.high):.1f}"
        yield element("path", class_=f"whisker {kind}", d=line + caps)
    least = "\N{GREATER-THAN OR EQUAL TO} " if bar.is_least else ""
    yield label((x(reach) + 8, middle + 4), f"{least}{percent(bar.value)}", f"value {kind}")


def _dot(point: CurvePoint, x: Scale, y: Scale) -> Iterator[Markup]:
    at = (x(point.x), y(point.value))
    yield element("circle", class_="dot", cx=at[0], cy=at[1], r=3.5)
    yield label((at[0] - 5, at[1] - 9), percent(point.value, 0), "value", "end")


def _end(point: CurvePoint, x: Scale, y: Scale, unit: str) -> Iterator[Markup]:
    at = (x(point.x), y(point.value))
    yield element("circle", class_="dot", cx=at[0], cy=at[1], r=4)
    yield label((at[0] + 10, at[1] + 3), percent(point.value), "value strong")
    yield label((at[0] + 10, at[1] + 18), f"{unit} {point.x:g}", "tick")


def _band(points: Sequence[CurvePoint], x: Scale, y: Scale) -> Iterator[Markup]:
    lows = [(p.x, p.low) for p in points if p.low is not None]
    highs = [(p.x, p.high) for p in points if p.high is not None]
    if lows and highs:
        outline = _steps(highs, x, y) + _steps(lows, x, y)[::-1]
        yield element("path", class_="band", d=polyline(outline) + "Z")


def _grid(ceiling: float, left: float, right: float, y: Scale) -> Iterator[Markup]:
    step = 0.1 if ceiling <= 0.5 else 0.2
    for k in range(int(ceiling / step + 1.001)):
        kind = "grid" if k else "grid zero"
        height = y(k * step)
        yield element("path", class_=kind, d=f"M{left} {height:.1f}H{right}")
        yield label((left - 8, height + 4), percent(k * step, 0), "tick", "end")


def _ticks(last: float, width: int) -> list[int]:
    """Round turns from 0, at most nine of them (five where it is narrow)."""
    wanted = 8 if width > NARROW else 4
    steps = (k * 10**power for power in range(7) for k in ((1, 2, 5), (1, 2, 2.5, 5))[power > 0])
    step = next(int(s) for s in steps if last / s <= wanted)
    return list(range(0, int(last) + 1, step))


def _steps(points: Sequence[Point], x: Scale, y: Scale) -> list[Point]:
    """The corners of a staircase from turn 0: a value holds from its turn to the next."""
    corners = [(x(0), y(0))]
    for turn, value in points:
        corners += [(x(turn), corners[-1][1]), (x(turn), y(value))]
    return corners
