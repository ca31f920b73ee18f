"""Draw paired differences with their intervals, one line each, about a line of no difference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil
from typing import Final

from markupsafe import Markup

from analysis.figures import NARROW, Scale
from analysis.svg import element, figure, label
from evaluator.paired import Paired

_ROW: Final = 26
_TOP: Final = 26


def difference_figure(
    rows: Sequence[tuple[str, Paired]], *, name: str, title: str, width: int
) -> Markup:
    """`rows`: words and what they say. Differences are one - other, in percentage points."""
    left, right = (210, width - 70) if width > NARROW else (104, width - 56)
    known = [abs(end) for _, each in rows for end in _ends(each)]
    reach = min(1.0, max(1, ceil(10 * max(known, default=0))) / 10)

    def x(value: float) -> float:
        return (left + right) / 2 + (right - left) / 2 * value / reach

    height = _TOP + _ROW * len(rows) + 22
    parts: list[Markup] = []
    for share in (-1.0, -0.5, 0.0, 0.5, 1.0):
        place = x(share * reach)
        kind = "grid" if share else "grid zero"
        parts.append(element("path", class_=kind, d=f"M{place:.1f} {_TOP - 8}V{height - 20}"))
        parts.append(label((place, height - 4), points(share * reach, 0), "tick", "middle"))
    first = rows[0][1] if rows else None
    if first:
        parts.append(label((x(0) - 8, 12), f"← {_cut(first.other, 22)}", "tick", "end"))
        parts.append(label((x(0) + 8, 12), f"{_cut(first.one, 22)} →", "tick"))
    for number, (words, each) in enumerate(rows):
        middle = _TOP + _ROW * number + _ROW / 2
        parts.append(label((left - 12, middle + 4), _cut(words, left // 7), "label", "end"))
        parts += _mark(each, middle, x, right)
    said = "; ".join(f"{words}: {_said(each)}" for words, each in rows)
    return figure((width, height), parts, name=name, title=title, said=said)


def points(value: float | None, digits: int = 1) -> str:
    """A difference in percentage points, with its sign; a dash where there is none."""
    if value is None:
        return "–"
    shown = f"{100 * value:+.{digits}f}"
    return f"{100 * abs(value):.{digits}f}" if float(shown) == 0 else shown.replace("-", "−")


def _mark(each: Paired, middle: float, x: Scale, right: float) -> Iterator[Markup]:
    if each.difference is None:
        yield label((x(0) + 6, middle + 4), "no item was scored for both", "tick")
        return
    if each.low is not None and each.high is not None:
        line = f"M{x(each.low):.1f} {middle:.1f}H{x(each.high):.1f}"
        caps = "".join(f"M{x(end):.1f} {middle - 4:.1f}v8" for end in (each.low, each.high))
        yield element("path", class_="whisker", d=line + caps)
    yield element("circle", class_="dot", cx=x(each.difference), cy=middle, r=5)
    yield label((right + 12, middle + 4), points(each.difference), "value")


def _ends(each: Paired) -> list[float]:
    return [end for end in (each.difference, each.low, each.high) if end is not None]


def _cut(words: str, room: int) -> str:
    return words if len(words) <= room else f"{words[: room - 1]}…"


def _said(each: Paired) -> str:
    if each.difference is None:
        return "no item was scored for both"
    told = f"{points(each.difference)} percentage points"
    if each.low is not None and each.high is not None:
        told += f" ({points(each.low)} to {points(each.high)})"
    return told
