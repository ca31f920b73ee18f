"""Draft a scenario of one's own: what was given on the command line, and what a person is asked."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from core.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from databases.own.keys import Place
    from databases.own.look import Look
    from databases.own.proposal import Candidate, Proposal
    from databases.own.writing import Heading, Server
    from databases.target import Target
    from server.cli.output import Output

Progress = Callable[[str, float], None]
_SHOWN = 9


@dataclass(frozen=True)
class Drawn:
    """What came of a look."""

    heading: Heading
    files: dict[str, str]
    entity: str
    label: str | None
    entities: int
    left_out: int
    references: list[str]
    tables: dict[str, dict[str, int]]

    def told(self) -> dict[str, Any]:
        """For --json."""
        told = {key: getattr(self, key) for key in ("entity", "label", "entities", "left_out")}
        return {
            **told,
            "noun": self.heading.noun,
            "references": self.references,
            "tables": self.tables,
        }


@dataclass(frozen=True)
class Asking:
    """What was given, and whether a person can be asked for the rest."""

    out: Output
    id: str
    entity: str | None
    label: str | None
    noun: str | None
    title: str | None
    license: str
    restricted: bool
    may_ask: bool

    def choose(self, look: Look) -> tuple[Candidate, Heading, str | None]:
        """The entities, the scenario's heading, and the column of the label."""
        from databases.own.keys import singular, words
        from databases.own.proposal import candidates
        from databases.own.writing import Heading

        found = candidates(look)
        chosen = _given(look, found, self.entity) if self.entity else self._pick(found)
        stem = chosen.table.stem if chosen.column.is_unique else chosen.column.name
        parts = [word for word in words(stem) if word not in ("id", "no", "key", "code")]
        usual = " ".join(singular(word) for word in parts) or "entity"
        noun = self.noun or self._ask("what is one of them called", usual)
        label = self.label
        if label is None and self.may_ask:
            answer = self._ask("a column with its name for people (none: its id)", "none")
            label = None if answer == "none" else answer
        if label is not None:
            column = chosen.table.column(label)
            if column is None:
                known = [each.name for each in chosen.table.columns]
                raise UnknownNameError(f"column of {chosen.table.stem}", label, known)
            label = column.name
        title = self.title or self._ask("the scenario's title", f"{self.id.capitalize()} by {noun}")
        return chosen, Heading(self.id, title, noun, self.license, self.restricted), label

    def _pick(self, found: list[Candidate]) -> Candidate:
        if not found:
            raise UsageError("no column looks like a key: name one by --entity TABLE.COLUMN")
        if not self.may_ask:
            raise UsageError(f"what are the entities? Give --entity TABLE.COLUMN{_listed(found)}")
        shown = found[:_SHOWN]
        self.out.say("What is explored, one at a time? Columns that name something:")
        for place, candidate in enumerate(shown, 1):
            self.out.say(f"  {place}  {candidate}")
        wanted = 0
        while not 1 <= wanted <= len(shown):
            wanted = int(
                typer.prompt(f"the entity's column, 1 to {len(shown)}", default=1, type=int)
            )
        return shown[wanted - 1]

    def _ask(self, what: str, usual: str) -> str:
        return str(typer.prompt(what, default=usual)).strip() or usual if self.may_ask else usual


def from_files(path: Path, home: Path, encoding: str, asking: Asking, tell: Progress) -> Drawn:
    """A scenario of files, a folder, a DuckDB or a SQLite file."""
    from databases.own.look import looking_at_files
    from databases.own.proposal import propose
    from databases.own.writing import files_of

    with looking_at_files(path, home, tell, encoding=encoding) as look:
        chosen, heading, label = asking.choose(look)
        made = propose(look, chosen, noun=heading.noun, label=label)
        seed = secrets.token_hex(16)
        files = files_of(heading, made, seed=seed, source=path, encoding=encoding)
        return _drawn(look, heading, (chosen, label), files, made)


def from_server(target: Target, server: Server, asking: Asking, tell: Progress) -> Drawn:
    """A scenario whose database stays on its server."""
    from databases.own.look import looking_at_server
    from databases.own.proposal import query_for
    from databases.own.writing import server_files

    with looking_at_server(target, tell) as look:
        chosen, heading, label = asking.choose(look)
        files = server_files(heading, query_for(look, chosen, label), server)
        return _drawn(look, heading, (chosen, label), files, None)


def _drawn(
    look: Look,
    heading: Heading,
    chosen: tuple[Candidate, str | None],
    files: dict[str, str],
    made: Proposal | None,
) -> Drawn:
    entity, label = chosen
    stems = {table.name: table.stem for table in look.tables}

    def shown(place: Place) -> str:
        return f"{stems[place.table]}.{place.column}"

    return Drawn(
        heading=heading,
        files=files,
        entity=shown(entity.place),
        label=label,
        entities=made.entities if made else entity.column.distinct,
        left_out=made.left_out if made else 0,
        references=[f"{shown(r.child)} -> {shown(r.parent)}" for r in look.references],
        tables={t.stem: {"rows": t.rows, "columns": len(t.columns)} for t in look.tables},
    )


def _given(look: Look, found: list[Candidate], entity: str) -> Candidate:
    from databases.own.keys import Place
    from databases.own.proposal import Candidate

    # A table's name may hold dots: clinic.visits on a server.
    table_name, dot, column_name = entity.rpartition(".")
    if not dot:
        raise UsageError(f"--entity takes TABLE.COLUMN, not {entity!r}{_listed(found)}")
    table = look.table(table_name)
    if table is None:
        raise UnknownNameError("table", table_name, [each.stem for each in look.tables])
    column = table.column(column_name)
    if column is None:
        names = [each.name for each in table.columns]
        raise UnknownNameError(f"column of {table.stem}", column_name, names)
    if not column.distinct:
        raise UsageError(f"--entity {entity}: the column has no value{_listed(found)}")
    known = next((c for c in found if (c.table, c.column) == (table, column)), None)
    return known or Candidate(Place(table.name, column.name), table, column, 0)


def _listed(found: list[Candidate]) -> str:
    return "; likely: " + "; ".join(map(str, found[:_SHOWN])) if found else ""
