"""A call through litellm does what we asked and no more; what it needs is known beforehand."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

import pytest

import providers.litellm_model as through
from core.run import ModelSpec
from providers.catalog import missing_keys, parse_model
from tests.providers.wire import model_on
from tests.support.endpoint import ScriptedEndpoint, Tokens, say

pytestmark = pytest.mark.real

MOST = {"openai": 500, "anthropic": 900, "gemini": 750}
"""Functions of litellm's that one call may run. Without its pricing and its log of what was spent it
runs 339, 626 and 515; with them 1715, 4397 and 1414."""


@contextmanager
def counted() -> Iterator[Counter[str]]:
    """Every function of litellm's that runs meanwhile, in this thread and those that begin."""
    seen: Counter[str] = Counter()

    def note(frame: object, event: str, _arg: object) -> None:
        code = frame.f_code  # type: ignore[attr-defined]
        if event == "call" and "site-packages/litellm/" in code.co_filename:
            seen[f"{code.co_filename.partition('site-packages/')[2]}:{code.co_name}"] += 1

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield seen
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def one_call(wire: str) -> tuple[Counter[str], set[str]]:
    """What runs in a call that is not the first, and the tasks that it leaves behind."""
    said = say("a", tokens=Tokens(input=100, output=5))

    async def ask() -> tuple[Counter[str], set[str]]:
        for _ in range(2):
            await model.complete([{"role": "user", "content": "hi"}])
        with counted() as seen:
            await model.complete([{"role": "user", "content": "hi"}])
            await asyncio.sleep(0.1)  # what is done beside the call is done here
        others = asyncio.all_tasks() - {asyncio.current_task()}
        return seen, {str(task.get_coro()) for task in others}

    with ScriptedEndpoint([said] * 3) as endpoint:
        model = model_on(endpoint, wire)
        return asyncio.run(ask())


@pytest.mark.parametrize("wire", MOST)
def test_no_call_pays_for_prices_logs_or_telemetry_of_litellms(wire: str) -> None:
    """Counted and not timed: whatever its next version calls them, they would run as functions."""
    seen, left = one_call(wire)
    assert sum(seen.values()) < MOST[wire], seen.most_common(40)
    assert left == set()


@pytest.mark.parametrize("wire", MOST)
def test_what_litellm_would_do_by_itself_is_far_beyond_that(
    wire: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(through, "_unlogged", nullcontext)
    seen, left = one_call(wire)
    assert sum(seen.values()) > MOST[wire] or left


# Keys


@pytest.fixture
def keyless(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """An environment without any provider's key."""
    through._litellm()  # which reads and sets variables of its own
    for name in list(os.environ):
        if "_KEY" in name or "_TOKEN" in name or name.startswith("AWS_"):
            monkeypatch.delenv(name)
    return monkeypatch


@pytest.mark.parametrize(
    ("model", "names"),
    [
        ("openai/gpt-4o", ("OPENAI_API_KEY",)),
        ("anthropic/claude-sonnet-4-5", ("ANTHROPIC_API_KEY",)),
        ("gemini/gemini-2.5-pro", ("GOOGLE_API_KEY", "GEMINI_API_KEY")),
        ("openrouter/some/model", ("OPENROUTER_API_KEY",)),
        ("mistral/one-that-is-new", ("MISTRAL_API_KEY",)),
    ],
)
def test_a_key_that_is_missing_is_named(
    keyless: pytest.MonkeyPatch, model: str, names: tuple[str, ...]
) -> None:
    assert missing_keys(parse_model(model)) == names


@pytest.mark.parametrize(
    ("model", "variable"),
    [
        ("openai/gpt-4o", "OPENAI_API_KEY"),
        ("anthropic/claude-sonnet-4-5", "ANTHROPIC_AUTH_TOKEN"),
        ("gemini/gemini-2.5-pro", "GOOGLE_API_KEY"),
        ("gemini/gemini-2.5-pro", "GEMINI_API_KEY"),
        ("together_ai/some/model", "TOGETHER_AI_TOKEN"),
        ("perplexity/sonar", "PERPLEXITY_API_KEY"),
    ],
)
def test_a_key_by_any_of_its_names_is_enough(
    keyless: pytest.MonkeyPatch, model: str, variable: str
) -> None:
    keyless.setenv(variable, "k")
    assert missing_keys(parse_model(model)) == ()


@pytest.mark.parametrize(
    "model",
    ["ollama/llama3", "hosted_vllm/foo", "bedrock/claude", "vertex_ai/gemini", "azure/mine"],
)
def test_who_wants_no_key_or_signs_in_otherwise_is_let_through(
    keyless: pytest.MonkeyPatch, model: str
) -> None:
    assert missing_keys(parse_model(model)) == ()


def test_an_endpoint_of_ones_own_and_a_model_without_one_want_no_key(
    keyless: pytest.MonkeyPatch,
) -> None:
    assert missing_keys(parse_model("openai/x", "http://127.0.0.1:8000/v1")) == ()
    assert missing_keys(ModelSpec(provider="scripted", name="nowhere.json")) == ()
    assert missing_keys(ModelSpec(provider="replay", name="run")) == ()
