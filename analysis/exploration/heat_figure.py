"""Draw the map of the schema: tables as blocks, columns as cells, dark where many trajectories read."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt
from typing import TYPE_CHECKING, Any, Final

from analysis.drawing import INK, SOFT, Form, fitted, saved, sheet
from analysis.exploration.heat import FieldHeat, SchemaHeat, TableHeat

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAP: Final = "Blues"
CELL_IN: Final = 0.19
"""Height of a cell, inches."""
BLOCK_IN: Final = 2.35
"""Width of a block, inches."""
GAP_IN: Final = 0.22
MOST_COLUMNS: Final = 60
"""Of one table that are drawn; the rest is counted in a last cell."""
MOST_TABLES: Final = 120


@dataclass(frozen=True)
class Placed:
    """A block and where its head begins."""

    table: TableHeat
    across: int
    top: float
    """Rows from the top."""


def draw_heat(heat: SchemaHeat, form: Form) -> bytes:
    """The figure's bytes. A cell says in figures, too, how many trajectories read it, of how many."""
    blocks, across, rows = placed(heat.tables[:MOST_TABLES])
    width = across * BLOCK_IN + (across - 1) * GAP_IN + 0.3
    height = rows * CELL_IN + 0.75
    with sheet(width=width, height=height) as (figure, (ax,)):
        ax.set_axis_off()
        # Room for the line round a cell at the edge.
        ax.set_xlim(-0.02, across * BLOCK_IN + (across - 1) * GAP_IN + 0.02)
        ax.set_ylim(rows, 0)
        for block in blocks:
            _block(ax, block)
        more = len(heat.tables) - len(blocks)
        ax.set_title(
            f"Read by how many of {heat.trajectories} trajectories"
            + (f"; {more} more tables are not drawn" if more else "")
            + ". Dashed: by none.",
            fontsize=10,
            color=INK,
        )
        return saved(figure, form)


def placed(tables: tuple[TableHeat, ...]) -> tuple[list[Placed], int, float]:
    """Blocks in columns of about the same height, each put where there is most room; how many columns,
    and how many rows the tallest has."""
    total = sum(_rows(table) for table in tables)
    # As wide as high: a cell is BLOCK_IN by CELL_IN.
    across = max(1, min(6, len(tables), ceil(sqrt(total * CELL_IN / BLOCK_IN))))
    heights = [0.0] * across
    found = []
    for table in tables:
        place = min(range(across), key=lambda each: heights[each])
        found.append(Placed(table, place, heights[place]))
        heights[place] += _rows(table)
    return found, across, max(heights, default=1.0)


def _rows(table: TableHeat) -> float:
    """A head, its cells, and a gap below."""
    return 1.3 + min(len(table.columns), MOST_COLUMNS + 1) + 0.9


def _block(ax: Axes, block: Placed) -> None:
    from matplotlib.patches import Rectangle

    table = block.table
    left = block.across * (BLOCK_IN + GAP_IN)
    head = fitted(
        table.name, BLOCK_IN - 0.1 - 0.065 * len(f"{table.read_by}/{table.of}"), 8.5, "bold"
    )
    ax.text(left, block.top + 0.95, head, fontsize=8.5, weight="bold", va="bottom")
    ax.text(
        left + BLOCK_IN,
        block.top + 0.95,
        f"{table.read_by}/{table.of}",
        fontsize=7.5,
        color=SOFT,
        ha="right",
        va="bottom",
    )
    for place, column in enumerate(table.columns[:MOST_COLUMNS]):
        _cell(ax, column, left, block.top + 1.1 + place)
    hidden = table.columns[MOST_COLUMNS:]
    if hidden:
        top = block.top + 1.1 + MOST_COLUMNS
        read = sum(column.read_by > 0 for column in hidden)
        ax.add_patch(
            Rectangle((left, top), BLOCK_IN, 0.94, facecolor="none", edgecolor=SOFT, lw=0.4)
        )
        ax.text(
            left + 0.05,
            top + 0.5,
            f"and {len(hidden)} more, {read} of them read",
            fontsize=7,
            color=SOFT,
            va="center",
        )


def _cell(ax: Axes, column: FieldHeat, left: float, top: float) -> None:
    import matplotlib as mpl
    from matplotlib.patches import Rectangle

    share = column.share
    style: dict[str, Any] = {"facecolor": "white", "linestyle": (0, (3, 2)), "edgecolor": SOFT}
    ink = INK
    if share:
        # The lightest tenth of the map is white to a printer.
        style = {"facecolor": mpl.colormaps[MAP](0.12 + 0.78 * share), "edgecolor": "white"}
        ink = "white" if share > 0.6 else INK
    ax.add_patch(Rectangle((left, top), BLOCK_IN, 0.94, linewidth=0.6, **style))
    facts = f" ({column.facts_read} of {column.facts} facts)" if column.facts else ""
    told = f"{column.read_by}/{column.of}" if column.of else "-"
    room = BLOCK_IN - 0.25 - 0.06 * len(facts + told)
    text = fitted(column.name, room, 7) + facts
    ax.text(left + 0.06, top + 0.5, text, fontsize=7, color=ink, va="center")
    ax.text(left + BLOCK_IN - 0.06, top + 0.5, told, fontsize=7, color=ink, va="center", ha="right")
