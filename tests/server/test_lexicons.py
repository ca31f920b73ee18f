"""Each entity's words are those of the database that its agent sees."""

from __future__ import annotations

from pathlib import Path

import pytest

from checklists.audit import lexicon
from databases.catalog import InstalledScenario, open_scenario
from server.lexicons import lexicons_of
from tests.server import wards


def test_entities_that_share_a_database_share_its_words(
    flights: InstalledScenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    before = lexicon.read_lexicon

    def counted(connection: object) -> lexicon.Lexicon:
        read.append(1)
        return before(connection)  # type: ignore[arg-type]

    monkeypatch.setattr("server.lexicons.read_lexicon", counted)
    shares: list[float] = []
    found = lexicons_of(flights, lambda what, share: shares.append(share))
    assert set(found) == {entity.id for entity in flights.entities()}
    assert len(read) == 1
    assert len({id(each) for each in found.values()}) == 1
    assert shares == sorted(shares)
    words = found["01"]
    assert {"flights", "carriers", "weather"} <= set(words.schema)
    assert {"carrier", "weather"} <= words.names


def test_who_sees_the_whole_has_the_words_of_all_schemas_and_others_their_own(
    tmp_path: Path,
) -> None:
    found = lexicons_of(wards.built(tmp_path))
    said = {name: each.words & {"northern", "southern", "night"} for name, each in found.items()}
    assert said == {
        "north": {"northern", "night"},
        "south": {"southern", "night"},
        "all": {"northern", "southern", "night"},
    }
    tables = {name: set(each.schema) for name, each in found.items()}
    assert tables == {"north": {"beds", "staff"}, "south": {"beds"}, "all": {"staff"}}


def test_what_is_not_built_has_no_words(tmp_path: Path) -> None:
    assert lexicons_of(open_scenario("flights", tmp_path)) == {}
