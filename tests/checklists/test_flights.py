"""The shipped checklist is sound, holds on the real database, and asks what sets carriers apart."""

from __future__ import annotations

import re
from collections import Counter

import duckdb
import pytest

from checklists.authoring.flights import BRIEF
from checklists.loader import checklist_for
from checklists.proof import CHECKS
from checklists.validate import CATEGORIES, require_valid, schema_of
from checklists.verify import holds, verify
from core.checklist import Checklist, ChecklistItem
from databases.catalog import InstalledScenario

LARGEST, SMALLEST = 10, 2
"""How many items the issue asks for: 9 for each of the ten largest carriers, 2 for the smallest."""


@pytest.fixture(scope="module")
def shipped() -> Checklist:
    return checklist_for("flights")


def rows_of(connection: duckdb.DuckDBPyConnection) -> dict[str, int]:
    return dict(
        connection.execute("SELECT carrier_id, count(*) FROM flights GROUP BY ALL").fetchall()
    )


def test_it_was_proved_on_the_database_that_is_built_here(
    shipped: Checklist, flights: InstalledScenario
) -> None:
    assert shipped.scenario_fingerprint == flights.scenario.fingerprint, (
        "the database changed: author the checklist anew (docs/checklists.md)"
    )


def test_every_item_is_sound_against_the_real_schema(
    shipped: Checklist, flights: InstalledScenario, flights_connection: duckdb.DuckDBPyConnection
) -> None:
    require_valid(
        shipped,
        entity_ids=[entity.id for entity in flights.entities()],
        categories=CATEGORIES,
        schema=schema_of(flights_connection),
    )


def test_every_item_holds_on_the_real_database(
    shipped: Checklist, flights_connection: duckdb.DuckDBPyConnection
) -> None:
    found = holds(shipped, flights_connection)
    assert found.failures == ()
    assert found.hold == found.items == len(shipped.items)


def test_items_pass_every_check(
    shipped: Checklist, flights_connection: duckdb.DuckDBPyConnection
) -> None:
    # A sixth of the items and one seed of the twenty here; all of both in the test below.
    some = shipped.model_copy(update={"items": shipped.items[::6]})
    found = verify(some, flights_connection, book=BRIEF, seeds=[0])
    wrong = [f for f in found.failures if f.check not in {"perturbation", "resampling"}]
    assert wrong == [] and found.unknown == {}
    assert len(found.failures) <= len(some.items) // 10, found.failures


@pytest.mark.real
def test_every_item_passes_every_check_on_twenty_copies_of_each_kind(
    shipped: Checklist, flights_connection: duckdb.DuckDBPyConnection
) -> None:
    found = verify(shipped, flights_connection, book=BRIEF)
    assert found.failures == () and found.unknown == {}
    assert found.fail_when_perturbed == found.items
    assert {tally.passed for tally in found.checks.values()} == {found.items}
    assert set(found.checks) == set(CHECKS)


def test_there_are_items_enough_for_large_and_small_carriers_in_every_category(
    shipped: Checklist, flights_connection: duckdb.DuckDBPyConnection
) -> None:
    size = rows_of(flights_connection)
    order = sorted(size, key=lambda carrier: -size[carrier])
    count = Counter(item.entity_id for item in shipped.items)
    assert len(shipped.items) >= 120
    assert all(count[carrier] >= 9 for carrier in order[:LARGEST])
    assert all(count[carrier] >= SMALLEST for carrier in order)
    assert {item.category for item in shipped.items} == set(CATEGORIES)
    by_category = Counter(item.category for item in shipped.items)
    assert min(by_category.values()) >= 15


def test_difficulties_are_mixed_and_most_items_are_not_hard(shipped: Checklist) -> None:
    count = Counter(item.difficulty for item in shipped.items)
    whole = len(shipped.items)
    assert count["easy"] >= 0.2 * whole
    assert 0.15 * whole <= count["hard"] <= 0.4 * whole


def test_fleet_items_are_only_asked_where_the_flights_join_to_aircraft(
    shipped: Checklist, flights_connection: duckdb.DuckDBPyConnection
) -> None:
    known = dict(
        flights_connection.execute(
            "SELECT carrier_id, count(*) FILTER (WHERE aircraft_id IN "
            "(SELECT aircraft_id FROM aircraft)) / count(*) FROM flights GROUP BY carrier_id"
        ).fetchall()
    )
    fleet = {item.entity_id for item in shipped.items if item.category == "fleet"}
    assert fleet and all(known[carrier] >= 0.8 for carrier in fleet)
    assert sum(share < 0.8 for share in known.values()) == 2


def test_an_answer_says_the_expected_figure(shipped: Checklist) -> None:
    for item in shipped.items:
        assert item.expected is not None and isinstance(item.expected.value, float)
        figures = re.findall(r"-?\d[\d,]*(?:\.\d+)?", item.answer)
        values = [abs(float(figure.replace(",", ""))) for figure in figures]
        near = max(item.expected.tolerance, 0.051)
        assert any(abs(value - abs(item.expected.value)) <= near for value in values), item.answer


def test_every_claim_must_state_a_figure_and_what_it_belongs_to(shipped: Checklist) -> None:
    for item in shipped.items:
        signals = item.signals
        assert signals is not None and signals.magnitude is not None
        assert "magnitude" in signals.required
        assert bool(signals.scope) == ("scope" in signals.required)
        assert bool(signals.period) == ("period" in signals.required)
        assert signals.magnitude.rel_tol <= 0.02


def test_a_name_that_is_asked_for_does_not_stand_in_the_question(shipped: Checklist) -> None:
    for item in shipped.items:
        assert item.signals is not None
        named = list(item.signals.period) + [
            alias
            for group in item.signals.scope
            for alias in group
            if re.fullmatch(r"[A-Z]\d{3,}(-[A-Z]\d{3,})?|[A-Z][a-z]+day|\d+:00", alias)
        ]
        if "which" in item.question.lower():
            assert not [name for name in named if name in item.question], item.question


def test_texts_name_their_own_carrier_and_no_other(shipped: Checklist) -> None:
    for item in shipped.items:
        for text in (item.question, item.answer):
            assert set(re.findall(r"[Cc]arrier (\d\d)", text)) == {item.entity_id}, text


def test_another_carriers_own_figure_rarely_passes_for_this_ones(
    shipped: Checklist, flights_connection: duckdb.DuckDBPyConnection
) -> None:
    carriers = sorted(rows_of(flights_connection))
    pairs = [(item, carriers[n % len(carriers)]) for n, item in enumerate(shipped.items)]
    pairs = [(item, other) for item, other in pairs if other != item.entity_id]
    passing = [item.id for item, other in pairs if _passes(item, other, flights_connection)]
    assert len(passing) <= 0.02 * len(pairs), passing


def _passes(item: ChecklistItem, other: str, connection: duckdb.DuckDBPyConnection) -> bool:
    assert item.evidence_sql is not None and item.expected is not None
    own = f"flights.carrier_id = '{item.entity_id}'"
    assert item.evidence_sql.count(own) == 1
    row = connection.execute(
        item.evidence_sql.replace(own, f"flights.carrier_id = '{other}'")
    ).fetchone()
    return row is not None and item.expected.holds(row[0])


def test_nothing_in_the_file_tells_where_or_by_whom_it_was_made(shipped: Checklist) -> None:
    assert all(item.decisions == () and item.status == "accepted" for item in shipped.items)
    assert all(item.source.startswith("template:") for item in shipped.items)
    assert shipped.license.name == "CC0-1.0"
