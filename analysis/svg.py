"""Write SVG elements whose every text and attribute is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from markupsafe import Markup

Point = tuple[float, float]


def element(tag: str, /, text: str | Markup | None = None, **attributes: object) -> Markup:
    """One element. A trailing underscore is dropped from a name, an inner one becomes a hyphen.

    Floats are written with one decimal: a tenth of a pixel is finer than any screen.
    """
    pairs = Markup().join(
        Markup(' {}="{}"').format(
            name.rstrip("_").replace("_", "-"),
            f"{value:.1f}" if isinstance(value, float) else value,
        )
        for name, value in attributes.items()
    )
    if text is None:
        return Markup("<{}{}/>").format(tag, pairs)
    return Markup("<{}{}>{}</{}>").format(tag, pairs, text, tag)


def figure(
    size: tuple[int, int], body: Iterable[Markup], *, name: str, title: str, said: str
) -> Markup:
    """A whole drawing with a title and a description that screen readers speak.

    `name` is the prefix of its ids and must be unique on the page.
    """
    width, height = size
    spoken = element("title", title, id=f"{name}-title") + element("desc", said, id=f"{name}-desc")
    return element(
        "svg",
        spoken + Markup().join(body),
        xmlns="http://www.w3.org/2000/svg",
        class_="figure",
        viewBox=f"0 0 {width} {height}",
        width=width,
        height=height,
        role="img",
        aria_labelledby=f"{name}-title {name}-desc",
    )


def label(at: Point, words: str, kind: str, anchor: str = "start") -> Markup:
    """A text at a point; `kind` is its CSS class."""
    return element("text", words, class_=kind, x=at[0], y=at[1], text_anchor=anchor)


def polyline(corners: Sequence[Point]) -> str:
    """Path data through the corners."""
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in corners)
