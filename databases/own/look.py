"""Look at somebody's data once: load it into a place of its own, profile it, and find its keys."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import ScenarioError
from core.sql import quote
from databases import external
from databases.own.keys import Reference, references
from databases.own.profile import Ask, Quote, TableProfile, count, describe
from databases.own.sharpen import Form, forms, read_as
from databases.own.sources import SourceTable, find_tables, load
from databases.target import Target
from databases.workplace import refuse_full_disk

if TYPE_CHECKING:
    import duckdb

Progress = Callable[[str, float], None]
_FETCH = 500
_PREFIX = ".looking-"


@dataclass(frozen=True)
class Look:
    """What a source holds, while it is open."""

    tables: tuple[TableProfile, ...]
    references: tuple[Reference, ...]
    ask: Ask
    quote: Quote

    def table(self, name: str) -> TableProfile | None:
        """The table of that name: the source's own, or without a file's endings; in any case."""
        wanted = name.lower()
        named = (t for t in self.tables if wanted in (t.key.lower(), t.stem.lower()))
        return next(named, None)


@contextmanager
def looking_at_files(
    source: Path, workspace: Path, progress: Progress, *, encoding: str = "utf-8"
) -> Iterator[Look]:
    """Files, read into a temporary database. Raises ScenarioError with file and line or column."""
    import duckdb

    found = find_tables(source)
    workspace.mkdir(mode=0o700, parents=True, exist_ok=True)
    size = sum(path.stat().st_size for path in {table.path for table in found})
    refuse_full_disk(workspace, 10 + 3 * size // 1_000_000)
    with (
        _private_place(workspace) as place,
        duckdb.connect(str(place / "source.duckdb")) as connection,
    ):
        connection.execute("SET enable_progress_bar = false")
        connection.execute("SET memory_limit = '2GiB'")  # beyond goes to the disk
        profiles = []
        for number, table in enumerate(found):
            progress(f"reading {table.key}", number / len(found))
            name = f"s{number}"
            load(connection, table, name, workspace=place, encoding=encoding)
            profiles.append(_profiled(connection, table, name))
        yield _looked(profiles, lambda sql: connection.execute(sql).fetchall(), quote, progress)


@contextmanager
def _private_place(workspace: Path) -> Iterator[Path]:
    """A folder of mode 0700 that is gone afterwards; what killed looks left goes with it."""
    for left in workspace.glob(f"{_PREFIX}*"):
        with suppress(OSError), _held(left):
            shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=_PREFIX, dir=workspace) as temporary:
        place = Path(temporary)
        with _held(place):
            yield place


@contextmanager
def _held(place: Path) -> Iterator[None]:
    """Hold a folder's lock, which ends with its process. Raises OSError where another has it."""
    handle = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)


@contextmanager
def looking_at_server(target: Target, progress: Progress) -> Iterator[Look]:
    """A server, by counts that it makes itself; nothing is copied. Raises DatabaseError in words."""
    import sqlglot.expressions as exp

    with external.opened(target) as source:
        dialect = str(getattr(source, "dialect", target.dialect))

        def ask(sql: str) -> Sequence[tuple[Any, ...]]:
            with closing(source.cursor()) as cursor:
                cursor.execute(sql)
                return list(cursor.fetch(_FETCH))

        def named(name: str) -> str:
            return exp.to_identifier(name, quoted=True).sql(dialect=dialect)

        profiles = []
        tables = [table for table in source.schema().tables if not table.is_view]
        for number, table in enumerate(tables):
            progress(f"counting {table.name}", number / len(tables))
            listed = [(column.name, column.type) for column in table.columns]
            columns = count(ask, named, table.name, listed)
            profiles.append(
                TableProfile(
                    key=table.name,
                    name=table.name,
                    stem=table.name.rpartition(".")[2],
                    rows=table.row_count,
                    columns=tuple(columns),
                )
            )
        yield _looked(profiles, ask, named, progress)


def _looked(profiles: list[TableProfile], ask: Ask, quoted: Quote, progress: Progress) -> Look:
    if not any(table.rows for table in profiles):
        raise ScenarioError("no table of the source has a row")
    progress("looking for keys", 0.9)
    return Look(tuple(profiles), tuple(references(profiles, ask, quoted)), ask, quoted)


def _profiled(connection: duckdb.DuckDBPyConnection, table: SourceTable, name: str) -> TableProfile:
    """The table in the forms that its texts have, with its profile."""
    described = connection.execute(f"DESCRIBE {quote(name)}").fetchall()
    types = {column: kind for column, kind, *_ in described}
    texts = [column for column, kind in types.items() if kind == "VARCHAR"]
    read = {c: form for c, form in forms(connection, name, texts).items() if form.type != "VARCHAR"}
    if read:
        cells = ", ".join(f"{read_as(quote(c), form)} AS {quote(c)}" for c, form in read.items())
        connection.execute(
            f"CREATE OR REPLACE TABLE {quote(name)} AS SELECT * REPLACE ({cells}) FROM {quote(name)}"
        )
    listed = [(c, read[c].type if c in read else kind) for c, kind in types.items()]

    def ask(sql: str) -> Sequence[tuple[Any, ...]]:
        return connection.execute(sql).fetchall()

    columns = []
    for column in count(ask, quote, name, listed):
        form = read.get(column.name, Form(column.type))
        told = describe(ask, quote, name, column)
        columns.append(told.model_copy(update={"format": form.format}))
    rows = columns[0].rows if columns else 0
    return TableProfile(
        key=table.key, name=name, stem=table.stem, rows=rows, columns=tuple(columns)
    )
