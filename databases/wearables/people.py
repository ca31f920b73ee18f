"""Who took part: the participants of the studies, under ids of their own, and those that are asked for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import ScenarioError, UnknownNameError
from core.reading import read_json, read_text
from databases.wearables.files import PEOPLE, Text, located, opened, rows

if TYPE_CHECKING:
    import duckdb

_ID = re.compile(r"[\w.@#-]{1,60}")
_LARGEST_LIST = 10_000_000
"""Bytes of a list of participants."""

Key = tuple[str, str]
"""(study, pid)"""


@dataclass(frozen=True)
class Person:
    """One participant of one study."""

    id: str
    """The pid, with the study behind it where several studies have the same pid."""
    platform: str | None


def told(studies: Sequence[Path], workspace: Path) -> dict[Key, tuple[str | None, Text, int]]:
    """What platform.csv says of each participant, and where. Raises ScenarioError with the line."""
    found: dict[Key, tuple[str | None, Text, int]] = {}
    for study in studies:
        path = located(study, PEOPLE, "platform")
        if path is None:
            raise ScenarioError(f"{study / PEOPLE} has no platform.csv")
        text = opened(path, workspace)
        for line, row in rows(text, ("pid", "platform")):
            key = (study.name, row["pid"])
            if key in found:
                said = f"is the same participant as line {found[key][2]}"
                text.fail(said, line=line, column="pid")
            if not _ID.fullmatch(row["pid"]):
                text.fail("is no id of letters, digits and .@#_-", line=line, column="pid")
            found[key] = (row["platform"] or None, text, line)
    return found


def sensed(connection: duckdb.DuckDBPyConnection, tables: Iterable[str]) -> set[Key]:
    """Those of whom any feature was loaded. Raises ScenarioError for an id that none can be."""
    union = " UNION ".join(f"SELECT study, pid FROM loaded_{table}" for table in tables)
    found = {(study, pid) for study, pid in connection.execute(union).fetchall()}
    for study, pid in sorted(found):
        if not _ID.fullmatch(pid):
            raise ScenarioError(f"{study}: the pid {pid!r} is no id of letters, digits and .@#_-")
    return found


def gathered(
    listed: Mapping[Key, tuple[str | None, Text, int]],
    sensed: Collection[Key],
    *,
    skip_empty: bool,
) -> dict[Key, Person]:
    """Everybody of whom there are rows, by id.

    Raises ScenarioError where platform.csv lists somebody without any, unless they are skipped.
    """
    if not skip_empty:
        for key, (_, text, line) in listed.items():
            if key not in sensed:
                text.fail(
                    f"participant {key[1]} has no row with a value in any file of features; "
                    "--set skip_empty=true leaves out those who have none",
                    line=line,
                )
    shared = Counter(pid for _, pid in sensed)
    people = {
        (study, pid): Person(
            id=pid if shared[pid] == 1 else f"{pid}@{study}",
            platform=listed[study, pid][0] if (study, pid) in listed else None,
        )
        for study, pid in sensed
    }
    return dict(sorted(people.items(), key=lambda item: item[1].id))


def selected(people: Mapping[Key, Person], written: str) -> dict[Key, Person]:
    """Those that `--entities` asks for: ids with commas, or a file with one a line or a JSON list.

    Of a file those are taken that are there. Raises UnknownNameError for an id that is not,
    ScenarioError where a file names nobody.
    """
    if not written:
        return dict(people)
    ids = {person.id for person in people.values()}
    path = Path(written)
    if path.is_file():
        wanted = _listed(path) & ids
        if not wanted:
            raise ScenarioError(f"{path} names none of the {len(ids)} participants")
    else:
        wanted = {part.strip() for part in written.split(",") if part.strip()}
        for unknown in sorted(wanted - ids):
            raise UnknownNameError("participant", unknown, ids)
    return {key: person for key, person in people.items() if person.id in wanted}


def _listed(path: Path) -> set[str]:
    text = read_text(path, error=ScenarioError, largest=_LARGEST_LIST, shown=str(path))
    if not text.lstrip().startswith(("[", "{")):
        return {line.strip() for line in text.splitlines() if line.strip()}
    plain = read_json(path, error=ScenarioError, largest=_LARGEST_LIST, shown=str(path))
    if not isinstance(plain, list) or not all(isinstance(each, str) for each in plain):
        raise ScenarioError(f"{path}: a JSON list of ids is wanted")
    return set(plain)
