"""The owners' files become the database, whole and sorted; what is broken is named by file and line."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import ScenarioError, UsageError
from databases.catalog import InstalledScenario
from databases.connection import open_readonly
from databases.documents import Documents
from databases.patients import source
from databases.patients.layout import chosen, layout
from tests.databases.patients.conftest import PEOPLE, Twin

Import = Callable[..., InstalledScenario]


def rewritten(path: Path, change: Callable[[bytes], bytes]) -> None:
    """Change a gz file's content."""
    path.write_bytes(gzip.compress(change(gzip.decompress(path.read_bytes()))))


def nothing_was_built(tmp_path: Path) -> bool:
    folder = tmp_path / "home" / "scenarios" / "patients"
    return not any(path.suffix == ".duckdb" for path in folder.rglob("*"))


def test_what_a_twin_exports_is_imported_with_the_same_fingerprint(
    twin: Twin, imported: Import
) -> None:
    assert imported().scenario.fingerprint == twin.installed.scenario.fingerprint


def test_uncompressed_files_are_read_too(twin: Twin, layout: Path, imported: Import) -> None:
    for path in list(layout.rglob("*.csv.gz")):
        path.with_suffix("").write_bytes(gzip.decompress(path.read_bytes()))
        path.unlink()
    assert imported().scenario.fingerprint == twin.installed.scenario.fingerprint


def test_rows_in_any_order_are_sorted_by_patient_and_time(layout: Path, imported: Import) -> None:
    def reversed_rows(content: bytes) -> bytes:
        head, *rows = content.splitlines(keepends=True)
        return b"".join([head, *reversed(rows)])

    rewritten(layout / "hosp" / "labevents.csv.gz", reversed_rows)
    with open_readonly(imported().database_path) as connection:
        rows = connection.execute("SELECT subject_id, charttime FROM labevents").fetchall()
    assert rows == sorted(rows)
    assert len(rows) > 100


def test_the_order_of_columns_does_not_matter(twin: Twin, layout: Path, imported: Import) -> None:
    def turned(content: bytes) -> bytes:
        rows = csv.reader(io.StringIO(content.decode()))
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows(row[::-1] for row in rows)
        return out.getvalue().encode()

    for path in (layout / "icu" / "icustays.csv.gz", layout / "note" / "radiology.csv.gz"):
        rewritten(path, turned)
    assert imported().scenario.fingerprint == twin.installed.scenario.fingerprint


def test_a_column_that_stands_twice_is_refused(layout: Path, imported: Import) -> None:
    rewritten(layout / "icu" / "icustays.csv.gz", lambda c: c.replace(b",los", b",los,los", 1))
    with pytest.raises(ScenarioError, match=r"icustays.csv.gz: line 1 has a column twice"):
        imported()


def test_ddr_leaves_out_the_two_giants_alone() -> None:
    left = {table.name for table in chosen("all")} - {table.name for table in chosen("ddr")}
    assert left == {"chartevents", "emar_detail"}
    # Table 1 of the paper counts 29 tables.
    assert (len(chosen("ddr")), len(chosen("all"))) == (29, 31)


def test_another_word_for_tables_is_refused(imported: Import) -> None:
    with pytest.raises(UsageError, match="--tables is ddr or all, not 'some'"):
        imported(tables="some")


def test_every_column_has_a_comment(twin: Twin) -> None:
    tables = twin.installed.schema().tables
    assert {table.name for table in tables} == set(layout())
    assert [(t.name, c.name) for t in tables for c in t.columns if not c.comment] == []
    assert all(table.comment for table in tables)


def test_notes_are_documents_and_never_in_the_database(
    twin: Twin, imported: Import, tmp_path: Path
) -> None:
    built = imported()
    kept = list(Documents(tmp_path / "home", "patients").all())
    assert [d.text for d in kept] == [
        d.text for d in Documents(twin.home, "patients-synthetic").all()
    ]
    assert all(d.kind == "note" and d.written_on for d in kept)
    text = built.database_path.read_bytes()
    assert b"Brief hospital course" not in text


