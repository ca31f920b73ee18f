"""Whatever a model sends: the ending is typed, every call is answered once, turns count from 1."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import ProviderError
from core.protocols import Observation, Reply
from core.run import Limits
from core.trajectory import RUN_LIMIT
from tests.agent.react.support import (
    SPECS,
    Desk,
    Explored,
    Said,
    Scripted,
    call,
    explore,
    said,
    too_long,
)

texts = st.one_of(
    st.none(),
    st.text(max_size=20),
    st.sampled_from(["", " ", "Well.", "FINISH: x", " FINISH:", "I FINISH: it", "NO INSIGHT"]),
)
arguments = st.one_of(
    st.sampled_from(["{}", "", '{"query": "SELECT 1"}', '{"query": "SEL', "[]", "null", "NaN"]),
    st.text(max_size=8),
)
names = st.sampled_from([spec.name for spec in SPECS]) | st.text(max_size=5)
ids = st.sampled_from(["c1", "c2", "", "call-1-1", None])
tool_calls = st.lists(st.builds(call, names, arguments, ids), max_size=3)


@st.composite
def replies(draw: st.DrawFn) -> Reply:
    """Text, calls, markers and garbage, with or without a message of the provider's own."""
    made = said(
        draw(texts),
        *draw(tool_calls),
        reasoning=draw(st.none() | st.text(max_size=5)),
        finish_reason=draw(st.sampled_from(["stop", "length", "tool_calls", "content_filter"])),
        tokens=draw(st.none() | st.integers(0, 5)),
    )
    raws: list[dict[str, Any]] = [made.raw, {}, {"role": "assistant", "content": made.text}]
    raws += [{**made.raw, "tool_calls": []}, {**made.raw, "tool_calls": ["?"]}]
    return made.model_copy(update={"raw": draw(st.sampled_from(raws))})


faults = st.sampled_from([too_long(), ProviderError("500", status_code=500, kind="server")])
scripts = st.lists(replies() | replies() | replies() | faults, max_size=7)
answers = st.sampled_from(
    [
        Observation(text=""),
        Observation(text="FINISH: all done"),
        Observation(text="no", is_error=True, error_kind="sql"),
        Observation(text="the limit is reached", is_error=True, error_kind=RUN_LIMIT),
    ]
)
limits = st.builds(
    Limits,
    max_turns=st.none() | st.integers(1, 5),
    max_tokens=st.none() | st.integers(1, 20),
    max_idle_turns=st.integers(1, 3),
)
options = st.fixed_dictionaries(
    {
        "insights": st.sampled_from(["per-turn", "later"]),
        "final_report": st.sampled_from(["ask", "none"]),
        "protocol": st.sampled_from(["default", "ddr"]),
    }
)


@settings(deadline=None)
@given(
    script=scripts,
    insight=st.lists(replies() | faults, min_size=9, max_size=9),
    report=st.lists(replies() | faults, min_size=9, max_size=9),
    answer=answers,
    within=limits,
    how=options,
)
def test_any_sequence_of_replies_ends_in_a_typed_way(
    script: list[Said],
    insight: list[Said],
    report: list[Said],
    answer: Observation,
    within: Limits,
    how: dict[str, Any],
) -> None:
    # The scripted model refuses, at every request, what a strict provider refuses.
    model = Scripted(*script, insight=insight, report=report)
    done = explore(model, Desk({"execute_query": answer}), limits=within, **how)
    _ends_once(done, within)
    _turns_are_whole(done)
    _insights_follow(done, per_turn=how["insights"] == "per-turn")


def _ends_once(done: Explored, within: Limits) -> None:
    assert done.order[0] == "Preamble"
    assert done.order.count("Preamble") == 1
    assert "Finish" not in done.order[:-1]
    if not done.finished and done.error is None:
        assert done.order[-within.max_idle_turns :] == ["Nudge"] * within.max_idle_turns
    if done.finished and done.error is not None:
        assert done.error.kind == "context_length"
        assert done.finish.stop_reason == "context_length"
    if done.finished and done.finish.call is not None:
        forced = done.finish.stop_reason is not None
        assert done.finish.call.role == ("report" if forced else "agent")


def _turns_are_whole(done: Explored) -> None:
    assert [turn.index for turn in done.turns] == list(range(1, len(done.turns) + 1))
    for turn in done.turns:
        asked = [made.call_id for made in turn.tool_calls]
        assert asked
        assert len(set(asked)) == len(asked)
        assert [result.call_id for result in turn.tool_results] == asked
        assert turn.call is not None
    for nudge in done.nudges:
        assert nudge.after_turn <= len(done.turns)


def _insights_follow(done: Explored, *, per_turn: bool) -> None:
    told = [insight.turn for insight in done.insights]
    assert told == ([turn.index for turn in done.turns] if per_turn else [])
    for place, kind in enumerate(done.order):
        if kind == "Insight":
            assert done.order[place - 1] == "Turn"
