"""Load a checklist from its file, and say in which item and key a bad one is wrong."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from checklists.canonical import items_hash
from core.checklist import Checklist
from core.errors import ChecklistError, UnknownNameError, UsageError
from core.hints import typed
from core.reading import kind_of, read_json

FOLDER = Path(__file__).parent
"""Where the shipped checklists lie, one `<id>.json` each."""


class NoChecklistError(UsageError):
    """A scenario that nobody has brought a checklist for; it can be explored all the same."""


def checklist_ids(own: Path | None = None) -> list[str]:
    """The shipped checklists by id, and those in somebody's own folder."""
    return sorted({path.stem for folder in _folders(own) for path in folder.glob("*.json")})


def checklist_for(
    scenario_id: str, own: Path | None = None, *, named: str | None = None
) -> Checklist:
    """The checklist that a scenario is scored by: the one that is `named` (an id or a file), if any.

    Else it is the one with the scenario's own id, from somebody's own folder before the shipped ones.
    Raises NoChecklistError where there is none, and what `load` does.
    """
    if named is not None:
        return load(named, own)
    if not has_checklist(scenario_id, own):
        raise NoChecklistError(
            f"scenario {scenario_id!r} has no checklist of its own: name one by --checklist (an id of "
            f"`{typed('checklists list')}`, or a file), or write one (docs/checklists.md)"
        )
    return load(scenario_id, own)


def has_checklist(scenario_id: str, own: Path | None = None) -> bool:
    """Whether a scenario can be scored without a checklist being named."""
    return scenario_id in checklist_ids(own)


def load(path_or_id: str | Path, own: Path | None = None) -> Checklist:
    """The checklist of that id, or in that file.

    Raises UnknownNameError or UsageError where there is neither, ChecklistError where the file is not a
    checklist or its hash does not fit its items; the text names file, item and key.
    """
    path = _locate(path_or_id, own)
    checklist = _parse(path, read_json(path, error=ChecklistError))
    found = items_hash(checklist.items)
    if checklist.hash != found:
        raise ChecklistError(
            f"{path.name}: key 'hash': the items hash to {found}, the file says "
            f"{checklist.hash or 'nothing'}; it was edited by hand: take back the edit, or, in a "
            "checklist of your own, write there what they hash to"
        )
    return checklist


def _folders(own: Path | None) -> list[Path]:
    return [*([own] if own else ()), FOLDER]


def _locate(path_or_id: str | Path, own: Path | None) -> Path:
    for folder in _folders(own):
        if (named := folder / f"{path_or_id}.json").is_file():
            return named
    path = Path(path_or_id)
    if path.is_dir():
        raise ChecklistError(f"{path} is a folder; name the checklist's file in it")
    if path.exists():
        return path
    if path.suffix == ".json" or path.parent != Path():
        raise UsageError(f"{path}: there is no such file")
    raise UnknownNameError("checklist", str(path_or_id), checklist_ids(own))


def _parse(path: Path, plain: Any) -> Checklist:
    if not isinstance(plain, Mapping):
        raise ChecklistError(f"{path.name}: a checklist is one JSON object, not {kind_of(plain)}")
    try:
        return Checklist.model_validate_json(json.dumps(plain))
    except ValidationError as exc:
        faults = [_fault(plain, error) for error in exc.errors(include_url=False)]
        more = f" (and {len(faults) - 5} more)" if len(faults) > 5 else ""
        raise ChecklistError(f"{path.name}: " + "; ".join(faults[:5]) + more) from exc


def _fault(plain: Mapping[str, Any], error: Mapping[str, Any]) -> str:
    place = list(error["loc"])
    where = ""
    if len(place) > 1 and place[0] == "items" and isinstance(place[1], int):
        where = f"item {_item_name(plain, place[1])}, "
        place = place[2:]
    key = ".".join(str(part) for part in place) or "the item"
    hint = _hint(str(place[-1]), plain) if error["type"] == "extra_forbidden" and place else ""
    return f"{where}key {key!r}: {error['msg']}{hint}"


def _item_name(plain: Mapping[str, Any], index: int) -> str:
    item = plain["items"][index]
    name = item.get("id") if isinstance(item, Mapping) else None
    return repr(name) if isinstance(name, str) else f"number {index + 1}"


def _hint(key: str, plain: Mapping[str, Any]) -> str:
    near = difflib.get_close_matches(key, _known_keys(), n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def _known_keys() -> Iterable[str]:
    from core.checklist import ChecklistItem, Expected, Magnitude, Signals

    for record in (Checklist, ChecklistItem, Signals, Magnitude, Expected):
        yield from record.model_fields
