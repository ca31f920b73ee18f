"""Read the files of a set within bounds, and say in which file and at which key one is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final, NoReturn

from core.errors import ScenarioError

_KINDS: Final = {
    dict: "an object",
    list: "a list",
    str: "a text",
    bool: "true or false",
    int: "a number",
    float: "a number",
    type(None): "null",
}


def fail(path: Path, key: str, said: str) -> NoReturn:
    """Raise ScenarioError about one key of a file."""
    raise ScenarioError(f"{path}: key {key!r}: {said}")


def kind_of(value: Any) -> str:
    """What a JSON value is, in words."""
    return _KINDS.get(type(value), "something else")


def read_text(path: Path, *, max_mb: int) -> str:
    """A whole file as UTF-8. Raises ScenarioError with the line of the first byte that is not."""
    try:
        if path.stat().st_size > max_mb * 1_000_000:
            raise ScenarioError(f"{path}: larger than {max_mb} MB, which no file of a set is")
        content = path.read_bytes()
    except OSError as exc:
        raise ScenarioError(f"{path}: cannot be read: {exc.strerror}") from exc
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        line = content.count(b"\n", 0, exc.start) + 1
        raise ScenarioError(
            f"{path}, line {line}: not UTF-8 (byte {content[exc.start]:#04x}); "
            "save the file as UTF-8, as the release has it"
        ) from exc


def read_json(path: Path, *, max_mb: int) -> dict[str, Any]:
    """A file with one JSON object. Raises ScenarioError with line and column."""
    text = read_text(path, max_mb=max_mb)
    try:
        found = json.loads(text)
    except json.JSONDecodeError as exc:
        place = f"{path}, line {exc.lineno}, column {exc.colno}"
        raise ScenarioError(f"{place}: not JSON: {exc.msg}; is the file cut short?") from exc
    except RecursionError as exc:
        raise ScenarioError(f"{path}: nested too deeply") from exc
    if not isinstance(found, dict):
        raise ScenarioError(f"{path}: one object is wanted, not {kind_of(found)}")
    return found
