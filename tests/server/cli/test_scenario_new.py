"""From files to a scored exploration by `ddr scenarios new`: with flags, asked, or as a package."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from databases.catalog import scenario_ids
from tests.databases.own import clinic
from tests.server.cli.conftest import Ddr
from tests.support.needs import needs
from tests.support.pages import ROOT
from tests.support.postgres import Cluster


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return clinic.files(tmp_path / "my clinic")


def test_flags_give_a_scenario_that_builds_and_can_be_explored(
    ddr: Ddr, home: Path, source: Path
) -> None:
    done = ddr(
        *("scenarios", "new", str(source), "--entity", "patients.patientno", "--noun", "person"),
        *("--id", "own", "--title", "Ours", "--label", 'full "name"', "--json"),
    )
    assert done.code == 0, done.err
    assert done.json["references"] == ["visits.PatientNo -> Patients.PatientNo"]
    assert (done.json["entities"], done.json["noun"]) == (clinic.PATIENTS, "person")
    folder = home / "scenarios" / "own"
    assert sorted(path.name for path in folder.iterdir()) == ["anonymise.toml", "scenario.toml"]
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    assert ddr("scenarios", "build", "own", "--quiet").code == 0
    shown = ddr("scenarios", "show", "own").out
    assert "Ours" in shown
    assert "12 persons: P01" in shown
    again = ddr("scenarios", "new", str(source), "--id", "own", "--entity", "visits.ward")
    assert again.code == 2
    assert "holds a scenario already" in again.err


def test_an_id_is_no_path(ddr: Ddr, home: Path, source: Path) -> None:
    given = ("scenarios", "new", str(source), "--entity", "patients.patientno")
    for name in ("../../evil", str(home.parent / "evil"), "Big"):
        refused = ddr(*given, "--id", name)
        assert (refused.code, "small letters, digits" in refused.err) == (2, True)
    assert not list(home.glob("scenarios/*"))
    assert not (home.parent / "evil").exists()


@pytest.mark.real
def test_the_agent_without_a_model_explores_it(ddr: Ddr, source: Path) -> None:
    given = ("--entity", "Patients.PatientNo", "--id", "own", "--quiet")
    assert ddr("scenarios", "new", str(source), *given).code == 0
    assert ddr("scenarios", "build", "own", "--quiet").code == 0
    run = ddr(*("run", "--scenario", "own", "--agent", "profiler", "--entities", "P01", "--quiet"))
    assert run.code == 0, run.err
    assert "finished" in ddr("show", "last").out


def test_a_person_is_asked_for_what_was_not_given(
    ddr: Ddr, home: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter(["9", "1", "client", "none", ""])
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr("builtins.input", lambda *_: next(answers))
    monkeypatch.setattr("typer._click.termui.visible_prompt_func", lambda *_: next(answers))
    done = ddr("scenarios", "new", str(source))
    assert done.code == 0, done.err
    assert "1  Patients.PatientNo (12 different values, 1 columns point to it)" in done.out
    text = (home / "scenarios" / "my-clinic" / "scenario.toml").read_text()
    assert 'entity_noun = "client"' in text
    assert 'title = "My-clinic by client"' in text


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((), "what are the entities? Give --entity TABLE.COLUMN; likely: Patients.PatientNo"),
        (("--entity", "ward"), "--entity takes TABLE.COLUMN, not 'ward'"),
        (("--entity", "visit.ward"), "unknown table 'visit' (did you mean 'visits'?)"),
        (("--entity", "visits.wards"), "unknown column of visits 'wards' (did you mean 'ward'?)"),
        (("--entity", "visits.ward", "--label", "x"), "unknown column of visits 'x'"),
        (("--entity", "visits.ward", "--id", "flights"), "is the name of a scenario"),
        (("--entity", "visits.ward", "--id", "No Such"), "--id 'No Such': small letters"),
    ],
)
def test_what_cannot_be_done_is_told_and_nothing_is_written(
    ddr: Ddr, home: Path, source: Path, given: tuple[str, ...], said: str
) -> None:
    done = ddr("scenarios", "new", str(source), *given)
    assert done.code == 2
    assert said in done.err
    assert not list(home.rglob("*.toml"))


def test_an_encoding_is_said_once_and_holds_for_the_build(
    ddr: Ddr, home: Path, source: Path
) -> None:
    path = source / "visits.csv"
    path.write_bytes(path.read_bytes().replace(b"north", "nördlich".encode("latin-1")))
    given = ("--entity", "Patients.PatientNo", "--id", "own")
    refused = ddr("scenarios", "new", str(source), *given)
    assert (refused.code, "visits.csv: line 2: not utf-8" in refused.err) == (1, True)
    assert ddr("scenarios", "new", str(source), *given, "--encoding", "latin-1").code == 0
    assert ddr("scenarios", "build", "own", "--quiet").code == 0
    assert "nördlich" in (home / "scenarios" / "own" / "scenario.toml").read_text("utf-8")


@needs("postgresql")
def test_a_server_is_counted_where_it_is_and_served_as_it_is(
    ddr: Ddr, home: Path, postgres: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    postgres.run("CREATE DATABASE own_clinic")
    postgres.run(
        "REVOKE TEMPORARY ON DATABASE own_clinic FROM PUBLIC",
        "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
        "CREATE TABLE patients (id integer PRIMARY KEY, name text)",
        "INSERT INTO patients SELECT i, 'n' || i FROM generate_series(1, 5) AS t(i)",
        'CREATE TABLE "Visits" (visit_id integer, patient_id integer, "dose ""mg""" float8)',
        'INSERT INTO "Visits" SELECT i, 1 + i % 5, i FROM generate_series(1, 50) AS t(i)',
        "CREATE ROLE own_reader LOGIN PASSWORD 'p'",
        "GRANT SELECT ON ALL TABLES IN SCHEMA public TO own_reader",
        database="own_clinic",
    )
    monkeypatch.setenv("OWN_PASSWORD", "p")
    url = postgres.url("own_clinic", "own_reader", password=None)
    given = ("--password-env", "OWN_PASSWORD", "--id", "served", "--label", "name")
    likely = ddr("scenarios", "new", url, *given)
    assert "likely: patients.id (5 different values, 1 columns point to it)" in likely.err
    done = ddr("scenarios", "new", url, *given, "--entity", "patients.id", "--json")
    assert done.code == 0, done.err
    assert done.json["references"] == ["Visits.patient_id -> patients.id"]
    assert done.json["files"] == ["scenario.toml"]
    built = ddr("scenarios", "build", "served", "--json", "--quiet")
    assert built.code == 0, built.err
    assert (built.json["entities"], built.json["records"]) == (5, 55)


