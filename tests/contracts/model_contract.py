"""What every ChatModel keeps, as a suite to run against a class of your own.

    class TestMyModel(ModelContract):
        def model(self, *steps):            # a context manager that yields the model
            with ScriptedEndpoint(steps) as endpoint:
                yield MyModel(endpoint.openai_url)

Write `model` as a generator under `contextlib.contextmanager`. Its steps are those of
tests.support.endpoint (`say`, `call`, `Status`): what the model's endpoint answers, in order. A model
that speaks another format than the three of the scripted endpoint makes them its own way. Set
`sends_text_arguments = False` where the format has no arguments that are not JSON, `may_omit_usage =
False` where it always has a usage, and `may_omit_ids = False` where it always has ids.
"""

from __future__ import annotations

import asyncio
import copy
import json
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from typing import Any, get_args

import pytest

from core.errors import ProviderError, ProviderFault
from core.protocols import ChatModel, Reply, ToolSpec
from core.trajectory import Role
from tests.support.endpoint import Call, Status, Step, Tokens, call, say

TOOLS = (
    ToolSpec(
        name="execute_query",
        description="Run one SELECT.",
        input_schema={
            "type": "object",
            "properties": {"query": {"type": "string"}},
            "required": ["query"],
        },
    ),
    ToolSpec(name="get_database_info", description="List tables.", input_schema={"type": "object"}),
)
START: list[dict[str, Any]] = [
    {"role": "system", "content": "Explore."},
    {"role": "user", "content": "Carrier 03."},
]
SQL = "SELECT  count(*)\nFROM flights WHERE carrier_id = '03' -- Größe"


