"""The look of every figure that is written to a file: colours, lines, labels, SVG and PNG.

Colours are Okabe and Ito's, which people with any colour vision tell apart; each comes with a line
style and a marker of its own, so that a print in grey tells them apart as well.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Form = Literal["svg", "png"]
FORMS: Final[tuple[Form, Form]] = ("svg", "png")

COLOURS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9")
LINES: Final = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (3, 1)), (0, (1, 1)))
MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X")
INK: Final = "#1d2126"
SOFT: Final = "#5c656e"
GRID: Final = "#e2dfd7"

_LONGEST: Final = 120
"""Characters of a name beyond which nobody measures."""

_STYLE: Any = {
    "font.family": "sans-serif",
    "font.sans-serif": ["Liberation Sans", "DejaVu Sans"],
    "font.size": 10,
    "text.color": INK,
    "axes.labelcolor": SOFT,
    "axes.edgecolor": SOFT,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.titlelocation": "left",
    "axes.titlesize": 11,
    "grid.color": GRID,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "lines.linewidth": 1.8,
    "legend.frameon": False,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    # The same data give the same file.
    "svg.hashsalt": "ddr",
    "svg.fonttype": "none",
}


@dataclass(frozen=True)
class Look:
    """How one competitor is drawn, by its place among them."""

    colour: str
    line: Any
    marker: str


def look(place: int) -> Look:
    """The look of the competitor at a place, from 0; after all colours are used the lines change."""
    count = len(COLOURS)
    return Look(
        COLOURS[place % count],
        LINES[(place + place // count) % count],
        MARKERS[(place + place // count) % count],
    )


@contextmanager
def sheet(
    columns: int = 1, rows: int = 1, *, width: float = 7.2, height: float = 4.0, **options: Any
) -> Iterator[tuple[Figure, list[Axes]]]:
    """A figure in our style and its axes, row by row; sizes in inches. Closed at the end.

    No global state of matplotlib is left changed, and no display is asked for. A letter that the font
    lacks is drawn as an empty box, without a word on stderr.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure as MplFigure

    with mpl.rc_context(_STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        drawn = MplFigure(figsize=(width, height), layout="constrained")
        axes = drawn.subplots(rows, columns, squeeze=False, **options)
        yield drawn, [one for row in axes for one in row]


def saved(drawn: Figure, form: Form, *, dpi: int = 160) -> bytes:
    """The file's bytes; the same figure gives the same bytes."""
    import matplotlib as mpl

    buffer = io.BytesIO()
    with mpl.rc_context(_STYLE):
        about = {"Date": None} if form == "svg" else {"Software": None}
        drawn.savefig(buffer, format=form, dpi=dpi, metadata=about)
    return buffer.getvalue()


def fit(name: str, most: int) -> str:
    """A name as a figure can show it, of so many characters at most: both its ends stay.

    One line; what cannot be seen is a question mark; and a dollar begins no formula.
    """
    text = "".join(c if c.isprintable() else "?" for c in " ".join(name.split()))
    if len(text) > most:
        end = max(most // 2, 1)
        text = f"{text[: max(most - end - 1, 0)]}\N{HORIZONTAL ELLIPSIS}{text[-end:]}"
    return (text or "(no name)").replace("$", r"\$")


def fitted(name: str, inches: float, size: float, weight: str = "normal") -> str:
    """As much of a name, as `fit` shows it, as fits into so many inches at a size in points."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=size, weight=weight)
    most = _LONGEST
    while True:
        text = fit(name, most)
        width, _, _ = text_to_path.get_text_width_height_descent(text, font, ismath=False)
        if width <= inches * 72 or most <= 4:
            return text
        most = min(most, len(text)) - 1


def end_labels(
    axes: Axes, ends: list[tuple[float, float, str, str]], *, gap: float = 0.045
) -> None:
    """Names at the ends of lines instead of a legend: (x, y, name, colour) each.

    Names that would overlap are moved apart, at least `gap` of the axes' height from one another, and
    kept below the top of the axes where there is room for all.
    """
    low, high = axes.get_ylim()
    step = gap * (high - low)
    ordered = sorted(ends, key=lambda end: end[1])
    heights: list[float] = []
    for _, y, _, _ in ordered:
        heights.append(max(y, heights[-1] + step) if heights else y)
    if len(ordered) * step < high - low:
        for place in reversed(range(len(heights))):
            heights[place] = min(heights[place], high - step * (len(heights) - place - 0.5))
    for (x, y, name, colour), at in zip(ordered, heights, strict=True):
        axes.annotate(
            name,
            (x, y),
            xytext=(x, at),
            textcoords="data",
            xycoords="data",
            color=colour,
            va="center",
            fontsize=9,
            annotation_clip=False,
            horizontalalignment="left",
        )
