"""No text of a figure lies on another one or leaves the sheet, whatever the names and however many."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import combinations
from typing import Any

import pytest
from matplotlib.figure import Figure
from matplotlib.text import Annotation, Text

from analysis.drawing import Form
from analysis.exploration import figures, heat_figure
from analysis.exploration.explored import Exploration, Group, explore
from analysis.exploration.figures import Name, draw
from analysis.exploration.heat_figure import BLOCK_IN, GAP_IN
from tests.analysis.exploration.making import fields, sql, turn
from tests.analysis.factory import trajectory

Box = tuple[str, float, float, float, float]
MODELS = (
    "openai/gpt-5-mini",
    "anthropic/claude-sonnet-4.5",
    "hosted_vllm/Qwen/Qwen3-Next-80B-A3B-Instruct-2507",
    "deepseek/v3.2",
    "google/gemini-3-pro",
    "W" * 80,
    "kimi/k2 (20260131-filings-ab12)",
)
WORDS = ("admission", "discharge", "laboratory", "MEASURING_DEVICE_IDENTIFIER", "flag", "x")


@pytest.fixture
def boxes(monkeypatch: pytest.MonkeyPatch) -> list[list[Box]]:
    """The texts of each figure that is saved, with where they stand, in pixels."""
    seen: list[list[Box]] = []

    def keep(saved: Callable[..., bytes]) -> Callable[..., bytes]:
        def saving(drawn: Figure, form: Form, **more: Any) -> bytes:
            drawn.draw_without_rendering()
            width, height = drawn.canvas.get_width_height()
            found: list[Box] = [("sheet", 0, 0, width, height)]
            unseen = _no_ink(drawn)
            for text in drawn.findobj(lambda artist: id(artist) not in unseen):
                if isinstance(text, Text) and text.get_visible() and text.get_text():
                    # An annotation's own window holds the way to its point as well.
                    box = (
                        Text.get_window_extent(text)
                        if isinstance(text, Annotation)
                        else text.get_window_extent()
                    )
                    found.append((text.get_text(), box.x0, box.y0, box.x1, box.y1))
            seen.append(found)
            return saved(drawn, form, **more)

        return saving

    for module in (figures, heat_figure):
        monkeypatch.setattr(module, "saved", keep(module.saved))
    return seen


def _no_ink(drawn: Figure) -> set[int]:
    """Labels of ticks beyond an axis's limits, and all of axes that are not shown: objects, and no ink."""
    found: set[int] = set()
    for axes in drawn.axes:
        if not axes.get_visible():
            found |= {id(text) for text in axes.findobj(Text)}
        each: Any
        for each in (axes.xaxis, axes.yaxis):
            shown = {id(tick) for tick in each._update_ticks()} if axes.axison else set()
            for tick in [*each.majorTicks, *each.minorTicks]:
                if id(tick) not in shown:
                    found |= {id(tick.label1), id(tick.label2)}
    return found


def made(groups: int, seed: int = 0) -> Exploration:
    """Models that read at random in a schema of long and short names."""
    chance = random.Random(seed)
    tables = {
        f"{chance.choice(WORDS)}_{k}": " ".join(
            f"{chance.choice(WORDS)}_{chance.choice(WORDS)}_{c}"
            for c in range(chance.randrange(1, 14))
        )
        for k in range(chance.randrange(3, 12))
    }
    here = fields(**tables)
    every = list(here.by_name)
    found = []
    for group in range(groups):
        mine, accuracy = [], {}
        for entity in range(6):
            turns, sent = [], 900
            for index in range(1, chance.randrange(4, 12)):
                read = chance.sample(every, chance.randrange(1, min(len(every), 6)))
                read += ["?"] if chance.random() < 0.1 else []
                text = "SELECT a FROM t" + " JOIN u USING (k)" * chance.randrange(3)
                turns.append(turn(index, sql(*read, text=text), usage=(sent, 90)))
                sent += chance.randrange(200, 3000)
            name = f"{group}.{entity}"
            mine.append(trajectory(name, entity=str(entity), turns=turns))
            accuracy[name] = None if entity == 3 else chance.random()
        found.append(Group(MODELS[group % len(MODELS)], mine, accuracy))
    return explore(found, here, dialect="duckdb", clusters={})


def overlaps(found: list[Box]) -> list[tuple[str, str]]:
    """Pairs of texts that share more than a pixel."""
    return [
        (one[0], other[0])
        for one, other in combinations(found[1:], 2)
        if min(one[3], other[3]) - max(one[1], other[1]) > 1
        and min(one[4], other[4]) - max(one[2], other[2]) > 1
    ]


def outside(found: list[Box]) -> list[str]:
    """Texts that are not wholly on the sheet."""
    _, _, _, width, height = found[0]
    return [
        text
        for text, left, low, right, high in found[1:]
        if left < -1 or low < -1 or right > width + 1 or high > height + 1
    ]


@pytest.mark.parametrize(
    ("name", "groups"),
    [
        ("heat", 1),
        ("heat", 2),
        *((name, n) for name in ("points", "turns") for n in (1, 2, 4, 5, 7)),
    ],
)
def test_no_text_lies_on_another_or_leaves_the_sheet(
    boxes: list[list[Box]], name: Name, groups: int
) -> None:
    draw(made(groups, seed=groups), name, "svg")
    (found,) = boxes
    assert len(found) > 10
    assert overlaps(found) == []
    assert outside(found) == []


def test_texts_that_lie_on_one_another_would_be_found() -> None:
    sheet: Box = ("sheet", 0, 0, 100, 100)
    one, other, far = ("a", 0, 0, 30, 9), ("b", 28, 4, 60, 14), ("c", 70, 70, 103, 80)
    assert overlaps([sheet, one, other, far]) == [("a", "b")]
    assert outside([sheet, one, other, far]) == ["c"]


@pytest.mark.parametrize("seed", range(3))
def test_each_cell_of_the_map_holds_its_own_texts(boxes: list[list[Box]], seed: int) -> None:
    """A name begins and its count ends inside the block, so that no block runs into the next."""
    exploration = made(1, seed=seed)
    draw(exploration, "heat", "svg")
    (found,) = boxes
    counts = [box for box in found[1:] if box[0].endswith("/6")]
    assert len(counts) == len(exploration.fields) + len(exploration.heat.tables)
    pixels = (max(box[3] for box in counts) - min(box[3] for box in counts)) or 1
    blocks = {round(box[3]) for box in counts}
    # Counts end at the right edge of a block, or a hair before it.
    across = len({round(edge / 12) for edge in blocks})
    assert pixels <= (BLOCK_IN + GAP_IN) * 100 * across
