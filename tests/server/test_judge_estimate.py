"""What judging may take: measured where it can be, assumed where it must be, and which is said."""

from __future__ import annotations

import pytest

from core.trajectory import ModelCall, Usage
from providers.pricing import Price, PriceTable
from server.calls_estimate import CHARACTERS
from server.judge_estimate import REPLY, estimate_judging
from tests.server.support import START

PRICES = PriceTable(models={"x/judge": Price(input=1.0, output=10.0)})
ASKED = ({"role": "user", "content": "x" * 400},)


def call(tokens: int | None, *, seconds: float = 2.0, error: str | None = None) -> ModelCall:
    usage = Usage(input_tokens=tokens, output_tokens=tokens and tokens // 10)
    return ModelCall(
        role="checker",
        model_asked="x/judge",
        usage=usage,
        started_at=START,
        duration_s=seconds,
        error=error,
    )


def test_without_calls_tokens_are_assumed_and_the_time_is_unknown() -> None:
    found = estimate_judging([ASKED] * 3, [], judge="x/judge", prices=PRICES, concurrency=2)
    assert (found.basis, found.from_calls, found.seconds) == ("assumed", 0, None)
    assert (found.calls, found.input_tokens) == (3, 3 * 400 / CHARACTERS)
    assert found.output_tokens == 3 * REPLY
    assert found.cost_usd == pytest.approx(3 * (100 * 1 + 150 * 10) / 1e6, abs=1e-12)


def test_calls_that_were_made_are_what_counts_and_failed_ones_do_not() -> None:
    alike = [call(100), call(300, seconds=4.0), call(None, seconds=600, error="timed out")]
    found = estimate_judging([ASKED] * 10, alike, judge="x/judge", prices=PRICES, concurrency=5)
    assert (found.basis, found.from_calls) == ("measured", 2)
    assert (found.input_tokens, found.output_tokens) == (2000, 200)
    assert found.seconds == pytest.approx(10 * 3.0 / 5)
    assert found.cost_usd == pytest.approx(10 * (200 * 1 + 20 * 10) / 1e6, abs=1e-12)


def test_without_a_price_there_is_no_cost_but_a_reason() -> None:
    for prices in (None, PriceTable(models={})):
        found = estimate_judging([ASKED], [], judge="x/judge", prices=prices, concurrency=1)
        assert (found.cost_usd, found.cost_reason) == (None, "no price")


def test_where_nothing_is_left_to_ask_nothing_is_spent() -> None:
    found = estimate_judging([], [call(100)], judge="x/judge", prices=PRICES, concurrency=4)
    assert (found.calls, found.cost_usd, found.input_tokens, found.seconds) == (0, 0, 0, 0)
