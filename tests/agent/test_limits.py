"""One question to the limits: is anything used up?"""

from __future__ import annotations

import pytest

from agent.limits import reached
from core.run import Limits
from core.trajectory import NO_USAGE, StopReason, Usage

SPENT = Usage(input_tokens=90, output_tokens=10, cost_usd=0.5)


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (Limits(), None),
        (Limits(max_turns=4), None),
        (Limits(max_turns=3), StopReason.MAX_TURNS),
        (Limits(max_tokens=101), None),
        (Limits(max_tokens=100), StopReason.MAX_TOKENS),
        (Limits(max_cost_usd=0.51), None),
        (Limits(max_cost_usd=0.5), StopReason.MAX_COST),
        (Limits(max_seconds=20.1), None),
        (Limits(max_seconds=20), StopReason.MAX_SECONDS),
        (Limits(max_turns=1, max_seconds=1), StopReason.MAX_TURNS),
    ],
)
def test_a_limit_is_reached_when_it_is_used_up(limits: Limits, reason: StopReason | None) -> None:
    assert reached(limits, turns=3, usage=SPENT, seconds=20.0) is reason


def test_what_was_not_reported_stops_nothing() -> None:
    unknown = NO_USAGE + Usage(input_tokens=10**9, cost_reason="no price")
    limits = Limits(max_tokens=1, max_cost_usd=0.01)
    assert reached(limits, turns=1, usage=unknown, seconds=1.0) is None
