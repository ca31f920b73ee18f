"""Take the figures that a cell left open, as PNG, and close them."""

from __future__ import annotations

import base64
import io
import struct
import sys

MOST_FIGURES = 4
MOST_BYTES = 500_000
"""Of one figure as PNG; a larger one is drawn again with fewer dots per inch, then left out."""
MOST_PIXELS = 50_000_000
"""Of one figure, which whoever shows it has to hold in memory."""
HEAD = struct.Struct(">8sI4sII")
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
            most = f"{MOST_BYTES:,} bytes or {MOST_PIXELS:,} pixels"
            remarks.append(f"figure {number} is left out: it takes more than {most}")
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
        if is_picture(picture.getvalue()):
            return picture.getvalue()
    return None


def is_picture(said: bytes) -> bool:
    """Whether it has the head of a PNG, with a size in bytes and in pixels that may be handed on."""
    if not HEAD.size <= len(said) <= MOST_BYTES:
        return False
    mark, length, kind, width, height = HEAD.unpack_from(said)
    is_png = (mark, length, kind) == (b"\x89PNG\r\n\x1a\n", 13, b"IHDR")
    return is_png and 0 < width * height <= MOST_PIXELS
