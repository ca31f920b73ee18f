"""A forced continuation's log-probabilities: over a real connection, from a model that can be computed."""

from __future__ import annotations

import asyncio
import json
import math
from pathlib import Path
from typing import Any

import pytest

from core.errors import ConfigError, ProviderError
from providers.chat_template import renderer
from providers.continuation_reading import Scored
from providers.continuations import Scorer
from providers.retry import Backoff
from tests.support.needs import needs
from tests.support.scoring_endpoint import Server, logprobs, rendered, scoring

CALL = {
    "id": "c1",
    "type": "function",
    "function": {"name": "q", "arguments": '{"sql": "SELECT 1"}'},
}
MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "Explore."},
    {"role": "user", "content": "Carrier 01: naïve?"},
    {"role": "assistant", "content": "Look.", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "[[1]]"},
]
TOOLS = [{"type": "function", "function": {"name": "q", "description": "d", "parameters": {}}}]
FINISH = "FINISH:"


def score(
    server: Server, messages: list[dict[str, Any]] | None = None, **options: Any
) -> tuple[Scored, str | None]:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    async def ask() -> tuple[Scored, str | None]:
        async with Scorer(server.url, "small", sleep=sleep, **options) as scorer:
            return await scorer.score(messages or MESSAGES, TOOLS, FINISH), scorer.form

    return asyncio.run(ask())


@pytest.mark.parametrize(
    ("served", "form"),
    [("vllm", "token ids"), ("continued", "continued message"), ("llama", "step by step")],
)
def test_each_form_gives_the_numbers_that_a_hand_would_compute(served: str, form: str) -> None:
    with scoring(served) as server:
        found, used = score(server)
    expected = logprobs(rendered(MESSAGES, TOOLS), FINISH)
    assert used == form
    assert "".join(found.tokens) == FINISH
    assert found.logprobs == pytest.approx(expected)
    assert found.mean == pytest.approx(math.fsum(expected) / 7)


def test_a_texts_echo_is_scored_by_a_chat_template_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "chat_template.jinja"
    path.write_text(
        "{% for m in messages %}<{{ m.role }}>{{ m.content }}"
        "{% for c in m.tool_calls or [] %}({{ c.function.arguments.sql }}){% endfor %}{{ '\n' }}"
        "{% endfor %}{% if add_generation_prompt %}<assistant>{{ mood }}{% endif %}"
    )
    with scoring("echo") as server:
        found, used = score(server, render=renderer(path, {"mood": "calm"}))
    before = (
        "<system>Explore.\n<user>Carrier 01: naïve?\n<assistant>Look.(SELECT 1)\n<tool>[[1]]\n"
        "<assistant>calm"
    )
    assert used == "echo"
    assert found.logprobs == pytest.approx(logprobs(before, FINISH))


def test_another_history_has_another_number() -> None:
    with scoring("vllm") as server:
        one, _ = score(server)
        other, _ = score(server, MESSAGES[:2])
    assert one.mean != pytest.approx(other.mean)


def test_the_form_that_was_found_is_asked_from_then_on() -> None:
    async def twice(server: Server) -> None:
        async with Scorer(server.url, "small") as scorer:
            both = [scorer.score(MESSAGES, TOOLS, FINISH) for _ in range(2)]
            await asyncio.gather(*both)

    with scoring("continued") as server:
        asyncio.run(twice(server))
    assert server.paths == ["/tokenize", "/v1/chat/completions", "/v1/chat/completions"]


def test_what_the_template_takes_and_who_is_asked_reach_the_endpoint() -> None:
    with scoring("vllm") as server:
        score(server, arguments={"enable_thinking": False})
    assert server.bodies[0]["chat_template_kwargs"] == {"enable_thinking": False}
    assert {body["model"] for body in server.bodies} == {"small"}


def test_what_another_provider_put_into_a_message_is_left_out() -> None:
    strange = [{**m, "thinking_blocks": [{}], "provider_specific_fields": {}} for m in MESSAGES]
    with scoring("vllm") as server:
        assert score(server, strange)[0] == score(server)[0]


