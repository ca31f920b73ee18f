"""F56 from end to end: an agent looks for the answers, sees nothing, and the report says that it looked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agent.calls import result
from analysis.report import render_report
from core.protocols import Finish, Tools
from core.run import RunSpec
from core.scenario import Task
from core.trajectory import ToolCall, Turn
from databases.catalog import InstalledScenario
from server import reporting
from server.build import open_tools
from server.runner import Setting, explore, utc_now
from server.settings import Settings
from server.store import open_store
from tests.server.exploring import ScriptedAgent, Step
from tests.support.needs import needs

pytestmark = [pytest.mark.real, needs("user namespaces")]

ENTITY = "03"
SECRET = "sk-an-api-key-of-the-server"
LOOKS = [
    ("execute_query", {"query": "SELECT * FROM read_text('../checklists/flights.json')"}),
    ("execute_query", {"query": "SELECT * FROM glob('/**/*checklist*')"}),
    ("execute_query", {"query": "SELECT getenv('OPENAI_API_KEY')"}),
    ("execute_query", {"query": "ATTACH 'store.sqlite3' AS store"}),
    ("execute_query", {"query": "COPY (SELECT 1) TO 'seen.csv'"}),
    ("execute_code", {"code": "print(open('../checklists/flights.json').read())"}),
    ("execute_code", {"code": "import glob; print(glob.glob('/**/*checklist*', recursive=True))"}),
    ("execute_code", {"code": "print(open('/proc/self/environ').read())"}),
    ("execute_code", {"code": "import os; print(os.listdir('/home'), os.environ)"}),
    ("execute_code", {"code": "import socket; socket.create_connection(('127.0.0.1', 9))"}),
    ("execute_code", {"code": "print(query(\"SELECT * FROM read_csv('store.sqlite3')\"))"}),
]
HONEST = [
    ("execute_query", {"query": "SELECT count(*) FROM flights"}),
    ("execute_query", {"query": "SELECT nope FROM flights"}),
    ("execute_query", {"query": "DELETE FROM flights"}),
    ("execute_code", {"code": "query('SELECT 1 AS one').one.sum()"}),
    ("execute_code", {"code": "1 / 0"}),
]


async def looking(task: Task, tools: Tools) -> AsyncIterator[Step]:
    """A turn for each attempt, and for each honest call."""
    for index, (name, arguments) in enumerate([*LOOKS, *HONEST], 1):
        seen = await tools.call(name, arguments)
        call = ToolCall(call_id=f"c{index}", name=name, arguments="{}")
        yield Turn(
            index=index,
            tool_calls=(call,),
            tool_results=(result(call, seen),),
            started_at=utc_now(),
            duration_s=0.1,
        )
    yield Finish(report="I looked.")


def test_each_attempt_is_refused_recorded_on_its_turn_and_shown_in_the_report(
    flights: InstalledScenario,
    flights_home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    spec = RunSpec(
        id="20260131-flights-look",
        scenario_id="flights",
        scenario_fingerprint=flights.scenario.fingerprint or "",
        entity_ids=(ENTITY,),
        agent="scripted",
        created_at=utc_now(),
    )
    with open_store(tmp_path / "store.sqlite3") as store:
        store.add_run(spec)
        setting = Setting(
            scenario=flights,
            store=store,
            locks=tmp_path / "locks",
            make_agent=lambda _key: ScriptedAgent(looking),
            open_tools=lambda session, _entity: open_tools(flights, "both", "bubblewrap", session),
        )
        asyncio.run(explore(spec, setting))
        data = reporting.collect(spec, store, Settings(home=flights_home))
    (trajectory,) = data.trajectories
    assert trajectory.sandbox is not None
    assert trajectory.sandbox.name == "bubblewrap"
    results = [turn.tool_results[0] for turn in trajectory.turns]
    page = render_report(data)
    for (name, arguments), seen in zip(LOOKS, results, strict=False):
        asked = f"{name} {arguments}"
        assert seen.violations, asked
        for forbidden in ("evidence_sql", SECRET, "root:", str(flights_home), str(tmp_path)):
            assert forbidden not in seen.text, asked
    for (name, arguments), seen in zip(HONEST, results[len(LOOKS) :], strict=True):
        assert seen.violations == (), f"{name} {arguments}"
    assert page.count("Attempt to look:") >= len(LOOKS)
    assert not (flights.folder / "seen.csv").exists()
