"""What calls took: a sum with unknown parts is never told as the whole."""

from __future__ import annotations

from core.trajectory import ModelCall, Role, Usage
from server.spending import spent
from tests.server.support import START


def call(cost: float | None, tokens: int | None = 10, *, why: str = "no price") -> ModelCall:
    role: Role = "agent"
    usage = Usage(
        input_tokens=tokens,
        output_tokens=tokens,
        cost_usd=cost,
        cost_reason=why if cost is None else None,
    )
    return ModelCall(role=role, model_asked="m", usage=usage, started_at=START, duration_s=1.0)


def test_what_is_known_of_all_calls_is_their_sum() -> None:
    took = spent([call(0.01), call(0.0023)])
    assert (took.cost, took.tokens) == ("$0.0123", "20 / 20")
    told = took.as_json()
    assert (told["calls"], told["calls_without_cost"]) == (2, 0)
    assert told["known_cost_usd"] == told["usage"]["cost_usd"] == 0.0123


def test_a_sum_with_unknown_parts_is_a_lower_bound_that_says_why() -> None:
    took = spent([call(0.01), call(None, None, why="the call failed")])
    assert took.cost == "at least $0.0100 (1 of 2 calls: the call failed)"
    assert took.tokens == "at least 10 / at least 10"
    told = took.as_json()
    assert told["usage"]["cost_usd"] is None
    assert told["usage"]["cost_reason"] == "the call failed"
    assert (told["known_cost_usd"], told["calls_without_cost"]) == (0.01, 1)


def test_a_sum_of_which_nothing_is_known_is_no_sum() -> None:
    took = spent([call(None, None)])
    assert (took.cost, took.tokens) == ("- (no price)", "- / -")
    assert took.as_json()["known_cost_usd"] is None


def test_a_cost_of_nothing_is_told_as_such_only_where_it_is_known() -> None:
    assert spent([call(0.0)]).cost == "$0.0000"


def test_without_calls_there_is_nothing_to_tell() -> None:
    took = spent([])
    assert (took.cost, took.tokens) == ("", "")
    told = took.as_json()
    assert (told["calls"], told["usage"], told["calls_without_cost"]) == (0, None, 0)
