"""The three tools of agents from outside: told fully, checked strictly, and the same twice counts once."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

from core.errors import ToolError
from core.protocols import Observation
from core.run import Limits
from core.trajectory import StopReason
from server import handing_in
from server.desk import Desk
from server.handing_in import EVIDENCE_CHARS, INSIGHT_CHARS, MOST_EVIDENCE, NAME_CHARS, REPORT_CHARS
from server.store.callbook import ENDED
from tests.server.desk.house import House, query, say, told

real = pytest.mark.real
SPECS = handing_in.specs(most_insights=500)

SAFE = {"type", "properties", "required", "description", "enum", "items"}
"""What every provider's models take in a schema (field case F25)."""


def schemas(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """A schema and those inside it."""
    inner = [
        *schema.get("properties", {}).values(),
        *([schema["items"]] if "items" in schema else []),
    ]
    return [schema, *(found for each in inner for found in schemas(each))]


# What they are told to be


def test_the_schemas_keep_to_what_every_provider_takes() -> None:
    """F25."""
    for spec in SPECS:
        assert spec.input_schema["type"] == "object"
        for schema in schemas(spec.input_schema):
            assert set(schema) <= SAFE, spec.name
            assert isinstance(schema["type"], str), spec.name
        assert re.fullmatch("[a-z_]{1,64}", spec.name)


def test_the_three_tools_take_what_they_always_took() -> None:
    """F25: a change of what a client sees is made on purpose."""
    taken = {
        spec.name: (
            {name: each["type"] for name, each in spec.input_schema["properties"].items()},
            spec.input_schema.get("required", []),
        )
        for spec in SPECS
    }
    assert taken == {
        "get_task": ({"agent": "string", "model": "string"}, []),
        "submit_insight": (
            {"text": "string", "turn": "integer", "evidence": "array"},
            ["text"],
        ),
        "finish": ({"report": "string", "usage": "object"}, ["report"]),
    }
    usage = SPECS[2].input_schema["properties"]["usage"]["properties"]
    assert {name: each["type"] for name, each in usage.items()} == {
        "input_tokens": "integer",
        "output_tokens": "integer",
        "cached_input_tokens": "integer",
        "cache_write_tokens": "integer",
        "reasoning_tokens": "integer",
        "cost_usd": "number",
    }


def test_every_limit_stands_in_a_description() -> None:
    """Some clients drop bounds from a schema."""
    said = {
        f"{spec.name}.{name}": each["description"]
        for spec in SPECS
        for name, each in spec.input_schema["properties"].items()
    }
    assert all(text.endswith(".") and len(text) < 200 for text in said.values())
    assert f"at most {INSIGHT_CHARS} characters" in said["submit_insight.text"]
    assert f"at most {REPORT_CHARS} characters" in said["finish.report"]
    assert str(MOST_EVIDENCE) in said["submit_insight.evidence"]
    assert str(EVIDENCE_CHARS) in said["submit_insight.evidence"]
    assert "at most 500 in all" in SPECS[1].description
    for name in ("agent", "model"):
        assert f"at most {NAME_CHARS} characters" in said[f"get_task.{name}"]


# What they take


def test_texts_that_differ_in_case_spacing_and_forms_alone_are_one_insight() -> None:
    def digest(text: str) -> str:
        return handing_in.read_insight({"text": text}).digest

    same = ("A ﬁnding of 5 %", "  a finding\n\tof 5\u00a0%  ", "A FINDING of ５ %")
    assert len({digest(text) for text in same}) == 1
    assert digest("Straße") == digest("STRASSE")
    assert digest("5 flights") != digest("6 flights")


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ({}, "needs 'text'"),
        ({"text": ""}, "'text' is empty"),
        ({"text": " \n\t\u00a0"}, "'text' is empty"),
        ({"text": 5}, "'text' must be a string"),
        ({"text": ["x"]}, "'text' must be a string"),
        ({"text": "x" * (INSIGHT_CHARS + 1)}, f"at most {INSIGHT_CHARS}"),
        ({"text": "\0"}, "NUL"),
        ({"text": "\ud800"}, "surrogate"),
        ({"text": "x", "turn": 0}, "at least 1"),
        ({"text": "x", "turn": -1}, "at least 1"),
        ({"text": "x", "turn": 1.5}, "must be an integer"),
        ({"text": "x", "turn": True}, "must be an integer"),
        ({"text": "x", "turn": float("nan")}, "must be an integer"),
        ({"text": "x", "turn": 10**400}, "must be an integer"),
        ({"text": "x", "turn": []}, "must be an integer"),
        ({"text": "x", "evidence": {}}, "list of at most"),
        ({"text": "x", "evidence": ["x"] * (MOST_EVIDENCE + 1)}, "list of at most"),
        ({"text": "x", "evidence": [["x"]]}, "must be a string"),
        ({"text": "x", "evidence": ["x" * (EVIDENCE_CHARS + 1)]}, f"at most {EVIDENCE_CHARS}"),
        ({"text": "x", "insight": "x"}, "does not take 'insight'"),
    ],
)
def test_an_insight_that_is_none_is_refused_in_words_that_help(
    said: dict[str, Any], wrong: str
) -> None:
    with pytest.raises(ToolError, match=re.escape(wrong)) as caught:
        handing_in.read_insight(said)
    assert caught.value.kind == "arguments"
    assert len(str(caught.value)) < 300


