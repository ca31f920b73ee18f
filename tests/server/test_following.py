"""A statement reads the fields of its own entity, by the names that this one's tools record."""

from __future__ import annotations

from pathlib import Path

import pytest

from databases.build import build_manifest
from databases.connection import open_readonly
from databases.installed import InstalledScenario
from databases.schema import read_schema
from server.following import Follower
from tests.databases import small
from tests.databases.test_parts import manifest
from tools.sql.access import AccessLog


@pytest.fixture(scope="module")
def wards(tmp_path_factory: pytest.TempPathFactory) -> InstalledScenario:
    """Two wards whose tables are both called beds, and one who sees the whole."""
    folder = tmp_path_factory.mktemp("wards")
    return build_manifest(manifest(folder), folder / "home")


@pytest.mark.parametrize("entity", ["north", "south", "southern"])
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(id) FROM beds",
        "SELECT * FROM beds, staff",
        "SELECT max(b.id), name FROM beds b, staff GROUP BY ALL",
    ],
)
def test_it_says_what_the_tools_of_the_entity_record(
    wards: InstalledScenario, entity: str, sql: str
) -> None:
    with open_readonly(Path(wards.target_for(entity).location)) as connection:
        recorded = AccessLog(read_schema(connection)).fields(sql)
    assert recorded
    assert Follower(wards).fields(entity, sql) == recorded


def test_a_table_may_be_named_as_in_the_whole(wards: InstalledScenario) -> None:
    follower = Follower(wards)
    assert follower.fields("south", 'SELECT id FROM "south/1".beds') == ("beds.id",)
    assert follower.fields("south", "SELECT id FROM north.beds") == ()
    assert follower.fields("all", 'SELECT id FROM "south/1".beds') == ("south/1.beds.id",)


def test_what_cannot_be_followed_stays_so(wards: InstalledScenario) -> None:
    assert Follower(wards).fields("north", "SELEC") == ("?",)
    assert Follower(wards).fields("nobody", "SELECT name FROM staff") == ("staff.name",)


def test_without_tables_of_ones_own_it_is_the_log_of_the_whole(tmp_path: Path) -> None:
    plain = small.built(tmp_path)
    sql = "SELECT p.name FROM patients p JOIN visits v ON v.patient = p.id"
    assert Follower(plain).fields("1", sql) == AccessLog(plain.schema()).fields(sql)
