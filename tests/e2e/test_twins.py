"""Every generated twin can be explored and judged, and what is planted is found as far as it is there."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from checklists.validate import require_valid, schema_of
from databases.connection import open_readonly
from tests.e2e.trend import is_discovered
from tests.e2e.twins import Twin

ABOVE_SHUFFLED = 0.15
EXPLORED = 8
TWINS: dict[str, dict[str, Any]] = {
    "incidents": {"entities": 12, "rows": 6000},
    "filings": {"entities": 14},
    "patients": {"entities": 14},
    "wearables": {"entities": 14},
}
"""Small sizes: what an explorer finds hangs on the entity's rows, not on all of them."""

SLOPES = (0.0, 0.002, 0.005, 0.02)
"""A day: by the end of the year incidents take 1, 1.7, 2.8 and 8 times as long."""
RUNS, WITHOUT_TREND = 6, 20
MOST_FALSE = 0.05


@pytest.mark.real
@pytest.mark.parametrize("base", TWINS)
def test_the_profiler_is_well_above_what_can_be_said_without_looking(
    base: str, tmp_path: Path
) -> None:
    twin = Twin.built(tmp_path, base, f"{base}-small", seed="e2e", **TWINS[base])
    checklist = twin.checklist()
    ids = [entity.id for entity in twin.scenario.entities()]
    with open_readonly(twin.scenario.database_path) as connection:
        require_valid(checklist, entity_ids=ids, schema=schema_of(connection))
    counted = Counter(item.entity_id for item in checklist.items)
    assert min(counted[entity_id] for entity_id in ids) >= 8
    assert len({item.category for item in checklist.items}) >= 6
    judged = twin.judged(checklist, ids[:EXPLORED])
    own = judged.accuracy("profiler")["trajectory"]
    shuffled = judged.accuracy("shuffled_entity")["trajectory"]
    assert own is not None and shuffled is not None
    assert own - shuffled >= ABOVE_SHUFFLED, f"{own:.3f} against {shuffled:.3f}"


@pytest.mark.real
def test_the_trend_is_discovered_the_more_often_the_steeper_it_is_and_never_where_there_is_none(
    tmp_path: Path,
) -> None:
    found = {slope: _discovered(tmp_path, slope) for slope in SLOPES}
    assert found[0.0] <= MOST_FALSE, found
    rates = [found[slope] for slope in SLOPES]
    assert rates == sorted(rates), found
    assert rates[-1] >= 0.6, found


def _discovered(home: Path, slope: float) -> float:
    """The share of teams whose report states the rise; the seed is the same, only the slope is not."""
    twin = Twin.built(
        home, "incidents", f"slope-{SLOPES.index(slope)}", seed="trend", slope=slope,
        entities=WITHOUT_TREND, rows=12_000,
    )  # fmt: skip
    entities = twin.scenario.entities()
    explored = entities if slope == 0 else entities[:RUNS]
    reports = twin.reports([entity.id for entity in explored], max_turns=60)
    path = twin.scenario.database_path
    found = [is_discovered(reports[e.id], e, entities, path) for e in explored]
    return sum(found) / len(found)
