"""What a run is asked to be: options from the command line, a file, or both."""

from __future__ import annotations

import difflib
import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError, field_validator

from core.errors import ConfigError
from core.record import Record
from core.run import Limits
from core.scenario import Goal

REACT = "react"
"""The agent that explores where a model is named and no agent."""


class RunOptions(Record):
    """The keys of bench.toml; the options of `ddr run` have the same names."""

    scenario: str
    agent: str = REACT
    """react where a model is named."""
    model: tuple[str, ...] = ()
    """One run for each."""
    base_url: str | None = None
    sampling: dict[str, Any] = Field(default_factory=dict)
    insight_model: str | None = None
    entities: str | tuple[str, ...] = "all"
    trials: int = Field(default=1, ge=1)
    concurrency: int = Field(default=1, ge=1)
    tools: Literal["sql", "python", "both"] | None = None
    """None = both, or what protocol ddr says."""
    limits: Limits = Limits()
    announce_budget: bool = False
    """Tell the agent before each turn what is left of the limits."""
    budget_usd: float | None = Field(default=None, gt=0)
    prices: Path | None = None
    prompts: Path | None = None
    insights: Literal["per-turn", "later", "none"] = "per-turn"
    final_report: Literal["ask", "none"] = "ask"
    protocol: Literal["default", "ddr"] = "default"
    goal: Goal = "none"
    """Other than none: only where the entities have goals."""
    endpoint_allowed: str | None = None
    timeout: float = Field(default=600.0, gt=0)
    seed: int = 0

    @field_validator("model", mode="before")
    @classmethod
    def _one_or_several(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str) else value


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
    if "scenario" not in merged:
        raise ConfigError(
            f"{where}which scenario? give --scenario, or the key 'scenario' in --config"
        )
    if "agent" not in merged and not merged.get("model"):
        raise ConfigError(f"{where}which agent? give --agent, or --model for the agent {REACT}")
    try:
        return RunOptions.model_validate(merged)
    except ValidationError as exc:
        fault = exc.errors()[0]
        key = ".".join(str(part) for part in fault["loc"][:2])
        origin = where if fault["loc"][0] not in given else "--"
        raise ConfigError(f"{origin}{key}: {fault['msg']}, not {fault['input']!r}") from exc


def read_limits(texts: Sequence[str]) -> dict[str, Any]:
    """'max_turns=30,max_seconds=600' as the limits' fields. Raises ConfigError."""
    found = _pairs("--limits", texts, "max_turns=30,max_seconds=600")
    _refuse_unknown(found, Limits, "--limits: ")
    return found


def read_sampling(texts: Sequence[str]) -> dict[str, Any]:
    """'temperature=0,max_tokens=4096' with values as JSON where they are, else as text."""
    found = _pairs("--sampling", texts, "temperature=0,max_tokens=4096")
    return {key: _value(value) for key, value in found.items()}


def read_template(texts: Sequence[str]) -> dict[str, Any]:
    """'enable_thinking=false' with values as JSON where they are, else as text. Raises ConfigError."""
    found = _pairs("--template", texts, "enable_thinking=false")
    return {key: _value(value) for key, value in found.items()}


def _pairs(option: str, texts: Sequence[str], example: str) -> dict[str, str]:
    found = {}
    for part in ",".join(texts).split(","):
        key, equals, value = part.partition("=")
        if not equals:
            raise ConfigError(f"{option} {part!r}: write it as {example}")
        found[key.strip()] = value.strip()
    return found


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


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
