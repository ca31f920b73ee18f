"""A scenario of one's own is built by its map: nothing told, all joined, and broken input stops it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

from core.errors import ConfigError, DdrError, ScenarioError
from databases.build import build
from databases.catalog import open_scenario
from databases.installed import InstalledScenario
from databases.own.anonymise import read_map
from databases.own.changes import prefixes
from databases.own.look import looking_at_files
from databases.own.proposal import candidates, propose
from databases.own.writing import Heading, files_of, write_folder
from tests.databases.own import clinic

LABEL = 'Full "Name"'


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Where the clinic's scenario is written, and not yet built."""
    source = clinic.files(tmp_path / "in")
    with looking_at_files(source, tmp_path / "work", lambda *_: None) as look:
        made = propose(look, candidates(look)[0], noun="patient", label=LABEL)
    heading = Heading("clinic", 'The "clinic"', "patient", "proprietary", True)
    files = files_of(heading, made, seed="seven", source=source, encoding="utf-8")
    write_folder(tmp_path / "home" / "scenarios" / "clinic", files)
    return tmp_path / "home"


def edit(home: Path, name: str, change: Callable[[str], str]) -> None:
    path = home / "scenarios" / "clinic" / name
    before = path.read_text("utf-8")
    after = change(before)
    assert after != before
    path.write_text(after, "utf-8")


def rows(built: InstalledScenario, sql: str) -> list[tuple[Any, ...]]:
    with duckdb.connect(str(built.database_path), read_only=True) as connection:
        return connection.execute(sql).fetchall()


def test_nothing_that_was_to_be_hidden_is_left_in_the_file(home: Path) -> None:
    built = build("clinic", home)
    content = built.database_path.read_bytes()
    for private in (b"C-1007", b"O'Neil", b"sister", b"example.org", b"1950-"):
        assert private not in content
    schema = built.schema()
    told = [c.comment or "" for t in schema.tables for c in t.columns]
    assert all(told)
    assert [c.name for c in schema.tables[0].columns] == ["patient_no", "full_name", "sex", "born"]
    assert built.scenario.license.restricted
    assert built.task("P01").text == "Explore what the database says about patient P01."


def test_what_was_joined_still_joins_and_weekdays_stay_true(home: Path) -> None:
    built = build("clinic", home)
    secret = json.loads((home / "secrets" / "clinic.json").read_text())
    ids, weeks = secret["ids"]["patient"], secret["weeks"]
    assert len(ids) == len(set(ids.values())) == clinic.PATIENTS
    assert abs(weeks) >= 104
    joined = rows(
        built,
        "SELECT patient_no, sex, strftime(born, '%w'), count(*), round(sum(dose_mg), 1) "
        "FROM patients JOIN visits USING (patient_no) GROUP BY ALL ORDER BY ALL",
    )
    expected = []
    for no, _, sex, born, *_ in clinic.patients():
        doses = [float(v[3] or 0) for v in clinic.visits() if v[1] == no]
        weekday = rows(built, f"SELECT strftime(DATE '{born}', '%w')")[0][0]
        expected.append((ids[no], sex, weekday, len(doses), round(sum(doses), 1)))
    assert joined == sorted(expected)
    (gap,) = rows(built, "SELECT max(born) - min(born) FROM patients")
    assert gap[0] == 300 * (clinic.PATIENTS - 1)


def test_the_same_seed_gives_the_same_content_and_another_one_another(home: Path) -> None:
    first = build("clinic", home).scenario.fingerprint
    assert build("clinic", home, rebuild=True).scenario.fingerprint == first
    edit(home, "scenario.toml", lambda text: text.replace('"seven"', '"eight"'))
    assert build("clinic", home, rebuild=True).scenario.fingerprint != first


def test_dates_that_mean_never_are_not_moved_and_weeks_can_be_said(home: Path) -> None:
    source = home.parent / "in" / "Patients.csv"
    source.write_text(source.read_text().replace("1950-01-01", "9999-12-31"))
    edit(home, "anonymise.toml", lambda text: f"weeks = 0\n{text}")
    built = build("clinic", home)
    assert [str(v) for (v,) in rows(built, "SELECT max(born) FROM patients")] == ["9999-12-31"]
    assert [str(v) for (v,) in rows(built, "SELECT min(born) FROM patients")] == ["1950-10-28"]
    edit(home, "anonymise.toml", lambda text: text.replace("weeks = 0", "weeks = 1"))
    built = build("clinic", home, rebuild=True)
    assert [str(v) for (v,) in rows(built, "SELECT max(born) FROM patients")] == ["9999-12-31"]
    assert [str(v) for (v,) in rows(built, "SELECT min(born) FROM patients")] == ["1950-11-04"]


def change(name: str, old: str, new: str) -> Callable[[Path], None]:
    def apply(home: Path) -> None:
        edit(home, name, lambda text: text.replace(old, new))

    return apply


def data(name: str, old: bytes, new: bytes) -> Callable[[Path], None]:
    def apply(home: Path) -> None:
        path = home.parent / "in" / name
        content = path.read_bytes()
        assert old in content
        path.write_bytes(content.replace(old, new, 1))

    return apply


