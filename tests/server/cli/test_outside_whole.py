"""An agent is let in, explores with the real tools, and is shown, scored and reported as any other."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from checklists.loader import checklist_for
from core.outside import Caller, Outside
from core.protocols import Observation
from core.trajectory import Client
from databases.catalog import InstalledScenario
from server import settings
from server.desk import Desk
from server.desks import opened
from server.enrolment import close, enrol
from server.store import open_store
from tests.analysis.page import parse
from tests.server.cli.conftest import Ddr

pytestmark = pytest.mark.real  # a tool host, two entities

CALLER = Caller(client=Client(name="sdk", version="1", protocol="2026-07-28"))


class Visit:
    """An agent of a few steps at one desk."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    async def call(self, name: str, **arguments: Any) -> Observation:
        return await self.desk.call(name, arguments, CALLER)

    async def explore(self, facts: list[str]) -> None:
        """Look, err, compute two things at once, tell what was found, stop, and come too late."""
        await self.call("get_task", agent="sdk 1", model="a-model")
        await self.call("get_database_info")
        wrong = await self.call("execute_query", query="SELECT nope FROM flights")
        assert wrong.is_error
        first, second = await asyncio.gather(
            self.call("execute_query", query="SELECT count(*) AS n FROM flights"),
            self.call("execute_code", code="print(6 * 7)"),
        )
        assert first.data is not None
        assert second.data is not None
        assert first.data["turn"] == second.data["turn"] == 3
        for fact in (*facts, facts[0]):
            await self.call("submit_insight", text=fact, evidence=["SELECT 1"])
        await self.call("finish", report=" ".join(facts), usage={"input_tokens": 900})
        late = await self.call("execute_query", query="SELECT 1")
        assert late.is_error


async def _visit(home: Path, flights: InstalledScenario) -> str:
    now = datetime.now(UTC)
    checklist = checklist_for("flights")
    with open_store(home / "store.sqlite3") as store:
        let_in = enrol(
            flights,
            store,
            agent="my-agent",
            now=now,
            entities="01,02,03",
            trials=1,
            outside=Outside(has_shell=False, has_web=True, queue=True),
        )
        (seat,) = let_in.seats
        async with opened(settings.load().prepare(), store) as desks:
            desk = await desks.at(seat.seat.path)
            assert desk is not None
            assert desk.admits(seat.token)
            await desk.hear("initialize", CALLER)
            await desk.hear("tools/list", CALLER)
            for entity_id in ("01", "02"):
                facts = [item.answer for item in checklist.of(entity_id)[:3]]
                await Visit(desk).explore(facts)
        close(let_in.spec, store, now=datetime.now(UTC))
        return let_in.spec.id


def test_from_the_first_message_to_the_report(
    ddr: Ddr, built_home: Path, flights: InstalledScenario, tmp_path: Path
) -> None:
    run = asyncio.run(_visit(built_home, flights))
    told = ddr("show", run, "--json").json
    assert (told["class"], told["queue"]) == ("outside with web", True)
    assert told["stop_reasons"] == {"finished": 2, "no_contact": 1}
    first, second, third = told["trajectories"]
    assert [t["turns"] for t in (first, second, third)] == [3, 3, 0]
    assert [t["insights"] for t in (first, second, third)] == [3, 3, 0], "a duplicate counts once"
    assert [t["contact"]["explored"] for t in (first, second, third)] == [4, 4, 0]
    assert first["contact"]["errors"] == {"sql": 1, "ended": 1}
    assert first["contact"]["messages"] == {"initialize": 1, "tools/list": 1}
    assert first["reported"]["model"] == "a-model"
    assert first["reported"]["usage"]["input_tokens"] == 900
    assert first["usage"] is None
    assert first["sandbox"] == "bubblewrap"

    scores = ddr("evaluate", run, "--json").json
    own = [
        s for s in scores["scores"] if s["competitor"] == "my-agent" and s["averaging"] == "item"
    ]
    assert {s["level"]: s["supported"] for s in own} == {"message": 6, "trajectory": 6}
    assert {s["unscored"] for s in own} == {14}
    rest = [s for s in scores["scores"] if s["competitor"] != "my-agent"]
    assert max(s["supported"] for s in rest) <= 1
    with open_store(built_home / "store.sqlite3") as store:
        verdicts = store.verdicts(scores["evaluation"])
    found = {v.found_at_turn for v in verdicts if v.level == "message" and v.label == "supported"}
    assert found == {3}

    out = tmp_path / "report.html"
    assert ddr("report", run, "--out", str(out)).code == 0
    page = parse(out.read_text("utf-8"))
    assert "Its class is “outside with web”" in page.by_id("class").words
    assert len(page.by_id("carrier-01/turn-3").all("details", "call")) == 2
    assert len(page.by_id("carrier-01/turn-3").all("mark")) == 3
    assert "no_contact (14)" in page.by_id("scores").words
