"""Draw a ranking: a bar with its interval for each competitor, and the baselines as lines across."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import ceil
from typing import Final

from markupsafe import Markup

from analysis.figures import Bar, Scale, percent
from analysis.svg import element, figure, label

WIDTHS: Final = (560, 350)
"""Of a drawing, and of the one for phones."""
_ROW: Final = 30
_LEFT: Final = 4
_ROOM: Final = 60
"""Behind the scale, for a value."""
_LETTER: Final = 6.3
"""How wide one is, about."""
_NAMES: Final = 14
"""Height of a line with the names of baselines."""


def ceiling_of(values: Iterable[float | None]) -> float:
    """A round value above all of them: where the scale of drawings ends that are looked at together."""
    highest = max((value for value in values if value is not None), default=0.0)
    return min(1.0, max(2, ceil(10 * highest)) / 10)


def ranking_figure(
    bars: Sequence[Bar],
    lines: Mapping[str, float],
    *,
    name: str,
    title: str,
    width: int,
    ceiling: float,
) -> Markup:
    """Values are shares from 0 to 1; the scale ends at `ceiling`.

    `lines` are the baselines' by the name that is written at them. `name` is unique on the page.
    """

    right = width - _ROOM

    def x(value: float) -> float:
        return _LEFT + (right - _LEFT) * min(value, ceiling) / ceiling

    named = _named(lines, x, width)
    top = 8 + _NAMES * (1 + max((row for *_, row in named), default=-1))
    height = top + _ROW * len(bars) + 24
    parts: list[Markup] = []
    for tick in _ticks(ceiling):
        kind = "grid" if tick else "grid zero"
        parts.append(element("path", class_=kind, d=f"M{x(tick):.1f} {top}V{height - 20}"))
        anchor = "middle" if tick else "start"
        parts.append(label((x(tick), height - 5), percent(tick, 0), "tick", anchor))
    for value in lines.values():
        place = x(value)
        parts.append(element("path", class_="least", d=f"M{place:.1f} {top - 4}V{height - 20}"))
    for words, place, anchor, row in named:
        parts.append(label((place, top - 7 - _NAMES * row), words, "label baseline", anchor))
    for number, bar in enumerate(bars):
        parts += _bar(bar, top + _ROW * number, x, int((right - _LEFT) / _LETTER))
    said = [_said(bar) for bar in bars]
    said += [f"baseline {words}: {percent(value)}" for words, value in lines.items()]
    return figure((width, height), parts, name=name, title=title, said="; ".join(said))


def _bar(bar: Bar, top: float, x: Scale, room: int) -> Iterator[Markup]:
    name = bar.label if len(bar.label) <= room else f"{bar.label[: room - 1]}…"
    yield label((x(0), top + 12), name, "label name")
    middle = top + 21
    if bar.value is None:
        yield label((x(0), middle + 4), "not scored", "tick")
        return
    long = max(x(bar.value) - x(0), 1.5)
    yield element("rect", class_="main", x=x(0), y=middle - 4.5, width=long, height=9)
    reach = bar.value
    if bar.low is not None and bar.high is not None and bar.high > bar.low:
        reach = max(reach, bar.high)
        caps = "".join(f"M{x(end):.1f} {middle - 4:.1f}v8" for end in (bar.low, bar.high))
        line = f"M{x(bar.low):.1f} {middle:.1f}H{x(bar.high):.1f}"
        yield element("path", class_="whisker", d=line + caps)
    least = "\N{GREATER-THAN OR EQUAL TO} " if bar.is_least else ""
    yield label((x(reach) + 7, middle + 4), f"{least}{percent(bar.value)}", "value")


def _named(lines: Mapping[str, float], x: Scale, width: int) -> list[tuple[str, float, str, int]]:
    """(words, place, anchor, row): lines at one place share a name; names that overlap stand in rows."""
    together: dict[float, list[str]] = {}
    for words, value in sorted(lines.items(), key=lambda each: each[1]):
        near = next((place for place in together if x(value) - place < 5), None)
        together.setdefault(x(value) if near is None else near, []).append(words)
    ends: list[float] = []
    found = []
    for place, all_words in together.items():
        words = ", ".join(all_words)
        wide = _LETTER * len(words)
        anchor = "start" if place + wide < width else "end"
        begin = place if anchor == "start" else place - wide
        row = next((k for k, end in enumerate(ends) if end + 8 < begin), len(ends))
        ends[row : row + 1] = [begin + wide]
        found.append((words, place, anchor, row))
    return found


def _ticks(ceiling: float) -> list[float]:
    step = 0.1 if ceiling <= 0.5 else 0.25
    return [k * step for k in range(int(ceiling / step + 1.001))]


def _said(bar: Bar) -> str:
    least = "at least " if bar.is_least and bar.value is not None else ""
    words = f"{bar.label}: {least}{percent(bar.value)}"
    if bar.low is not None and bar.high is not None:
        words += f" ({percent(bar.low)} to {percent(bar.high)})"
    return words