BROKEN: list[tuple[Callable[[Path], None], type[DdrError], str]] = [
    (
        data("visits.csv", b"\r\n3,", b"\r\nthree,"),
        ScenarioError,
        "visits.csv: line 4, column 'visit_id': is no BIGINT",
    ),
    (
        data("visits.csv", b"03.03.2019", b"2019-03-03"),
        ScenarioError,
        "visits.csv: line 4, column 'Seen On': is no DATE as %d.%m.%Y",
    ),
    (
        data("visits.csv", b"dose mg", b"dose"),
        ScenarioError,
        "visits.csv: line 1: unknown column 'dose mg'",
    ),
    (
        data("visits.csv", b"\r\n3,", b"\r\n3,4,"),
        ScenarioError,
        "visits.csv: line 4: 6 cells, where the header has 5 columns",
    ),
    (
        data("Patients.csv", b"C-1007,", b"C-1000,"),
        ConfigError,
        "key 'entities.query': gives an id twice",
    ),
    (
        change("anonymise.toml", '[tables."visits.csv"]', '[tables."visit.csv"]'),
        ConfigError,
        "anonymise.toml",
    ),
    (
        change("anonymise.toml", 'change = "shift"', 'change = "move"'),
        ConfigError,
        "key 'tables.Patients.csv.columns.Born.change'",
    ),
    (
        change("anonymise.toml", 'type = "DOUBLE"', 'type = "DOUBLE); DROP TABLE x"'),
        ConfigError,
        "no type of a column",
    ),
    (
        change("anonymise.toml", 'ward = {name = "ward"', 'ward = {name = "DOSE_MG"'),
        ConfigError,
        "two columns are called 'dose_mg'",
    ),
    (change("anonymise.toml", "entity = ", "entity == "), ConfigError, "at line 5, column 9"),
    (
        change("anonymise.toml", ', kind = "patient"', ""),
        ConfigError,
        "change = 'id' needs a kind",
    ),
    (
        change("scenario.toml", "Text; never NULL", "Not for O'Neil; c-1007 is one; never NULL"),
        ConfigError,
        "key 'descriptions.patients.sex': holds an id of kind 'patient'",
    ),
    (
        change("scenario.toml", 'FROM \\"patients\\"', 'FROM \\"patient\\"'),
        ConfigError,
        "key 'entities.query': Catalog Error",
    ),
    (
        change("scenario.toml", "ward = ", "wards = "),
        ConfigError,
        "key 'descriptions.visits': unknown column of visits 'wards' (did you mean 'ward'?)",
    ),
    (
        data("visits.csv", b"ward", b"ward,more"),
        ScenarioError,
        "visits.csv: line 2: 5 cells, where the header has 6 columns",
    ),
]


@pytest.mark.parametrize(("break_", "kind", "said"), BROKEN, ids=[b[2][:40] for b in BROKEN])
def test_what_is_wrong_is_told_by_its_place_and_nothing_half_built_is_left(
    home: Path, break_: Callable[[Path], None], kind: type[DdrError], said: str
) -> None:
    break_(home)
    with pytest.raises(kind) as caught:
        build("clinic", home)
    assert said in str(caught.value)
    assert not list(home.rglob("*.duckdb"))
    assert not (home / "secrets" / "clinic.json").exists()


def test_a_broken_source_leaves_the_database_before_it(home: Path) -> None:
    before = build("clinic", home).scenario.fingerprint
    data("visits.csv", b"\r\n3,", b"\r\nthree,")(home)
    with pytest.raises(ScenarioError, match="line 4"):
        build("clinic", home, rebuild=True)
    installed = open_scenario("clinic", home)
    installed.check()
    assert installed.scenario.fingerprint == before


def test_an_entity_without_a_row_elsewhere_stops_the_build_by_its_key(home: Path) -> None:
    clinic.files(home.parent / "in", with_visits=9)
    with pytest.raises(
        ConfigError, match=r"key 'entities.query': entities without a row in visits: P"
    ):
        build("clinic", home)
    assert not list(home.rglob("*.duckdb"))


def test_a_column_that_nobody_spoke_of_does_not_get_in(home: Path) -> None:
    source = home.parent / "in" / "visits.csv"
    lines = source.read_text().splitlines()
    source.write_text("\n".join([f"{lines[0]},ssn", *(f"{line},1" for line in lines[1:])]) + "\n")
    with pytest.raises(ScenarioError, match="line 1: the column 'ssn' is not in"):
        build("clinic", home)


def test_ids_of_two_types_are_the_same_ids(tmp_path: Path) -> None:
    text = """
[tables.a]
name = "a"
columns = { x = { name = "x", type = "DOUBLE", change = "id", kind = "thing" } }
[tables.b]
name = "b"
columns = { x = { name = "x", type = "BIGINT", change = "id", kind = "thing" } }
"""
    from databases.own.changes import Changes

    (tmp_path / "anonymise.toml").write_text(text)
    changes = Changes(
        read_map(tmp_path / "anonymise.toml"), {"a": "ra", "b": "rb"}, seed="s", weeks=0
    )
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE ra AS SELECT unnest([7.0, 8.5, NULL]) AS x")
        connection.execute("CREATE TABLE rb AS SELECT 7::BIGINT AS x")
        changes.name_ids(connection)
        for key in "ab":
            connection.execute(changes.table(key))
        shared = connection.execute("SELECT count(*) FROM a JOIN b USING (x)").fetchall()
        assert shared == [(1,)]
        assert connection.execute("SELECT count(*), count(x) FROM a").fetchall() == [(3, 2)]


def test_each_kind_is_told_by_its_beginning() -> None:
    assert prefixes(["patient", "provider", "patients"]) == {
        "patient": "P",
        "provider": "PR",
        "patients": "PA",
    }


def test_a_file_that_the_map_does_not_name_is_left_out_and_said_so(home: Path) -> None:
    clinic.write(home.parent / "in" / "more.csv", ["a"], [["1"]])
    built = build("clinic", home)
    assert [table.name for table in built.schema().tables] == ["patients", "visits"]
    notes = json.loads((built.folder / "scenario.json").read_text())["notes"]
    assert notes == ["left out, since the map does not name them: more.csv"]
