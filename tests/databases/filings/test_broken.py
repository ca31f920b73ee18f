"""A damaged source is an error that names file and line or key, and leaves no database behind."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from core.errors import DdrError, ScenarioError, UsageError
from databases.catalog import open_scenario
from tests.databases.filings.reports import (
    build,
    company_facts,
    number,
    report,
    sqlite_file,
    submissions,
    write,
)  # fmt: skip

WHOLE = report(number("1"), "<p>" + "words " * 300 + "</p>")


def refused(folder: Path, home: Path, **options: Any) -> str:
    """What the error says; holds that nothing was put in place."""
    with pytest.raises(DdrError) as caught:
        build(folder, home, **options)
    installed = open_scenario("filings", home)
    assert not installed.is_built()
    assert list(installed.folder.glob("*.duckdb")) == []
    assert list(installed.folder.glob(".building-*")) == []
    assert not (home / "documents" / "filings.sqlite3").exists()
    return str(caught.value)


def with_facts(facts: Any) -> dict[str, Any]:
    return company_facts({"us-gaap": facts})


def row(**changes: Any) -> dict[str, Any]:
    kept = {"end": "2024-12-31", "val": 1, "accn": "a", "fy": 2024, "fp": "FY", "form": "10-K"}
    return with_facts({"Assets": {"units": {"USD": [{**kept, **changes}]}}})


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("cut.htm", WHOLE[:-100], "cut.htm: line 5: is not a whole, well-formed report"),
        ("cut.htm.gz", gzip.compress(WHOLE)[:-40], "cut.htm.gz: the gzip file ends early"),
        ("no.htm.gz", b"hello", "no.htm.gz: is no sound gzip file"),
        ("latin.htm", WHOLE.replace(b"words", b"caf\xe9", 1), "latin.htm: line 5: is not a whole"),
        ("empty.htm", b"", "empty.htm: line 1: is not a whole"),
        ("page.htm", b"<html><body><p>Hello</p></body></html>", "page.htm: has no inline-XBRL fact"),
        ("part.htm", WHOLE.replace(b"dei:DocumentType", b"dei:Other"), "part.htm: has no dei:DocumentType"),
        ("cut.json", b'{"cik": 1,\n"facts"', "cut.json: line 2: is no JSON"),
        ("latin.json", b'{"cik": 1, "entityName": "Caf\xe9"}', "latin.json: is no JSON"),
        ("list.json", b"[]", "list.json: key the whole: is a list, and should be an object"),
        ("other.json", b'{"cik": 1}', "other.json: has neither 'facts'"),
        ("deep.json", b"[" * 200_000, "deep.json: is no JSON"),
    ],
)  # fmt: skip
def test_a_file_that_is_damaged(tmp_path: Path, name: str, content: bytes, says: str) -> None:
    folder = write(tmp_path / "in")
    (folder / name).write_bytes(content)
    assert says in refused(folder, tmp_path / "home")


@pytest.mark.parametrize(
    ("content", "key"),
    [
        ({**company_facts(), "facts": []}, "key 'facts': is a list, and should be an object"),
        ({**company_facts(), "facts": {}}, "key 'facts': holds no fact"),
        ({**company_facts(), "entityName": 7}, "key 'entityName': is a int"),
        ({**company_facts(), "cik": "x"}, "key 'cik': 'x' is no CIK"),
        (with_facts([]), "key 'facts.us-gaap': is a list"),
        (with_facts({"Assets": []}), "key 'facts.us-gaap.Assets': is a list"),
        (with_facts({"Assets": {"units": []}}), "key 'facts.us-gaap.Assets.units': is a list"),
        (with_facts({"Assets": {"units": {"USD": {}}}}), "Assets.units.USD': is an object, and should be a list"),
        (with_facts({"Assets": {"units": {"USD": [7]}}}), "Assets.units.USD.0': is a int, and should be an object"),
        (row(val="1"), "Assets.units.USD.0': val is '1', and no number"),
        (row(val=True), "Assets.units.USD.0': val is True, and no number"),
        (row(end="2024-12-32"), "Assets.units.USD.0': end: '2024-12-32' is no date"),
        (row(end=None), "Assets.units.USD.0': end: None is no date"),
        (row(start=[]), "Assets.units.USD.0': start: [] is no date"),
        (row(accn=None), "Assets.units.USD.0': accn: is missing"),
    ],
)  # fmt: skip
def test_company_facts_of_another_shape(tmp_path: Path, content: dict[str, Any], key: str) -> None:
    folder = write(tmp_path / "in", facts__json=content)
    told = refused(folder, tmp_path / "home")
    assert key in told
    assert "facts.json: " in told


def test_a_number_that_json_does_not_know_is_none(tmp_path: Path) -> None:
    text = json.dumps(company_facts()).replace("95500000", "NaN")
    told = refused(write(tmp_path / "in", f__json=text), tmp_path / "home")
    assert "NaN is no number of a report" in told


def test_a_list_of_submissions_whose_columns_differ(tmp_path: Path) -> None:
    listed = submissions()
    listed["filings"]["recent"]["form"].pop()
    folder = write(tmp_path / "in", s__json=listed, f__json=company_facts())
    assert "key 'filings.recent': its lists differ" in refused(folder, tmp_path / "home")


def test_the_same_report_twice(tmp_path: Path) -> None:
    folder = write(tmp_path / "in", a__htm=WHOLE, b__htm__gz=WHOLE)
    told = refused(folder, tmp_path / "home")
    assert "b.htm.gz: the report 777001-10-K-2024-12-31 stands in" in told
    assert "a.htm too" in told


def test_the_facts_of_one_company_twice(tmp_path: Path) -> None:
    folder = write(tmp_path / "in", a__json=company_facts(), b__json=company_facts())
    assert "b.json: the facts of the company 777001 stands in" in refused(folder, tmp_path / "home")


def test_an_entity_bomb_is_refused_before_it_grows(tmp_path: Path) -> None:
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 9))
    bomb = b'<!DOCTYPE html [<!ENTITY e0 "ha">' + entities.encode() + b"]>"
    head, _, rest = WHOLE.partition(b"\n")
    folder = write(tmp_path / "in", bomb__htm=head + bomb + rest.replace(b"words", b"&e8;", 1))
    assert "bomb.htm: " in refused(folder, tmp_path / "home")


def test_a_file_of_this_machine_is_not_read_by_way_of_an_entity(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("a secret")
    head, _, rest = WHOLE.partition(b"\n")
    call = f'<!DOCTYPE html [<!ENTITY e SYSTEM "{secret.as_uri()}">]>'.encode()
    folder = write(tmp_path / "in", x__htm=head + call + rest.replace(b"words", b"&e;", 1))
    told = refused(folder, tmp_path / "home")
    assert "x.htm: declares entities of its own" in told
    assert "a secret" not in told


def test_a_file_that_unpacks_without_end_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("databases.filings.reading.MAX_BYTES", 1_000_000)
    folder = write(tmp_path / "in", big__htm__gz=b" " * 2_000_000)
    assert "big.htm.gz: is larger than 1 MB unpacked" in refused(folder, tmp_path / "home")


@pytest.mark.parametrize("make", [True, False])
def test_a_folder_without_files_and_no_folder(tmp_path: Path, *, make: bool) -> None:
    folder = tmp_path / "in"
    if make:
        write(folder, readme__txt="hello")
    says = "holds no report" if make else "there is no such folder"
    assert says in refused(folder, tmp_path / "home")


def test_only_a_list_of_submissions_is_nothing_to_explore(tmp_path: Path) -> None:
    folder = write(tmp_path / "in", s__json=submissions())
    assert "there is no report and no company's facts" in refused(folder, tmp_path / "home")


def test_without_a_source_the_ways_are_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--from or --fetch or --synthetic"):
        build(Path(), tmp_path, **{"from": ""})


def test_a_build_that_fails_leaves_the_one_before(tmp_path: Path) -> None:
    folder = write(tmp_path / "in", a__htm=WHOLE)
    before = build(folder, tmp_path / "home").verify_content()
    (folder / "b.htm").write_bytes(WHOLE[:900])
    other = write(tmp_path / "other", b__htm=WHOLE[:900])
    with pytest.raises(ScenarioError, match=r"b\.htm"):
        build(other, tmp_path / "home")
    assert open_scenario("filings", tmp_path / "home").verify_content() == before


def test_a_file_that_is_no_sound_database(tmp_path: Path) -> None:
    path = sqlite_file(tmp_path / "o.sqlite", "CREATE TABLE t (a); INSERT INTO t VALUES (1);")
    path.write_bytes(path.read_bytes()[:200] + b"\xff" * 6000)
    assert "o.sqlite: is no sound SQLite file" in refused(path, tmp_path / "home")