def test_what_clients_write_in_their_own_ways_is_taken() -> None:
    said = {"text": " x ", "turn": "2", "evidence": "SELECT 1", "wait_for_previous": True}
    read = handing_in.read_insight(said)
    assert (read.text, read.turn, read.evidence) == ("x", 2, ("SELECT 1",))
    assert handing_in.read_insight({"text": "x", "turn": None, "evidence": None}).turn is None
    assert handing_in.read_names({"agent": "", "model": None}) == {}
    assert handing_in.read_report({"report": "x", "usage": {}}) == ("x", None)


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ([], "an object of"),
        ("many", "an object of"),
        ({"tokens": 5}, "an object of"),
        ({"input_tokens": -1}, "at least 0"),
        ({"input_tokens": "many"}, "must be an integer"),
        ({"input_tokens": 1.5}, "must be an integer"),
        ({"input_tokens": 10**30}, "must be an integer"),
        ({"cost_usd": float("inf")}, "must be a number"),
    ],
)
def test_a_usage_that_is_none_is_refused_in_words_that_help(said: Any, wrong: str) -> None:
    with pytest.raises(ToolError, match=re.escape(wrong)):
        handing_in.read_report({"report": "x", "usage": said})


def test_a_usage_says_what_it_says_and_nothing_else() -> None:
    _, usage = handing_in.read_report({"report": "x", "usage": {"output_tokens": "7"}})
    assert usage is not None
    assert (usage.output_tokens, usage.input_tokens, usage.cost_usd) == (7, None, None)
    assert usage.cost_reason is not None
    _, priced = handing_in.read_report({"report": "x", "usage": {"cost_usd": 0.25}})
    assert priced is not None
    assert (priced.cost_usd, priced.cost_reason) == (0.25, None)


# At a desk


@real
def test_an_insight_counts_once_however_often_it_is_told(house: House) -> None:
    (seat,) = house.enrol()

    async def talk(desk: Desk) -> list[Observation]:
        await query(desk)
        first = await say(desk, "submit_insight", text="A  finding of 5 %", evidence=["SELECT 5"])
        await query(desk)
        return [
            first,
            await say(desk, "submit_insight", text="a finding of 5 %", turn=2),
            *await asyncio.gather(*(say(desk, "submit_insight", text="Another") for _ in range(5))),
        ]

    seen = [told(each) for each in house.talk(seat, talk)]
    assert [(each["insights"], each["duplicate"]) for each in seen[:2]] == [(1, False), (1, True)]
    assert seen[0]["insight_id"] == seen[1]["insight_id"]
    assert sorted(each["duplicate"] for each in seen[2:]) == [False, True, True, True, True]
    assert {each["insights"] for each in seen[2:]} == {2}
    kept = house.only(seat).insights
    assert [(each.text, each.turn) for each in kept] == [("A  finding of 5 %", 1), ("Another", 2)]
    assert kept[0].evidence == ("SELECT 5",)


@real
def test_so_many_insights_are_kept_and_no_more(house: House) -> None:
    (seat,) = house.enrol(outside={"most_insights": 3})

    async def talk(desk: Desk) -> list[Observation]:
        await query(desk)
        seen = [await say(desk, "submit_insight", text=f"Finding {n}") for n in range(5)]
        return [*seen, await say(desk, "submit_insight", text="finding 1"), await query(desk)]

    seen = house.talk(seat, talk)
    assert [each.error_kind for each in seen] == [None, None, None, "limit", "limit", None, None]
    assert told(seen[3])["error"].startswith("3 insights are kept")
    assert told(seen[5])["duplicate"] is True
    assert [each.text for each in house.only(seat).insights] == [f"Finding {n}" for n in range(3)]


@real
def test_to_finish_twice_is_to_finish_once(house: House) -> None:
    (seat,) = house.enrol()

    async def talk(desk: Desk) -> list[Observation]:
        await query(desk)
        usage = {"input_tokens": 900, "cost_usd": 0.5}
        return [
            await say(desk, "finish", report="The first.", usage=usage),
            await say(desk, "finish", report="The second.", usage={"input_tokens": 1}),
            await say(desk, "finish"),
        ]

    seen = [told(each) for each in house.talk(seat, talk)]
    assert [each["duplicate"] for each in seen] == [False, True, True]
    assert {each["status"] for each in seen} == {"finished"}
    kept = house.only(seat)
    assert (kept.report, kept.stop_reason) == ("The first.", StopReason.FINISHED)
    assert kept.reported_usage is not None
    assert (kept.reported_usage.input_tokens, kept.reported_usage.cost_usd) == (900, 0.5)
    assert kept.usage().input_tokens == 0  # nothing that is reported is measured


