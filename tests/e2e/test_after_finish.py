"""`ddr stopping --after-finish` over HTTP: the conversation that is gone on from is sent as it had been sent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from checklists.loader import checklist_for
from tests.e2e.processes import Home, last_line
from tests.support.endpoint import Call, Request, ScriptedEndpoint, Step, explorer, say

pytestmark = pytest.mark.real

COUNT = Call("execute_query", {"query": "SELECT count(*) FROM flights WHERE carrier_id = '01'"})
STEPS: list[Step] = [
    say("I count.", calls=[COUNT], reasoning="How many?", signature="c2lnbmVk"),
    say("FINISH: It flies."),
    say("And again.", calls=[COUNT], reasoning="Still?", signature="c2lnbmVkIQ=="),
    say("FINISH: It flies on."),
]


def plain(value: Any) -> Any:
    """Without the marks for prompt caches, which move along with the conversation."""
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items() if key != "cache_control"}
    return [plain(part) for part in value] if isinstance(value, list) else value


def texts(message: Any) -> str:
    content = plain(message)["content"]
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content)


def test_the_conversation_that_is_gone_on_from_is_sent_as_it_had_been(
    tmp_path: Path, flights_home: Path
) -> None:
    home = Home(tmp_path, flights_home)
    facts = [item.answer for item in checklist_for("flights").of("01")]
    asked: list[Request] = []
    explore = explorer(STEPS)
    told = iter(facts)

    def script(request: Request) -> Step:
        if not request.tools:
            return say(next(told))  # what a turn tells
        asked.append(request)
        return explore(request)

    with ScriptedEndpoint(script) as endpoint:
        where = ("--scenario", "flights", "--entities", "01", "--tools", "sql")
        model = ("--model", "anthropic/anything", "--base-url", endpoint.anthropic_url)
        run = home.ddr("run", *where, *model, "--json")
        assert run.returncode == 0, run.stderr
        judged = home.ddr("evaluate", "last", "--baselines", "none", "--json")
        assert judged.returncode == 0, judged.stderr
        original = list(asked)
        more = home.ddr("stopping", "last", "--after-finish", "3", "--json")
        assert more.returncode == 0, more.stderr

    before = plain(original[-1].body["messages"])
    first = plain(asked[len(original)].body["messages"])
    assert first[: len(before)] == before, "to the last signature"
    report, go_on = first[len(before) :]
    assert (report["role"], texts(report)) == ("assistant", "FINISH: It flies.")
    assert go_on["role"] == "user" and "go on with the exploration" in texts(go_on)
    parts = [part for message in first for part in message["content"]]
    assert [part["signature"] for part in parts if "thinking" in part] == ["c2lnbmVk"]
    (stopping,) = last_line(more.stdout)["runs"]
    gain = stopping["after_finish"][0]["gain"]
    assert (gain["taken"], gain["stopped_again"]) == (1, 1)
    assert gain["points"][0]["value"] == pytest.approx(1 / len(facts))