@pytest.mark.parametrize(
    "url", ["postgresql+psycopg://me:secret@host/db", "postgresql://me@host/db?password=secret"]
)
def test_a_password_is_not_taken_in_a_url(ddr: Ddr, url: str) -> None:
    done = ddr("scenarios", "new", url)
    assert done.code == 2
    assert "--password-env" in done.err
    assert "secret" not in done.err


def test_a_package_can_be_shipped_and_each_names_their_own_copy(
    ddr: Ddr, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "ship"
    given = ("--entity", "Patients.PatientNo", "--id", "clinic-x", "--out", str(place))
    assert ddr("scenarios", "new", str(source), *given).code == 0
    files = sorted(p.relative_to(place).as_posix() for p in place.rglob("*") if p.is_file())
    assert files == [
        "clinic_x_scenario/__init__.py",
        "clinic_x_scenario/anonymise.toml",
        "clinic_x_scenario/scenario.toml",
        "pyproject.toml",
    ]
    assert str(source) not in (place / "clinic_x_scenario" / "scenario.toml").read_text()
    about = place / "clinic_x-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: clinic-x\nVersion: 1\n")
    (entry,) = re.findall(
        r'entry-points\."(ddr\.scenarios)"\]\n(.*)\n', (place / "pyproject.toml").read_text()
    )
    (about / "entry_points.txt").write_text(f"[{entry[0]}]\n{entry[1].replace(chr(34), '')}\n")
    monkeypatch.syspath_prepend(str(place))
    assert "clinic-x" in scenario_ids()
    bare = ddr("scenarios", "build", "clinic-x", "--quiet")
    assert (bare.code, "give --from" in bare.err) == (2, True)
    done = ddr("scenarios", "build", "clinic-x", "--from", str(source), "--quiet", "--json")
    assert done.code == 0, done.err
    assert done.json["entities"] == clinic.PATIENTS


def test_the_example_on_the_page_is_what_the_commands_do(
    ddr: Ddr, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (ROOT / "docs" / "scenarios" / "own.md").read_text("utf-8")
    folder = tmp_path / "garden"
    folder.mkdir()
    for name, text in re.findall(r"`garden/(\w+\.csv)`:\n\n```\n(.*?)```", page, re.DOTALL):
        (folder / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    commands = re.findall(r"^ddr (scenarios (?:new|build) .*?)(?:  .*)?$", page, re.MULTILINE)
    assert len(commands) >= 2
    for command in commands[:2]:
        done = ddr(*command.split(), "--quiet")
        assert done.code == 0, done.err
    made = home / "scenarios" / "garden"
    (scenario_text, map_text) = (
        (made / name).read_text() for name in ("scenario.toml", "anonymise.toml")
    )
    for block in re.findall(r"```toml\n(.*?)```", page, re.DOTALL):
        for line in block.splitlines():
            assert line in scenario_text + map_text, line