def test_without_notes_or_a_list_nobody_is_explored(imported: Import, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--notes DIR samples them"):
        imported(notes=None)
    assert nothing_was_built(tmp_path)


def test_a_list_of_patients_is_taken_as_it_is(twin: Twin, imported: Import, tmp_path: Path) -> None:
    ids = [entity.id for entity in twin.installed.entities()]
    listed = tmp_path / "cohort.csv"
    listed.write_text(f"subject_id\n{ids[3]}\n{ids[1]}\n")
    built = imported(notes=None, entities=str(listed))
    assert [entity.id for entity in built.entities()] == sorted([ids[1], ids[3]])


def test_a_listed_patient_without_rows_is_named_with_its_line(
    imported: Import, tmp_path: Path
) -> None:
    listed = tmp_path / "cohort.txt"
    listed.write_text("19999999\n")
    with pytest.raises(ScenarioError, match=r"cohort.txt: line 1: 19999999 has no row in patients"):
        imported(notes=None, entities=str(listed))
    assert nothing_was_built(tmp_path)


def test_a_missing_column_is_named_with_its_file(
    layout: Path, imported: Import, tmp_path: Path
) -> None:
    rewritten(layout / "hosp" / "labevents.csv.gz", lambda c: c.replace(b",flag,", b",", 1))
    with pytest.raises(ScenarioError, match=r"hosp/labevents.csv.gz: line 1 lacks the column flag"):
        imported()
    assert nothing_was_built(tmp_path)


def test_a_column_beyond_the_layout_is_refused(layout: Path, imported: Import) -> None:
    rewritten(layout / "icu" / "icustays.csv.gz", lambda c: c.replace(b",los", b",los,mood", 1))
    with pytest.raises(ScenarioError, match=r"icustays.csv.gz: line 1 has the column mood"):
        imported()


def test_a_missing_file_is_named(layout: Path, imported: Import) -> None:
    (layout / "icu" / "d_items.csv.gz").unlink()
    with pytest.raises(ScenarioError, match=r"lacks icu/d_items.csv.gz"):
        imported()


def test_an_id_that_stands_twice_is_named_with_both_lines(
    layout: Path, imported: Import, tmp_path: Path
) -> None:
    def doubled(content: bytes) -> bytes:
        return content + content.splitlines(keepends=True)[2]

    rewritten(layout / "hosp" / "patients.csv.gz", doubled)
    with pytest.raises(
        ScenarioError,
        match=rf"patients.csv.gz: line {PEOPLE + 2}: subject_id \d+ stands twice \(first on line 3\)",
    ):
        imported()
    assert nothing_was_built(tmp_path)


def test_latin_1_is_named_with_its_line(layout: Path, imported: Import, tmp_path: Path) -> None:
    rewritten(
        layout / "hosp" / "d_labitems.csv.gz", lambda c: c.replace(b"Sodium", b"S\xf6dium", 1)
    )
    with pytest.raises(ScenarioError, match=r"hosp/d_labitems.csv.gz: line \d+: it is not UTF-8"):
        imported()
    assert nothing_was_built(tmp_path)


def test_a_gz_that_ends_early_is_named(layout: Path, imported: Import, tmp_path: Path) -> None:
    path = layout / "hosp" / "emar.csv.gz"
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(ScenarioError, match=r"hosp/emar.csv.gz ends early: it is cut short"):
        imported()
    assert nothing_was_built(tmp_path)


def test_a_value_of_another_type_is_named_without_the_row(layout: Path, imported: Import) -> None:
    def spoilt(content: bytes) -> bytes:
        head, first, *rest = content.splitlines(keepends=True)
        return b"".join([head, b"secret" + first, *rest])

    rewritten(layout / "icu" / "outputevents.csv.gz", spoilt)
    with pytest.raises(ScenarioError, match=r"outputevents.csv.gz: line 2: the column") as caught:
        imported()
    assert "secret" not in str(caught.value)


def test_a_stay_of_nobody_is_named_with_its_line(layout: Path, imported: Import) -> None:
    def orphaned(content: bytes) -> bytes:
        head, first, *rest = content.splitlines(keepends=True)
        return b"".join([head, *rest, b"19999998" + first[first.index(b",") :]])

    rewritten(layout / "hosp" / "admissions.csv.gz", orphaned)
    with pytest.raises(
        ScenarioError, match=r"line \d+: subject_id 19999998 is not in the patients"
    ):
        imported()


def test_hostile_and_synthetic_do_not_go_with_real_files(imported: Import) -> None:
    with pytest.raises(UsageError, match="leave --synthetic and hostile out"):
        imported(hostile=True)


def test_real_patients_are_not_copied_out(imported: Import, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="real patients are not copied out"):
        imported(export_layout=str(tmp_path / "copy"))


def test_the_disk_asked_for_grows_with_the_files(layout: Path) -> None:
    files = source.find_files(layout, chosen("all"))
    few = source.megabytes_needed(files[:1])
    path = layout / "hosp" / "labevents.csv.gz"
    path.write_bytes(path.read_bytes() + bytes(20_000_000))
    assert source.megabytes_needed(files) > few + 100


def test_a_full_disk_is_told_before_anything_is_read(
    imported: Import, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "GZ_FACTOR", 10**9)
    with pytest.raises(ScenarioError, match="MB free and the build needs"):
        imported()
    assert nothing_was_built(tmp_path)
