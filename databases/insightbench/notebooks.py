"""Read the notebook beside a set: what the set's JSON has lost of its insights, and how difficult it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from databases.insightbench.files import fail, object_of
from databases.insightbench.tolerant import read_insight

MAX_MB: Final = 64
"""A notebook holds its pictures; the largest of the release has 2 MB."""
_DIFFICULTY: Final = re.compile(r"Difficulty[*_\s]*:[*_\s]*(\d)")
_CLOSE: Final = 200
"""Letters of an insight by which it is known again."""


@dataclass(frozen=True)
class Notebook:
    """What it says beside what the JSON says."""

    insights: tuple[Mapping[str, Any], ...] = ()
    level: int | None = None
    """1 to 5; None where it says nothing of it."""

    def like(self, insight: str, question: str) -> Mapping[str, Any]:
        """The fields of the same insight, known by its words or by its question; none where it is not there."""
        for key, words in (("insight", insight), ("question", question)):
            if wanted := _letters(words):
                for found in self.insights:
                    if _letters(str(found.get(key, ""))) == wanted:
                        return found
        return {}


def read_notebook(path: Path) -> Notebook:
    """An empty one where there is none. Raises ScenarioError with file and place where it is broken."""
    if not path.exists():
        return Notebook()
    whole = object_of(path, max_mb=MAX_MB)
    cells = whole.get("cells")
    if not isinstance(cells, list):
        fail(path, "cells", "a list of cells is wanted")
    insights = [read_insight(text) for text in _sources(cells, "code") if _may_hold_one(text)]
    levels = [
        int(found[1]) for text in _sources(cells, "markdown") if (found := _DIFFICULTY.search(text))
    ]
    return Notebook(tuple(found for found in insights if found), levels[0] if levels else None)


def _may_hold_one(text: str) -> bool:
    return "insight" in text and text.lstrip().find("{") in range(40)


def _sources(cells: list[Any], kind: str) -> Iterator[str]:
    for cell in cells:
        if isinstance(cell, dict) and cell.get("cell_type") == kind:
            source = cell.get("source", "")
            yield source if isinstance(source, str) else "".join(map(str, source))


def _letters(text: str) -> str:
    return re.sub(r"\W+", "", text.lower())[:_CLOSE]
