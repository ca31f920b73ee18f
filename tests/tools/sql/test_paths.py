"""In its walls a worker may tell everything that its engine knows: nothing of the host is in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.needs import needs
from tests.tools.support import Hand, make_visits

pytestmark = needs("user namespaces")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_visits(tmp_path_factory.mktemp("a-hidden-folder") / "visits.duckdb")


@pytest.fixture(scope="module")
def inside(place: Path) -> Iterator[Hand]:
    with Hand(place) as hand:
        yield hand


@pytest.mark.real
def test_no_row_and_no_error_of_any_function_of_the_engine_shows_a_path_of_the_host(
    inside: Hand, place: Path
) -> None:
    names: list[str] = []
    while page := inside.rows(
        "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type LIKE 'table%'"
        " OR function_name LIKE 'duckdb%' OR len(parameters) = 0 ORDER BY 1",
        limit=200,
        offset=len(names),
    ):
        names += [name for (name,) in page]
    assert {"duckdb_databases", "duckdb_settings", "duckdb_extensions"} <= set(names)
    hidden = {place.parent.name, str(Path.home()), str(Path.cwd())} - {"/"}
    for name in names:
        for query in (
            f'FROM "{name}"()',
            f'SELECT "{name}"()',
            f"SELECT string_agg(x::VARCHAR, ' ') FROM \"{name}\"() x",
        ):
            seen = inside.sql(query, limit=200)
            assert not [text for text in hidden if text in seen.text], (query, seen.text)


def test_settings_and_databases_are_answered_and_point_below_data(inside: Hand) -> None:
    assert inside.rows("SELECT path FROM duckdb_databases() WHERE NOT internal") == [
        ["/data/visits.duckdb"]
    ]
    paths = inside.rows(
        "SELECT name, value FROM duckdb_settings() WHERE name LIKE '%directory' AND value LIKE '/%'"
    )
    assert len(paths) >= 3
    assert all(value.startswith("/data") for _, value in paths)
