"""How likely a model's tokens were: asked for by a sampling setting, read from the wire, kept by scripts."""

from __future__ import annotations

import asyncio
import math
from typing import Any

import pytest

from core.protocols import Chance, Reply, Spoken
from providers.catalog import parse_model, tells_chances
from providers.litellm_model import LitellmModel
from providers.reading import read
from providers.scripted import ScriptedModel
from tests.support.endpoint import Say, ScriptedEndpoint

ASKED = {"logprobs": True, "top_logprobs": 5}
SEVEN = Say("7", chances=(("7", {"7": 0.75, "8": 0.25}),))


def answer(sampling: dict[str, Any]) -> Reply:
    with ScriptedEndpoint([SEVEN]) as endpoint:
        spec = parse_model("openai/judge", endpoint.openai_url)
        model = LitellmModel(spec.model_copy(update={"sampling": sampling}))

        async def asked() -> Reply:
            try:
                return await model.complete([{"role": "user", "content": "rate"}])
            finally:
                await model.close()

        return asyncio.run(asked())


def test_the_tokens_come_with_what_might_stand_in_their_place() -> None:
    (spoken,) = answer(ASKED).chances
    assert spoken.token == "7"
    assert [each.token for each in spoken.top] == ["7", "8"]
    assert [math.exp(each.logprob) for each in spoken.top] == pytest.approx([0.75, 0.25])


def test_a_reply_that_nobody_asked_them_of_has_none() -> None:
    assert answer({}).chances == ()


@pytest.mark.parametrize(
    "logprobs",
    [
        None,
        {},
        {"content": None},
        {"content": [{"token": "7", "top_logprobs": [{"token": "7"}]}]},
        5,
    ],
)
def test_what_cannot_be_read_is_none(logprobs: Any) -> None:
    message = {"role": "assistant", "content": "7"}
    response = {"choices": [{"message": message, "logprobs": logprobs}]}
    assert read(response, None).chances == ()


def test_a_script_can_tell_them() -> None:
    spoken = {"token": "7", "top": [{"token": "7", "logprob": -0.5}]}
    model = ScriptedModel([{"text": "7", "chances": [spoken]}])
    reply = asyncio.run(model.complete([]))
    assert reply.chances == (Spoken(token="7", top=(Chance(token="7", logprob=-0.5),)),)


@pytest.mark.parametrize(
    ("name", "tells"),
    [("openai/gpt-4o", True), ("openai/o3", False), ("anthropic/claude-sonnet-4-5", False)],
)
def test_who_can_be_asked_is_known_beforehand(name: str, tells: bool) -> None:
    assert tells_chances(parse_model(name)) is tells
