"""Take the figures that a cell left open, as PNG, and close them."""

from __future__ import annotations

import base64
import io
import sys

MOST_FIGURES = 4
MOST_BYTES = 500_000
"""Of one figure as PNG; a larger one is drawn again with fewer dots per inch, then left out."""
DOTS_PER_INCH = (100, 50)


def take_figures() -> tuple[list[str], list[str]]:
    """The open figures in base64, and a remark on each one that is not among them."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None:
        return [], []
    drawn: list[str] = []
    remarks: list[str] = []
    numbers = pyplot.get_fignums()
    for number in numbers[:MOST_FIGURES]:
        try:
            picture = _draw(pyplot.figure(number))
        except Exception as exc:  # noqa: BLE001 - whatever a half-made figure raises
            remarks.append(f"figure {number} cannot be drawn ({type(exc).__name__}: {exc})"[:300])
            continue
        if picture is None:
            remarks.append(f"figure {number} is left out: it takes more than {MOST_BYTES:,} bytes")
        else:
            drawn.append(base64.b64encode(picture).decode())
    if len(numbers) > MOST_FIGURES:
        remarks.append(f"{len(numbers)} figures were open; the first {MOST_FIGURES} are taken")
    pyplot.close("all")
    return drawn, remarks


def _draw(figure: object) -> bytes | None:
    for dots in DOTS_PER_INCH:
        picture = io.BytesIO()
        figure.savefig(picture, format="png", dpi=dots, bbox_inches="tight")  # type: ignore[attr-defined]
        if picture.tell() <= MOST_BYTES:
            return picture.getvalue()
    return None
