"""Read one set: its goal, role and ground truth, as far as its JSON and the notebook beside it tell."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from core.errors import ScenarioError
from core.reading import kind_of
from databases.insightbench.files import fail, object_of
from databases.insightbench.notebooks import Notebook, read_notebook
from databases.insightbench.tolerant import read_insight, right_names, type_of

MAX_MB: Final = 16
_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
_CATEGORIES: Final = {
    "strategic goal": r"strategic goals?",
    "incident": r"incidents?",
    "finance": r"financ\w+",
    "goal": r"goals?",
    "user": r"users?",
    "asset": r"assets?",
}
UNKNOWN: Final = "unknown"


@dataclass(frozen=True)
class Insight:
    """One piece of ground truth."""

    number: int
    """Its place in the set, from 1."""
    text: str
    """Empty where the file has none."""
    question: str
    """Empty where the file has none."""
    stated_type: str
    """In the file's own word; empty where neither file has one."""
    actionable: str

    @property
    def type(self) -> str:
        """One of tolerant.TYPES, or 'other'."""
        return type_of(self.stated_type)


@dataclass(frozen=True)
class InsightSet:
    """One set of the benchmark."""

    id: str
    """The file's name without its ending: flag-7."""
    title: str
    goal: str
    role: str
    category: str
    """incident, finance, goal, strategic goal, user, asset, two of them with '&', or 'unknown'."""
    level: int | None
    """How difficult it is, 1 to 5; None where no file says it."""
    table: Path
    users: Path | None
    """A second table, of the people who are named in the first."""
    insights: tuple[Insight, ...]
    summary: str


def set_files(folder: Path) -> tuple[Path, ...]:
    """The sets' files, by their number. Raises ScenarioError where a folder holds none."""
    places = (folder, folder / "data" / "notebooks")
    for place in places:
        if found := [path for path in place.glob("*.json") if path.is_file()]:
            return tuple(sorted(found, key=_in_order))
    raise ScenarioError(
        f"{folder}: there is no set in it; give the folder that holds flag-1.json and csvs/ "
        "(data/notebooks of the repository) as --from"
    )


def read_set(path: Path) -> InsightSet:
    """One set. Raises ScenarioError with the file and the key of what is wrong."""
    if not _ID.fullmatch(path.stem):
        raise ScenarioError(f"{path}: the name of a set is letters, digits, - and _, 40 at most")
    whole = object_of(path, max_mb=MAX_MB)
    metadata = _object(path, whole, "metadata")
    notebook = read_notebook(path.with_suffix(".ipynb"))
    return InsightSet(
        id=path.stem,
        title=_text(path, metadata, "metadata.header", wanted=False),
        goal=_text(path, metadata, "metadata.goal"),
        role=_text(path, metadata, "metadata.role", wanted=False),
        category=category_of(_text(path, metadata, "metadata.category", wanted=False)),
        level=_level(metadata.get("difficulty"), notebook),
        table=_csv(path, whole, "dataset_csv_path"),
        users=_csv(path, whole, "user_dataset_csv_path") if _has_users(whole) else None,
        insights=_insights(path, whole, notebook),
        summary=_text(path, whole, "summary", wanted=False),
    )


def category_of(text: str) -> str:
    """A category in one spelling: 'Incidents Management.' is 'incident'."""
    words, found = text.lower(), []
    # A sentence that slipped into the field names half of all categories.
    for name, pattern in _CATEGORIES.items() if len(text) <= 60 else ():
        words, times = re.subn(rf"\b{pattern}\b", "", words)
        found += [name] if times else []
    return " & ".join(sorted(found)) or UNKNOWN


def _insights(path: Path, whole: Mapping[str, Any], notebook: Notebook) -> tuple[Insight, ...]:
    listed = whole.get("insight_list")
    if not isinstance(listed, list) or not listed:
        fail(path, "insight_list", f"a list of insights is wanted, not {kind_of(listed)}")
    return tuple(
        _insight(path, number, entry, notebook) for number, entry in enumerate(listed, start=1)
    )


def _insight(path: Path, number: int, entry: Any, notebook: Notebook) -> Insight:
    key = f"insight_list.{number - 1}"
    if isinstance(entry, str):
        fields = read_insight(entry) or {"insight": entry}
    elif isinstance(entry, dict):
        fields = right_names(entry)
    else:
        fail(path, key, f"an object is wanted, not {kind_of(entry)}")
    more = notebook.like(_said(fields, "insight"), _said(fields, "question"))
    return Insight(
        number=number,
        text=_said(fields, "insight") or _said(more, "insight"),
        question=_said(fields, "question") or _said(more, "question"),
        stated_type=(_said(fields, "data_type") or _said(more, "data_type")).lower(),
        actionable=_said(fields, "actionable_insight") or _said(more, "actionable_insight"),
    )


def _said(fields: Mapping[str, Any], name: str) -> str:
    """A field as text; an object with a description stands for it, as some cells have it."""
    value = fields.get(name)
    if isinstance(value, dict):
        value = value.get("description", "")
    if isinstance(value, list):
        value = "; ".join(map(str, value))
    return "" if value is None else " ".join(str(value).split())


def _object(path: Path, whole: Mapping[str, Any], key: str) -> dict[str, Any]:
    found = whole.get(key)
    if not isinstance(found, dict):
        fail(path, key, f"an object is wanted, not {kind_of(found)}")
    return found


def _text(path: Path, fields: Mapping[str, Any], key: str, *, wanted: bool = True) -> str:
    value = fields.get(key.rpartition(".")[2])
    if value is None and not wanted:
        return ""
    if not isinstance(value, str) or (wanted and not value.strip()):
        fail(
            path, key, f"a text is wanted, not {kind_of(value) if value != '' else 'an empty one'}"
        )
    return value.strip()


def _has_users(whole: Mapping[str, Any]) -> bool:
    return whole.get("user_dataset_csv_path") is not None


def _csv(path: Path, whole: Mapping[str, Any], key: str) -> Path:
    """The file by its name alone: wherever its owners had it, it lies beside the sets."""
    name = Path(_text(path, whole, key).replace("\\", "/")).name
    places = [path.parent / "csvs" / name, path.parent / name]
    for place in places:
        if name and place.is_file():
            return place
    return fail(path, key, f"there is no file {places[0]}")


def _level(stated: Any, notebook: Notebook) -> int | None:
    try:
        found = int(str(stated))
    except ValueError:
        return notebook.level
    return found if 1 <= found <= 5 else notebook.level


def _in_order(path: Path) -> tuple[str, int, str]:
    """flag-2 before flag-10."""
    word, number = re.fullmatch(r"(.*?)(\d*)", path.stem).groups()  # type: ignore[union-attr]
    return word, int(number[:18] or 0), path.name
