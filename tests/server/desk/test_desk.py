"""A desk writes each call of an agent from outside down before its reply leaves: turns, texts, refusals."""

from __future__ import annotations

import asyncio
import json
import math
from typing import Any

import pytest

from core.outside import Caller
from core.protocols import Observation
from core.trajectory import Client, StopReason
from server.desk import ARGUMENT_CHARS, NAME_CHARS, TURN_ROOM, Desk
from server.store.callbook import ENDED, MOST_CALLS
from server.store.figures import Figures
from server.verbatim import verbatim
from tests.server.desk.house import PYTHON, SQL, House, python, query, say, told
from tests.support.needs import needs
from tools.host.client import GONE

pytestmark = pytest.mark.real

CLIENT = Client(name="claude-code", version="2.1.332", protocol="2026-07-28")
BESIDE = ("get_task", "submit_insight", "finish")


# Turns


def test_turn_k_is_the_kth_exploring_call_and_the_others_make_none(house: House) -> None:
    (seat,) = house.enrol()

    async def talk(desk: Desk) -> list[Observation]:
        return [
            await say(desk, "get_task"),
            await say(desk, "get_database_info"),
            await say(desk, "submit_insight", text="There are tables."),
            await say(desk, "describe_table", table_name="flights"),
            await query(desk, "SELECT nope FROM flights"),
            await say(desk, "no_such_tool"),
            await say(desk, "get_task"),
            await query(desk),
            await say(desk, "finish", report="That is all."),
        ]

    seen = house.talk(seat, talk)
    assert [told(each)["turn"] for each in seen] == [0, 1, 1, 2, 3, 4, 4, 5, 5]
    kept = house.only(seat)
    assert [turn.index for turn in kept.turns] == [1, 2, 3, 4, 5]
    names = ["get_database_info", "describe_table", SQL, "no_such_tool", SQL]
    kinds = [None, None, "sql", "unknown_tool", None]
    assert [turn.tool_calls[0].name for turn in kept.turns] == names
    assert [turn.tool_results[0].error_kind for turn in kept.turns] == kinds
    assert [call.turn for call in house.calls(seat)] == [None, 1, None, 2, 3, 4, None, 5, None]
    assert kept.stop_reason is StopReason.FINISHED


def test_calls_that_overlap_share_a_turn(house: House) -> None:
    (seat,) = house.enrol()

    async def talk(desk: Desk) -> list[Observation]:
        first = await query(desk)
        both = await asyncio.gather(query(desk, "SELECT 2"), query(desk, "SELECT 3"))
        return [first, *both, await query(desk)]

    assert [told(each)["turn"] for each in house.talk(seat, talk)] == [1, 2, 2, 3]
    assert [len(turn.tool_calls) for turn in house.only(seat).turns] == [1, 2, 1]


def test_an_insight_belongs_to_the_turn_that_it_names_or_to_the_latest(house: House) -> None:
    (seat,) = house.enrol()

    async def talk(desk: Desk) -> list[Observation]:
        early = await say(desk, "submit_insight", text="Before anything was seen.", turn=1)
        await query(desk)
        await query(desk)
        return [
            early,
            await say(desk, "submit_insight", text="Of the latest."),
            await say(desk, "submit_insight", text="Of the first.", turn=1),
            await say(desk, "submit_insight", text="Of the future.", turn=3),
            await say(desk, "submit_insight", text="Of none.", turn=0),
        ]

    seen = house.talk(seat, talk)
    assert [each.error_kind for each in seen] == ["arguments", None, None, "arguments", "arguments"]
    kept = house.only(seat).insights
    assert [(each.turn, each.text) for each in kept] == [
        (2, "Of the latest."),
        (1, "Of the first."),
    ]
    assert {(each.level, each.author) for each in kept} == {("message", "mine")}


# What is written down


