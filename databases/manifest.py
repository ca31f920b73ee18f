"""Read a scenario's `scenario.toml` strictly: a Scenario, its builder and its list of entities."""

from __future__ import annotations

import difflib
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn, get_args, get_origin

from pydantic import Field, ValidationError

from core.errors import ConfigError, UnknownNameError
from core.record import Record
from core.scenario import License, Scenario, ToolName
from databases.target import engine_names, has_password

ID = r"^[a-z][a-z0-9_-]{0,39}$"
Text = Annotated[str, Field(min_length=1)]


class EntityQuery(Record):
    """How the entities are listed, once the database is built."""

    query: Text
    """One SELECT with the columns `id` and `label`; its order is the order of the entities."""


OptionValue = bool | int | float | str
"""What a build option may be; the type of its default is the type that is asked for."""


class Variant(Record):
    """What differs from the scenario where an option of this name is switched on."""

    title: Text
    license: License
    task_template: Text | None = None
    tools: tuple[ToolName, ...] | None = None
    dialect: Literal["sqlite"] | None = None
    """Where the builder hands back a finished file of that engine (databases.builder.Built.file)."""
    entities: EntityQuery | None = None
    facts: dict[str, str] | None = None


class BuildSection(Record):
    """How the database is made."""

    builder: str = Field(pattern=r"^[\w.]+:\w+$")
    """`module:function`; the function's contract is databases.build.Builder."""
    seed: str = "0"
    """What every pseudonym and every draw hangs on."""
    disk_mb: int = Field(default=500, ge=1)
    """Free space that a build asks for before it starts, MB."""
    base: str | None = None
    """The shipped scenario that this one is a variant of; None = itself."""
    options: dict[str, OptionValue] = Field(default_factory=dict)
    """What `ddr scenarios build` may be told (from, synthetic, entities, rows, ...), with its default."""
    needs_one_of: tuple[str, ...] = ()
    """Options of which one must be given: a scenario that is made from somebody's files has no others."""
    folder: str | None = None
    """Where scenario.toml stands; put in when it is read, for builders with files beside it."""
    variants: dict[str, Variant] = Field(default_factory=dict)
    """Switches that make a scenario of its own, named `id-switch`: synthetic, anonymise, ..."""


class DatabaseSection(Record):
    """A database that is there already, instead of one that `[build]` makes. One of path and url."""

    path: Text | None = None
    """A file; below the folder of scenario.toml where it is not absolute."""
    url: Text | None = None
    """An SQLAlchemy URL without a password."""
    password_env: Text | None = None
    """The environment variable that holds the password."""
    role_only_reads: bool = False
    """Vouches, for the engine `sqlalchemy`, that the URL's role can do nothing but read."""


class Manifest(Record):
    """The whole file. A key that is not named here is an error."""

    id: str = Field(pattern=ID)
    title: Text
    version: Text
    """Raised whenever the content changes; a database built under another one is refused."""
    dialect: str = "duckdb"
    """The name of a database engine."""
    entity_noun: Text
    task_template: Text
    tools: tuple[ToolName, ...] = Field(
        default=Scenario.model_fields["tools"].default, min_length=1
    )
    license: License
    entities: EntityQuery
    build: BuildSection | None = None
    database: DatabaseSection | None = None
    facts: dict[str, str] = Field(default_factory=dict)
    """Table to the column whose values name facts (databases.target.Target)."""
    descriptions: dict[str, dict[str, str]] = Field(default_factory=dict)
    """Table to its columns' comments, `*` for its own; a build puts them over its builder's."""

    @property
    def is_filled_here(self) -> bool:
        """Whether the database is a DuckDB file that a build fills; else another engine answers for it."""
        return self.database is None and self.dialect == "duckdb"

    @property
    def place(self) -> str:
        """Where the database is: a file's name in the scenario's own folder, a path, or a URL."""
        if self.database is None:
            return f"{self.id}.{'duckdb' if self.dialect == 'duckdb' else 'sqlite3'}"
        return self.database.path or self.database.url or ""

    def scenario(self, fingerprint: str | None = None) -> Scenario:
        """The record that the rest of the project works with."""
        return Scenario(
            id=self.id,
            title=self.title,
            version=self.version,
            dialect=self.dialect,
            database=self.place,
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
    _check_database(path, manifest)
    return _placed(path, manifest)


def _refuse_unknown_keys(path: Path, values: dict[str, Any], model: type[Record], at: str) -> None:
    for key, value in values.items():
        field = model.model_fields.get(key)
        if field is None:
            near = difflib.get_close_matches(key, model.model_fields, n=1, cutoff=0.5)
            hint = f"did you mean {at + near[0]!r}? " if near else ""
            known = ", ".join(model.model_fields)
            raise ConfigError(f"{path}: unknown key {at + key!r}; {hint}known: {known}")
        for section in (field.annotation, *get_args(field.annotation)):  # of `Section | None`
            if not (isinstance(section, type) and issubclass(section, Record)):
                continue
            is_named = get_origin(field.annotation) is dict  # of `dict[str, Section]`
            for name, part in value.items() if is_named else (("", value),):
                if isinstance(part, dict):
                    _refuse_unknown_keys(path, part, section, f"{at}{key}.{name}{'.' * bool(name)}")


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


def _check_database(path: Path, manifest: Manifest) -> None:
    """What no single key can say: how the keys go together."""

    def fail(key: str, said: str) -> NoReturn:
        raise ConfigError(f"{path}: key {key!r}: {said}")

    known = engine_names()
    if manifest.dialect not in known:
        fail("dialect", str(UnknownNameError("database engine", manifest.dialect, known)))
    section = manifest.database
    if (manifest.build is None) == (section is None):
        fail("build", "a scenario has either [build] or [database], and not both")
    if section is None:
        if manifest.dialect != "duckdb":
            fail("dialect", "[build] makes a DuckDB file: leave the dialect out")
        return
    if (section.path is None) == (section.url is None):
        fail("database", "give either path or url")
    if manifest.descriptions:
        fail("descriptions", "what is there already has comments of its own: leave it out")
    if section.url is None:
        if section.password_env or section.role_only_reads:
            fail("database", "password_env and role_only_reads go with a url")
        return
    if "://" not in section.url:
        fail(
            "database.url",
            "an SQLAlchemy URL is wanted, such as postgresql+psycopg://reader@host/db",
        )
    if has_password(section.url):
        fail(
            "database.url",
            "a password does not belong into a file: name its variable in password_env",
        )
    if section.role_only_reads and manifest.dialect != "sqlalchemy":
        fail("database.role_only_reads", "the engine checks the role by itself: leave it out")


def _placed(path: Path, manifest: Manifest) -> Manifest:
    """With absolute paths, so that the manifest can be used without its folder."""
    if manifest.build is not None:
        built = manifest.build.model_copy(update={"folder": str(path.parent.absolute())})
        return manifest.model_copy(update={"build": built})
    section = manifest.database
    if section is None or section.path is None:
        return manifest
    place = (path.parent / Path(section.path).expanduser()).absolute()
    return manifest.model_copy(update={"database": section.model_copy(update={"path": str(place)})})
