"""The prompts of the agent: text files, filled in one pass, each known by its hash."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Final

from core.errors import ConfigError, UnknownNameError
from core.scenario import Task

_BUILTIN: Final = Path(__file__).parent / "prompts"
_PLACEHOLDER: Final = re.compile(r"\{([a-z_]+)\}")
_OF_THE_TASK: Final = ("task", "entity_noun", "entity_id")
_OWN: Final = {"start": ("where", "tables"), "insight": ("turn",), "cut": ("count",)}
"""What a prompt may hold beside the task's own."""


@dataclass(frozen=True)
class Prompts:
    """All that an agent is told, one text file each. `{name}` in one stands for a value."""

    system: str
    """Sent before everything else."""
    start: str
    """The first message: the entity and the tables."""
    nudge: str
    """Answers a reply that neither calls a tool nor finishes."""
    insight: str
    """Asks for the message-wise insight of one turn."""
    report: str
    """Asks for the report after an ending that was not chosen."""
    cut: str
    """Says that earlier turns are missing; stands before `report`."""

    @classmethod
    def builtin(cls) -> Prompts:
        """Those that ddr brings."""
        return cls(**{name: _read(_BUILTIN / f"{name}.txt", name) for name in _names()})

    @classmethod
    def from_folder(cls, folder: Path) -> Prompts:
        """The built-in ones, with those files in their place that the folder holds.

        Raises ConfigError for a folder without prompts and for a file that cannot be used,
        UnknownNameError for a file that stands for no prompt.
        """
        if not folder.is_dir():
            raise ConfigError(f"--prompts {folder}: there is no such folder")
        files = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
        known = [f"{name}.txt" for name in _names()]
        if not files:
            raise ConfigError(f"--prompts {folder}: it holds none of {', '.join(known)}")
        for path in files:
            if path.name not in known:
                raise UnknownNameError("prompt file", path.name, known)
        return replace(cls.builtin(), **{path.stem: _read(path, path.stem) for path in files})

    @property
    def hash(self) -> str:
        """sha-256 of all of them."""
        return _sha256(self.hashed_text())

    def hashed_text(self) -> str:
        """All of them by their names, as JSON: what the hash is of."""
        return json.dumps([[name, getattr(self, name)] for name in _names()])

    def hash_of(self, name: str) -> str:
        """sha-256 of one, with its placeholders unfilled."""
        return _sha256(getattr(self, name))

    def fill(self, name: str, task: Task, **values: str) -> str:
        """One prompt with its values, in one pass: a value is never scanned for placeholders."""
        known = {
            "task": task.text,
            "entity_noun": task.entity_noun,
            "entity_id": task.entity_id,
            "where": _where(task),
            **values,
        }
        return _PLACEHOLDER.sub(lambda found: known.get(found[1], found[0]), getattr(self, name))


def table_list(data: Mapping[str, Any] | None) -> str:
    """The tables of a get_database_info answer with their descriptions, a line each; no columns."""
    found = (data or {}).get("tables")
    tables = [t for t in found if isinstance(t, dict)] if isinstance(found, list) else []
    if not tables:
        return "(The list of tables is not at hand: ask a tool for it.)"
    lines = [f"- {table.get('name')}{_described(table.get('comment'))}" for table in tables]
    note = (data or {}).get("note")
    return "\n".join([*lines, *([f"({note})"] if note else [])])


def _described(comment: Any) -> str:
    # Kept to its line: a comment cannot pose as another table or as an instruction of ours.
    return f": {' '.join(str(comment).split())}" if comment else ""


def _where(task: Task) -> str:
    """How an entity is told from the others: by its id, or by having the database to itself."""
    if task.is_apart:
        return f"All that the database holds is about this {task.entity_noun}: {task.entity_id}"
    return f"The rows of this {task.entity_noun} are found by its id: {task.entity_id}"


def _names() -> list[str]:
    return [field.name for field in fields(Prompts)]


def _read(path: Path, name: str) -> str:
    try:
        text = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as exc:
        raise ConfigError(f"{path}: cannot be read as UTF-8 text: {exc}") from exc
    if not text:
        raise ConfigError(f"{path}: it is empty")
    allowed = (*_OF_THE_TASK, *_OWN.get(name, ()))
    for found in _PLACEHOLDER.findall(text):
        if found not in allowed:
            raise ConfigError(
                f"{path}: {{{found}}} stands for nothing; known: "
                + ", ".join(f"{{{known}}}" for known in allowed)
            )
    return text


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
