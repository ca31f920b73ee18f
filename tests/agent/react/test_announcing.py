"""A model that is told its budget is told the truth, and the record holds word for word what it was."""

from __future__ import annotations

from agent.announcing import announced, has_budget
from agent.limits import Meter
from core.run import Limits
from core.trajectory import ModelCall, Usage
from tests.agent.react.support import NOON, Scripted, Watch, explore, query, said


def spent(meter: Meter, tokens: int | None, cost_usd: float | None) -> None:
    usage = Usage(input_tokens=tokens, output_tokens=tokens and 0, cost_usd=cost_usd)
    meter.spend(
        ModelCall(role="agent", model_asked="m", usage=usage, started_at=NOON, duration_s=0)
    )


def test_what_is_left_is_each_limit_less_what_was_used() -> None:
    watch = Watch()
    limits = Limits(max_turns=30, max_tokens=5000, max_cost_usd=0.5, max_seconds=600)
    meter = Meter(limits, watch.clock)
    meter.turns, watch.seconds = 12, 100
    spent(meter, 1200, 0.125)
    assert announced(meter) == (
        "[What is left for this exploration: 18 turns, 3,800 tokens, where what is sent again counts "
        "again, $0.3750, 500 s.]"
    )


def test_what_nobody_knows_is_not_told_and_nothing_is_ever_below_zero() -> None:
    meter = Meter(Limits(max_turns=1, max_tokens=10, max_cost_usd=1), Watch().clock)
    spent(meter, None, None)
    meter.turns = 3
    assert announced(meter) == "[What is left for this exploration: 0 turns.]"
    assert announced(Meter(Limits(), Watch().clock)) is None
    assert (has_budget(Limits(max_idle_turns=2)), has_budget(Limits(max_tokens=9))) == (False, True)


def test_each_request_holds_what_was_left_at_its_time_and_the_record_says_the_same() -> None:
    model = Scripted(query(1), said("Hm."), query(2), said("FINISH: done"))
    done = explore(model, limits=Limits(max_turns=5), announces=True)

    def left(turns: str) -> str:
        return f"[What is left for this exploration: {turns}.]"

    assert done.preamble.start_prompt.endswith(f"\n\n{left('5 turns')}")
    assert [turn.told for turn in done.turns] == [left("4 turns"), left("3 turns")]
    assert [nudge.told for nudge in done.nudges] == [left("4 turns")]
    sent = [request.last for request in model.asked("agent")]
    assert [text.rpartition("\n\n")[2] for text in sent] == [
        left("5 turns"),
        left("4 turns"),
        left("4 turns"),
        left("3 turns"),
    ]
    # It is no part of what the tool said.
    assert all("left" not in turn.tool_results[0].text for turn in done.turns)


def test_at_the_last_turn_there_is_nothing_left_to_tell() -> None:
    done = explore(Scripted(query(1), query(2)), limits=Limits(max_turns=2), announces=True)
    assert [turn.told for turn in done.turns] == [
        "[What is left for this exploration: 1 turn.]",
        None,
    ]


def test_unless_it_is_asked_for_nothing_is_told() -> None:
    done = explore(Scripted(query(1)), limits=Limits(max_turns=5))
    assert "left" not in done.preamble.start_prompt
    assert [turn.told for turn in done.turns] == [None]
