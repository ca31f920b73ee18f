"""Any model that litellm names, asked over HTTP: the one module that imports litellm."""

from __future__ import annotations

import asyncio
import atexit
import gc
import json
import logging
import os
import random
import sys
import time
import warnings
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from datetime import UTC, datetime
from functools import cache
from typing import Any, Final

from core.errors import ProviderError, UsageError
from core.protocols import Reply, ToolSpec
from core.run import ModelSpec
from core.trajectory import ModelCall, Role
from providers.failures import typed
from providers.history import marked, parted, sendable
from providers.locality import pass_proxies_by
from providers.pricing import PriceTable, priced
from providers.reading import Answer, UnreadableError, read
from providers.retry import Backoff, EndpointError, Wait, persist

_QUIET: Final = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_LOCAL_BLOG_POSTS": "True",
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
    "LITELLM_LOCAL_POLICY_TEMPLATES": "True",
    "LITELLM_LOCAL_AUTOROUTER_PRESETS": "True",
    "LITELLM_MODE": "PRODUCTION",  # else it reads a .env file into the environment
    "LITELLM_LOG": "CRITICAL",
    "LITELLM_SUPPRESS_STARTUP_OUTPUT": "True",
}
"""What litellm reads while it is imported: without these it downloads its lists from GitHub."""

