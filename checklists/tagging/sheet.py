"""The sheet on which people look at tags: written for a spreadsheet, read back strictly."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, get_args

from checklists.cells import defused, undone
from checklists.tagging.rules import Difficulty
from checklists.tagging.tagging import Tag
from core.checklist import ChecklistItem
from core.errors import ChecklistError, UnknownNameError
from core.reading import read_text

LARGEST: Final = 64 * 1024 * 1024
"""Bytes of a sheet that is read."""
HEADS: Final = (
    "item_id",
    "category",
    "capability",
    "difficulty",
    "why_category",
    "why_capability",
    "question",
)
_READ: Final = HEADS[:4]


def to_csv(items: Sequence[ChecklistItem], tags: Sequence[Tag]) -> str:
    """One line per item; the first four columns are read back, the rest is there to judge by."""
    stream = io.StringIO()
    # Lines end as csv has them by itself: else a carriage return in a cell stands without quotes.
    writer = csv.writer(stream)
    writer.writerow(HEADS)
    for item, tag in zip(items, tags, strict=True):
        cells = (
            tag.item_id,
            tag.category,
            tag.capability,
            tag.difficulty,
            tag.category_why,
            tag.capability_why,
            item.question,
        )
        writer.writerow([defused(cell) for cell in cells])
    return stream.getvalue()


def from_csv(path: Path, items: Sequence[ChecklistItem]) -> list[Tag]:
    """The tags of a reviewed sheet, in its order; items that it leaves out keep theirs.

    Raises ChecklistError with file, line and column: a column that is missing, an item that is
    unknown or stands twice, an empty cell, a difficulty that is none.
    """
    known = {item.id: item for item in items}
    found: dict[str, Tag] = {}
    text = read_text(path, error=ChecklistError, largest=LARGEST)
    reader = csv.DictReader(io.StringIO(text, newline=""))
    missing = [head for head in _READ if head not in (reader.fieldnames or ())]
    if missing:
        raise ChecklistError(f"{path.name}: line 1: the column {missing[0]!r} is missing")
    try:
        for row in reader:
            tag = _tag(path, reader.line_num, row, known)
            if tag.item_id in found:
                raise ChecklistError(
                    f"{path.name}: line {reader.line_num}: item {tag.item_id!r} stands twice"
                )
            found[tag.item_id] = tag
    except csv.Error as exc:
        raise ChecklistError(f"{path.name}: line {reader.line_num}: {exc}") from exc
    return list(found.values())


def _tag(
    path: Path, line: int, row: Mapping[str, str | None], known: Mapping[str, ChecklistItem]
) -> Tag:
    said = {head: undone((row.get(head) or "").strip()) for head in _READ}
    for head, cell in said.items():
        if not cell:
            raise ChecklistError(f"{path.name}: line {line}: column {head!r} is empty")
    if said["item_id"] not in known:
        raise ChecklistError(
            f"{path.name}: line {line}: unknown item {said['item_id']!r}; "
            "the sheet is of another checklist"
        )
    if said["difficulty"] not in get_args(Difficulty):
        text = str(UnknownNameError("difficulty", said["difficulty"], get_args(Difficulty)))
        raise ChecklistError(f"{path.name}: line {line}: {text}")
    return Tag.model_validate({**said, "category_why": "sheet", "capability_why": "sheet"})
