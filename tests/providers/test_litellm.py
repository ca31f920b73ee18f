"""Through litellm, over real HTTP, in three formats: what is sent, what comes back, what it cost.

One file, so that one process pays for importing litellm.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import pytest

from core.errors import ProviderError, ProviderFault
from core.protocols import ChatModel
from providers.pricing import Price, PriceTable
from providers.retry import Backoff, Wait
from tests.contracts.model_contract import START, ModelContract
from tests.providers.wire import FORMATS, NAMES, ask, model_on, talk
from tests.support.endpoint import (
    Call,
    ContextLength,
    Hang,
    Malformed,
    Request,
    Reset,
    ScriptedEndpoint,
    Status,
    Step,
    Tokens,
    call,
    say,
)

pytestmark = pytest.mark.real

# The contract, in each format


class TestOpenAI(ModelContract):
    """OpenAI's chat format: what every compatible server speaks."""

    @contextmanager
    def model(self, *steps: Step) -> Iterator[ChatModel]:
        with ScriptedEndpoint(steps) as endpoint:
            yield model_on(endpoint, "openai")


class TestAnthropic(ModelContract):
    """Anthropic's messages."""

    sends_text_arguments = may_omit_usage = may_omit_ids = False

    @contextmanager
    def model(self, *steps: Step) -> Iterator[ChatModel]:
        with ScriptedEndpoint(steps) as endpoint:
            yield model_on(endpoint, "anthropic")


class TestGemini(ModelContract):
    """Gemini's generateContent."""

    sends_text_arguments = may_omit_usage = False

    @contextmanager
    def model(self, *steps: Step) -> Iterator[ChatModel]:
        with ScriptedEndpoint(steps) as endpoint:
            yield model_on(endpoint, "gemini")


# What is replayed


def test_openais_format_gets_back_every_field_that_it_sent() -> None:
    extra = {"reasoning_details": [{"type": "x", "data": "zz"}], "odd": 5}
    said = say("t", reasoning="hm", calls=[Call("f", '{ "a":1 }', id="c7")], extra=extra)
    _, requests = talk([said, say("x")], "openai")
    assert requests[1].body["messages"][2] == {
        "role": "assistant",
        "content": "t",
        "reasoning_content": "hm",
        "tool_calls": [
            {"id": "c7", "type": "function", "function": {"name": "f", "arguments": '{ "a":1 }'}}
        ],
        **extra,
    }


def test_anthropic_gets_back_its_thinking_with_the_signature_before_the_calls() -> None:
    said = say("t", reasoning="hm", signature="SIGNED", calls=[Call("f", {"a": 1}, id="toolu_x")])
    _, requests = talk([said, say("x")], "anthropic")
    assert requests[1].body["messages"][1]["content"] == [
        {"type": "thinking", "thinking": "hm", "signature": "SIGNED"},
        {"type": "text", "text": "t"},
        {"type": "tool_use", "id": "toolu_x", "name": "f", "input": {"a": 1}},
    ]


def test_gemini_gets_back_its_thought_signature_with_its_call() -> None:
    said = say(None, signature="SIGNED", calls=[Call("f", {"a": 1})])
    _, requests = talk([said, say("x")], "gemini")
    (part,) = requests[1].body["contents"][1]["parts"]
    assert part["thoughtSignature"] == "SIGNED"
    assert part["function_call"]["args"] == {"a": 1}


@pytest.mark.parametrize("wire", FORMATS)
def test_every_call_is_answered_once_in_the_next_request(wire: str) -> None:
    made = [Call("execute_query", {"query": "SELECT 1"}), Call("get_database_info", {})]
    _, requests = talk([say(None, calls=made), say("x")], wire)
    sent = requests[1].messages
    answers = [message.call_id for message in sent if message.role == "tool"]
    calls = [c.id or c.name for message in sent for c in message.calls]
    assert answers == calls
    assert len(set(answers)) == 2


def test_twin_calls_reach_gemini_as_one_call_with_one_answer() -> None:
    twins = [Call("f", {"a": 1}), Call("f", {"a": 1})]
    replies, requests = talk([say(None, calls=twins), say("x")], "gemini")
    assert len(replies[0].tool_calls) == 2
    sent = requests[1].messages
    assert [len(message.calls) for message in sent if message.role == "assistant"] == [1]
    assert sum(message.role == "tool" for message in sent) == 1


