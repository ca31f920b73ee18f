"""A replay says what was said, in its order, and refuses a conversation that is another one."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from core.errors import ProviderError, ProviderFault
from core.protocols import Reply
from core.trajectory import Nudge, Preamble, Role, StopReason, ToolCall, Trajectory
from providers.replay import ReplayModel
from tests.core.builders import call, insight, trajectory, turn

Talk = list[dict[str, Any]]

START = "Carrier 03 is yours. Tables: flights."
RAW = {"role": "assistant", "content": "", "thinking_blocks": [{"signature": "S"}]}


def tool_call(identity: str) -> ToolCall:
    return ToolCall(call_id=identity, name="execute_query", arguments='{"query":  "SELECT 1"}')


def stored(**fields: Any) -> Trajectory:
    """Two turns with a nudged reply before and between them, an insight each, a self-made end."""
    whole = {
        "preamble": Preamble(system_prompt="sys", start_prompt=START),
        "turns": (
            turn(
                1,
                text="Look.",
                reasoning="Hm.",
                tool_calls=(tool_call("c1"), tool_call("c2")),
                call=call(input_tokens=100, output_tokens=9),
            ),
            turn(2, tool_calls=(tool_call("c3"),), raw=RAW, call=call(input_tokens=200)),
        ),
        "nudges": (
            Nudge(after_turn=1, text="Well, then.", call=call()),
            Nudge(after_turn=0, text="Hello!", call=call()),
        ),
        "insights": (
            insight(turn=1, text="Delays grow.", call=call("insight", input_tokens=7)),
            insight(turn=2, text=None, call=call("insight")),
            insight("trajectory", turn=None, text="The end.", call=call("agent")),
        ),
        "stop_reason": StopReason.FINISHED,
    }
    return trajectory(**{**whole, **fields})


class Conversation:
    """Talks to a replay as an agent does: each reply goes into the history, with its answers."""

    def __init__(self, told: Trajectory, start: str = START) -> None:
        self.model = ReplayModel(told)
        self.messages: Talk = [{"role": "user", "content": start}]

    def agent(self) -> Reply:
        reply = self.ask("agent")
        answers = [
            {"role": "tool", "tool_call_id": c.call_id, "content": "x"} for c in reply.tool_calls
        ]
        nudge = {"role": "user", "content": "Go on."}
        self.messages += [reply.raw, *(answers or [nudge])]
        return reply

    def ask(self, role: Role) -> Reply:
        return asyncio.run(self.model.complete(self.messages, role=role))


def test_turns_and_nudged_replies_come_in_the_order_in_which_they_were_said() -> None:
    talk = Conversation(stored())
    said = [talk.agent() for _ in range(5)]
    assert [reply.text for reply in said] == [
        "Hello!",
        "Look.",
        "Well, then.",
        "",
        "FINISH: The end.",
    ]
    assert [len(reply.tool_calls) for reply in said] == [0, 2, 0, 1, 0]


def test_a_reply_is_the_stored_one_in_every_part() -> None:
    talk = Conversation(stored(nudges=()))
    first, second = talk.agent(), talk.agent()
    assert first.tool_calls == (tool_call("c1"), tool_call("c2"))
    assert first.reasoning == "Hm."
    assert first.raw["tool_calls"][0]["id"] == "c1"
    assert first.raw["tool_calls"][0]["function"]["arguments"] == '{"query":  "SELECT 1"}'
    assert second.raw == RAW


def test_tokens_are_the_stored_ones_and_nothing_was_spent() -> None:
    reply = Conversation(stored(nudges=())).agent()
    assert (reply.call.usage.input_tokens, reply.call.usage.output_tokens) == (100, 9)
    assert reply.call.usage.cost_usd is None
    assert reply.call.usage.cost_reason == "replayed: nothing was spent"
    assert (reply.call.model_asked, reply.call.model_served) == ("replay:r1", "scripted")


def test_each_role_has_its_own_order() -> None:
    talk = Conversation(stored())
    talk.agent()
    assert talk.ask("insight").text == "Delays grow."
    talk.agent()
    assert talk.ask("insight").text == "NO INSIGHT"
    with pytest.raises(ProviderError, match="2 replies of the role insight"):
        talk.ask("insight")


def test_a_report_that_was_asked_for_is_told_to_the_role_report_alone() -> None:
    report = insight("trajectory", turn=None, text="Forced.", call=call("report"))
    talk = Conversation(stored(insights=(report,), stop_reason=StopReason.MAX_TURNS))
    assert talk.ask("report").text == "Forced."
    said = [talk.agent().text for _ in range(4)]
    assert not any(text.startswith("FINISH") for text in said)
    with pytest.raises(ProviderError, match="ended with max_turns"):
        talk.agent()


def test_a_finish_without_a_report_is_a_bare_marker() -> None:
    silent = insight("trajectory", turn=None, text=None, call=call("agent"))
    talk = Conversation(stored(turns=(), nudges=(), insights=(silent,)))
    assert talk.agent().text == "FINISH:"


@pytest.mark.parametrize(
    ("ending", "kind"),
    [
        (StopReason.CONTEXT_LENGTH, "context_length"),
        (StopReason.PROVIDER_ERROR, "server"),
        (StopReason.IDLE, "bad_request"),
        (None, "bad_request"),
    ],
)
def test_where_the_trajectory_failed_its_replay_fails_alike(
    ending: StopReason | None, kind: ProviderFault
) -> None:
    told = stored(turns=(), nudges=(), insights=(), stop_reason=ending, error="it broke")
    with pytest.raises(ProviderError, match="it broke") as caught:
        Conversation(told).agent()
    assert caught.value.kind == kind


def test_an_insight_call_that_failed_fails_again() -> None:
    failed = call("insight").model_copy(update={"error": "500 from the endpoint"})
    talk = Conversation(stored(insights=(insight(turn=1, text=None, call=failed),)))
    with pytest.raises(ProviderError, match="500 from the endpoint"):
        talk.ask("insight")


def test_an_insight_that_was_never_asked_for_is_not_told() -> None:
    talk = Conversation(stored(insights=(insight(turn=1, text=None, call=None),)))
    with pytest.raises(ProviderError, match="0 replies of the role insight"):
        talk.ask("insight")


def test_another_start_prompt_is_another_conversation() -> None:
    with pytest.raises(ProviderError, match="the start prompt is not the stored one") as caught:
        Conversation(stored(), start="Carrier 07 is yours.").agent()
    assert caught.value.kind == "bad_request"


def test_answers_to_other_calls_are_another_conversation() -> None:
    talk = Conversation(stored(nudges=()))
    talk.agent()
    talk.messages[-1]["tool_call_id"] = "c9"
    with pytest.raises(ProviderError, match="turn 1 called c1, c2, and the answers are to c1, c9"):
        talk.agent()


def test_an_unanswered_call_is_another_conversation() -> None:
    talk = Conversation(stored(nudges=()))
    talk.agent()
    del talk.messages[-2:]
    with pytest.raises(ProviderError, match="the answers are to none"):
        talk.agent()


def test_a_trajectory_of_an_agent_without_a_model_has_nothing_to_replay() -> None:
    told = stored(turns=(turn(1, text="A statement."),), nudges=(), insights=())
    with pytest.raises(ProviderError, match="holds 0 replies"):
        Conversation(told).agent()
