"""The kinds of facts that are asked about the destinations of the scenario `destinations`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from checklists.authoring import flights
from checklists.authoring.author import Brief
from checklists.authoring.book import read_book
from checklists.authoring.flights.keys import KEYS
from checklists.authoring.template import Key, Subject

FLIGHTS: Final = 200
"""Fewer flights make no entity (databases/destinations/scenario.toml)."""
ITEMS: Final = 12
"""Per destination, where there are so many facts."""

CARRIER: Final = Key(
    sql="flights.carrier_id",
    words=lambda key: f"carrier {key}",
    aliases=lambda key: (f"carrier {key}", f"@flights.carrier_id {key}", f"airline {key}"),
    slot="scope",
)
"""A carrier's id is a bare number: only with its noun is it a name."""


def wanted(rows: Mapping[str, int]) -> dict[str, int]:
    """As many items for each destination that is an entity."""
    return {entity_id: ITEMS for entity_id, number in rows.items() if number >= FLIGHTS}


BRIEF: Final = Brief(
    subject=Subject(
        scenario_id="destinations", column="flights.destination_id", noun="destination"
    ),
    templates=read_book(
        Path(__file__).parent,
        {**KEYS, "carrier": CARRIER},
        beside=Path(flights.__file__).parent,
    ),
    needs={
        "aircraft on record": (
            "SELECT flights.destination_id FROM flights LEFT JOIN aircraft USING (aircraft_id) "
            "GROUP BY flights.destination_id "
            "HAVING avg((aircraft.aircraft_id IS NOT NULL)::INT) >= 0.8"
        ),
    },
    wanted=wanted,
    version="1",
    license=flights.BRIEF.license,
)
"""What `python -m checklists.authoring destinations` writes."""
