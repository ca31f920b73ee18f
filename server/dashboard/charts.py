"""What a chart of a page is made of: series over one axis, as data for the script and as words."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from markupsafe import Markup

from core.evaluation import Curve

ROWS: Final = 24
"""Of the table of values, at most; read at places of equal distance."""

Unit = Literal["share", "number", "usd"]


@dataclass(frozen=True)
class Series:
    """One line; None where it has no value."""

    name: str
    values: tuple[float | None, ...]
    low: tuple[float | None, ...] = ()
    """Of its band; () = none."""
    high: tuple[float | None, ...] = ()
    is_baseline: bool = False
    """Drawn thin, grey and dashed."""


@dataclass(frozen=True)
class Chart:
    """Lines over one axis. `id` is unique on the page."""

    id: str
    title: str
    x_label: str
    xs: tuple[float, ...]
    series: tuple[Series, ...]
    unit: Unit = "share"
    note: str = ""
    is_log: bool = False
    """Whether the x axis is logarithmic; all xs are positive then."""
    is_step: bool = True
    """Whether a value holds until the next x."""
    marks: tuple[float, ...] = field(default=())
    """Places on the axis that are ticked, such as where runs stopped."""

    @property
    def json(self) -> Markup:
        """For charts.js; safe inside a script element of type JSON."""
        body: dict[str, Any] = {
            "xLabel": self.x_label,
            "xs": self.xs,
            "unit": self.unit,
            "log": self.is_log,
            "step": self.is_step,
            "marks": self.marks,
            "series": [
                {
                    "name": each.name,
                    "values": each.values,
                    "low": each.low,
                    "high": each.high,
                    "baseline": each.is_baseline,
                }
                for each in self.series
            ],
        }
        text = json.dumps(body, allow_nan=False, separators=(",", ":"))
        # '<' spelt out: no text in it can end the element.
        return Markup(text.replace("<", "\\u003c").replace("&", "\\u0026"))  # noqa: S704 - nothing in it can end the element

    @property
    def said(self) -> str:
        """The chart in a sentence."""
        ends = ", ".join(f"{each.name} {_shown(_last(each), self.unit)}" for each in self.series)
        return f"{self.title}. At the end: {ends or 'nothing'}."

    @property
    def rows(self) -> list[list[str]]:
        """The values as a table, x first."""
        step = max(1, -(-len(self.xs) // ROWS))
        places = sorted({*range(0, len(self.xs), step), len(self.xs) - 1} if self.xs else set())
        return [
            [f"{self.xs[k]:g}", *(_shown(each.values[k], self.unit) for each in self.series)]
            for k in places
        ]


def of_curves(
    id: str, title: str, curves: Sequence[Curve], *, x_label: str, **options: Any
) -> Chart:
    """Curves of one axis on the union of their places; a curve holds its value to the right of its last."""
    xs = tuple(sorted({point.x for curve in curves for point in curve.points}))
    return Chart(id, title, x_label, xs, tuple(_series(curve, xs) for curve in curves), **options)


def _series(curve: Curve, xs: Sequence[float]) -> Series:
    values: list[float | None] = []
    lows: list[float | None] = []
    highs: list[float | None] = []
    at = -1
    for x in xs:
        while at + 1 < len(curve.points) and curve.points[at + 1].x <= x:
            at += 1
        point = curve.points[at] if at >= 0 else None
        values.append(point.value if point else 0.0)
        lows.append(point.low if point else None)
        highs.append(point.high if point else None)
    has_band = any(each is not None for each in lows)
    return Series(
        curve.competitor,
        tuple(values),
        tuple(lows) if has_band else (),
        tuple(highs) if has_band else (),
    )


def _last(series: Series) -> float | None:
    known = [value for value in series.values if value is not None]
    return known[-1] if known else None


def _shown(value: float | None, unit: Unit) -> str:
    if value is None:
        return "–"
    if unit == "share":
        return f"{100 * value:.1f}%"
    return f"${value:,.2f}" if unit == "usd" else f"{value:,.4g}"