class ModelContract:
    """Subclass it, say how your model is made, and run pytest."""

    sends_text_arguments = True
    may_omit_usage = True
    may_omit_ids = True

    def model(self, *steps: Step) -> AbstractContextManager[ChatModel]:
        """A model whose endpoint answers these steps, in order."""
        raise NotImplementedError

    def replies(
        self, *steps: Step, messages: list[dict[str, Any]] | None = None, role: Role = "agent"
    ) -> list[Reply]:
        """One request a step, all with the same messages."""

        async def ask(model: ChatModel) -> list[Reply]:
            return [await model.complete(messages or START, TOOLS, role=role) for _ in steps]

        with self.model(*steps) as model:
            return asyncio.run(ask(model))

    def reply(self, step: Step, role: Role = "agent") -> Reply:
        """The answer to one request."""
        return self.replies(step, role=role)[0]

    def test_it_is_a_chat_model_with_a_name(self) -> None:
        with self.model() as model:
            assert isinstance(model, ChatModel)
            assert model.name

    def test_a_text_is_handed_on_word_for_word(self) -> None:
        text = "FINISH: Verspätungen häufen sich.\n\n  - 12.3 %"
        reply = self.reply(say(text))
        assert reply.text == text
        assert reply.tool_calls == ()
        assert reply.call.finish_reason == "stop"

    def test_reasoning_stands_apart_from_the_text(self) -> None:
        reply = self.reply(say("Found.", reasoning="Let me think."))
        assert (reply.text, reply.reasoning) == ("Found.", "Let me think.")
        assert self.reply(say("Found.")).reasoning is None

    def test_calls_come_in_order_each_with_an_id_of_its_own(self) -> None:
        made = [Call("execute_query", {"query": f"SELECT {n}"}) for n in range(3)]
        reply = self.reply(say(None, calls=made))
        assert [c.name for c in reply.tool_calls] == ["execute_query"] * 3
        assert [json.loads(c.arguments)["query"] for c in reply.tool_calls] == [
            "SELECT 0",
            "SELECT 1",
            "SELECT 2",
        ]
        assert len({c.call_id for c in reply.tool_calls}) == 3
        assert all(c.call_id for c in reply.tool_calls)

    def test_a_missing_id_is_made_up_and_stands_in_the_message_too(self) -> None:
        if not self.may_omit_ids:
            return
        made = [Call("execute_query", {"query": "SELECT 1"}, id=""), Call("f", {}, id="")]
        reply = self.reply(say(None, calls=made))
        ids = [c.call_id for c in reply.tool_calls]
        assert len(set(ids)) == 2
        assert [c["id"] for c in reply.raw["tool_calls"]] == ids

    def test_two_calls_with_one_id_get_two(self) -> None:
        made = [Call("execute_query", {"query": f"SELECT {n}"}, id="same") for n in range(2)]
        ids = [c.call_id for c in self.reply(say(None, calls=made)).tool_calls]
        assert len(set(ids)) == 2

    def test_arguments_hold_what_was_emitted(self) -> None:
        reply = self.reply(call("execute_query", query=SQL))
        assert json.loads(reply.tool_calls[0].arguments) == {"query": SQL}

    @pytest.mark.parametrize(
        "text", ['{"query":  "SELECT 1"}', '{"query": "SELECT 1', "", "[1, 2]"]
    )
    def test_arguments_are_kept_exactly_valid_or_not(self, text: str) -> None:
        if not self.sends_text_arguments:
            return
        made = [Call("execute_query", text)]
        reply = self.reply(say(None, calls=made, finish="length"))
        assert reply.tool_calls[0].arguments == text
        assert reply.call.finish_reason == "length"

    def test_an_empty_reply_is_an_empty_text(self) -> None:
        """Field case F30: content null, with and without an empty list of calls."""
        for step in (say(None), say(None, calls=[], finish="tool_calls"), say("")):
            reply = self.reply(step)
            assert (reply.text, reply.tool_calls) == ("", ())

    def test_thinking_that_ran_into_the_limit_is_neither_text_nor_a_crash(self) -> None:
        reply = self.reply(say(None, reasoning="and so on", finish="length"))
        assert (reply.text, reply.reasoning, reply.tool_calls) == ("", "and so on", ())
        assert reply.call.finish_reason == "length"

    def test_tokens_are_those_that_were_reported(self) -> None:
        usage = self.reply(say("x", tokens=Tokens(2000, 50, cached=500))).call.usage
        assert usage.input_tokens == 2000
        assert usage.output_tokens == 50
        assert usage.cached_input_tokens == 500

    def test_what_was_not_reported_is_unknown_not_nothing(self) -> None:
        usage = self.reply(say("x", reasoning="a thought", tokens=Tokens(10, 5))).call.usage
        assert usage.cached_input_tokens is None
        assert usage.cache_write_tokens is None
        assert usage.reasoning_tokens is None
        if self.may_omit_usage:
            without = self.reply(say("x", tokens=None)).call.usage
            assert without.input_tokens is None
            assert without.output_tokens is None

    def test_without_a_price_the_cost_is_unknown_with_its_reason(self) -> None:
        usage = self.reply(say("x")).call.usage
        assert usage.cost_usd is None
        assert usage.cost_reason == "no price"

    @pytest.mark.parametrize("role", get_args(Role))
    def test_a_call_is_booked_in_its_role_with_its_time(self, role: Role) -> None:
        before = datetime.now(UTC)
        made = self.reply(say("x"), role).call
        assert made.role == role
        assert before <= made.started_at <= datetime.now(UTC)
        assert timedelta(seconds=made.duration_s) <= datetime.now(UTC) - before
        assert made.model_asked
        assert made.error is None

    def test_the_model_that_served_is_named_beside_the_one_that_was_asked(self) -> None:
        made = self.reply(say("x", served="maker-2026-01-01")).call
        assert made.model_served == "maker-2026-01-01"
        assert made.model_asked != made.model_served

    def test_a_reply_goes_back_into_the_history_and_the_talk_goes_on(self) -> None:
        made = [Call("execute_query", {"query": SQL}), Call("get_database_info", {})]

        async def talk(model: ChatModel) -> tuple[Reply, Reply, Reply]:
            messages = copy.deepcopy(START)
            first = await model.complete(messages, TOOLS)
            answers = [
                {"role": "tool", "tool_call_id": c.call_id, "content": f"answer {c.name}"}
                for c in first.tool_calls
            ]
            messages += [first.raw, *answers]
            kept = copy.deepcopy(messages)
            second = await model.complete(messages, TOOLS)
            assert messages == kept, "a model leaves the messages that it is handed alone"
            messages += [second.raw, {"role": "user", "content": "Your report, please."}]
            return first, second, await model.complete(messages, role="report")

        steps = (say("Look.", reasoning="Hm.", calls=made), say(None), say("The report."))
        with self.model(*steps) as model:
            first, second, third = asyncio.run(talk(model))
        assert json.loads(json.dumps(first.raw)) == first.raw
        assert first.raw["role"] == second.raw["role"] == "assistant"
        assert third.text == "The report."

    @pytest.mark.parametrize(
        ("status", "kind"), [(401, "auth"), (403, "auth"), (400, "bad_request")]
    )
    def test_a_failure_is_a_typed_error_and_never_a_text(
        self, status: int, kind: ProviderFault
    ) -> None:
        with pytest.raises(ProviderError) as caught:
            self.reply(Status(status))
        assert caught.value.kind == kind
        assert str(caught.value)
