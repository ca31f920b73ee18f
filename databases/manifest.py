"""Read a scenario's `scenario.toml` strictly: a Scenario, its builder and its list of entities."""

from __future__ import annotations

import difflib
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn

from pydantic import Field, ValidationError

from core.errors import ConfigError
from core.record import Record
from core.scenario import License, Scenario, ToolName

_ID = r"^[a-z][a-z0-9_-]{0,39}$"
Text = Annotated[str, Field(min_length=1)]


class EntityQuery(Record):
    """How the entities are listed, once the database is built."""

    query: Text
    """One SELECT with the columns `id` and `label`; its order is the order of the entities."""


class BuildSection(Record):
    """How the database is made."""

    builder: str = Field(pattern=r"^[\w.]+:\w+$")
    """`module:function`; the function's contract is databases.build.Builder."""
    seed: str = "0"
    """What every pseudonym and every draw hangs on."""
    disk_mb: int = Field(default=500, ge=1)
    """Free space that a build asks for before it starts, MB."""


class Manifest(Record):
    """The whole file. A key that is not named here is an error."""

    id: str = Field(pattern=_ID)
    title: Text
    version: Text
    """Raised whenever the content changes; a database built under another one is refused."""
    dialect: Literal["duckdb"] = "duckdb"
    entity_noun: Text
    task_template: Text
    tools: tuple[ToolName, ...] = Field(
        default=Scenario.model_fields["tools"].default, min_length=1
    )
    license: License
    entities: EntityQuery
    build: BuildSection

    @property
    def database(self) -> str:
        """File name of the database in the scenario's own folder."""
        return f"{self.id}.duckdb"

    def scenario(self, fingerprint: str | None = None) -> Scenario:
        """The record that the rest of the project works with."""
        return Scenario(
            id=self.id,
            title=self.title,
            version=self.version,
            dialect=self.dialect,
            database=self.database,
            fingerprint=fingerprint,
            entity_noun=self.entity_noun,
            task_template=self.task_template,
            tools=self.tools,
            license=self.license,
        )


def read_manifest(path: Path) -> Manifest:
    """Read and check one scenario.toml.

    Raises ConfigError that names the file and the key; for a misspelt key also the nearest known one.
    """
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as exc:
        raise ConfigError(f"{path}: there is no such file") from exc
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as exc:
        raise ConfigError(f"{path}: cannot be read as TOML: {exc}") from exc
    _refuse_unknown_keys(path, values, Manifest, "")
    try:
        manifest = Manifest.model_validate(values)
    except ValidationError as exc:
        _fail(path, exc)
    _check_template(path, manifest)
    return manifest


def _refuse_unknown_keys(path: Path, values: dict[str, Any], model: type[Record], at: str) -> None:
    for key, value in values.items():
        field = model.model_fields.get(key)
        if field is None:
            near = difflib.get_close_matches(key, model.model_fields, n=1, cutoff=0.5)
            hint = f"did you mean {at + near[0]!r}? " if near else ""
            known = ", ".join(model.model_fields)
            raise ConfigError(f"{path}: unknown key {at + key!r}; {hint}known: {known}")
        section = field.annotation
        if isinstance(value, dict) and isinstance(section, type) and issubclass(section, Record):
            _refuse_unknown_keys(path, value, section, f"{at}{key}.")


def _fail(path: Path, exc: ValidationError) -> NoReturn:
    told = [f"key {'.'.join(map(str, e['loc']))!r}: {e['msg']}" for e in exc.errors()]
    raise ConfigError(f"{path}: {'; '.join(told)}") from exc


def _check_template(path: Path, manifest: Manifest) -> None:
    try:
        manifest.task_template.format(entity_noun="", entity_id="", entity_label="")
    except (KeyError, IndexError, ValueError) as exc:
        raise ConfigError(
            f"{path}: key 'task_template': only {{entity_noun}}, {{entity_id}} and {{entity_label}} "
            f"can be filled in ({exc})"
        ) from exc
    if "{entity_id}" not in manifest.task_template:
        raise ConfigError(f"{path}: key 'task_template': must name the entity by {{entity_id}}")
