"""The scripted endpoint speaks its formats and breaks as it is told to: other suites rely on it."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.support.endpoint import (
    Call,
    ContextLength,
    Hang,
    Malformed,
    Request,
    Reset,
    Say,
    ScriptedEndpoint,
    Status,
    Step,
    Tokens,
    call,
    explorer,
    say,
)

TOOL = {"name": "f", "description": "d"}
CALLED = {"role": "assistant", "content": None, "tool_calls": [
    {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}},
    {"id": "c2", "type": "function", "function": {"name": "g", "arguments": "{}"}},
]}  # fmt: skip
OPENAI: dict[str, Any] = {
    "model": "m",
    "tools": [{"type": "function", "function": TOOL}],
    "messages": [
        {"role": "system", "content": "sys"},
        {"role": "user", "content": [{"type": "text", "text": "go"}]},
        CALLED,
        {"role": "tool", "tool_call_id": "c1", "content": "one"},
        {"role": "tool", "tool_call_id": "c2", "content": "two"},
    ],
}
RESPONSES: dict[str, Any] = {
    "model": "m",
    "tools": [{"type": "function", **TOOL}],
    "instructions": "sys",
    "input": [
        {"role": "user", "content": [{"type": "input_text", "text": "go"}]},
        {"type": "function_call", "call_id": "c1", "name": "f", "arguments": '{"a": 1}'},
        {"type": "function_call", "call_id": "c2", "name": "g", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "one"},
        {
            "type": "function_call_output",
            "call_id": "c2",
            "output": [{"type": "input_text", "text": "two"}],
        },
    ],
}
ANTHROPIC: dict[str, Any] = {
    "model": "m",
    "tools": [TOOL],
    "system": [{"type": "text", "text": "sys"}],
    "messages": [
        {"role": "user", "content": "go"},
        {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}},
                {"type": "tool_use", "id": "c2", "name": "g", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": "one"},
                {
                    "type": "tool_result",
                    "tool_use_id": "c2",
                    "content": [{"type": "text", "text": "two"}],
                },
            ],
        },
    ],
}
GEMINI: dict[str, Any] = {
    "tools": [{"functionDeclarations": [TOOL]}],
    "systemInstruction": {"parts": [{"text": "sys"}]},
    "contents": [
        {"role": "user", "parts": [{"text": "go"}]},
        {
            "role": "model",
            "parts": [
                {"functionCall": {"name": "f", "args": {"a": 1}}},
                {"functionCall": {"name": "g", "args": {}}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"name": "f", "id": "c1", "response": {"content": "one"}}},
                {"functionResponse": {"name": "g", "id": "c2", "response": {"content": "two"}}},
            ],
        },
    ],
}
WIRES = [
    ("/v1/chat/completions", OPENAI),
    ("/v1/responses", RESPONSES),
    ("/v1/messages", ANTHROPIC),
    ("/v1beta/models/m:generateContent", GEMINI),
]
SAID = say("text", calls=[Call("f", {"a": 1})], reasoning="hm", tokens=Tokens(100, 30, 40, 10, 7))


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with httpx.Client(timeout=10, trust_env=False) as made:
        yield made


@pytest.mark.parametrize(("path", "body"), WIRES)
def test_each_format_reads_the_same_conversation(
    client: httpx.Client, path: str, body: dict[str, Any]
) -> None:
    with ScriptedEndpoint([say("x")]) as endpoint:
        assert client.post(endpoint.url + path, json=body).status_code == 200
    (request,) = endpoint.requests
    assert (request.model, request.tools, request.replies) == ("m", ("f",), 1)
    roles = [message.role for message in request.messages]
    assert roles == ["system", "user", "assistant", "tool", "tool"]
    assert [message.call_id for message in request.messages[3:]] == ["c1", "c2"]
    assert [made.name for made in request.messages[2].calls] == ["f", "g"]
    assert all(text in request.text for text in ("sys", "go", "one", "two"))


def test_a_reply_has_each_formats_own_shape(client: httpx.Client) -> None:
    with ScriptedEndpoint([SAID] * 4) as endpoint:
        openai, responses, anthropic, gemini = (
            client.post(endpoint.url + path, json=body).json() for path, body in WIRES
        )
    message = openai["choices"][0]["message"]
    assert message["content"] == "text"
    assert message["tool_calls"][0]["function"] == {"name": "f", "arguments": '{"a": 1}'}
    assert openai["usage"]["prompt_tokens"] == 100
    assert [item["type"] for item in responses["output"]] == [
        "reasoning",
        "message",
        "function_call",
    ]
    assert responses["usage"]["total_tokens"] == 130
    kinds = [block["type"] for block in anthropic["content"]]
    assert kinds == ["thinking", "text", "tool_use"]
    # Net input: what was read from a cache or written to one is counted apart.
    assert anthropic["usage"]["input_tokens"] == 100 - 40 - 10
    assert anthropic["stop_reason"] == "tool_use"
    parts = gemini["candidates"][0]["content"]["parts"]
    assert parts[2] == {"functionCall": {"name": "f", "args": {"a": 1}}}
    counts = gemini["usageMetadata"]
    assert (counts["candidatesTokenCount"], counts["thoughtsTokenCount"]) == (23, 7)
    assert counts["totalTokenCount"] == 130


@pytest.mark.parametrize(("path", "body"), WIRES[:3])
def test_a_stream_says_the_same_in_pieces(
    client: httpx.Client, path: str, body: dict[str, Any]
) -> None:
    with ScriptedEndpoint([SAID]) as endpoint:
        text = client.post(endpoint.url + path, json={**body, "stream": True}).text
    events = [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: {")]
    assert len(events) > 3
    whole = json.dumps(events)
    assert '"te' in whole or '"text"' in whole
    assert any(kind in whole for kind in ("tool_use", "tool_calls", "function_call"))


@pytest.mark.parametrize(("path", "body"), WIRES)
@pytest.mark.parametrize(
    ("step", "status"), [(Status(401), 401), (Status(529), 529), (ContextLength(), 400)]
)
def test_an_error_has_its_status_and_a_message(
    client: httpx.Client, path: str, body: dict[str, Any], step: Step, status: int
) -> None:
    with ScriptedEndpoint([step]) as endpoint:
        answer = client.post(endpoint.url + path, json=body)
    assert answer.status_code == status
    assert answer.json()["error"]["message"]


def test_an_endpoint_can_ask_for_patience(client: httpx.Client) -> None:
    with ScriptedEndpoint([Status(429, retry_after="7"), Status(429)]) as endpoint:
        url = f"{endpoint.openai_url}/chat/completions"
        told, silent = (client.post(url, json=OPENAI) for _ in range(2))
    assert told.headers["retry-after"] == "7"
    assert "retry-after" not in silent.headers


@pytest.mark.parametrize("step", [Reset(), Reset(mid_body=False)])
def test_a_reset_is_a_broken_connection(client: httpx.Client, step: Step) -> None:
    with ScriptedEndpoint([step]) as endpoint, pytest.raises(httpx.TransportError):
        client.post(f"{endpoint.openai_url}/chat/completions", json=OPENAI)
    assert len(endpoint.requests) == 1


def test_a_hang_lasts_until_the_endpoint_is_closed(client: httpx.Client) -> None:
    ended: list[str] = []
    arrived = threading.Event()

    def hang(request: Request) -> Step:
        arrived.set()
        return Hang()

    with ScriptedEndpoint(hang) as endpoint:

        def ask() -> None:
            try:
                client.post(f"{endpoint.openai_url}/chat/completions", json=OPENAI)
            except httpx.TransportError:
                ended.append("closed")

        asking = threading.Thread(target=ask)
        asking.start()
        assert arrived.wait(10)
        assert ended == []
    asking.join(10)
    assert ended == ["closed"]


def test_malformed_is_a_success_that_is_no_json(client: httpx.Client) -> None:
    with ScriptedEndpoint([Malformed()]) as endpoint:
        answer = client.post(f"{endpoint.openai_url}/chat/completions", json=OPENAI)
    assert answer.status_code == 200
    with pytest.raises(json.JSONDecodeError):
        answer.json()


def test_a_script_that_ends_too_early_fails_its_test(client: httpx.Client) -> None:
    with (
        pytest.raises(AssertionError, match="the script has ended, and request 1 came"),
        ScriptedEndpoint([]) as endpoint,
    ):
        answer = client.post(f"{endpoint.openai_url}/chat/completions", json=OPENAI)
        assert answer.status_code == 400


def test_the_last_step_can_be_repeated(client: httpx.Client) -> None:
    with ScriptedEndpoint([say("a"), say("b")], repeat_last=True) as endpoint:
        url = f"{endpoint.openai_url}/chat/completions"
        bodies = [client.post(url, json=OPENAI).json() for _ in range(3)]
    assert [b["choices"][0]["message"]["content"] for b in bodies] == ["a", "b", "b"]


def test_a_prompt_over_the_context_is_refused_whatever_the_script_says(
    client: httpx.Client,
) -> None:
    long = {"model": "m", "messages": [{"role": "user", "content": "x" * 401}]}
    short = {"model": "m", "messages": [{"role": "user", "content": "x" * 400}]}
    with ScriptedEndpoint([say("a")], repeat_last=True, context_tokens=100) as endpoint:
        url = f"{endpoint.openai_url}/chat/completions"
        assert client.post(url, json=long).status_code == 400
        assert client.post(url, json=short).status_code == 200


def test_what_is_no_models_path_is_a_stray(client: httpx.Client) -> None:
    with ScriptedEndpoint([]) as endpoint:
        assert client.get(f"{endpoint.openai_url}/models").status_code == 404
    assert endpoint.strays == ("GET /v1/models",)
    assert endpoint.requests == ()


def test_many_conversations_at_once_each_get_their_own_next_step() -> None:
    script = explorer([call("f", a=1), call("f", a=2), say("FINISH: done")])

    async def converse(client: httpx.AsyncClient, url: str) -> list[str]:
        said: list[str] = []
        talk: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
        for _ in range(3):
            body = {**OPENAI, "messages": talk}
            message = (await client.post(url, json=body)).json()["choices"][0]["message"]
            said.append(
                str(message["content"] or message["tool_calls"][0]["function"]["arguments"])
            )
            talk.append(message)
        return said

    async def main() -> list[list[str]]:
        async with (
            ScriptedEndpoint(script, latency_s=0.02) as endpoint,
            httpx.AsyncClient(trust_env=False) as client,
        ):
            url = f"{endpoint.openai_url}/chat/completions"
            said = await asyncio.gather(*(converse(client, url) for _ in range(8)))
            assert 1 < endpoint.peak <= 8
            return said

    assert asyncio.run(main()) == [['{"a": 1}', '{"a": 2}', "FINISH: done"]] * 8


def test_an_explorers_script_knows_insights_and_reports_by_their_missing_tools() -> None:
    script = explorer([call("f")], insight=say("seen"), report=say("told"))

    def answered(body: dict[str, Any]) -> Step:
        heard: list[Step] = []

        def answer(request: Request) -> Step:
            heard.append(script(request))
            return heard[-1]

        with ScriptedEndpoint(answer) as endpoint:
            httpx.post(f"{endpoint.openai_url}/chat/completions", json=body, trust_env=False)
        return heard[0]

    plain = {"model": "m", "messages": [{"role": "user", "content": "one turn"}]}
    assert answered(plain) == say("seen")
    assert answered({**OPENAI, "tools": []}) == say("told")
    assert answered({**OPENAI, "tool_choice": "none"}) == say("told")
    assert isinstance(answered(OPENAI), Say)
