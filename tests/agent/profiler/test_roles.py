"""What a column is for is told by its type and values; its name plays no part."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.profiler.columns import Figures, measure_columns, value_of
from agent.profiler.roles import Column, Role, find_codes, role_of
from agent.profiler.schema import Field, Table, read_schema
from tests.agent.profiler.exploring import converse
from tests.agent.profiler.worlds import build

N = 4000
EXPRESSIONS: dict[str, tuple[str, Role]] = {
    "hour of a day": ("(i % 24)::INTEGER", Role.STEP),
    "minute": ("(i * 7 % 60)::INTEGER", Role.STEP),
    "weekday": ("(1 + i % 7)::SMALLINT", Role.STEP),
    "grade": ("(1 + i % 5)::INTEGER", Role.STEP),
    "offset": ("(-6 + i % 9)::INTEGER", Role.STEP),
    "yes or no": ("i % 3 = 0", Role.FLAG),
    "nought or one": ("(i % 2)::INTEGER", Role.FLAG),
    "always yes": ("true", Role.FLAG),
    "year built": ("(1950 + i % 70)::INTEGER", Role.YEAR),
    "clock": ("((i * 11 % 24) * 100 + i * 13 % 60)::INTEGER", Role.CLOCK),
    "delay": ("(round(20 * ln(1 + hash(i) % 100)) - 40)::INTEGER", Role.MEASURE),
    "temperature": ("(hash(i) % 1000) / 13.7", Role.MEASURE),
    "amount": ("((hash(i) % 10000) / 7)::DECIMAL(12, 2)", Role.MEASURE),
    "row number": ("i::BIGINT", Role.UNIQUE),
    "row name": ("'row ' || i", Role.UNIQUE),
    "colour": ("['red', 'blue', 'green'][1 + i % 3]", Role.CATEGORY),
    "many names": ("'n' || (i % 900)", Role.CATEGORY),
    "coded name": ("lpad((i % 40)::VARCHAR, 4, '0')", Role.CATEGORY),
    "one value": ("42", Role.CONSTANT),
    "one word": ("'same'", Role.CONSTANT),
    "nothing": ("NULL::INTEGER", Role.EMPTY),
    "day": ("DATE '2020-01-01' + (i % 300)::INTEGER", Role.TIME),
    "moment": ("TIMESTAMP '2020-01-01' + to_hours(i)", Role.TIME),
    "moment with a zone": ("TIMESTAMPTZ '2020-01-01 00:00:00+02' + to_hours(i)", Role.TIME),
    "day as text": ("(DATE '2020-01-01' + (i % 300)::INTEGER)::VARCHAR", Role.TIME),
    "broken numbers": ("CASE i % 4 WHEN 0 THEN 'nan'::DOUBLE WHEN 1 THEN 'inf'::DOUBLE ELSE i / 7 END", Role.MEASURE),
    "only broken numbers": ("'nan'::DOUBLE", Role.EMPTY),
}  # fmt: skip


@pytest.fixture(scope="module")
def columns(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Table, dict[str, Figures]]:
    """A table with one column of each kind, and what the profiler measured of it."""
    made = ", ".join(f"{sql} AS c{place}" for place, (sql, _) in enumerate(EXPRESSIONS.values()))
    path = build(
        tmp_path_factory.mktemp("roles") / "roles.duckdb",
        f"CREATE TABLE t AS SELECT {made} FROM range({N}) r(i)",
    )
    (table,) = converse(path, read_schema(9))
    return path, table, converse(path, measure_columns([table]))


@pytest.mark.parametrize("kind", EXPRESSIONS)
def test_a_column_has_the_role_of_its_values(
    columns: tuple[Path, Table, dict[str, Figures]], kind: str
) -> None:
    _, table, figures = columns
    field = table.fields[list(EXPRESSIONS).index(kind)]
    assert role_of(field, figures[field.key]) is EXPRESSIONS[kind][1]


def test_figures_are_those_of_the_values(
    columns: tuple[Path, Table, dict[str, Figures]],
) -> None:
    figures = columns[2][f"t.c{list(EXPRESSIONS).index('grade')}"]
    assert (figures.rows, figures.filled, figures.distinct) == (N, N, 5)
    assert (figures.least, figures.most) == (1, 5)
    assert figures.mean == 3
    assert figures.quantiles[0.5] == 3
    assert figures.deviation == pytest.approx(2**0.5, rel=1e-3)


def test_nan_and_infinity_are_no_values(columns: tuple[Path, Table, dict[str, Figures]]) -> None:
    figures = columns[2][f"t.c{list(EXPRESSIONS).index('broken numbers')}"]
    assert figures.filled == N // 2
    assert figures.most < N


def test_a_zone_is_turned_into_utc_so_that_no_machine_sees_other_hours() -> None:
    assert value_of(Field("t", "x", "TIMESTAMP WITH TIME ZONE")) == "(\"x\" AT TIME ZONE 'UTC')"
    assert value_of(Field("t", "x", "TIMESTAMP"), "f") == 'f."x"'
    assert "isfinite" in value_of(Field("t", "x", "DOUBLE"))


def test_long_values_do_not_fill_the_reply(tmp_path: Path) -> None:
    path = build(
        tmp_path / "long.duckdb",
        "CREATE TABLE t AS SELECT repeat('x', 5000) || i AS a, i AS b FROM range(10) r(i)",
    )
    (table,) = converse(path, read_schema(9))
    figures = converse(path, measure_columns([table]))
    assert len(figures["t.a"].low or "") == 60
    assert figures["t.b"].distinct == 10


def numbers(tmp_path: Path, expression: str) -> tuple[Path, Table, dict[str, Figures]]:
    path = build(
        tmp_path / "codes.duckdb",
        f"CREATE TABLE t AS SELECT {expression} AS x, (hash(i) % 977) / 3.1 AS y, "
        f"2 * ({expression}) + hash(i + 5) % 3 AS z FROM range(30000) r(i)",
    )
    (table,) = converse(path, read_schema(9))
    return path, table, converse(path, measure_columns([table]))


def codes(world: tuple[Path, Table, dict[str, Figures]], *considered: str) -> set[str]:
    path, table, figures = world
    roles = {key: Role.MEASURE for key in figures if key.removeprefix("t.") in considered}
    return converse(path, find_codes(table, figures, roles))


def test_running_numbers_that_go_with_nothing_are_codes(tmp_path: Path) -> None:
    running = numbers(tmp_path, "1000 + hash(i) % 700")
    assert codes(running, "x", "y") == {"t.x"}


def test_numbers_handed_out_at_random_are_codes(tmp_path: Path) -> None:
    scattered = numbers(tmp_path, "1 + hash(hash(i) % 600) % 1000003")
    assert codes(scattered, "x", "y") == {"t.x"}


def test_a_number_that_goes_with_another_is_a_measure(tmp_path: Path) -> None:
    assert codes(numbers(tmp_path, "1000 + hash(i) % 700"), "x", "y", "z") == set()


def test_a_smooth_measure_is_no_code(tmp_path: Path) -> None:
    bell = "(1000 + hash(i) % 200 + hash(i + 1) % 200 + hash(i + 2) % 200 + 5 * (hash(i + 3) % 40))"
    assert codes(numbers(tmp_path, bell), "x", "y") == set()


def test_where_nothing_is_in_doubt_nothing_is_asked(
    columns: tuple[Path, Table, dict[str, Figures]],
) -> None:
    _, table, figures = columns
    roles = {f.key: role_of(f, figures[f.key]) for f in table.fields}
    doubtless = {key: role for key, role in roles.items() if role is not Role.MEASURE}
    with pytest.raises(StopIteration):
        next(find_codes(table, figures, doubtless))


def test_a_column_is_named_with_its_table_where_it_is_joined() -> None:
    field = Field("aircraft", "seat_count", "INTEGER")
    own = Column(field, Figures(), Role.MEASURE, words="seat count")
    joined = Column(field, Figures(), Role.MEASURE, "d1", "aircraft", "seat count")
    assert (own.phrase, own.joined) == ("seat count", False)
    assert (joined.phrase, joined.joined) == ("seat count of aircraft", True)
    assert joined.expr == 'd1."seat_count"'


def test_dates_in_text_are_read_as_dates_and_flags_as_numbers() -> None:
    text = Column(Field("t", "x", "VARCHAR"), Figures(), Role.TIME)
    flag = Column(Field("t", "x", "BOOLEAN"), Figures(), Role.FLAG)
    assert text.expr == 'TRY_CAST(f."x" AS TIMESTAMP)'
    assert flag.expr == 'CAST(f."x" AS INTEGER)'


def test_only_roles_with_an_order_of_size_are_averaged() -> None:
    assert {role for role in Role if role.averaged} == {
        Role.MEASURE,
        Role.YEAR,
        Role.STEP,
        Role.FLAG,
    }
