"""Read which companies are asked for: CIKs with commas, `official`, or a file that lists them."""

from __future__ import annotations

import re
from pathlib import Path

from core.errors import UsageError
from core.reading import read_json, read_text

MOST = 10_000
_LARGEST = 1_000_000
"""Bytes of a list."""
_HOW = "--entities takes CIKs with commas between (320193,1318605), official, or a file of CIKs"


def selected(entities: str, official: str = "") -> tuple[str, ...] | None:
    """The CIKs without leading zeros, in order; None = all there are.

    `official` is the path of the benchmark's own list (entity_ids.json), which is not ours to ship.
    Raises UsageError where there is no such list, or it names something that is no CIK.
    """
    if not entities:
        return None
    if entities == "official":
        if not official:
            raise UsageError(
                "--entities official needs the benchmark's list of companies, which does not come "
                "with this program: put its entity_ids.json into the folder, or --set official=PATH"
            )
        entities = official
    path = Path(entities).expanduser()
    if re.fullmatch(r"[0-9][0-9,\s]*", entities):
        listed: object = re.split(r"[,\s]+", entities.strip(", "))
    elif path.is_file():
        listed = _listed(path)
    else:
        raise UsageError(f"{entities!r} is neither a file nor a list of CIKs; {_HOW}")
    if not isinstance(listed, list) or not listed or len(listed) > MOST:
        raise UsageError(f"{entities}: holds no list of CIKs; {_HOW}")
    found = [str(value).strip().removeprefix("CIK").lstrip("0") for value in listed]
    if wrong := [value for value in found if not re.fullmatch(r"[0-9]{1,10}", value)]:
        raise UsageError(f"{wrong[0]!r} is no CIK; {_HOW}")
    return tuple(dict.fromkeys(found))


def _listed(path: Path) -> object:
    if path.suffix == ".json":
        return read_json(path, error=UsageError, largest=_LARGEST, shown=str(path))
    return read_text(path, error=UsageError, largest=_LARGEST, shown=str(path)).split()
