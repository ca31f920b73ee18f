"""Whatever a client sends, in whatever order: the documented answer, the right turn, and never a fault of ours."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.outside import Caller
from core.protocols import Observation
from core.run import Limits
from core.trajectory import RUN_LIMIT
from server.desk import Desk
from server.store import open_store
from server.store.callbook import Begun
from tests.server.desk.house import SQL, House, query, say, told
from tests.server.store.outside import BESIDE, Book
from tests.support.needs import needs

# Any order, against a model of what is promised

AT_ONCE, TURNS = 3, 4
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("begin"), st.sampled_from([SQL, "get_task"]), st.sampled_from("ab")),
        st.tuples(st.just("end"), st.integers(0, 5), st.just("")),
    ),
    max_size=30,
)


class Model:
    """What the book promises, in the fewest words."""

    def __init__(self) -> None:
        self.open: list[tuple[int, int | None]] = []
        """Position and turn of those under way."""
        self.last = self.turn = 0
        self.sizes: dict[int, int] = {}

    def begin(self, name: str) -> tuple[int, int | None, str | None]:
        """Position, turn and refusal of a call."""
        self.last += 1
        explores = name not in BESIDE
        shares = self.turn > 0 and any(turn == self.turn for _, turn in self.open)
        refusal = "busy" if len(self.open) >= AT_ONCE else None
        if refusal is None and explores and not shares and self.turn == TURNS:
            refusal = RUN_LIMIT
        turn = None
        if explores and refusal is None:
            turn = self.turn = self.turn if shares else self.turn + 1
            self.sizes[turn] = self.sizes.get(turn, 0) + 1
        self.open.append((self.last, turn))
        return self.last, turn, refusal


@settings(max_examples=40)
@given(STEPS)
def test_any_order_of_calls_by_two_workers_has_the_turns_and_refusals_that_are_promised(
    steps: list[tuple[str, Any, str]],
) -> None:
    with tempfile.TemporaryDirectory() as folder, open_store(Path(folder) / "s") as store:
        book = Book(store, limits=Limits(max_turns=TURNS), calls_at_once=AT_ONCE)
        model, under_way = Model(), list[Begun]()
        for what, which, worker in steps:
            if what == "begin":
                begun = book.begin(which, worker=worker)
                refusal = None if begun.refusal is None else begun.refusal[0]
                assert (begun.call.position, begun.call.turn, refusal) == model.begin(which)
                assert begun.turn == model.turn
                under_way.append(begun)
            elif under_way:
                ended = under_way.pop(which % len(under_way))
                book.end(ended)
                model.open = [each for each in model.open if each[0] != ended.call.position]
        if not model.last:
            return
        kept = store.trajectory(book.trajectory_id).turns
        assert {turn.index: len(turn.tool_calls) for turn in kept} == model.sizes
        calls = book.calls.calls(book.trajectory_id)
        assert len(calls) == model.last
        assert {call.position for call in calls if call.result is None} == {
            position for position, _ in model.open
        }


# Any arguments

TOOLS = (
    "get_database_info",
    "describe_table",
    SQL,
    "execute_code",
    "get_task",
    "submit_insight",
    "finish",
)
NAMES = st.sampled_from(
    [
        "query",
        "limit",
        "offset",
        "reply_chars",
        "table_name",
        "code",
        "timeout",
        "reset",
        "output_offset",
        "agent",
        "model",
        "text",
        "turn",
        "evidence",
        "report",
        "usage",
        "input_tokens",
        "cost_usd",
        "wait_for_previous",
    ]
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(), max_size=40)
    | st.sampled_from(["SELECT 1", "flights", "1 + 1", "20", "\x00", "\ud800", 10**400, ""]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(NAMES | st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=8,
)
ARGUMENTS = st.dictionaries(NAMES | st.text(st.characters(), max_size=10), VALUES, max_size=5)
Calls = list[tuple[str, dict[str, Any]]]


def calls_of(*names: str) -> st.SearchStrategy[Calls]:
    return st.lists(st.tuples(st.sampled_from(names), ARGUMENTS), min_size=1, max_size=15)


@pytest.mark.real
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(calls_of(*TOOLS))
def test_no_arguments_of_any_tool_raise_or_are_a_fault_of_ours(house: House, calls: Calls) -> None:
    answered(house, calls, tools="sql")


@pytest.mark.real
@needs("user namespaces")
@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(calls_of("execute_code"))
def test_no_arguments_of_python_raise_or_are_a_fault_of_ours(house: House, calls: Calls) -> None:
    answered(house, calls)


def answered(house: House, calls: Calls, **how: Any) -> None:
    """Each is, within its bounds, and it is recorded as it was."""
    (seat,) = house.enrol(**how)

    async def talk(desk: Desk) -> list[Observation]:
        return [await desk.call(name, arguments, Caller()) for name, arguments in calls]

    seen = house.talk(seat, talk)
    assert not [each.text for each in seen if each.error_kind in {"internal", "store"}]
    for each in seen:
        assert each.is_error == (each.error_kind is not None)
        assert len(each.text) <= 8_000 or "reply_chars" in str(calls)
        assert isinstance(told(each)["turn"], int)
    kept = house.calls(seat)
    assert [call.result and call.result.text for call in kept] == [each.text for each in seen]
    assert len(house.only(seat).turns) == sum(call.turn is not None for call in kept)


@pytest.mark.real
def test_no_size_of_a_number_is_a_fault_of_ours(house: House) -> None:
    (seat,) = house.enrol(tools="sql")
    names = ("limit", "offset", "reply_chars", "turn", "usage", "query")
    huge = (10**5_000, -(10**50_000))  # no parser of ours gives such

    async def talk(desk: Desk) -> list[Observation]:
        return [
            await desk.call(tool, {"query": "SELECT 1", name: number}, Caller())
            for tool in (SQL, "submit_insight", "finish")
            for name in names
            for number in huge
        ]

    assert {each.error_kind for each in house.talk(seat, talk)} == {"arguments"}
    assert all(call.result is not None for call in house.calls(seat))
    assert {call.arguments for call in house.calls(seat)} == {""}


@pytest.mark.real
@pytest.mark.parametrize("depth", [50, 250, 900, 940, 960, 980, 995, 5_000])
def test_no_depth_of_an_argument_is_a_fault_of_ours(house: House, depth: int) -> None:
    (seat,) = house.enrol()
    value: Any = 1
    for _ in range(depth):
        value = [value]

    async def talk(desk: Desk) -> list[Observation]:
        return [
            await desk.call(tool, {name: value, "report": "x", "code": "1"}, Caller())
            for tool in ("execute_code", SQL, "submit_insight", "finish")
            for name in ("reset", "query", "evidence", "usage")
        ]

    kinds = {each.error_kind for each in house.talk(seat, talk)}
    assert not kinds & {None, "internal", "store"}


# Too much of it


@pytest.mark.real
def test_ten_thousand_insights_are_some_and_the_end_can_be_told(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fewer here: past the most that are kept and the most calls beside, one is as another."""
    most, beside = 100, 300
    monkeypatch.setattr("server.store.callbook.MOST_BESIDE", beside)
    (seat,) = house.enrol(outside={"calls_at_once": 100, "most_insights": most})

    async def talk(desk: Desk) -> tuple[list[Observation], Observation]:
        await query(desk)
        seen: list[Observation] = []
        for start in range(0, beside + 100, 50):
            texts = (f"Finding {n}." for n in range(start, start + 50))
            seen += await asyncio.gather(*(say(desk, "submit_insight", text=t) for t in texts))
        assert (await query(desk)).error_kind is None
        return seen, await say(desk, "finish", report="That is all.")

    seen, last = house.talk(seat, talk)
    kinds = [each.error_kind for each in seen]
    assert (kinds.count(None), kinds.count("limit")) == (most, beside - most)
    assert kinds.count(RUN_LIMIT) == 100
    assert last.error_kind is None
    kept = house.only(seat)
    assert len(kept.message_insights) == most
    assert len(house.calls(seat)) == beside + 3


@pytest.mark.real
def test_one_call_too_many_at_once_is_refused_and_the_others_go_on(house: House) -> None:
    (seat,) = house.enrol(outside={"calls_at_once": 4})

    async def talk(desk: Desk) -> list[Observation]:
        await query(desk)
        seen = await asyncio.gather(*(query(desk, f"SELECT {n}") for n in range(10)))
        return [*seen, await query(desk)]

    seen = house.talk(seat, talk)
    assert [each.error_kind for each in seen] == [None] * 4 + ["busy"] * 6 + [None]
    assert "wait" in told(seen[4])["error"]
    assert len(house.calls(seat)) == 12


@pytest.mark.real
def test_too_many_calls_in_a_second_are_refused_until_it_is_over(house: House) -> None:
    (seat,) = house.enrol(outside={"calls_per_s": 5})

    async def talk(desk: Desk) -> list[Observation]:
        seen = [await query(desk) for _ in range(7)]
        house.clock.skip(1)
        return [*seen, await query(desk)]

    seen = house.talk(seat, talk)
    assert [each.error_kind for each in seen] == [None] * 5 + ["rate"] * 2 + [None]
    assert told(seen[-1])["turn"] == 6