_PLAIN_HTTP: Final = "EXPERIMENTAL_OPENAI_BASE_LLM_HTTP_HANDLER"
"""Has litellm speak OpenAI's format over the same plain HTTP as the other providers' formats.

The other way leads through OpenAI's own client, which walks through the whole history once more for
each call: it takes three times as long.
"""
_OPENAI_HEADERS: Final = ("OPENAI_ORGANIZATION", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID")
"""What that client alone turns into headers."""

_WIRE_NAMES: Final = {"ollama": "ollama_chat"}
"""litellm's `ollama` writes tools into a text prompt; its `ollama_chat` hands them over as tools."""

_OF_BLOCKS: Final = ("anthropic", "gemini", "vertex", "bedrock")
"""Providers whose format litellm makes of OpenAI's, message by message."""

_OTHER_KEYS: Final = {"gemini": ("GOOGLE_API_KEY",)}
_CLOUDS: Final = ("bedrock", "vertex", "sagemaker", "azure", "watsonx", "oci")
"""Providers that sign in by a cloud's own credentials, which a key would stand in the way of."""

_OURS: Final = frozenset(
    {"model", "messages", "tools", "stream", "n", "api_base", "base_url", "api_key", "timeout"}
    | {"max_retries", "num_retries", "logger_fn", "callbacks", "mock_response", "fallbacks"}
)
"""Keys that a sampling setting must not carry."""


@cache
def _litellm() -> Any:
    """litellm, imported once: no download, no telemetry, nothing printed. Takes seconds."""
    os.environ.update(_QUIET)
    if not any(os.environ.get(name) for name in _OPENAI_HEADERS):
        os.environ[_PLAIN_HTTP] = "True"
    # pydantic's opinion of litellm's types, told on stderr at the first call of some providers.
    warnings.filterwarnings("ignore", message=r".*`ReadOnly` qualifier")
    import litellm

    litellm.telemetry = False
    litellm.suppress_debug_info = True
    litellm.drop_params = False
    litellm.modify_params = False
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    # It prices every reply by its own list, at an eighth of what a call costs us in time; the
    # prices that hold are ours (providers/pricing.py).
    with suppress(ImportError):
        from litellm.litellm_core_utils.litellm_logging import Logging

        Logging.response_cost_calculator = lambda *_, **__: None
    # At its end the interpreter would look through all that it brought, for half a second of work.
    atexit.register(gc.freeze)
    return litellm


@cache
def _introduce(provider: str, name: str) -> None:
    """Tell litellm that a Gemini it has not heard of takes a system prompt, as every one does."""
    litellm = _litellm()
    if provider != "gemini" or litellm.supports_system_messages(name, provider):
        return
    known = {"litellm_provider": provider, "mode": "chat", "supports_system_messages": True}
    litellm.register_model({f"{provider}/{name}": known})


def prepare(spec: ModelSpec) -> None:
    """What a model's first call needs: litellm, and a way that no proxy is on. Takes seconds once."""
    pass_proxies_by(spec)
    _introduce(spec.provider, spec.name)


def missing_keys(spec: ModelSpec) -> tuple[str, ...]:
    """The environment's variables of which a provider wants one for its key, and has none.

    By litellm's own list; nothing is sent. None are missing for an endpoint of one's own, for one
    that wants no key, and for clouds, whose credentials may stand elsewhere. Takes seconds once.
    """
    if spec.base_url is not None or spec.provider.startswith(_CLOUDS):
        return ()
    wanted = _litellm().validate_environment(f"{spec.provider}/{spec.name}")["missing_keys"]
    keys = tuple(name for name in wanted if name.endswith(("_KEY", "_TOKEN")))
    return () if any(_has_like(name) for name in keys) else keys


def tells_chances(spec: ModelSpec) -> bool:
    """Whether a model can be asked for its tokens' log-probabilities, by litellm's own list."""
    known = _litellm().get_supported_openai_params(
        model=spec.name, custom_llm_provider=_WIRE_NAMES.get(spec.provider, spec.provider)
    )
    return {"logprobs", "top_logprobs"} <= set(known or ())


def takes_forms(spec: ModelSpec) -> bool:
    """Whether a model is known to hold to a JSON schema: by litellm's list, and whatever vLLM serves.

    Of another endpoint of one's own the model's name says nothing.
    """
    if spec.provider == "hosted_vllm":
        return True
    if spec.base_url is not None:
        return False
    provider = _WIRE_NAMES.get(spec.provider, spec.provider)
    return bool(_litellm().supports_response_schema(spec.name, provider))


def _has_like(name: str) -> bool:
    """Whether the environment has a key of that provider under another spelling of its name."""
    maker = name.partition("_")[0]
    short = maker.removesuffix("AI") if len(maker) > len("OPENAI") else maker
    held = (each for each, value in os.environ.items() if value)
    return any(each.startswith(short) and ("_KEY" in each or "_TOKEN" in each) for each in held)


class LitellmModel:
    """A ChatModel on any endpoint that litellm can speak to."""

    def __init__(
        self,
        spec: ModelSpec,
        *,
        prices: PriceTable | None = None,
        timeout_s: float = 600.0,
        backoff: Backoff | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,
        on_wait: Callable[[Wait], None] | None = None,
    ) -> None:
        """Raises UsageError where the sampling settings would change more than sampling."""
        if taken := sorted(_OURS & spec.sampling.keys()):
            raise UsageError(f"model {spec.name}: not a sampling setting: {', '.join(taken)}")
        self.spec = spec
        self.name = f"{spec.provider}/{spec.name}"
        self._prices = prices
        self._timeout_s = timeout_s
        self._backoff = backoff or Backoff()
        self._sleep, self._chance, self._on_wait = sleep, chance, on_wait
        self._is_ready = False
        self._refuses_forms = False

    async def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[ToolSpec] = (),
        *,
        role: Role = "agent",
        form: Mapping[str, Any] | None = None,
    ) -> Reply:
        """One request, repeated where waiting may help. Raises ProviderError with its kind.

        Where the endpoint refuses the request with its form, it is asked without, from then on.
        """
        if not self._is_ready:
            # This may take seconds, in which the loop goes on.
            await asyncio.to_thread(prepare, self.spec)
            self._is_ready = True
        request = self._request(messages, tools, role)
        if form is None or self._refuses_forms:
            return await self._persist(request, role)
        try:
            return await self._persist({**request, "response_format": _format(form)}, role)
        except ProviderError as exc:
            if exc.kind != "bad_request":
                raise
        reply = await self._persist(request, role)
        self._refuses_forms = True  # only now is it known that the form was at fault
        return reply

    async def _persist(self, request: Mapping[str, Any], role: Role) -> Reply:
        return await persist(
            lambda: self._ask(request, role),
            self._backoff,
            sleep=self._sleep,
            chance=self._chance,
            on_wait=self._on_wait,
        )

    async def close(self) -> None:
        """Close the connections that litellm keeps open in this event loop."""
        await _litellm().close_litellm_async_clients()

    async def _ask(self, request: Mapping[str, Any], role: Role) -> Reply:
        started, begun = datetime.now(UTC), time.perf_counter()
        witness, outer = _Witness(), sys.exception()
        try:
            # litellm's own timeout is per read; an endpoint that trickles would never meet it.
            async with asyncio.timeout(self._timeout_s):
                with _unlogged():
                    response = await _litellm().acompletion(**request, logger_fn=witness)
            answer = read(response.model_dump(), witness.body)
        except UnreadableError as exc:
            raise EndpointError(f"{self.name}: {exc}", kind="malformed") from exc
        except Exception as exc:
            told = {"sent": witness.sent, "body": witness.body, "outer": outer}
            raise typed(exc, asked=self.name, **told) from exc
        return self._reply(answer, role, started, time.perf_counter() - begun)

    def _reply(self, answer: Answer, role: Role, started: datetime, took_s: float) -> Reply:
        return Reply(
            text=answer.text,
            reasoning=answer.reasoning,
            tool_calls=answer.tool_calls,
            raw=answer.raw,
            chances=answer.chances,
            call=ModelCall(
                role=role,
                model_asked=self.name,
                model_served=answer.model_served,
                usage=priced(answer.usage, self.name, self._prices),
                price_table_hash=self._prices.hash if self._prices else None,
                finish_reason=answer.finish_reason,
                started_at=started,
                duration_s=took_s,
            ),
        )

    def _request(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[ToolSpec], role: Role
    ) -> dict[str, Any]:
        provider = _WIRE_NAMES.get(self.spec.provider, self.spec.provider)
        sent = sendable(
            messages,
            drop_blank=provider.startswith(_OF_BLOCKS),
            merge_twins=provider in {"gemini", "vertex_ai"},
        )
        marks = wants_marks(self.spec)
        sent = parted(sent, mark=marks)
        # A call that stands alone would pay for a cache entry that nobody reads.
        if role == "agent" and marks:
            sent = marked(sent)
        request: dict[str, Any] = {
            **self.spec.sampling,
            "model": f"{provider}/{self.spec.name}",
            "messages": sent,
            "timeout": self._timeout_s,
            "max_retries": 0,
            "num_retries": 0,
        }
        if tools:
            request["tools"] = [_tool(tool) for tool in tools]
        elif provider == "anthropic" and any(message.get("tool_calls") for message in sent):
            # Anthropic wants tools where the history has calls: litellm adds a dummy, never to be
            # called.
            request["tool_choice"] = "none"
        if self.spec.base_url is not None:
            request["api_base"] = self.spec.base_url
            if _lacks_key(provider):
                request["api_key"] = "no-key"  # an endpoint of one's own may ask for none
        return request