def test_broken_arguments_are_kept_as_emitted_and_sent_back_as_json() -> None:
    """Field case F29."""
    replies, requests = talk(
        [say(None, calls=[Call("f", '{"query": "SELECT 1')], finish="length"), say("x")], "openai"
    )
    assert replies[0].tool_calls[0].arguments == '{"query": "SELECT 1'
    assert replies[0].call.finish_reason == "length"
    (sent,) = requests[1].messages[2].calls
    assert isinstance(sent.arguments, str)
    assert json.loads(sent.arguments) == {"unreadable_arguments": '{"query": "SELECT 1'}


@pytest.mark.parametrize("wire", FORMATS)
def test_after_an_empty_reply_the_next_request_holds_no_words_of_ours(wire: str) -> None:
    _, requests = talk([say(None, reasoning="hm", finish="length"), say("x")], wire)
    said = "".join(message.text for message in requests[1].messages)
    assert said == "Explore.Carrier 03.Go on."


@pytest.mark.parametrize("wire", FORMATS)
def test_a_report_can_be_asked_for_without_tools(wire: str) -> None:
    steps = [call("execute_query", query="SELECT 1"), say("The report.")]
    replies, requests = talk(steps, wire, last_without_tools=True)
    assert replies[1].text == "The report."
    assert replies[1].call.role == "report"
    assert requests[1].tools == ()
    if wire == "anthropic":  # it takes no history of calls without tools
        assert requests[1].body["tool_choice"] == {"type": "none"}


# Prompt caches


def marks(request: Request) -> list[str]:
    """The roles of messages that carry a mark, and how many there are of each."""
    return [m.role for m in request.messages if "cache_control" in json.dumps(m.raw)]


def test_anthropic_gets_marks_on_the_system_prompt_and_where_prompts_end() -> None:
    steps = [call("f", n=1), call("f", n=2), say("x")]
    _, requests = talk(steps, "anthropic")
    assert [marks(request) for request in requests] == [
        ["system", "user"],
        ["system", "user", "tool"],
        ["system", "tool", "tool"],
    ]


@pytest.mark.parametrize("wire", ["openai", "gemini"])
def test_others_get_no_marks(wire: str) -> None:
    _, requests = talk([call("f", n=1), say("x")], wire)
    assert all("cache_control" not in json.dumps(request.body) for request in requests)


def test_a_call_that_stands_alone_is_not_cached() -> None:
    _, requests = ask([say("x")], "anthropic", role="insight")
    assert "cache_control" not in json.dumps(requests[0].body)


def test_what_a_judges_questions_share_is_cached_where_marks_are_wanted() -> None:
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "Judge."},
        {"role": "user", "content": "The insights. The question.", "shared": 13},
    ]
    for wire in FORMATS:
        _, requests = ask([say("x")], wire, messages=messages, role="checker")
        assert '"shared"' not in json.dumps(requests[0].body)
        told = [message.text for message in requests[0].messages]
        assert told == ["Judge.", "The insights. The question."]
        blocks = [m.raw.get("content") for m in requests[0].messages if m.role == "user"]
        if wire == "anthropic":
            assert marks(requests[0]) == ["user"]
            assert [("cache_control" in block, block["text"]) for block in blocks[0]] == [
                (True, "The insights."),
                (False, " The question."),
            ]
        else:
            assert marks(requests[0]) == []


# Tokens and money (field case F32)


def spent(wire: str, tokens: Tokens, **rates: float) -> float:
    prices = PriceTable(models={NAMES[wire]: Price.model_validate(rates)})
    reply, _ = ask([say("x", tokens=tokens)], wire, prices=prices)
    assert reply.call.price_table_hash == prices.hash
    cost = reply.call.usage.cost_usd
    assert cost is not None
    return cost


def test_a_cache_write_in_anthropics_shape_costs_what_it_costs() -> None:
    """F32 a."""
    tokens = Tokens(input=3 + 12304, cached=0, cache_write=12304, output=550)
    cost = spent("anthropic", tokens, input=3, cache_write=3.75, output=15)
    assert cost == pytest.approx(0.054399, abs=1e-9)


def test_a_cached_prompt_in_openais_shape_costs_what_it_costs() -> None:
    """F32 b and c."""
    tokens = Tokens(input=2000, cached=500, cache_write=300, output=0)
    cost = spent("openai", tokens, input=3, cached=0.30, cache_write=3.75, output=15)
    assert cost == pytest.approx(0.004875, abs=1e-9)
    tokens = Tokens(input=262960, cached=257955, output=1744)
    cost = spent("openai", tokens, input=1.25, cached=0.625, output=10)
    assert cost == pytest.approx(0.184918125, abs=1e-9)