def test_an_endpoint_that_scores_nothing_is_told_with_those_that_do() -> None:
    with scoring("chat") as server, pytest.raises(ProviderError) as caught:
        score(server)
    said = str(caught.value)
    assert caught.value.kind == "bad_request"
    assert f"{server.url} does not score a continuation" in said
    for form in ("token ids", "continued message", "echo", "step by step"):
        assert form in said
    assert "vllm serve" in said and "llama-server" in said and "--chat-template" in said


def test_a_passing_failure_is_asked_again_and_a_lasting_one_is_told() -> None:
    with scoring("vllm") as server:
        server.failures[:] = [503, 429]
        found, _ = score(server)
        assert found.logprobs == pytest.approx(logprobs(rendered(MESSAGES, TOOLS), FINISH))
        server.failures[:] = [500, 500]
        with pytest.raises(ProviderError, match="asked 2 times") as caught:
            score(server, backoff=Backoff(attempts=2))
        assert caught.value.kind == "server"
        server.failures[:] = [401]
        with pytest.raises(ProviderError) as caught:
            score(server)
        assert caught.value.kind == "auth"


def test_where_nobody_listens_or_answers_in_time_that_is_told() -> None:
    with scoring("vllm") as server:
        server.pause_s = 0.5
        with pytest.raises(ProviderError, match="no answer in time") as caught:
            score(server, timeout_s=0.05, backoff=Backoff(attempts=1))
        assert caught.value.kind == "timeout"
    with pytest.raises(ProviderError, match="the connection failed") as caught:
        score(server, backoff=Backoff(attempts=1))
    assert caught.value.kind == "connection"


def test_a_conversation_that_is_too_long_is_no_sign_that_it_scores_nothing() -> None:
    with scoring("vllm") as server:
        server.context = 40
        with pytest.raises(ProviderError, match="maximum context length") as caught:
            score(server)
    assert caught.value.kind == "context_length"


def test_a_template_is_read_from_a_models_configuration_too(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer_config.json"
    body = {
        "chat_template": "{{ bos_token }}{{ messages[0].content }}",
        "bos_token": {"content": "<s>"},
    }
    path.write_text(json.dumps(body))
    assert renderer(path, {})(MESSAGES, TOOLS) == "<s>Explore."


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("t.jinja", "{% for %}", "not a template"),
        ("t.json", "{}", "holds no text under 'chat_template'"),
        ("t.json", "{", "not JSON"),
        ("t.jinja", "{{ raise_exception('roles must alternate') }}", "roles must alternate"),
        ("t.jinja", "{{ ''.__class__.__mro__ }}", "does not take this conversation"),
    ],
)
def test_a_template_that_cannot_be_used_is_told(
    tmp_path: Path, name: str, text: str, why: str
) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(ConfigError, match=why):
        renderer(path, {})(MESSAGES, TOOLS)


@pytest.mark.real
@needs("small model")
def test_a_real_models_numbers_are_those_of_its_whole_distribution() -> None:
    import httpx

    from tests.support import small_model

    small_model.install()
    plain = [m for m in MESSAGES if m["role"] in ("system", "user")]
    with small_model.serving(context_tokens=512) as url:
        found, form = score(Server(url), plain)
        root = url.removesuffix("/v1")
        with httpx.Client(timeout=60, trust_env=False) as client:

            def ask(path: str, **body: Any) -> Any:
                return client.post(root + path, json=body).json()

            text = ask("/apply-template", messages=plain)["prompt"]
            prompt = ask("/tokenize", content=text, add_special=True, parse_special=True)["tokens"]
            tokens = ask("/tokenize", content=FINISH, add_special=False)["tokens"]
            expected = []
            for token in tokens:
                whole = ask("/completion", prompt=prompt, n_predict=1, n_probs=10**6)
                top = whole["completion_probabilities"][0]["top_logprobs"]
                assert math.fsum(math.exp(each["logprob"]) for each in top) == pytest.approx(
                    1, abs=1e-3
                )
                expected.append(next(each["logprob"] for each in top if each["id"] == token))
                prompt.append(token)
    assert form == "step by step"
    assert "".join(found.tokens) == FINISH
    assert found.logprobs == pytest.approx(expected, abs=1e-3)
