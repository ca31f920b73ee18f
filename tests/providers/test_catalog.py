"""A name becomes a specification and a specification a model; a wrong name says what exists."""

from __future__ import annotations

import asyncio
import os
import re
from pathlib import Path

import pytest

from core.errors import ProviderError, UnknownNameError, UsageError
from core.protocols import ChatModel
from core.run import ModelSpec
from core.trajectory import Trajectory
from providers.catalog import make_model, model_name, parse_model
from providers.litellm_model import LitellmModel
from providers.locality import leaves_machine, pass_proxies_by
from providers.pricing import Price, PriceTable
from providers.replay import ReplayModel
from providers.scripted import ScriptedModel
from tests.core.builders import trajectory

LOCAL = "http://127.0.0.1:8080/v1"


@pytest.mark.parametrize(
    ("text", "provider", "name"),
    [
        ("openai/gpt-x", "openai", "gpt-x"),
        ("openrouter/anthropic/claude-x", "openrouter", "anthropic/claude-x"),
        ("ollama/llama3:8b", "ollama", "llama3:8b"),
        ("scripted:replies.json", "scripted", "replies.json"),
        ("scripted:/a/path/to:replies.json", "scripted", "/a/path/to:replies.json"),
        ("replay:20260131-flights-ab12", "replay", "20260131-flights-ab12"),
        ("my.module:MyModel/name", "my.module:MyModel", "name"),
    ],
)
def test_a_name_is_a_provider_and_a_model(text: str, provider: str, name: str) -> None:
    spec = parse_model(text)
    assert (spec.provider, spec.name) == (provider, name)
    assert model_name(spec) == text


def test_with_a_base_url_a_bare_name_speaks_openais_format() -> None:
    assert parse_model("qwen3", LOCAL) == ModelSpec(provider="openai", name="qwen3", base_url=LOCAL)


def test_an_unknown_provider_lists_the_known_ones() -> None:
    with pytest.raises(UnknownNameError) as caught:
        parse_model("opnai/gpt-x")
    assert "unknown provider 'opnai' (did you mean 'openai'?)" in str(caught.value)
    assert {"anthropic", "scripted", "replay"} <= set(caught.value.known)


def test_an_unknown_provider_is_answered_with_near_and_common_names_and_a_count_of_the_others() -> (
    None
):
    with pytest.raises(UnknownNameError) as caught:
        parse_model("firework_ai/x")
    assert {"fireworks_ai", "openai"} <= set(caught.value.known)
    assert len(caught.value.known) < 25
    assert re.search(r"vertex_ai and \d{2,} others$", str(caught.value))


@pytest.mark.parametrize(
    ("text", "base_url", "said"),
    [
        ("gpt-x", None, "write provider/name"),
        ("openai/", None, "write provider/name"),
        ("/gpt-x", None, "write provider/name"),
        ("scripted:", None, "write scripted:FILE"),
        ("replay:", None, "write replay:RUN"),
        ("scripted:f.json", LOCAL, "has no endpoint"),
        ("openai/x", "127.0.0.1:8080", "write http://... or https://..."),
    ],
)
def test_a_name_that_cannot_be_read_says_how_to_write_it(
    text: str, base_url: str | None, said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        parse_model(text, base_url)


def test_each_specification_makes_its_model(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text('["one"]')
    made = [
        make_model(parse_model("openai/x", LOCAL)),
        make_model(parse_model(f"scripted:{script}")),
        make_model(parse_model("replay:run"), trajectory=trajectory()),
    ]
    assert [type(model) for model in made] == [LitellmModel, ScriptedModel, ReplayModel]
    assert [model.name for model in made] == ["openai/x", f"scripted:{script}", "replay:run"]
    assert all(isinstance(model, ChatModel) for model in made)


def test_a_replay_needs_its_trajectory() -> None:
    with pytest.raises(UsageError, match="no trajectory to replay"):
        make_model(parse_model("replay:run"))


class PluginModel:
    """Stands for a plug-in's model."""

    def __init__(self, spec: ModelSpec, *, prices: PriceTable | None, timeout_s: float) -> None:
        self.name, self.prices, self.timeout_s = spec.name, prices, timeout_s


def test_a_plug_in_is_made_with_what_it_needs() -> None:
    prices = PriceTable(models={"a/b": Price(input=1, output=1)})
    spec = parse_model(f"{__name__}:PluginModel/some-name")
    made = make_model(spec, prices=prices, timeout_s=7)
    assert isinstance(made, PluginModel)
    assert (made.name, made.prices, made.timeout_s) == ("some-name", prices, 7)


@pytest.mark.parametrize("key", ["api_key", "api_base", "stream", "mock_response", "messages"])
def test_sampling_changes_sampling_and_nothing_else(key: str) -> None:
    spec = ModelSpec(provider="openai", name="x", sampling={"temperature": 0, key: "y"})
    with pytest.raises(UsageError, match=f"not a sampling setting: {key}"):
        make_model(spec)


@pytest.mark.parametrize(
    ("spec", "leaves"),
    [
        (parse_model("openai/x"), True),
        (parse_model("openai/x", "http://127.0.0.1:1/v1"), False),
        (parse_model("openai/x", "http://127.9.9.9:1/v1"), False),
        (parse_model("openai/x", "http://[::1]:1/v1"), False),
        (parse_model("openai/x", "http://localhost:1/v1"), False),
        (parse_model("openai/x", "http://localhost.example.org/v1"), True),
        (parse_model("openai/x", "http://127.0.0.1.example.org/v1"), True),
        (parse_model("openai/x", "http://127.0.0.1@example.org/v1"), True),
        (parse_model("openai/x", "http://192.168.0.7/v1"), True),
        (parse_model("openai/x", "http://0.0.0.0/v1"), True),
        (parse_model("ollama/llama3"), True),
        (parse_model("scripted:f.json"), False),
        (parse_model("replay:run"), False),
    ],
)
def test_only_a_loopback_endpoint_keeps_data_on_this_machine(spec: ModelSpec, leaves: bool) -> None:
    assert leaves_machine(spec) is leaves


def test_a_proxy_does_not_carry_away_what_is_for_this_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_PROXY", "example.org")
    monkeypatch.delenv("no_proxy", raising=False)
    for _ in range(2):
        pass_proxies_by(parse_model("openai/x", LOCAL))
    pass_proxies_by(parse_model("openai/x", "http://192.168.0.7/v1"))
    pass_proxies_by(parse_model("openai/x"))
    assert os.environ["NO_PROXY"] == "example.org,127.0.0.1"
    assert os.environ["no_proxy"] == "127.0.0.1"


def test_a_replayed_trajectory_is_the_one_that_was_handed_in() -> None:
    empty: Trajectory = trajectory(turns=(), insights=(), preamble=None)
    model = make_model(parse_model("replay:run"), trajectory=empty)
    with pytest.raises(ProviderError, match=f"trajectory {empty.id} holds 0 replies"):
        asyncio.run(model.complete([{"role": "user", "content": "go"}]))
