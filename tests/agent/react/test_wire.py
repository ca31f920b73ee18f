"""Through litellm, over real HTTP, in three formats: a whole exploration, and what each wire needs.

One file, so that one process pays for importing litellm.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from core.protocols import Observation
from core.run import Limits, ModelSpec
from core.trajectory import StopReason
from providers.litellm_model import LitellmModel
from providers.retry import Backoff
from tests.agent.react.support import Desk, Explored, explore
from tests.support.endpoint import (
    Call,
    ContextLength,
    Request,
    Reset,
    Script,
    ScriptedEndpoint,
    Status,
    Step,
    call,
    explorer,
    say,
)

pytestmark = pytest.mark.real

NAMES = {
    "openai": "anything",
    "anthropic": "claude-unheard-of",
    "gemini": "gemini-unheard-of",
}
FORMATS = list(NAMES)
TWO_CALLS = [Call("execute_query", {"query": "SELECT 1"}), Call("describe_table", {"a": 1})]


def run(
    script: Script, wire: str = "openai", *, context_tokens: int | None = None, **options: Any
) -> tuple[Explored, tuple[Request, ...]]:
    """One exploration against a scripted endpoint, and all that the endpoint was asked."""
    tools = options.pop("tools", Desk())
    with ScriptedEndpoint(script, context_tokens=context_tokens) as endpoint:
        spec = ModelSpec(provider=wire, name=NAMES[wire], base_url=getattr(endpoint, f"{wire}_url"))
        model = LitellmModel(spec, backoff=Backoff(attempts=1), timeout_s=20)
        done = explore(model, tools, **options)
    return done, endpoint.requests


def asked_at_the_end(step: Step, report: Step) -> Callable[[Request], Step]:
    """`step` again and again, and `report` where that is asked for.

    Whether tools are on offer does not tell: litellm adds a dummy one for Anthropic.
    """
    return lambda request: report if "come to its end" in request.text else step


@pytest.mark.parametrize("wire", FORMATS)
def test_a_whole_exploration_with_thoughts_parallel_calls_a_nudge_and_insights(wire: str) -> None:
    steps = [
        say("Both.", calls=TWO_CALLS, reasoning="Hm.", signature="c2lnbmVk"),
        say("Let me think."),
        call("execute_query", query="SELECT 2"),
        say("FINISH: Carrier 03 has 7."),
    ]
    script = explorer(steps, insight=say("Carrier 03 has 7."))
    done, requests = run(script, wire, insights="per-turn")
    assert done.error is None
    assert done.order == [
        *("Preamble", "Turn", "Insight", "Nudge"),
        *("Turn", "Insight", "Finish"),
    ]
    assert [len(turn.tool_calls) for turn in done.turns] == [2, 1]
    assert done.turns[0].reasoning == "Hm."
    assert [i.text for i in done.insights] == ["Carrier 03 has 7."] * 2
    assert done.finish.report == "Carrier 03 has 7."
    last = [request for request in requests if request.tools][-1]
    assert [message.role for message in last.messages] == [
        *("system", "user", "assistant", "tool", "tool"),
        *("assistant", "user", "assistant", "tool"),
    ]


@pytest.mark.parametrize("wire", ["anthropic", "gemini"])
def test_a_signed_thought_goes_back_as_it_came_and_is_kept_with_its_turn(wire: str) -> None:
    steps = [
        say("One.", calls=TWO_CALLS[:1], reasoning="Hm.", signature="c2lnbmVk"),
        say("FINISH: done"),
    ]
    done, requests = run(steps, wire)
    assert "c2lnbmVk" in json.dumps(requests[1].body)
    assert "c2lnbmVk" in json.dumps(done.turns[0].raw)


def test_a_truncated_call_goes_back_as_valid_json_and_the_exploration_goes_on() -> None:
    broken = say(None, calls=[Call("execute_query", '{"query": "SELECT 1')], finish="length")
    done, requests = run([broken, say("FINISH: done")])
    (turn,) = done.turns
    assert turn.tool_calls[0].arguments == '{"query": "SELECT 1'
    assert turn.tool_results[0].error_kind == "malformed_call"
    (sent,) = requests[1].messages[2].calls
    assert sent.arguments == "{}" or sent.arguments == {}
    assert done.finish.report == "done"


def test_calls_without_ids_are_answered_under_distinct_ones() -> None:
    calls = [Call("execute_query", {"n": n}, id="") for n in (1, 2)]
    done, requests = run([say(None, calls=calls), say("FINISH: done")])
    answers = [message.call_id for message in requests[1].messages if message.role == "tool"]
    assert len(set(answers)) == 2
    assert answers == [made.call_id for made in done.turns[0].tool_calls]


@pytest.mark.parametrize("wire", FORMATS)
def test_an_empty_observation_is_taken_by_every_format(wire: str) -> None:
    desk = Desk({"execute_query": Observation(text="")})
    steps = [call("execute_query", query="SELECT 1"), say("FINISH: done")]
    done, requests = run(steps, wire, tools=desk)
    assert [m.role for m in requests[1].messages][-1] == "tool"
    assert done.finish.report == "done"


@pytest.mark.parametrize("wire", FORMATS)
def test_empty_content_three_times_is_idle_in_every_format(wire: str) -> None:
    steps = [say(None, reasoning="Hm.", finish="length"), say(None, calls=[]), say("")]
    done, _ = run(steps, wire)
    assert done.order == ["Preamble", "Nudge", "Nudge", "Nudge"]
    assert done.error is None


@pytest.mark.parametrize("wire", FORMATS)
def test_at_a_limit_the_report_is_asked_for_without_tools_in_every_format(wire: str) -> None:
    script = asked_at_the_end(call("execute_query", query="SELECT 1"), say("FINISH: It has 7."))
    done, requests = run(script, wire, limits=Limits(max_turns=2))
    assert (done.finish.report, done.finish.stop_reason) == ("It has 7.", StopReason.MAX_TURNS)
    assert "execute_query" not in requests[-1].tools


@pytest.mark.parametrize("wire", FORMATS)
def test_a_history_past_the_models_context_is_cut_until_it_fits(wire: str) -> None:
    long = Desk({"execute_query": Observation(text="7 " * 2000)})
    script = asked_at_the_end(call("execute_query", query="SELECT 1"), say("It has 7."))
    done, requests = run(script, wire, tools=long, context_tokens=9000)
    assert (done.finish.report, done.finish.stop_reason) == (
        "It has 7.",
        StopReason.CONTEXT_LENGTH,
    )
    assert done.error is not None
    assert done.error.kind == "context_length"
    assert "earlier turns were cut" in requests[-1].text
    assert len(done.turns) > requests[-1].replies >= 1


@pytest.mark.parametrize("step", [Status(401), Status(500), Reset(), ContextLength()], ids=repr)
def test_a_fault_in_the_first_call_is_typed_and_no_report(step: Any) -> None:
    script = explorer([step], insight=step, report=step)
    done, _ = run(script)
    assert done.order == ["Preamble"]
    assert done.error is not None
    kinds = {"auth", "server", "connection", "context_length"}
    assert done.error.kind in kinds
