"""Talk to a model through litellm and a scripted endpoint: one answer, or a conversation."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from core.protocols import ChatModel, Reply
from core.run import ModelSpec
from core.trajectory import Role
from providers.litellm_model import LitellmModel
from providers.retry import Backoff
from tests.contracts.model_contract import START, TOOLS
from tests.support.endpoint import Request, ScriptedEndpoint, Step

NAMES = {
    "openai": "openai/anything",
    "anthropic": "anthropic/claude-unheard-of",
    "gemini": "gemini/gemini-unheard-of",
}
FORMATS = list(NAMES)
ONCE = Backoff(attempts=1)


def model_on(endpoint: ScriptedEndpoint, wire: str, **given: Any) -> LitellmModel:
    provider, _, name = NAMES[wire].partition("/")
    base_url = getattr(endpoint, f"{wire}_url")
    sampling = given.pop("sampling", {})
    spec = ModelSpec(provider=provider, name=name, base_url=base_url, sampling=sampling)
    return LitellmModel(spec, **{"backoff": ONCE, "timeout_s": 20, **given})


def ask(
    steps: Sequence[Step],
    wire: str = "openai",
    *,
    messages: list[dict[str, Any]] | None = None,
    role: Role = "agent",
    **given: Any,
) -> tuple[Reply, tuple[Request, ...]]:
    """One answer, and all requests that it took."""
    with ScriptedEndpoint(list(steps)) as endpoint:
        model = model_on(endpoint, wire, **given)
        reply = asyncio.run(model.complete(messages or START, TOOLS, role=role))
    return reply, endpoint.requests


def talk(
    steps: Sequence[Step], wire: str, *, last_without_tools: bool = False
) -> tuple[list[Reply], tuple[Request, ...]]:
    """A conversation: each reply goes back with an answer to each call, or a nudge."""

    async def converse(model: ChatModel) -> list[Reply]:
        messages, replies = list(START), []
        for number in range(1, len(steps) + 1):
            bare = last_without_tools and number == len(steps)
            reply = await model.complete(
                messages, () if bare else TOOLS, role="report" if bare else "agent"
            )
            replies.append(reply)
            answers = [
                {"role": "tool", "tool_call_id": c.call_id, "content": f"answer {n}"}
                for n, c in enumerate(reply.tool_calls)
            ]
            messages += [reply.raw, *(answers or [{"role": "user", "content": "Go on."}])]
        return replies

    with ScriptedEndpoint(list(steps)) as endpoint:
        return asyncio.run(converse(model_on(endpoint, wire))), endpoint.requests
