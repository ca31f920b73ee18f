"""Names become live objects, or an error that lists the names there are."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.errors import ScenarioError, UnknownNameError, UsageError
from core.protocols import Agent
from core.trajectory import Sandbox
from databases.catalog import InstalledScenario, open_scenario
from server import build
from server.build import make_agent, make_checker, make_spec, open_tools, run_id, sandbox_for

NOON = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)


def test_every_built_in_name_has_a_class_behind_it() -> None:
    assert isinstance(make_agent("profiler"), Agent)
    assert make_checker("matching", []).name == "matching"
    assert sandbox_for("both") == "bubblewrap"


@pytest.mark.parametrize(
    "make",
    [make_agent, lambda name: make_checker(name, []), lambda name: sandbox_for("both", name)],
)
def test_an_unknown_agent_checker_or_sandbox_lists_those_that_exist(make: object) -> None:
    assert callable(make)
    with pytest.raises(UnknownNameError, match=r"(profiler|matching|bubblewrap)"):
        make("nobody")


def test_a_run_id_tells_day_and_scenario_and_sorts_by_time() -> None:
    ids = [run_id("flights", NOON + timedelta(seconds=n), []) for n in range(0, 40_000, 999)]
    assert ids == sorted(ids)
    assert ids[0] == "20260131-flights-i000"


def test_a_run_id_that_is_taken_moves_on() -> None:
    taken: list[str] = []
    while len(taken) < 40:
        taken.append(run_id("flights", NOON, taken))
    assert len(set(taken)) == 40
    assert taken == sorted(taken)


def test_a_run_is_refused_before_anything_is_stored_where_the_scenario_is_not_built(
    tmp_path: Path,
) -> None:
    with pytest.raises(ScenarioError, match="ddr scenarios build flights"):
        make_spec(
            open_scenario("flights", tmp_path), agent="profiler", entities="all", taken=[], now=NOON
        )


def test_a_spec_holds_the_databases_fingerprint_and_the_chosen_entities(
    flights: InstalledScenario,
) -> None:
    spec = make_spec(flights, agent="profiler", entities="03,01", taken=[], now=NOON, tools="sql")
    assert spec.scenario_fingerprint == flights.scenario.fingerprint
    assert spec.entity_ids == ("01", "03")
    assert spec.tools == "sql"


@pytest.mark.parametrize(("agent", "entities"), [("profilr", "all"), ("profiler", "99")])
def test_a_spec_with_an_unknown_name_is_refused(
    flights: InstalledScenario, agent: str, entities: str
) -> None:
    with pytest.raises(UnknownNameError):
        make_spec(flights, agent=agent, entities=entities, taken=[], now=NOON)


def test_python_alone_without_a_sandbox_is_refused_with_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    off = Sandbox(name="off", detail="this kernel has no user namespaces")
    monkeypatch.setattr("tools.python.sandbox.sandbox_available", lambda: off)
    with pytest.raises(UsageError, match="there is none: this kernel has no user namespaces"):
        sandbox_for("python")
    assert sandbox_for("sql") is None
    assert sandbox_for("both") == "bubblewrap"


async def _offered(flights: InstalledScenario, hands: build.Hands) -> list[str]:
    tools = open_tools(flights, hands, None, session="t")
    try:
        return [spec.name for spec in await tools.list()]
    finally:
        await tools.close()


def test_the_tools_are_the_scenarios_as_far_as_asked_for(flights: InstalledScenario) -> None:
    expected = ["get_database_info", "describe_table", "execute_query"]
    assert asyncio.run(_offered(flights, "sql")) == expected
    assert asyncio.run(_offered(flights, "both")) == expected
    assert asyncio.run(_offered(flights, "python")) == expected[:2]
