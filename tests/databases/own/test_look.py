"""What files hold is found: forms, keys by uniqueness, names and inclusion, and what may be told."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import duckdb
import pytest

from core.errors import ScenarioError
from databases.own.keys import singular, words
from databases.own.look import Look, looking_at_files
from databases.own.profile import ColumnProfile
from databases.own.proposal import candidates, propose
from tests.databases.own import clinic


@contextmanager
def looking(source: Path, tmp_path: Path) -> Iterator[Look]:
    with looking_at_files(source, tmp_path / "work", lambda *_: None) as look:
        yield look


def shown(look: Look) -> list[str]:
    stems = {table.name: table.stem for table in look.tables}
    return [
        f"{stems[r.child.table]}.{r.child.column}>{stems[r.parent.table]}.{r.parent.column}"
        for r in look.references
    ]


def test_texts_get_the_form_that_every_cell_has(tmp_path: Path) -> None:
    header = ["whole", "figure", "code", "day", "moment", "german", "flag", "mixed"]
    rows = [
        ["1", "1.5", "007", "2019-01-31", "2019-01-31 10:00", "31.01.2019", "true", "1"],
        ["-20", "2e3", "070", "2019-02-01", "2019-02-01T11:00:00", "01.02.2019", "FALSE", "x"],
    ]
    clinic.write(tmp_path / "t.csv", header, rows)
    with looking(tmp_path / "t.csv", tmp_path) as look:
        forms = {c.name: (c.type, c.format) for c in look.tables[0].columns}
    assert forms == {
        "whole": ("BIGINT", None),
        "figure": ("DOUBLE", None),
        "code": ("VARCHAR", None),
        "day": ("DATE", None),
        "moment": ("TIMESTAMP", None),
        "german": ("DATE", "%d.%m.%Y"),
        "flag": ("BOOLEAN", None),
        "mixed": ("VARCHAR", None),
    }


def test_one_odd_cell_far_down_and_a_late_first_cell_decide_the_form(tmp_path: Path) -> None:
    rows = [[str(n), "", "x"] for n in range(3000)]
    rows[2500] = ["odd", "7", "x"]
    clinic.write(tmp_path / "t.csv", ["mostly", "late", "x"], rows)
    clinic.write(tmp_path / "in" / "u.csv", ["void", "x"], [["", "1"]] * 3)
    with looking(tmp_path / "t.csv", tmp_path) as look:
        assert [c.type for c in look.tables[0].columns] == ["VARCHAR", "BIGINT", "VARCHAR"]
    with looking(tmp_path / "in", tmp_path) as look:
        assert [c.type for c in look.tables[0].columns] == ["VARCHAR", "BIGINT"]


def test_keys_are_found_and_the_likeliest_entity_stands_first(tmp_path: Path) -> None:
    with looking(clinic.files(tmp_path / "in"), tmp_path) as look:
        assert shown(look) == ["visits.PatientNo>Patients.PatientNo"]
        found = [f"{c.table.stem}.{c.column.name}" for c in candidates(look)]
    assert found[:2] == ["Patients.PatientNo", "visits.visit_id"]
    assert not list((tmp_path / "work").iterdir()), "the copy that was looked at is gone"


def test_whole_numbers_that_stand_in_a_key_by_chance_point_to_nothing(tmp_path: Path) -> None:
    clinic.write(tmp_path / "in" / "cities.csv", ["id", "size"], [[str(n), "5"] for n in range(90)])
    rows = [[str(n), str(n % 9), str(n % 7)] for n in range(50)]
    clinic.write(tmp_path / "in" / "shops.csv", ["shop_id", "city_id", "stars"], rows)
    with looking(tmp_path / "in", tmp_path) as look:
        assert shown(look) == ["shops.city_id>cities.id"]


@pytest.mark.parametrize(
    ("kind", "is_number"),
    [
        ("INTEGER", True),
        ("bigint", True),
        ("UTINYINT", True),
        ("int4", True),
        ("double precision", True),
        ("numeric(6, 2)", True),
        ("point", False),
        ("INTERVAL", False),
        ("character varying(9)", False),
    ],
)
def test_a_number_is_known_by_its_type_in_any_database(kind: str, is_number: bool) -> None:
    column = ColumnProfile(name="x", type=kind, rows=1, filled=1, distinct=1)
    assert column.is_number == is_number


@pytest.mark.parametrize(
    ("name", "found"),
    [("PatientNo", ["patient", "no"]), ("größe (cm)", ["größe", "cm"]), ("a__B", ["a", "b"])],
)
def test_a_name_has_words(name: str, found: list[str]) -> None:
    assert words(name) == found


def test_words_lose_their_plural() -> None:
    assert [singular(w) for w in ("patients", "companies", "boxes", "status", "glass")] == [
        "patient",
        "company",
        "box",
        "status",
        "glass",
    ]


def test_what_tells_of_a_person_is_proposed_to_go_and_is_never_described(tmp_path: Path) -> None:
    with looking(clinic.files(tmp_path / "in"), tmp_path) as look:
        chosen = candidates(look)[0]
        made = propose(look, chosen, noun="patient", label='Full "Name"')
    rules = made.map.tables["Patients.csv"].columns
    assert {name: rule.change for name, rule in rules.items()} == {
        "PatientNo": "id",
        'Full "Name"': "id",
        "Sex": "keep",
        "Born": "shift",
        "Remark": "drop",
        "Mail": "drop",
    }
    told = str(made.descriptions)
    assert made.descriptions["patients"]["sex"] == "Text; never NULL; values: F, M."
    assert "NULL in 10.0 % of rows" in made.descriptions["visits"]["dose_mg"]
    for private in ("C-1", "O'Neil", "1950", "2019", "example.org", "sister"):
        assert private not in told


def test_entities_without_rows_are_counted_and_left_out(tmp_path: Path) -> None:
    with looking(clinic.files(tmp_path / "in", with_visits=9), tmp_path) as look:
        made = propose(look, candidates(look)[0], noun="patient", label=None)
    assert (made.left_out, made.entities) == (3, 9)
    assert "WHERE EXISTS" in made.query


def test_rows_can_be_grouped_by_what_names_no_row(tmp_path: Path) -> None:
    clinic.write(tmp_path / "v.csv", ["n", "ward"], [[str(n % 7), "ab"[n % 2]] for n in range(40)])
    with looking(tmp_path / "v.csv", tmp_path) as look:
        (ward,) = [c for c in candidates(look) if c.column.name == "ward"]
        made = propose(look, ward, noun="ward", label=None)
    assert "GROUP BY" in made.query
    assert made.map.entity == "ward"


def test_sqlite_and_duckdb_files_are_read_without_their_views(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "s.db")) as lite:
        lite.execute('CREATE TABLE "it\'s" (id INTEGER PRIMARY KEY, "a ""b""" TEXT, x)')
        lite.executemany('INSERT INTO "it\'s" VALUES (?, ?, ?)', [(1, "p", 1.5), (2, None, 2)])
        lite.execute('CREATE VIEW v AS SELECT * FROM "it\'s"')
        lite.commit()
    with duckdb.connect(str(tmp_path / "d.duckdb")) as duck:
        duck.execute(
            "CREATE TABLE t AS SELECT 1 AS id, [1, 2] AS l, TIMESTAMPTZ '2020-01-01 00:00Z' AS z"
        )
        duck.execute("CREATE VIEW v AS SELECT * FROM read_text('/etc/hostname')")
    with looking(tmp_path / "s.db", tmp_path) as look:
        (table,) = look.tables
        assert [(c.name, c.type) for c in table.columns] == [
            ("id", "BIGINT"),
            ('a "b"', "VARCHAR"),
            ("x", "DOUBLE"),
        ]
    with looking(tmp_path / "d.duckdb", tmp_path) as look:
        (table,) = look.tables
        assert [c.type for c in table.columns] == ["INTEGER", "VARCHAR", "TIMESTAMP"]


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.duckdb").write_bytes(b"12345678DUCK" + b"\0" * 50)
    (tmp_path / "x.db").write_bytes(b"SQLite format 3\0" + b"\0" * 50)
    (tmp_path / "x.parquet").write_bytes(b"PAR1 and nothing more")
    (tmp_path / "only").mkdir()
    (tmp_path / "only" / "notes.txt").write_text("no table")
    for name in ("x.duckdb", "x.db", "x.parquet", "only", "absent"):
        with pytest.raises(ScenarioError, match=name), looking(tmp_path / name, tmp_path):
            pass
    clinic.write(tmp_path / "bare.csv", ["id"], [])
    with pytest.raises(ScenarioError, match="has a row"), looking(tmp_path / "bare.csv", tmp_path):
        pass