def test_geminis_thoughts_are_output() -> None:
    """F32 d: output 3999, in all 11476."""
    reply, _ = ask([say("x", tokens=Tokens(7477, 3999, reasoning=1939))], "gemini")
    usage = reply.call.usage
    assert (usage.input_tokens, usage.output_tokens, usage.reasoning_tokens) == (7477, 3999, 1939)


def test_the_same_work_costs_the_same_in_both_shapes() -> None:
    """F32 e."""
    tokens = Tokens(input=20_000, cached=15_000, cache_write=3_000, output=700)
    rates = {"input": 3, "cached": 0.3, "cache_write": 3.75, "output": 15}
    assert spent("openai", tokens, **rates) == pytest.approx(
        spent("anthropic", tokens, **rates), abs=1e-12
    )


def test_thinking_that_anthropic_does_not_count_is_unknown() -> None:
    reply, _ = ask([say("x", reasoning="a long thought", tokens=Tokens(10, 50))], "anthropic")
    assert reply.call.usage.output_tokens == 50
    assert reply.call.usage.reasoning_tokens is None


# What is sent


@pytest.mark.parametrize("wire", FORMATS)
def test_the_system_prompt_the_tools_and_the_name_arrive(wire: str) -> None:
    _, (request,) = ask([say("x")], wire)
    assert request.model == NAMES[wire].partition("/")[2]
    assert request.tools == ("execute_query", "get_database_info")
    assert [(m.role, m.text) for m in request.messages] == [
        ("system", "Explore."),
        ("user", "Carrier 03."),
    ]
    assert not request.stream


def test_sampling_settings_arrive() -> None:
    sampling = {"temperature": 0.25, "seed": 7, "max_tokens": 99}
    _, (request,) = ask([say("x")], sampling=sampling)
    assert {key: request.body[key] for key in sampling} == sampling


# Failures, each with its kind, in each format


@pytest.mark.parametrize("wire", FORMATS)
@pytest.mark.parametrize(
    ("step", "kind", "status"),
    [
        (Status(401), "auth", 401),
        (Status(403), "auth", 403),
        (Status(400), "bad_request", 400),
        (Status(404), "bad_request", 404),
        (Status(422), "bad_request", 422),
        (Status(429), "rate_limit", 429),
        (Status(500), "server", 500),
        (Status(503), "server", 503),
        (Status(529), "server", 529),
        (Status(400, text="wait 429 s, 500 times, or 401"), "bad_request", 400),
        (Status(500, text="429 Too Many Requests: rate limit"), "server", 500),
        (Status(429, text="maximum context length"), "rate_limit", 429),
        (ContextLength(), "context_length", 400),
        (Malformed(), "malformed", None),
        (Malformed("<html>hello</html>"), "malformed", None),
        (Malformed('{"choices": []}'), "malformed", None),
        (Malformed("[]"), "malformed", None),
        (Reset(), "connection", None),
        (Reset(mid_body=False), "connection", None),
    ],
    ids=repr,
)
def test_a_failure_is_typed_by_what_happened_on_the_wire(
    wire: str, step: Step, kind: ProviderFault, status: int | None
) -> None:
    with pytest.raises(ProviderError) as caught:
        ask([step], wire)
    assert (caught.value.kind, caught.value.status_code) == (kind, status)
    assert str(caught.value).startswith(NAMES[wire])


@pytest.mark.parametrize("wire", FORMATS)
def test_a_hang_ends_by_its_timeout(wire: str) -> None:
    with pytest.raises(ProviderError, match="no answer in time") as caught:
        ask([Hang()], wire, timeout_s=0.3)
    assert caught.value.kind == "timeout"


def test_nobody_listening_is_a_failed_connection() -> None:
    with ScriptedEndpoint([]) as endpoint:
        closed = model_on(endpoint, "openai")
    with pytest.raises(ProviderError, match="the connection failed") as caught:
        asyncio.run(closed.complete(START))
    assert caught.value.kind == "connection"
    assert "ssl:<" not in str(caught.value)


@pytest.mark.parametrize(
    ("error", "kind", "status"),
    [
        ({"message": "upstream is down", "code": 502}, "server", 502),
        ({"message": "upstream is full", "code": 429}, "rate_limit", 429),
        ({"message": "something else"}, "malformed", None),
        ("only words, and 429 in them", "malformed", None),
    ],
)
def test_an_error_that_comes_as_a_success_is_an_error(
    error: Any, kind: ProviderFault, status: int | None
) -> None:
    with pytest.raises(ProviderError) as caught:
        ask([Malformed(json.dumps({"error": error}))])
    assert (caught.value.kind, caught.value.status_code) == (kind, status)
    assert (error if isinstance(error, str) else error["message"]) in str(caught.value)