def test_what_is_sent_is_what_is_stored_byte_for_byte(house: House) -> None:
    (seat,) = house.enrol()

    async def talk(desk: Desk) -> list[Observation]:
        return [
            await say(desk, "get_task", agent="Zürich ✈ 1"),
            await query(desk, "SELECT 'Zürich ✈' || chr(8232) || chr(7) || '\"\\' AS \"é\""),
            await query(desk, "SELECT 1e308::DOUBLE * 10, 'nan'::DOUBLE, 9007199254740993"),
            await query(desk, "SELECT * FROM flights", limit=200),
            await query(desk, "SELECT nope FROM flights"),
            await query(desk, "DROP TABLE flights"),
            await say(desk, "describe_table", table_name="flights"),
            await say(desk, "submit_insight", text="Ünicode.", evidence=["SELECT '✈'"]),
            await say(desk, "submit_insight"),
            await say(desk, "finish", report="Ende\u2028."),
            await query(desk),
        ]

    seen = house.talk(seat, talk)
    stored = [call.result for call in house.calls(seat)]
    assert [each and each.text for each in stored] == [each.text for each in seen]
    for sent, kept in zip(seen, stored, strict=True):
        assert kept is not None
        assert (kept.is_error, kept.error_kind) == (sent.is_error, sent.error_kind)
        assert (kept.truncated, kept.violations) == (sent.truncated, sent.violations)
        assert kept.accessed_fields == sent.accessed_fields
        assert next(iter(told(sent))) == "turn"
    shown = [result.text for turn in house.only(seat).turns for result in turn.tool_results]
    assert shown == [each.text for each in seen[1:7]]


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


ODD: dict[str, dict[str, Any]] = {
    "other letters": {"query": "SELECT 'Zürich ✈ 中'"},
    "control characters": {"query": "SELECT '\x00\x01\x1b[31m\x7f\u2028\u202e'"},
    "half of a surrogate pair": {"query": "SELECT '\ud800'", "\udfff": 1},
    "no number": {"limit": math.nan, "offset": math.inf},
    "a number without end": {"limit": 10**3000},
    "numbers as texts": {"query": "SELECT 1", "limit": "20"},
    "nested deeply": {"query": nested(2_000)},
    "nothing": {},
    "all kinds": {"a": [None, True, {"b": [[], {}]}, -0.0, 1e-300, ""]},
}


@pytest.mark.parametrize("name", ODD)
def test_arguments_are_written_down_as_they_came(house: House, name: str) -> None:
    (seat,) = house.enrol()
    sent = ODD[name]

    async def talk(desk: Desk) -> list[Observation]:
        return [await desk.call(tool, sent, Caller()) for tool in (SQL, "submit_insight")]

    assert {each.error_kind for each in house.talk(seat, talk)} <= {None, "arguments", "sql"}
    for call in house.calls(seat):
        assert call.arguments == verbatim(sent)
        if name != "nested deeply":
            assert repr(json.loads(call.arguments)) == repr(sent)


def test_what_is_too_long_is_refused_and_written_down_as_far_as_it_goes(house: House) -> None:
    (seat,) = house.enrol()
    long = "SELECT '" + "x" * 4_000_000 + "'"
    seen = house.talk(seat, lambda desk: query(desk, long))
    assert seen.error_kind == "arguments"
    assert str(ARGUMENT_CHARS) in told(seen)["error"]
    (call,) = house.calls(seat)
    assert call.arguments == json.dumps({"query": long})[:ARGUMENT_CHARS]
    assert call.result is not None
    assert call.result.text == seen.text