@real
def test_of_those_who_finish_at_once_one_does(house: House) -> None:
    (seat,) = house.enrol()

    async def talk(desk: Desk) -> list[Observation]:
        await query(desk)
        reports = (f"Report {n}." for n in range(4))
        return list(await asyncio.gather(*(say(desk, "finish", report=r) for r in reports)))

    seen = [told(each) for each in house.talk(seat, talk)]
    assert sorted(each["duplicate"] for each in seen) == [False, True, True, True]
    (first,) = [n for n, each in enumerate(seen) if not each["duplicate"]]
    assert house.only(seat).report == f"Report {first}."


@real
def test_a_finish_that_says_nothing_ends_nothing(house: House) -> None:
    (seat,) = house.enrol()

    async def talk(desk: Desk) -> list[Observation]:
        return [
            await say(desk, "finish"),
            await say(desk, "finish", report=" "),
            await say(desk, "finish", report="x" * (REPORT_CHARS + 1)),
            await say(desk, "finish", report="x", usage=5),
            await query(desk),
        ]

    seen = house.talk(seat, talk)
    assert [each.error_kind for each in seen] == ["arguments"] * 4 + [None]
    assert house.only(seat).stop_reason is None


@real
def test_whoever_was_given_up_is_not_told_that_it_finished(house: House) -> None:
    (seat,) = house.enrol()

    async def talk(desk: Desk) -> list[Observation]:
        await query(desk)
        mine = f"{seat.run_id}.01.1.1"
        house.store.end_trajectory(mine, StopReason.ABANDONED, ended_at=house.clock())
        return [await say(desk, "finish", report="I am back."), await query(desk)]

    seen = house.talk(seat, talk)
    assert [each.error_kind for each in seen] == [ENDED, ENDED]
    assert house.only(seat).report is None


@real
@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (Limits(max_turns=1), StopReason.MAX_TURNS),
        (Limits(max_seconds=30), StopReason.MAX_SECONDS),
    ],
)
def test_past_a_limit_insights_and_a_report_are_taken_and_the_end_was_not_chosen(
    house: House, limits: Limits, reason: StopReason
) -> None:
    (seat,) = house.enrol(limits=limits)

    async def talk(desk: Desk) -> list[Observation]:
        await query(desk)
        house.clock.skip(31)
        return [
            await query(desk),
            await say(desk, "submit_insight", text="Still to be said."),
            await say(desk, "finish", report="That is all."),
        ]

    refused, insight, last = house.talk(seat, talk)
    assert refused.error_kind == "run_limit"
    assert told(refused)["error"].endswith("call finish")
    assert (insight.error_kind, last.error_kind) == (None, None)
    kept = house.only(seat)
    assert (kept.stop_reason, kept.report_forced) == (reason, True)
    assert not reason.self_terminated
    assert [len(kept.turns), len(kept.insights), kept.report] == [1, 2, "That is all."]


@real
def test_whoever_finishes_without_meeting_its_limit_chose_to(house: House) -> None:
    (seat,) = house.enrol(limits=Limits(max_turns=1))

    async def talk(desk: Desk) -> Observation:
        await query(desk)
        return await say(desk, "finish", report="That is all.")

    assert house.talk(seat, talk).error_kind is None
    assert house.only(seat).stop_reason is StopReason.FINISHED


@real
def test_a_queue_goes_on_by_get_task_and_ends_where_nothing_is_left(house: House) -> None:
    (seat,) = house.enrol(("01", 1), ("02", 1), ("01", 2), outside={"queue": True})

    async def talk(desk: Desk) -> list[dict[str, Any]]:
        seen = []
        for number in range(3):
            seen.append(told(await say(desk, "get_task")))
            seen.append(told(await query(desk, f"SELECT {number}")))
            seen.append(told(await say(desk, "finish", report=f"Report {number}.")))
            seen.append(told(await say(desk, "finish", report="again")))
            seen.append(told(await query(desk)))
        return [*seen, told(await say(desk, "get_task"))]

    seen = house.talk(seat, talk)
    tasks, ends = seen[0:15:5], seen[2:15:5]
    assert [task["carrier"] for task in tasks] == ["01", "02", "01"]
    assert [task["tasks_left"] for task in tasks] == [2, 1, 0]
    assert [task["turns_used"] for task in tasks] == [0, 0, 0]
    assert [end["tasks_left"] for end in ends] == [2, 1, 0]
    assert ends[-1]["next"] == "nothing is left"
    assert all(each["duplicate"] for each in seen[3:15:5])
    assert {each["kind"] for each in [*seen[4:15:5], seen[15]]} == {ENDED}
    kept = house.trajectories(seat)
    assert [(each.entity_id, each.trial, each.report) for each in kept] == [
        ("01", 1, "Report 0."),
        ("01", 2, "Report 2."),
        ("02", 1, "Report 1."),
    ]
    assert all(len(each.turns) == 1 and each.preamble is not None for each in kept)