@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        (429, {"message": "pay first", "code": "insufficient_quota"}, "auth"),
        (400, {"message": "too big", "type": "exceed_context_size_error"}, "context_length"),
        (413, {"message": "request too large", "type": "request_too_large"}, "context_length"),
        (
            500,
            {"message": "Input tokens exceed", "code": "context_length_exceeded"},
            "context_length",
        ),
    ],
)
def test_what_an_errors_code_says_is_heard(
    status: int, error: dict[str, str], kind: ProviderFault
) -> None:
    with pytest.raises(ProviderError) as caught:
        ask([Status(status, error=error)])
    assert (caught.value.kind, caught.value.status_code) == (kind, status)


def test_a_failure_is_not_mistaken_for_the_one_that_is_being_handled() -> None:
    async def asked_again(model: ChatModel) -> None:
        try:
            await model.complete(START)
        except ProviderError:
            await model.complete(START)

    with ScriptedEndpoint([Status(401), Reset()]) as endpoint:
        model = model_on(endpoint, "openai")
        with pytest.raises(ProviderError) as caught:
            asyncio.run(asked_again(model))
    assert (caught.value.kind, caught.value.status_code) == ("connection", None)


def test_a_setting_that_the_provider_does_not_take_is_a_bad_request_that_names_it() -> None:
    with ScriptedEndpoint([]) as endpoint:
        model = model_on(endpoint, "anthropic", sampling={"logit_bias": {"1": 5}})
        with pytest.raises(ProviderError, match="logit_bias") as caught:
            asyncio.run(model.complete(START))
    assert caught.value.kind == "bad_request"
    assert endpoint.requests == ()


# Patience


class Sleeper:
    """Records pauses instead of taking them."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.slept.append(seconds)


@pytest.mark.parametrize("wire", FORMATS)
def test_what_passes_is_waited_for_and_the_endpoints_own_pause_is_kept(wire: str) -> None:
    sleeper = Sleeper()
    heard: list[Wait] = []
    steps: list[Step] = [Status(429, retry_after="7"), Status(500), Reset(), say("x")]
    reply, requests = ask(
        steps, wire, backoff=Backoff(), sleep=sleeper, chance=lambda: 1.0, on_wait=heard.append
    )
    assert reply.text == "x"
    assert len(requests) == 4
    assert sleeper.slept == [7, 2, 4]
    assert [wait.error.kind for wait in heard] == ["rate_limit", "server", "connection"]


def test_a_refusal_is_asked_once_and_litellm_adds_no_attempts_of_its_own() -> None:
    for step in (Status(401), Status(500)):
        with ScriptedEndpoint([step]) as endpoint:
            model = model_on(endpoint, "openai")
            with pytest.raises(ProviderError):
                asyncio.run(model.complete(START))
        assert len(endpoint.requests) == 1


def test_the_time_of_a_call_is_that_of_its_last_attempt() -> None:
    paused: list[datetime] = []
    reply, _ = ask(
        [Status(500), say("x")],
        backoff=Backoff(),
        sleep=Sleeper(),
        on_wait=lambda wait: paused.append(datetime.now(UTC)),
    )
    assert reply.call.started_at >= paused[0]


def test_a_request_that_is_cancelled_is_dropped_and_no_failure() -> None:
    async def main(endpoint: ScriptedEndpoint) -> None:
        model = model_on(endpoint, "openai")
        await model.complete(START)
        asking = asyncio.create_task(model.complete(START))
        while len(endpoint.requests) < 2:
            await asyncio.sleep(0)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking

    with ScriptedEndpoint([say("x"), Hang()]) as endpoint:
        asyncio.run(main(endpoint))


# Many at once


def test_one_model_serves_many_conversations_and_loops() -> None:
    def answer(request: Request) -> Step:
        return say(request.messages[-1].text, latency_s=0.05)

    async def all_at_once(model: ChatModel) -> list[str]:
        asked = [[{"role": "user", "content": f"talk {n}"}] for n in range(8)]
        replies = await asyncio.gather(*(model.complete(messages) for messages in asked))
        return [reply.text for reply in replies]

    with ScriptedEndpoint(answer) as endpoint:
        model = model_on(endpoint, "openai")
        for _ in range(2):  # each asyncio.run is a loop of its own
            assert asyncio.run(all_at_once(model)) == [f"talk {n}" for n in range(8)]
        assert endpoint.peak > 1