def test_who_called_and_with_what_is_kept_with_each_call(house: House) -> None:
    (seat,) = house.enrol()
    caller = Caller(
        client=CLIENT, request_id="r\ud8001", meta={"claudecode/toolUseId": "toolu_1", "x": [1.5]}
    )

    async def talk(desk: Desk) -> None:
        await desk.hear("server/discover", Caller(client=CLIENT))
        await desk.call("get_task", {"agent": "mine 1", "model": "m-2"}, caller)
        await desk.call("x\ud800" * 4000, {}, caller)

    house.talk(seat, talk)
    task, odd = house.calls(seat)
    assert task.caller.client == CLIENT
    assert task.caller.meta == caller.meta
    assert odd.name == "x?" * (NAME_CHARS // 2)
    kept = house.only(seat)
    assert (kept.client, kept.reported_agent, kept.reported_model) == (CLIENT, "mine 1", "m-2")
    assert kept.model is None


def test_what_the_agent_is_sent_before_its_first_turn_is_kept(house: House) -> None:
    (seat,) = house.enrol()

    async def talk(desk: Desk) -> list[str]:
        await query(desk)
        return [spec.name for spec in await desk.specs()]

    names = house.talk(seat, talk)
    kept = house.only(seat)
    assert kept.preamble is not None
    assert [tool["name"] for tool in kept.preamble.tool_schemas] == names
    assert names[-3:] == list(BESIDE)
    assert "carrier 01" in kept.preamble.start_prompt
    assert kept.preamble.system_prompt is not None
    assert kept.preamble.system_prompt.startswith(kept.preamble.start_prompt)
    assert kept.sandbox is not None
    assert kept.code_revision is not None


def test_the_instructions_are_short_and_get_task_says_all_of_them(house: House) -> None:
    (seat,) = house.enrol()

    async def talk(desk: Desk) -> tuple[str, Observation]:
        return desk.instructions(), await say(desk, "get_task")

    instructions, task = house.talk(seat, talk)
    assert len(instructions) < 2_000
    assert f"{told(task)['task']}\n{told(task)['how']}" == instructions
    assert (told(task)["turns_used"], told(task)["insights_max"]) == (0, 500)
    assert not any(str(house.settings.home) in text for text in (instructions, task.text))


def test_protocol_chatter_is_counted_and_is_no_call(house: House) -> None:
    from server.store.seats import Seats

    (seat,) = house.enrol()

    async def talk(desk: Desk) -> None:
        for method in ("initialize", "tools/list", "tools/list", "x\ud800" * 900):
            await desk.hear(method, Caller(client=CLIENT))

    house.talk(seat, talk)
    assert house.calls(seat) == []
    contacts = Seats(house.store).contacts(seat.path)
    assert [(each.method[:10], each.count) for each in contacts] == [
        ("initialize", 1),
        ("tools/list", 2),
        ("x?x?x?x?x?", 1),
    ]
    assert house.only(seat).preamble is not None


def test_a_seat_admits_its_own_token_alone(house: House) -> None:
    (seat,) = house.enrol()

    async def talk(desk: Desk) -> list[bool]:
        tokens = ("the token", "the toke", "", "the token ", "\ud800", seat.token_hash)
        return [desk.admits(token) for token in tokens]

    assert house.talk(seat, talk) == [True, False, False, False, False, False]


# How long a reply is


@pytest.mark.parametrize("cell", ["repeat('é\n', 50)", "repeat('x', i // 5)", "i"])
def test_a_full_reply_is_within_its_characters_with_the_turn_in_front(
    house: House, cell: str
) -> None:
    (seat,) = house.enrol()
    sql = f"SELECT {cell} AS v, {cell} AS w, repeat('y', 60) FROM range(1000) t(i)"
    asked = (1_000, 1_010, 1_099, 8_000, 20_000, 32_000, 99_999)

    async def talk(desk: Desk) -> list[Observation]:
        seen = [await query(desk, sql, limit=200)]
        return [*seen, *[await query(desk, sql, limit=200, reply_chars=each) for each in asked]]

    for room, seen in zip((8_000, *asked), house.talk(seat, talk), strict=True):
        most = min(room, 32_000)
        assert len(seen.text) <= most
        if told(seen)["truncation_reason"] == "bytes":
            assert len(seen.text) > most - 1_300  # the room is used


@needs("user namespaces")
def test_what_python_prints_is_within_the_characters_too(house: House) -> None:
    (seat,) = house.enrol()

    async def talk(desk: Desk) -> list[Observation]:
        return [
            await python(desk, "print('é\\n' * 40_000)"),
            await say(desk, PYTHON, code="print('x' * 60_000)", reply_chars=32_000),
            await say(desk, PYTHON, output_offset=100),
            await python(desk, "raise ValueError('x' * 50_000)"),
            await query(desk, f"SELECT {'x' * 9_000} FROM flights"),
        ]

    seen = house.talk(seat, talk)
    assert len(seen[0].text) <= 8_000
    assert 30_000 < len(seen[1].text) <= 32_000
    assert 7_000 < len(seen[2].text) <= 8_000
    assert max(len(each.text) for each in seen[3:]) <= 8_000


def test_the_room_that_is_kept_free_holds_the_longest_turn_and_the_tools_own_remark() -> None:
    turn = f'"turn":{MOST_CALLS},'
    remark = f'"The tools were restarted: {GONE}. "'
    assert len(turn) + len(remark) <= TURN_ROOM


def test_an_agent_from_outside_is_told_of_the_tools_as_one_of_our_own_is(house: House) -> None:
    from server.build import open_tools, sandbox_for

    (seat,) = house.enrol()
    run = house.run(seat)

    async def talk(desk: Desk) -> tuple[Any, Any]:
        sandbox = sandbox_for(run.tools, run.sandbox)
        ours = open_tools(house.flights, run.tools, sandbox, f"{run.id}.ours", reach=house.reach)
        try:
            return tuple(await ours.list()), tuple(await desk.specs())
        finally:
            await ours.close()

    ours, theirs = house.talk(seat, talk)
    assert theirs[: len(ours)] == ours
    assert [spec.name for spec in theirs[len(ours) :]] == list(BESIDE)


# The end


def test_after_finish_everything_is_refused_and_written_down(house: House) -> None:
    (seat,) = house.enrol()

    async def talk(desk: Desk) -> list[Observation]:
        await query(desk)
        await say(desk, "finish", report="That is all.")
        return [
            await query(desk),
            await say(desk, "submit_insight", text="Late."),
            await say(desk, "get_task"),
            await say(desk, "no_such_tool"),
        ]

    seen = house.talk(seat, talk)
    assert [each.error_kind for each in seen] == [ENDED] * 4
    assert [told(each)["turn"] for each in seen] == [1] * 4
    calls = house.calls(seat)
    assert [call.result and call.result.text for call in calls[2:]] == [each.text for each in seen]
    assert len(house.only(seat).turns) == 1


def test_tools_that_are_gone_for_good_end_the_exploration_as_our_fault(house: House) -> None:
    from tools.host.link import SocketReach

    (seat,) = house.enrol()
    house.reach = SocketReach(house.settings.home / "nobody listens")

    async def talk(desk: Desk) -> list[Observation]:
        return [await say(desk, "get_task"), await query(desk), await query(desk)]

    task, lost, refused = house.talk(seat, talk)
    assert (task.error_kind, lost.error_kind, refused.error_kind) == (None, "unavailable", ENDED)
    kept = house.only(seat)
    assert kept.stop_reason is StopReason.TOOL_UNAVAILABLE
    assert not kept.stop_reason.scored
    assert kept.error is not None
    assert "listen" in kept.error


@needs("user namespaces")
def test_what_an_agent_from_outside_draws_is_kept_beside_its_call(house: House) -> None:
    (seat,) = house.enrol()
    code = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nNone"
    seen = house.talk(seat, lambda desk: python(desk, code))
    (picture,) = seen.images
    kept = Figures(house.store)
    trajectory = house.only(seat)
    assert kept.of(trajectory) == {(1, 1): ((1, 1),)}
    assert kept.png(trajectory.id, (1, 1)) == picture
