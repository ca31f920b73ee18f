"""Read a text, JSON or JSON lines that somebody else wrote: bounded, UTF-8, with the place of the first fault."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from core.errors import DdrError

LARGEST: Final = 256 * 1024 * 1024
"""Bytes of a file that is read at all, where nothing else is said."""

Fault = Callable[[str], DdrError]
"""The error of the boundary that the file crosses: ChecklistError, ScenarioError, LogError."""


def read_text(path: Path, *, error: Fault, largest: int = LARGEST, shown: str | None = None) -> str:
    """The whole file, without a mark of byte order; its line ends stay as they are.

    Raises `error` where it cannot be read, has more than `largest` bytes or is not UTF-8. `shown` is
    what the error calls it; None = its name alone.
    """
    place = shown or path.name
    try:
        with path.open("rb") as stream:
            # By what is read, not by the size on record: a device or a pipe has none.
            content = stream.read(largest + 1)
    except OSError as exc:
        raise error(f"{place} cannot be read: {exc.strerror or exc}") from exc
    if len(content) > largest:
        raise error(f"{place}: more than the {largest:,} bytes that it may have")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        # The decoder counts from behind the mark of byte order.
        at = exc.start + len(content) - len(exc.object)
        line = content.count(b"\n", 0, at) + 1
        raise error(
            f"{place}: line {line}: not UTF-8 (byte {content[at]:#04x}); save it as UTF-8"
        ) from exc


def read_json(
    path: Path,
    *,
    error: Fault,
    largest: int = LARGEST,
    shown: str | None = None,
    strict: bool = True,
) -> Any:
    """What a JSON file holds.

    Raises `error` as read_text does, and where it is not JSON, with line and column. Strict means
    that a key said twice and a number that JSON does not know (NaN) are faults as well.
    """
    place = shown or path.name
    text = read_text(path, error=error, largest=largest, shown=shown)
    hooks: dict[str, Any] = (
        {"object_pairs_hook": _without_repeats, "parse_constant": _refuse_constant}
        if strict
        else {}
    )
    try:
        return json.loads(text, **hooks)
    except json.JSONDecodeError as exc:
        at = f"line {exc.lineno}, column {exc.colno}"
        raise error(f"{place}: not JSON at {at}: {exc.msg}") from exc
    except RecursionError as exc:
        raise error(f"{place}: nested too deeply") from exc
    except ValueError as exc:
        raise error(f"{place}: {exc}") from exc


def json_lines(
    text: str, *, error: Fault, where: Callable[[int], str]
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The object on each line of a text, with the line's number from 1; empty lines do not matter.

    Raises `error` for a line that holds none, as `where` calls it.
    """
    # Not splitlines(): a text in JSON may hold further marks that end a line for Unicode.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            said = json.loads(line)
        except (ValueError, RecursionError) as exc:
            raise error(f"{where(number)}: not JSON: {exc}") from exc
        if not isinstance(said, dict):
            raise error(f"{where(number)}: an object belongs here, not {kind_of(said)}")
        yield number, said


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
