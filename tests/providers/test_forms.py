"""A reply by a JSON schema: asked for where the model takes one, and given up where it is refused."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest

from core.errors import ProviderError
from core.protocols import Reply
from core.run import ModelSpec
from providers.catalog import parse_model, takes_forms
from tests.providers.wire import model_on
from tests.support.endpoint import Request, ScriptedEndpoint, Status, Step, say

FORM = {
    "type": "object",
    "properties": {"label": {"type": "string", "enum": ["yes", "no"]}},
    "required": ["label"],
    "additionalProperties": False,
}
YES = '{"label": "yes"}'
ASKED: list[dict[str, Any]] = [{"role": "user", "content": "Is it?"}]


def ask(steps: Sequence[Step], times: int = 1) -> tuple[list[Reply], tuple[Request, ...]]:
    """The same question so many times over, each with the form."""
    with ScriptedEndpoint(list(steps)) as endpoint:
        model = model_on(endpoint, "openai")

        async def asked() -> list[Reply]:
            try:
                return [
                    await model.complete(ASKED, role="checker", form=FORM) for _ in range(times)
                ]
            finally:
                await model.close()

        return asyncio.run(asked()), endpoint.requests


def test_the_schema_goes_over_the_wire_as_it_is() -> None:
    (reply,), (request,) = ask([say(YES)])
    assert reply.text == YES
    format_ = request.body["response_format"]
    assert format_["type"] == "json_schema"
    assert (format_["json_schema"]["schema"], format_["json_schema"]["strict"]) == (FORM, True)


def test_an_endpoint_that_refuses_it_is_asked_without_and_never_with_it_again() -> None:
    replies, requests = ask([Status(400), say(YES), say(YES)], times=2)
    assert [reply.text for reply in replies] == [YES, YES]
    assert ["response_format" in request.body for request in requests] == [True, False, False]


def test_a_request_that_is_refused_without_it_too_was_not_refused_for_it() -> None:
    with pytest.raises(ProviderError) as told:
        ask([Status(400), Status(400)])
    assert told.value.kind == "bad_request"


def test_other_failures_are_not_taken_for_a_refusal_of_it() -> None:
    with pytest.raises(ProviderError) as told:
        ask([Status(401)])
    assert told.value.kind == "auth"


@pytest.mark.parametrize("wire", ["anthropic", "gemini"])
def test_formats_that_are_not_openais_take_it_too(wire: str) -> None:
    with ScriptedEndpoint([say(YES)]) as endpoint:
        model = model_on(endpoint, wire)
        reply = asyncio.run(model.complete(ASKED, role="checker", form=FORM))
    assert json.loads(reply.text) == {"label": "yes"}
    assert "enum" in json.dumps(endpoint.requests[0].body)


@pytest.mark.parametrize(
    ("name", "base_url", "takes"),
    [
        ("openai/gpt-5-mini", None, True),
        ("openai/gpt-3.5-turbo", None, False),
        ("anthropic/claude-sonnet-4-5", None, True),
        ("openai/gpt-5-mini", "http://127.0.0.1:8000/v1", False),
        ("hosted_vllm/qwen", "http://127.0.0.1:8000/v1", True),
        ("scripted:judge.jsonl", None, False),
    ],
)
def test_who_takes_one_is_known_beforehand(name: str, base_url: str | None, takes: bool) -> None:
    assert takes_forms(parse_model(name, base_url)) is takes


def test_a_plug_in_is_never_handed_one_unasked() -> None:
    assert not takes_forms(ModelSpec(provider="tests.somewhere:model", name="x"))
