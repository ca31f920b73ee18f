"""Fill the patients database: from the owners' files, or with a generated twin."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from core.document import Document
from core.errors import UsageError
from core.scenario import Entity
from databases.builder import Built
from databases.patients import cohort, export, notes
from databases.patients.layout import chosen
from databases.patients.load import load
from databases.patients.source import find_files, megabytes_needed
from databases.patients.twin.generate import Recipe, generate
from databases.variants import within

if TYPE_CHECKING:
    import duckdb

    from databases.builder import BuildContext
    from databases.patients.twin.notes import Note

ROWS_EACH = 2_000
"""Rows per generated patient where nothing is said."""
BYTES_A_ROW = 100
"""Disk that a generated row takes, sorting for the fingerprint included; measured, rounded up."""
_ID = "patients"


def build(connection: duckdb.DuckDBPyConnection, context: BuildContext) -> Built:
    """Fill an empty database (databases.build.Builder)."""
    memory = context.options["memory_mb"]
    connection.execute(f"SET memory_limit = '{int(memory)}MB'")
    if context.options["from"]:
        if context.options["synthetic"] or context.options["hostile"]:
            raise UsageError("--from takes patients as they are: leave --synthetic and hostile out")
        if context.options["export_layout"]:
            raise UsageError("--export-layout writes a twin: real patients are not copied out")
        return _imported(connection, context)
    return _generated(connection, context)


def _imported(connection: duckdb.DuckDBPyConnection, context: BuildContext) -> Built:
    options = context.options
    folder, listed = Path(str(options["from"])), str(options["entities"])
    with_notes = str(options["notes"])
    is_file = bool(listed) and not listed.isdecimal()
    if not (with_notes or is_file):
        raise UsageError(
            "which patients are explored? --notes DIR samples them by their number of notes, "
            "--entities FILE names them, one subject_id a line"
        )
    files = find_files(folder, chosen(str(options["tables"])))
    note_files = notes.find_notes(Path(with_notes)) if with_notes else []
    path = Path(listed).expanduser() if is_file else None
    ids = cohort.read_ids(path) if path else {}
    context.refuse_full_disk(megabytes_needed(files))
    load(connection, files, context)
    context.progress("choosing the patients to explore", 0.76)
    if path:
        cohort.refuse_unknown(path, ids, connection)
        taken = sorted(ids)
    else:
        counts = cohort.eligible(connection, notes.count_notes(connection, note_files))
        taken = cohort.sample(counts, cohort.size_of(listed), context.seed)
    notes.keep_notes(connection, note_files, taken, context)
    return Built(entities=[Entity(scenario_id=_ID, id=str(i), label=str(i)) for i in taken])


def _generated(connection: duckdb.DuckDBPyConnection, context: BuildContext) -> Built:
    options = context.options
    if not options["synthetic"]:
        raise UsageError("patients are made --from the owners' files, or are --synthetic")
    if options["notes"]:
        raise UsageError("--notes goes with --from: a twin has notes of its own")
    people = cohort.size_of(str(options["entities"]))
    rows = int(options["rows"]) or people * ROWS_EACH
    tables = chosen(str(options["tables"]))
    recipe = Recipe(
        seed=context.seed,
        people=people,
        rows=rows,
        intensity=round(within(options, "intensity", 0, 1) * 1000),
        hostile=bool(options["hostile"]),
        tables=tables,
    )
    context.refuse_full_disk(rows * BYTES_A_ROW // 1_000_000)

    def told(share: float) -> None:
        context.progress(f"writing {people:,} patients", 0.05 + 0.65 * share)

    written = generate(connection, recipe, told)
    if target := str(options["export_layout"]):
        written = export.kept(written, Path(target), context.workspace)
    context.documents.add_all(_documents(written))
    if target:
        context.progress("writing the owners' layout", 0.72)
        export.tables(connection, tables, Path(target))
    return Built()


def _documents(written: Iterable[Note]) -> Iterator[Document]:
    for note in written:
        yield Document(
            id=note.note_id,
            entity_id=str(note.subject_id),
            kind=notes.KIND,
            title=notes.TITLES[note.kind],
            text=note.text,
            written_on=note.written.date(),
        )
