"""Write a scenario's folder, to be edited: scenario.toml with comments, and the map beside it."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import UsageError
from databases.files import sync_folder
from databases.manifest import read_manifest
from databases.own.anonymise import NAME as MAP
from databases.own.anonymise import AnonymiseMap, ColumnRule, read_map
from databases.own.proposal import Proposal

if TYPE_CHECKING:
    from tomlkit import TOMLDocument
    from tomlkit.items import InlineTable, Item, Table

TOML = "scenario.toml"
BUILDER = "databases.own.builder:build"
_TASK = "Explore what the database says about {entity_noun} {entity_id}."


@dataclass(frozen=True)
class Heading:
    """What a person says of a scenario."""

    id: str
    title: str
    noun: str
    license: str
    restricted: bool


@dataclass(frozen=True)
class Server:
    """A database that stays where it is."""

    url: str
    dialect: str
    password_env: str | None


def files_of(
    heading: Heading, proposal: Proposal, *, seed: str, source: Path | None, encoding: str
) -> dict[str, str]:
    """The texts of a scenario made from files, by their names. Without a source each user names theirs."""
    import tomlkit

    document = _head(heading, proposal.query)
    build = tomlkit.table()
    build.add("builder", BUILDER)
    build.add("seed", _said(seed, "new ids and dates follow from it: whoever has it can undo them"))
    build.add("disk_mb", 10)
    build.add("needs_one_of", ["from"])
    options = tomlkit.table()
    options.add("from", "" if source is None else str(source))
    options.add("encoding", _said(encoding, "of CSV files: utf-8, latin-1, utf-16"))
    build.add("options", options)
    document.add("build", build)
    told = tomlkit.table()
    told.add(
        tomlkit.comment("All that agents are told. Say what each column means, its unit, and what")
    )
    told.add(tomlkit.comment("NULL means. The names are those of the map; * is the table itself."))
    for table, texts in proposal.descriptions.items():
        told.add(table, _filled(texts))
    document.add("descriptions", told)
    return {TOML: tomlkit.dumps(document), MAP: _map_text(proposal.map)}


def server_files(heading: Heading, query: str, server: Server) -> dict[str, str]:
    """The text of a scenario whose database is served where it is: nothing in it can be replaced."""
    import tomlkit

    document = _head(heading, query)
    document["dialect"] = server.dialect
    section = tomlkit.table()
    section.add("url", server.url)
    if server.password_env:
        section.add("password_env", server.password_env)
    document.add("database", section)
    return {TOML: tomlkit.dumps(document)}


def packaged(module: str, heading: Heading, files: dict[str, str]) -> dict[str, str]:
    """The same as a distribution's folder, that is installed beside ddr."""
    import tomlkit

    project = tomlkit.table()
    project.update({"name": f"ddr-{heading.id}", "version": "1", "dependencies": ["ddr"]})
    points = tomlkit.table()
    points.add(heading.id, module)
    project.add("entry-points", {"ddr.scenarios": points})
    document = tomlkit.document()
    document.add("build-system", {"requires": ["hatchling"], "build-backend": "hatchling.build"})
    document.add("project", project)
    document.add("tool", {"hatch": {"build": {"targets": {"wheel": {"packages": [module]}}}}})
    inside = {f"{module}/{name}": text for name, text in files.items()}
    about = f'"""The scenario {heading.id}."""\n'
    return {"pyproject.toml": tomlkit.dumps(document), f"{module}/__init__.py": about, **inside}


def write_folder(folder: Path, files: dict[str, str], *, private: bool = True) -> None:
    """Put them in place whole, or not at all; each must read back. Raises UsageError where one is there.

    Private ones are their owner's alone: the map names columns, and the seed undoes it.
    """
    for name in files:
        if (folder / name).exists():
            raise UsageError(f"{folder / name} is there already: take another --id, or remove it")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".new-", dir=folder) as temporary:
        for name, text in files.items():
            fresh = Path(temporary) / name
            fresh.parent.mkdir(parents=True, exist_ok=True)
            fresh.write_text(text, encoding="utf-8")
            fresh.chmod(0o600 if private else 0o644)
            if fresh.name == TOML:
                read_manifest(fresh)
            elif fresh.name == MAP:
                read_map(fresh)
        # scenario.toml last: with it the scenario is there.
        for name in sorted(files, key=lambda each: each.endswith(TOML)):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (Path(temporary) / name).replace(folder / name)
    sync_folder(folder)


def _head(heading: Heading, query: str) -> TOMLDocument:
    import tomlkit

    document = tomlkit.document()
    document.add("id", tomlkit.item(heading.id))
    document.add("title", tomlkit.item(heading.title))
    document.add("version", _said("1", "raise it whenever the content changes"))
    document.add("entity_noun", tomlkit.item(heading.noun))
    document.add("task_template", tomlkit.item(_TASK))
    document.add(tomlkit.nl())
    terms = tomlkit.table()
    terms.add("name", heading.license)
    terms.add("restricted", _said(heading.restricted, "true: the data may not leave this machine"))
    document.add("license", terms)
    entities = tomlkit.table()
    entities.add(tomlkit.comment("id and label first; other columns are attributes"))
    entities.add("query", query)
    document.add("entities", entities)
    return document


def _map_text(made: AnonymiseMap) -> str:
    import tomlkit

    document = tomlkit.document()
    for line in (
        "What becomes of the data before agents see them. Names on the left are the source's.",
        "change = keep, drop (left out), id (replaced; columns of one kind alike), shift (by weeks).",
        "A column or table that is not named here never gets in.",
    ):
        document.add(tomlkit.comment(line))
    document.add(tomlkit.nl())
    if made.entity:
        document.add("entity", _said(made.entity, "the kind of id that the entities have"))
    document.add(
        tomlkit.comment(
            "weeks = 260: how far dates are moved; drawn from the seed where it is left out"
        )
    )
    tables = tomlkit.table(is_super_table=True)
    for key, table in made.tables.items():
        shown = tomlkit.table()
        shown.add("name", table.name)
        columns: Table = tomlkit.table()
        for column, rule in table.columns.items():
            columns.add(column, _inline(rule))
        shown.add("columns", columns)
        tables.add(key, shown)
    document.add("tables", tables)
    return tomlkit.dumps(document)


def _said(value: str | bool, comment: str) -> Item:
    """A value with a comment behind it."""
    import tomlkit

    item: Item = tomlkit.item(value)
    return item.comment(comment)


def _inline(rule: ColumnRule) -> InlineTable:
    import tomlkit

    cell = tomlkit.inline_table()
    shown: dict[str, Any] = {"name": rule.name, "type": rule.type, "change": rule.change}
    cell.update({k: v for k, v in {**shown, "kind": rule.kind, "format": rule.format}.items() if v})
    return cell


def _filled(texts: dict[str, str]) -> Table:
    import tomlkit

    table = tomlkit.table()
    for name, text in texts.items():
        table.add(name, text)
    return table
