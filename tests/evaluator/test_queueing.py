"""The earliest comers have the places, and one of a kind goes before its like."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.queueing import Order, Places
from tests.evaluator.records import STEADY


def _first_letter(case: str) -> str | None:
    return case[0] if case[0] != "-" else None


def test_there_is_at_least_one_place() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        Places(0)


def test_the_lowest_rank_that_waits_gets_the_next_place_and_of_one_rank_who_came_first() -> None:
    async def watch() -> None:
        places = Places(1)
        holder = places.queue(5)
        assert holder.done()
        late, first, second = places.queue(9), places.queue(2), places.queue(2)
        order = []
        for _ in range(3):
            places.give_back()
            order += [
                name
                for name, turn in (("first", first), ("second", second), ("late", late))
                if turn.done() and name not in order
            ]
        assert order == ["first", "second", "late"]

    asyncio.run(watch())


def test_who_left_the_line_is_passed_over() -> None:
    async def watch() -> None:
        places = Places(1)
        places.queue(1)
        gone, stays = places.queue(2), places.queue(3)
        gone.cancel()
        places.give_back()
        assert stays.done()
        places.give_back()
        assert places.queue(4).done()
        assert not places.queue(4).done()

    asyncio.run(watch())


def test_where_nothing_is_shared_cases_come_in_their_order() -> None:
    order = Order("cab")
    assert [order.pop() for _ in range(3) if order] == ["c", "a", "b"]
    assert not order


def test_cases_are_taken_as_they_are_needed() -> None:
    taken = []

    def endless() -> object:
        number = 0
        while True:
            number += 1
            taken.append(number)
            yield number

    order: Order[int] = Order(endless())  # type: ignore[arg-type]
    assert order
    assert order
    assert (order.pop(), taken) == (1, [1])


def test_the_first_of_a_kind_goes_alone_and_its_like_go_before_the_rest() -> None:
    order = Order(["a1", "a2", "b1", "a3", "-1", "b2", "c1"], _first_letter)
    began = [order.pop() for _ in range(3) if order]
    assert began == ["a1", "b1", "-1"]
    assert order.holds
    order.ended("a1")
    assert [order.pop() for _ in range(2) if order] == ["a2", "a3"]
    assert order
    assert order.pop() == "c1"
    assert not order, "b2 waits for b1"
    order.ended("a2")
    order.ended("b1")
    assert order
    assert order.pop() == "b2"
    assert not order.holds
    assert not order


def test_what_comes_after_its_kind_has_been_answered_waits_for_nobody() -> None:
    order = Order(iter(["a1", "b1", "a2"]), _first_letter)
    assert order
    order.ended(order.pop())
    assert [order.pop() for _ in range(2) if order] == ["b1", "a2"]


def test_all_that_are_held_can_be_let_go() -> None:
    order = Order(["a1", "a2", "a3"], _first_letter)
    assert order
    order.pop()
    assert not order
    order.let_go()
    assert [order.pop() for _ in range(2) if order] == ["a2", "a3"]


@STEADY
@given(st.lists(st.sampled_from("abc-"), max_size=12), st.randoms(use_true_random=False))
def test_every_case_begins_once_and_a_kind_is_led_by_its_first(kinds: list[str], chance) -> None:  # type: ignore[no-untyped-def]
    cases = [f"{kind}{number}" for number, kind in enumerate(kinds)]
    order = Order(cases, _first_letter)
    began: list[str] = []
    open_: list[str] = []
    ended: set[str] = set()
    while order or open_:
        if order and (not open_ or chance.random() < 0.5):
            case = order.pop()
            if (kind := _first_letter(case)) and any(b[0] == kind for b in began):
                leader = next(b for b in began if b[0] == kind)
                assert leader in ended
            began.append(case)
            open_.append(case)
        else:
            case = open_.pop(chance.randrange(len(open_)))
            ended.add(case)
            order.ended(case)
    assert sorted(began) == sorted(cases)
    firsts = [next(c for c in cases if c[0] == kind) for kind in dict.fromkeys(kinds)]
    assert [c for c in began if c in firsts and c[0] != "-"] == [c for c in firsts if c[0] != "-"]
