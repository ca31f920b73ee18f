"""A stored trajectory gives back the conversation that was sent, and can be gone on from."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from agent.going_on import conversation, going_on
from agent.prompting import Prompts
from core.errors import UsageError
from core.protocols import Reply
from core.run import Limits
from core.trajectory import Insight, Trajectory
from tests.agent.react.support import (
    NOON,
    Explored,
    Scripted,
    call,
    explore,
    query,
    said,
)
from tests.agent.react.test_any_replies import scripts

NUDGE = Prompts.builtin().nudge


def stored(done: Explored, **changes: Any) -> Trajectory:
    """What the store holds of it."""
    finish = done.finish if done.finished else None
    report = Insight(
        id="r", trajectory_id="t1", level="trajectory", text=finish and finish.report,
        author="m", call=finish and finish.call,
    )  # fmt: skip
    values: dict[str, Any] = {
        "id": "t1",
        "run_id": "r1",
        "scenario_id": "small",
        "scenario_fingerprint": "f00d",
        "entity_id": "03",
        "agent": "react",
        "preamble": done.preamble,
        "turns": tuple(done.turns),
        "nudges": tuple(done.nudges),
        "insights": (report,) if finish else (),
        "started_at": NOON,
    }
    return Trajectory(**(values | changes))


def filled(value: Any) -> Any:
    """Without the keys that say nothing, which are not stored."""
    if isinstance(value, dict):
        kept = {key: filled(part) for key, part in value.items()}
        return {key: part for key, part in kept.items() if part not in (None, "", [], {})}
    return [filled(part) for part in value] if isinstance(value, list) else value


@settings(deadline=None)
@given(script=scripts)
def test_whatever_a_model_said_each_of_its_turns_had_the_rebuilt_conversation_before_it(
    script: list[Any],
) -> None:
    model = Scripted(*script)
    done = explore(model, limits=Limits(max_idle_turns=9, max_tokens=10**6), announces=True)
    record = stored(done)
    # A nudged reply's own message is not stored: it is rebuilt from its text and reasoning.
    if any(set(filled(r.raw)) - {"role", "content", "reasoning_content"} for r in nudged(script)):
        return
    asked = model.asked("agent")
    firsts = asked[:1] + [each for each in asked[1:] if each.messages[-1]["role"] == "tool"]
    for turns, request in enumerate(firsts):
        rebuilt = conversation(record, nudge=NUDGE, turns=turns).messages()
        assert filled(rebuilt) == filled(request.messages)


def nudged(script: list[Any]) -> list[Reply]:
    return [each for each in script if isinstance(each, Reply) and not each.tool_calls]


def test_a_turns_own_message_is_rebuilt_with_all_that_its_provider_sent() -> None:
    thinking = [{"type": "thinking", "thinking": "Hm.", "signature": "c2lnbmVk"}]
    model = Scripted(said("Look.", call(), thinking_blocks=thinking), query(2))
    done = explore(model)
    rebuilt = conversation(stored(done), nudge=NUDGE, turns=1).messages()
    assert rebuilt == model.requests[1].messages


def test_after_its_report_it_is_told_to_go_on_and_the_new_turns_count_from_one() -> None:
    first = Scripted(query(1), said("Hm."), query(2), said("FINISH: It is large."))
    record = stored(explore(first))
    second = Scripted(query(3), said("FINISH: It is larger."))
    more = explore(second, onward=record, limits=Limits(max_turns=4))
    assert more.preamble.before is not None
    told = more.preamble.before.told
    assert more.preamble.before.trajectory_id == "t1"
    assert record.preamble is not None
    assert more.preamble.start_prompt == record.preamble.start_prompt
    opening = second.requests[0].messages
    assert opening[:-2] == first.requests[-1].messages
    assert opening[-2:] == [
        {"role": "assistant", "content": "FINISH: It is large."},
        {"role": "user", "content": told},
    ]
    assert "Python" not in told
    assert [turn.index for turn in more.turns] == [1]
    assert more.finish.report == "It is larger."
    assert more.finish.stop_reason is None


def test_what_is_new_is_what_the_limits_count() -> None:
    record = stored(explore(Scripted(*map(query, range(1, 6)), said("FINISH: done"))))
    more = explore(Scripted(query(8), query(9)), onward=record, limits=Limits(max_turns=2))
    assert [turn.index for turn in more.turns] == [1, 2]
    assert more.finish.stop_reason == "max_turns"
    assert more.finish.report == "It is large.", "asked for once at the end, as after any limit"


def test_where_python_was_used_it_is_said_that_its_variables_are_gone() -> None:
    python = said("", call("execute_code", {"code": "1"}))
    record = stored(explore(Scripted(python, said("FINISH: done"))))
    preamble, _ = going_on(record, nudge=NUDGE, tool_schemas=())
    assert preamble.before is not None and "Python" in preamble.before.told


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"preamble": None}, "does not hold what its agent was sent"),
        ({"before": True}, "itself goes on from"),
    ],
)
def test_what_cannot_be_rebuilt_is_refused(changes: dict[str, Any], why: str) -> None:
    record = stored(explore(Scripted(query(1), said("FINISH: done"))))
    if "before" in changes:
        preamble, _ = going_on(record, nudge=NUDGE, tool_schemas=())
        changes = {"preamble": preamble}
    with pytest.raises(UsageError, match=why):
        conversation(record.model_copy(update=changes), nudge=NUDGE)
