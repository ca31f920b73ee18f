"""Read a checklist in the form that DDR-Bench publishes: `qa.json`, one list of pairs per entity."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from checklists.canonical import items_hash
from checklists.importers.fiscal_years import Stated, stated
from checklists.tagging.tagging import UNTAGGED
from core.checklist import Checklist, ChecklistItem
from core.errors import ChecklistError, UsageError
from core.reading import kind_of, read_json
from core.scenario import License

CHANGES: Final = ("improved", "worsened", "remained almost the same")
"""What a closed item of the wearables scenario may be answered by (DDR-08)."""
LONGEST: Final = 20_000
"""Characters of one text; the longest published answer has under 1,000."""
MOST: Final = 200_000
"""Items of one file."""
_ID: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_CONSTRUCT: Final = re.compile(r"[A-Za-z0-9_]{1,60}")


@dataclass(frozen=True)
class Imported:
    """A checklist with what its file says beside the facts."""

    checklist: Checklist
    years: Mapping[str, Stated]
    """The fiscal years that an item states, by its id; items that state none are left out."""
    absent: tuple[str, ...]
    """Entities of the file that the scenario does not have; their items are in the checklist."""


def import_checklist(
    path: Path,
    *,
    scenario_id: str,
    entity_ids: Collection[str] | None,
    license: License,
    checklist_id: str | None = None,
) -> Imported:
    """The checklist in a file, its items without signals, evidence or difficulty.

    An item whose answer is one of CHANGES is closed, with all three as options in the file's own
    words; every other is open. `entity_ids` are those of the built scenario, or None where they
    are not known; an id that differs from one of them in leading zeros alone is taken for it.

    Raises ChecklistError with the file and the key of what is malformed or stands twice, UsageError
    for an id that is no name.
    """
    name = checklist_id or f"ddr-bench-{scenario_id}"
    if not _ID.fullmatch(name):
        raise UsageError(
            f"a checklist's id is small letters, digits, '.', '_' and '-', not {name!r}"
        )
    reader = _Reader(path.name, name, entity_ids)
    items = reader.items(read_json(path, error=ChecklistError))
    checklist = Checklist(
        id=name,
        version=hashlib.sha256(path.read_bytes()).hexdigest()[:12],
        scenario_id=scenario_id,
        hash=items_hash(items),
        license=license,
        items=items,
    )
    return Imported(checklist, reader.years, tuple(reader.absent))


class _Reader:
    """One pass over one file; keys in errors are written as in 'results.3.qa_pairs.0.answer'."""

    def __init__(self, file: str, name: str, entity_ids: Collection[str] | None) -> None:
        self._file, self._name = file, name
        self._known = entity_ids
        self._bare = _without_zeros(entity_ids or ())
        self.years: dict[str, Stated] = {}
        self.absent: list[str] = []

    def items(self, plain: Any) -> tuple[ChecklistItem, ...]:
        whole = self._object(plain, "")
        metadata = self._object(whole.get("metadata") or {}, "metadata")
        entries = self._list(whole, "results", "")
        found: list[ChecklistItem] = []
        seen: dict[str, str] = {}
        for number, each in enumerate(entries):
            key = f"results.{number}"
            entry = self._object(each, key)
            entity = self._entity(entry, key)
            if entity in seen:
                raise self._fault(f"{key}.entity_id", f"{entity!r} stands in {seen[entity]} too")
            seen[entity] = key
            found += self._pairs(entry, key, entity, metadata)
            if len(found) > MOST:
                raise self._fault(key, f"more than {MOST} items")
        if not found:
            raise self._fault("results", "it holds no items")
        return tuple(found)

    def _pairs(
        self, entry: Mapping[str, Any], key: str, entity: str, metadata: Mapping[str, Any]
    ) -> list[ChecklistItem]:
        found: list[ChecklistItem] = []
        asked: dict[str, str] = {}
        for number, each in enumerate(self._list(entry, "qa_pairs", key)):
            place = f"{key}.qa_pairs.{number}"
            pair = self._object(each, place)
            question = self._text(pair, "question", place)
            same = " ".join(question.casefold().split())
            if same in asked:
                raise self._fault(f"{place}.question", f"the same as in {asked[same]}")
            asked[same] = place
            item = self._item(pair, place, entity, question, number + 1)
            found.append(item)
            text = f"{item.question} {item.answer}"
            try:
                years = stated(text, (pair, entry, metadata))
            except ValueError as exc:
                raise self._fault(place, str(exc)) from exc
            if years:
                self.years[item.id] = years
        return found

    def _item(
        self, pair: Mapping[str, Any], place: str, entity: str, question: str, number: int
    ) -> ChecklistItem:
        answer = self._text(pair, "answer", place)
        source = self._text(pair, "source_text", place, may_lack=True)
        options = _options(answer)
        construct = source.split(":")[0].strip()
        is_named = bool(options and _CONSTRUCT.fullmatch(construct))
        return ChecklistItem(
            id=f"{self._name}-{entity}-{number}",
            entity_id=entity,
            question=question,
            answer=answer,
            kind="closed" if options else "open",
            options=options,
            category=construct if is_named else UNTAGGED,
            source=f"ddr-bench: {source}" if source else "ddr-bench",
        )

    def _entity(self, entry: Mapping[str, Any], key: str) -> str:
        said = entry.get("entity_id")
        # A number without quotes is the same id: files of other hands have CIKs like that.
        if isinstance(said, int) and not isinstance(said, bool):
            said = str(said)
        entity = self._text({"entity_id": said} if said is not None else {}, "entity_id", key)
        if self._known is None or entity in self._known:
            return entity
        near = self._bare.get(entity.lstrip("0"))
        if near is not None:
            return near
        self.absent.append(entity)
        return entity

    def _object(self, value: Any, key: str) -> Mapping[str, Any]:
        if not isinstance(value, dict):
            raise self._fault(key, f"an object belongs here, not {kind_of(value)}")
        return value

    def _list(self, holder: Mapping[str, Any], name: str, key: str) -> list[Any]:
        place = f"{key}.{name}".lstrip(".")
        if name not in holder:
            raise self._fault(place, "is missing")
        if not isinstance(holder[name], list):
            raise self._fault(place, f"a list belongs here, not {kind_of(holder[name])}")
        found: list[Any] = holder[name]
        return found

    def _text(
        self, holder: Mapping[str, Any], name: str, key: str, *, may_lack: bool = False
    ) -> str:
        value = holder.get(name)
        if value is None and may_lack:
            return ""
        place = f"{key}.{name}"
        if name not in holder:
            raise self._fault(place, "is missing")
        if not isinstance(value, str):
            raise self._fault(place, f"a text belongs here, not {kind_of(value)}")
        if len(value) > LONGEST:
            raise self._fault(place, f"longer than {LONGEST} characters")
        if not value.strip() and not may_lack:
            raise self._fault(place, "is empty")
        return value.strip()

    def _fault(self, key: str, text: str) -> ChecklistError:
        where = f"key {key!r}: " if key else ""
        return ChecklistError(f"{self._file}: {where}{text}")


def _options(answer: str) -> tuple[str, ...]:
    """The three answers in the form of this one ('It improved.'); empty for an open item."""
    for change in CHANGES:
        form = re.fullmatch(rf"(.{{0,20}}?)\b{change}\b(\W{{0,3}})", answer, re.IGNORECASE)
        if form:
            return tuple(f"{form[1]}{each}{form[2]}" for each in CHANGES)
    return ()


def _without_zeros(entity_ids: Collection[str]) -> dict[str, str]:
    """Ids by what is left of them without leading zeros, where that names one alone."""
    found: dict[str, str] = {}
    twice: set[str] = set()
    for each in entity_ids:
        bare = each.lstrip("0")
        if bare in found or not bare.isdigit():
            twice.add(bare)
        found[bare] = each
    return {bare: each for bare, each in found.items() if bare not in twice}
