"""Entities with rows in several tables, some of them reached only by way of another."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
import pytest

from tests.agent.profiler.exploring import Exploration, explore
from tests.agent.profiler.sums import printed
from tests.agent.profiler.worlds import build

pytestmark = pytest.mark.real  # whole explorations

WHO = "P-7"
STAYS = "stays s JOIN patients p ON s.patient = p.row_no"
LABS = f"labs l JOIN {STAYS.replace('stays s', 'stays s ON l.stay = s.stay')}"


@pytest.fixture(scope="module")
def hospital(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Patients with an id that no other table uses, their stays, and the tests of each stay."""
    return build(
        tmp_path_factory.mktemp("hospital") / "hospital.duckdb",
        "CREATE TABLE patients AS SELECT 'P-' || i AS code, 7000 + i AS row_no, 20 + i % 60 AS age FROM range(50) r(i)",
        "CREATE TABLE stays AS SELECT 90000 + i AS stay, 7000 + i * 7 % 50 AS patient, "
        "TIMESTAMP '2020-01-01' + to_hours(i * 9) AS came, ['ward', 'home'][1 + i % 2] AS left_to FROM range(600) r(i)",
        "CREATE TABLE labs AS SELECT 90000 + i * 13 % 600 AS stay, 'item ' || i % 30 AS item, hash(i) % 500 / 7.0 "
        "+ CASE WHEN (i * 13 % 600) * 7 % 50 = 7 THEN 40 ELSE 0 END AS value FROM range(9000) r(i)",
    )


@pytest.fixture(scope="module")
def found(hospital: Path) -> Exploration:
    """What is found of one patient."""
    return explore(hospital, WHO, "patient")


def figure(hospital: Path, sql: str) -> float:
    with duckdb.connect(str(hospital), read_only=True) as connection:
        row = connection.execute(sql).fetchone()
    assert row is not None
    return float(row[0])


def test_all_tables_with_rows_of_the_entity_are_named(found: Exploration) -> None:
    assert "The rows of patient P-7 are in: labs, stays." in found.report


def test_no_query_fails(found: Exploration) -> None:
    assert [t.tool_results[0].text for t in found.turns if t.tool_results[0].is_error] == []


@pytest.mark.parametrize(
    ("pattern", "sql"),
    [
        (r"Patient P-7 has ([\d,]+) rows in labs", f"SELECT count(*) FROM {LABS} WHERE p.code = '{WHO}'"),
        (r"Patient P-7 has ([\d,]+) rows in stays", f"SELECT count(*) FROM {STAYS} WHERE p.code = '{WHO}'"),
        (
            r"For patient P-7 the mean of value of labs is ([\d.]+),",
            f"SELECT avg(value) FROM {LABS} WHERE p.code = '{WHO}'",
        ),
        (
            r"For patient P-7 the mean of value of labs is \S+ against ([\d.]+) for the rest",
            f"SELECT avg(value) FROM {LABS} WHERE p.code <> '{WHO}'",
        ),
    ],
)  # fmt: skip
def test_its_rows_in_each_table_are_its_own(
    hospital: Path, found: Exploration, pattern: str, sql: str
) -> None:
    said = [m[1] for text in [*found.said, *found.bullets] for m in re.finditer(pattern, text)]
    assert said
    for shown in said:
        printed(shown, figure(hospital, sql))


def test_what_stands_out_in_the_farthest_table_is_found(found: Exploration) -> None:
    assert "- Patient P-7's mean value of labs is the highest of 50 patients." in found.report


def test_rows_and_columns_are_named_with_their_tables(found: Exploration) -> None:
    for line in [*found.said, *found.bullets]:
        assert not re.search(r"patient P-7's rows(?! in (labs|stays))", line), line
        assert not re.search(r"\bvalue(?! of labs|s?\b of)", line.replace("different value", "")), (
            line
        )


def test_the_row_about_the_entity_is_read_too(found: Exploration) -> None:
    assert any(line.startswith("The age of patient P-7 is 27") for line in found.bullets)


def test_keys_are_not_averaged(found: Exploration) -> None:
    assert not any("mean stay" in line or "mean row no" in line for line in found.bullets)
