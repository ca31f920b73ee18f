"""The scripted endpoint speaks the responses API well enough for the provider's own client."""

from __future__ import annotations

from typing import Any

from openai import OpenAI
from openai.types.responses import ResponseFunctionToolCall

from tests.support.endpoint import Call, ScriptedEndpoint, Tokens, say

SAID = say("text", calls=[Call("mcp__ddr.get_task", {"a": 1})], reasoning="hm", tokens=Tokens(9, 4))
TOOLS: list[Any] = [
    {
        "type": "namespace",
        "name": "mcp__ddr",
        "description": "d",
        "tools": [{"type": "function", "name": "get_task", "parameters": {"type": "object"}}],
    },
    {"type": "web_search"},
    {"type": "function", "name": "shell", "strict": False, "parameters": {"type": "object"}},
]


def _client(endpoint: ScriptedEndpoint) -> OpenAI:
    return OpenAI(base_url=endpoint.openai_url, api_key="x", max_retries=0)


def test_a_reply_and_its_stream_read_the_same() -> None:
    with ScriptedEndpoint([SAID, SAID]) as endpoint, _client(endpoint) as client:
        whole = client.responses.create(model="m", input="go", tools=TOOLS)
        with client.responses.stream(model="m", input="go", tools=TOOLS) as stream:
            events = [event.type for event in stream]
            streamed = stream.get_final_response()
    assert whole.output_text == streamed.output_text == "text"
    assert events[0] == "response.created"
    assert events[-1] == "response.completed"
    for response in (whole, streamed):
        kinds = [item.type for item in response.output]
        assert kinds == ["reasoning", "message", "function_call"]
        called = response.output[2]
        assert isinstance(called, ResponseFunctionToolCall)
        assert (called.namespace, called.name) == ("mcp__ddr", "get_task")
        assert called.arguments == '{"a": 1}'
        assert response.usage
        assert response.usage.total_tokens == 13


def test_tools_in_namespaces_have_names_of_their_own() -> None:
    with ScriptedEndpoint([SAID, say("done")]) as endpoint, _client(endpoint) as client:
        first = client.responses.create(model="m", input="go", tools=TOOLS)
        talk: list[Any] = [{"role": "user", "content": "go"}, *first.output]
        talk.append({"type": "function_call_output", "call_id": "call_1_0", "output": "one"})
        client.responses.create(model="m", input=talk, tools=TOOLS)
    request = endpoint.requests[1]
    assert request.tools == ("mcp__ddr.get_task", "shell")
    assert request.replies == 1
    (call,) = request.messages[1].calls
    assert (call.name, call.id) == ("mcp__ddr.get_task", "call_1_0")
    assert request.messages[2].text == "one"


def test_a_reply_that_was_cut_short_is_incomplete() -> None:
    with ScriptedEndpoint([say("te", finish="length")]) as endpoint, _client(endpoint) as client:
        response = client.responses.create(model="m", input="go")
    assert response.status == "incomplete"
    assert response.incomplete_details
    assert response.incomplete_details.reason == "max_output_tokens"
