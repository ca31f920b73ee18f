"""Read the files of a set within bounds, and say in which file and at which key one is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NoReturn

from core.errors import ScenarioError
from core.reading import kind_of, read_json, read_text


def fail(path: Path, key: str, said: str) -> NoReturn:
    """Raise ScenarioError about one key of a file."""
    raise ScenarioError(f"{path}: key {key!r}: {said}")


def text_of(path: Path, *, max_mb: int) -> str:
    """A whole file as UTF-8. Raises ScenarioError with the line of the first byte that is not."""
    return read_text(path, error=ScenarioError, largest=max_mb * 1_000_000, shown=str(path))


def object_of(path: Path, *, max_mb: int) -> dict[str, Any]:
    """A file with one JSON object. Raises ScenarioError with line and column."""
    found = read_json(
        path, error=ScenarioError, largest=max_mb * 1_000_000, shown=str(path), strict=False
    )
    if not isinstance(found, dict):
        raise ScenarioError(f"{path}: one object is wanted, not {kind_of(found)}")
    return found