def _unlogged() -> AbstractContextManager[None]:
    """litellm neither logs nor bills a call in here: we do, and its own takes a fifth of a call's time."""
    try:
        from litellm._internal_context import internal_sub_call
    except ImportError:  # its own switch for calls within calls: another version may lack it
        return nullcontext()
    switched: AbstractContextManager[None] = internal_sub_call()
    return switched


def _lacks_key(provider: str) -> bool:
    """Whether a provider that wants a key has none in the environment."""
    names = {f"{provider.upper()}_API_KEY", *_OTHER_KEYS.get(provider, ())}
    return not provider.startswith(_CLOUDS) and not any(os.environ.get(name) for name in names)


def wants_marks(spec: ModelSpec) -> bool:
    """Whether the provider caches only what is marked: Anthropic's models, wherever they run."""
    return spec.provider == "anthropic" or "claude" in spec.name.lower()


def _tool(tool: ToolSpec) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.input_schema,
        },
    }


def _format(form: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON schema as OpenAI's format has it."""
    described = {"name": "reply", "schema": dict(form), "strict": True}
    return {"type": "json_schema", "json_schema": described}


class _Witness:
    """What litellm calls before it sends a request and with the answer as it came."""

    def __init__(self) -> None:
        self.sent = False
        self.body: Any = None
        """The answer as parsed JSON; None where it was none."""

    def __call__(self, details: Mapping[str, Any]) -> None:
        said = details.get("original_response")
        if details.get("log_event_type") == "pre_api_call":
            self.sent, self.body = True, None
        elif details.get("log_event_type") == "post_api_call" and said is not None:
            with suppress(ValueError):  # no JSON: litellm says so itself
                self.body = json.loads(said) if isinstance(said, str) else said
