"""What a run is asked to be: options from the command line, a file, or both."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from core.errors import ConfigError
from core.record import Record
from core.run import Limits


class RunOptions(Record):
    """The keys of bench.toml; the options of `ddr run` have the same names."""

    scenario: str
    agent: str
    entities: str | tuple[str, ...] = "all"
    trials: int = Field(default=1, ge=1)
    concurrency: int = Field(default=1, ge=1)
    tools: Literal["sql", "python", "both"] = "both"
    limits: Limits = Limits()
    seed: int = 0


def read_options(path: Path | None, given: Mapping[str, Any]) -> RunOptions:
    """The options of a run; what the command line gives outweighs the file.

    Raises ConfigError that names the file and the key, and the nearest key for a misspelt one.
    """
    read = {} if path is None else _read(path)
    where = "" if path is None else f"{path}: "
    _refuse_unknown(read, RunOptions, where)
    limits = read.get("limits", {})
    if isinstance(limits, Mapping):
        _refuse_unknown(limits, Limits, f"{where}limits: ")
    merged = {**read, **{key: value for key, value in given.items() if value is not None}}
    for key in ("scenario", "agent"):
        if key not in merged:
            raise ConfigError(f"{where}which {key}? give --{key}, or the key {key!r} in --config")
    try:
        return RunOptions.model_validate(merged)
    except ValidationError as exc:
        fault = exc.errors()[0]
        key = ".".join(str(part) for part in fault["loc"][:2])
        origin = where if fault["loc"][0] not in given else "--"
        raise ConfigError(f"{origin}{key}: {fault['msg']}, not {fault['input']!r}") from exc


def read_limits(text: str) -> dict[str, Any]:
    """'max_turns=30,max_seconds=600' as the limits' fields. Raises ConfigError."""
    found: dict[str, Any] = {}
    for part in text.split(","):
        key, equals, value = part.partition("=")
        if not equals:
            raise ConfigError(f"--limits {part!r}: write it as max_turns=30,max_seconds=600")
        found[key.strip()] = value.strip()
    _refuse_unknown(found, Limits, "--limits: ")
    return found


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as exc:
        raise ConfigError(f"{path}: not TOML: {exc}") from exc
    except OSError as exc:
        raise ConfigError(f"{path} cannot be read: {exc.strerror}") from exc


def _refuse_unknown(found: Mapping[str, Any], record: type[Record], where: str) -> None:
    known = sorted(record.model_fields)
    for key in found:
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            hint = f" (did you mean {near[0]!r}?)" if near else ""
            raise ConfigError(f"{where}unknown key {key!r}{hint}; known: {', '.join(known)}")