def test_parquet_files_keep_their_types_and_join_with_csv_ones(tmp_path: Path) -> None:
    folder = clinic.files(tmp_path / "in")
    with duckdb.connect() as duck:
        duck.execute(
            "COPY (SELECT 'C-' || (1000 + 7 * (range % 12)) AS patient, range::DOUBLE AS load, "
            "TIMESTAMP '2020-01-01' + INTERVAL (range) HOUR AS at, {'a': 1} AS nested "
            f"FROM range(60)) TO '{folder / 'ECG.parquet'}' (FORMAT parquet)"
        )
    with looking(folder, tmp_path) as look:
        ecg = look.table("ecg")
        assert ecg is not None
        assert [c.type for c in ecg.columns] == ["VARCHAR", "DOUBLE", "TIMESTAMP", "VARCHAR"]
        assert "ECG.patient>Patients.PatientNo" in shown(look)


def test_a_look_that_was_killed_leaves_no_copy_for_long_and_one_under_way_keeps_its_own(
    tmp_path: Path,
) -> None:
    left = tmp_path / "work" / ".looking-killed"
    left.mkdir(parents=True)
    (left / "source.duckdb").write_text("somebody's data")
    source = clinic.files(tmp_path / "in")
    with looking(source, tmp_path) as first:
        assert not left.exists()
        with looking(source, tmp_path) as second:
            assert len(second.tables) == 2
        assert first.ask("SELECT count(*) FROM s0") == [(clinic.PATIENTS,)]
    assert not list((tmp_path / "work").iterdir())
