"""Read a JSON file from anywhere: bounded, strict, and with the place of the first fault."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from core.errors import ChecklistError

LARGEST: Final = 256 * 1024 * 1024
"""Bytes of a file that is read at all; the largest published checklist has 2 MB."""


def read_json(path: Path) -> Any:
    """What the file holds.

    Raises ChecklistError where it cannot be read, is too large, is not UTF-8 or not JSON, says a
    key twice, or has a number that JSON does not know; the text names the file and the place.
    """
    try:
        size = path.stat().st_size
        if size > LARGEST:
            raise ChecklistError(
                f"{path.name}: {size} bytes are more than the {LARGEST} it may have"
            )
        return json.loads(
            path.read_text(encoding="utf-8-sig"),
            object_pairs_hook=_without_repeats,
            parse_constant=_refuse_constant,
        )
    except UnicodeDecodeError as exc:
        raise ChecklistError(f"{path.name}: not UTF-8 at byte {exc.start}") from exc
    except json.JSONDecodeError as exc:
        place = f"line {exc.lineno}, column {exc.colno}"
        raise ChecklistError(f"{path.name}: not JSON at {place}: {exc.msg}") from exc
    except (ValueError, RecursionError) as exc:
        raise ChecklistError(f"{path.name}: {exc}") from exc
    except OSError as exc:
        raise ChecklistError(f"{path.name} cannot be read: {exc.strerror}") from exc


def kind_of(value: Any) -> str:
    """How an error calls a value of JSON: 'a list', 'a text', 'null'."""
    names = {
        dict: "an object",
        list: "a list",
        str: "a text",
        bool: "true or false",
        type(None): "null",
    }
    return names.get(type(value), "a number")


def _without_repeats(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        repeated = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {repeated!r} stands twice in one object")
    return found


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number that JSON knows")
