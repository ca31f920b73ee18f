"""No reply shows where on the host the data lies."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.tools.support import Hand, make_visits
from tools.scrub import Scrubber

DATABASE = Path("/srv/ddr/scenarios/flights/flights.duckdb")


def test_the_databases_path_becomes_a_neutral_one() -> None:
    data = {"rows": [[str(DATABASE), f"see {DATABASE}.tmp"]], "n": 1, "x": None}
    assert Scrubber(DATABASE).rows(data) == {
        "rows": [["/data/flights.duckdb", "see /data/flights.duckdb.tmp"]],
        "n": 1,
        "x": None,
    }


def test_values_of_the_database_are_otherwise_left_alone() -> None:
    data = {"rows": [["/srv/ddr", "/home/x", sys.prefix, {"k": "/usr"}]]}
    assert Scrubber(DATABASE).rows(data) == data


def test_words_lose_every_folder_on_the_way() -> None:
    said = Scrubber(DATABASE).words({"error": f"in /srv/ddr/secrets and {sys.prefix}/lib"})
    assert said == {"error": "in /data/secrets and /python/lib"}


def test_nested_values_and_keys_are_reached() -> None:
    data = {"a": {str(DATABASE): [{"deep": str(DATABASE)}]}}
    assert str(DATABASE) not in str(Scrubber(DATABASE).rows(data))


def test_a_database_at_the_root_does_not_turn_every_slash_around() -> None:
    assert Scrubber(Path("/flights.duckdb")).words({"a": "/usr/lib and 1/2"}) == {
        "a": "/usr/lib and 1/2"
    }


def test_a_user_without_a_home_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "")
    monkeypatch.setattr("os.path.expanduser", lambda path: path)
    assert Scrubber(DATABASE).words({"error": "~ and /"}) == {"error": "~ and /"}


def test_a_symlinked_database_hides_both_of_its_paths(tmp_path: Path) -> None:
    real = make_visits(tmp_path / "real-folder" / "visits.duckdb")
    (tmp_path / "named-folder").mkdir()
    link = tmp_path / "named-folder" / "link.duckdb"
    link.symlink_to(real)
    words = Scrubber(link).words({"error": f"{link} -> {real}"})
    assert words == {"error": "/data/link.duckdb -> /data/visits.duckdb"}


def test_no_catalogue_function_or_view_shows_the_host(visits: Path) -> None:
    """Every table function and view of the engine is tried, with and without an argument."""
    import duckdb

    with duckdb.connect(":memory:") as engine:
        functions = engine.execute(
            "SELECT DISTINCT function_name FROM duckdb_functions()"
            " WHERE function_type IN ('table', 'table_macro')"
        ).fetchall()
        views = engine.execute(
            "SELECT schema_name || '.' || view_name FROM duckdb_views() WHERE internal"
        ).fetchall()
    queries = [f"SELECT * FROM {name}({arg})" for (name,) in functions for arg in ("", "'visits'")]
    queries += [f"SELECT * FROM {name}" for (name,) in views]
    folders = {str(visits.parent), str(visits.resolve().parent), str(Path.home()) + "/"}
    with Hand(visits) as hand:
        for query in queries:
            seen = hand.sql(query, limit=200)
            assert not any(folder in seen.text for folder in folders), (query, seen.text[:300])


def test_no_function_without_a_table_shows_the_host(visits: Path) -> None:
    import duckdb

    with duckdb.connect(":memory:") as engine:
        names = engine.execute(
            "SELECT DISTINCT function_name FROM duckdb_functions()"
            " WHERE function_type IN ('scalar', 'macro') AND function_name ~ '^[a-z_0-9]+$'"
            " AND (len(parameters) = 0 OR function_name ~ 'env|setting|path|file|dir|secret|current')"
        ).fetchall()
    with Hand(visits) as hand:
        for (name,) in names:
            for arguments in ("", "'home_directory'", "'secret_directory'"):
                seen = hand.sql(f"SELECT {name}({arguments})")
                assert str(Path.home()) + "/" not in seen.text, name
                assert str(visits.parent) not in seen.text, name
