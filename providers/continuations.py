"""How likely a model says a given text next: log-probabilities of a continuation that is forced on it.

No interface for chats tells them. Endpoints that do are asked in one of these forms; the first one that
an endpoint answers is kept for it (docs/stopping.md says how to start one):

1. `token ids`: vLLM's /tokenize renders the conversation, /v1/completions takes the ids and answers with
   `prompt_logprobs`.
2. `continued message`: /v1/chat/completions with `continue_final_message` and `prompt_logprobs`.
3. `echo`: /v1/completions with `echo` and `logprobs`, over a text that /apply-template or a chat template
   of one's own has rendered.
4. `step by step`: llama.cpp's /apply-template, /tokenize and /completion, one token at a time, each made
   certain by `logit_bias`; its probability is told as it was before.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Final, Self

from core.errors import ProviderError
from providers import continuation_reading as reading
from providers.continuation_reading import Scored
from providers.continuation_wire import Refused, Wire
from providers.history import sendable
from providers.retry import Backoff

Message = Mapping[str, Any]

_KEPT: Final = ("role", "content", "reasoning_content", "tool_calls", "tool_call_id", "name")
"""Of a message; what else a provider put into it is nothing to another one."""

_LIKELIEST: Final = 1
"""How many of the likeliest tokens vLLM is to tell beside the one that stands there. Not 0, which some of
its versions take for none at all."""

HOW: Final = (
    "these do: vLLM (vllm serve MODEL), llama.cpp's server (llama-server -m FILE), and others whose "
    "/v1/completions takes echo with logprobs, given --chat-template FILE; interfaces for chats alone, as "
    "OpenAI's, Anthropic's and Google's, do not"
)


@dataclass(frozen=True)
class Asked:
    """A conversation, and the text that might come next."""

    messages: Sequence[Message]
    tools: Sequence[Mapping[str, Any]]
    continuation: str

    def rendering(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """What an endpoint renders a conversation from."""
        body: dict[str, Any] = {"messages": list(self.messages)}
        if self.tools:
            body["tools"] = list(self.tools)
        if arguments:
            body["chat_template_kwargs"] = dict(arguments)
        return body


@dataclass
class Scorer:
    """Asks one endpoint; use it as an async context manager.

    `render`: turns messages and tools into a text, where the endpoint cannot. `arguments` are handed to
    the endpoint's own template (`enable_thinking`).
    """

    base_url: str
    model: str
    timeout_s: float = 600.0
    backoff: Backoff = field(default_factory=Backoff)
    render: Callable[[Sequence[Message], Sequence[Mapping[str, Any]]], str] | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    form: str | None = field(default=None, init=False)
    """The form that the endpoint answers; None before the first answer."""

    async def __aenter__(self) -> Self:
        self._wire = Wire(self.base_url, self.model, self.timeout_s, self.backoff, self.sleep)
        self._lock = asyncio.Lock()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        exc: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._wire.close()

    async def score(
        self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]], continuation: str
    ) -> Scored:
        """The continuation's log-probabilities as the assistant's next words.

        Raises ProviderError: of kind `bad_request` where the endpoint scores no continuation, which says
        which ones do; `context_length` where the conversation is too long for it.
        """
        kept: list[Message] = [
            {key: part for key, part in message.items() if key in _KEPT}
            for message in sendable(messages)
        ]
        asked = Asked(kept, tools, continuation)
        if self.form is None:
            async with self._lock:  # one of them finds out
                if self.form is None:
                    return await self._probe(asked)
        return await self._forms()[self.form](asked)

    def _forms(self) -> dict[str, Callable[[Asked], Awaitable[Scored]]]:
        own = {"echo": self._echo} if self.render else {}
        return {
            **own,  # whoever brings a template means it
            "token ids": self._token_ids,
            "continued message": self._continued_message,
            "echo": self._echo,
            "step by step": self._step_by_step,
        }

    async def _probe(self, asked: Asked) -> Scored:
        said = []
        for name, ask in self._forms().items():
            try:
                found = await ask(asked)
            except Refused as exc:
                said.append(f"{name}: {exc}")
                continue
            self.form = name
            return found
        raise ProviderError(
            f"{self.base_url} does not score a continuation ({'; '.join(said)}); {HOW}",
            kind="bad_request",
        )

    async def _token_ids(self, asked: Asked) -> Scored:
        rendering = {**asked.rendering(self.arguments), "add_generation_prompt": True}
        before = reading.ids_of(await self._wire.post("/tokenize", rendering))
        alone = {"prompt": asked.continuation, "add_special_tokens": False}
        wanted = reading.ids_of(await self._wire.post("/tokenize", alone))
        body = {
            "prompt": [*before, *wanted],
            "max_tokens": 1,
            "temperature": 0,
            "prompt_logprobs": _LIKELIEST,
        }
        answer = reading.choice_of(await self._wire.post("/v1/completions", body))
        told = reading.told(answer.get("prompt_logprobs"), len(before) + len(wanted))
        found = [
            reading.entry(place, str(token))
            for place, token in zip(told[-len(wanted) :], wanted, strict=True)
        ]
        return reading.scored(found)

    async def _continued_message(self, asked: Asked) -> Scored:
        last = {"role": "assistant", "content": asked.continuation}
        body = {
            **asked.rendering(self.arguments),
            "messages": [*asked.messages, last],
            "add_generation_prompt": False,
            "continue_final_message": True,
            "max_tokens": 1,
            "temperature": 0,
            "prompt_logprobs": _LIKELIEST,
        }
        answer = await self._wire.post("/v1/chat/completions", body)
        told = reading.told(answer.get("prompt_logprobs"), None)
        return reading.scored(
            reading.suffix(
                [reading.entry(place, None) for place in told if place], asked.continuation
            )
        )

    async def _echo(self, asked: Asked) -> Scored:
        before = await self._text(asked)
        body = {
            "prompt": before + asked.continuation,
            "echo": True,
            "logprobs": 1,
            "temperature": 0,
        }
        try:
            answer = await self._wire.post("/v1/completions", {**body, "max_tokens": 0})
        except Refused:  # some take no less than one
            answer = await self._wire.post("/v1/completions", {**body, "max_tokens": 1})
        told = reading.choice_of(answer).get("logprobs")
        if not isinstance(told, Mapping) or not isinstance(told.get("tokens"), list):
            raise Refused("the prompt was not echoed with its log-probabilities")
        starts = told.get("text_offset") or reading.starts(told["tokens"])
        end = len(before) + len(asked.continuation)
        logprobs = told.get("token_logprobs") or []
        found = [
            (token, logprob)
            for token, logprob, at in zip(told["tokens"], logprobs, starts, strict=False)
            if len(before) <= at < end
        ]
        if "".join(token for token, _ in found) != asked.continuation:
            raise Refused("its tokens do not part where the continuation begins")
        return reading.scored(found)

    async def _step_by_step(self, asked: Asked) -> Scored:
        text = {"content": await self._text(asked), "add_special": True, "parse_special": True}
        prompt = reading.ids_of(await self._wire.post("/tokenize", text))
        alone = {"content": asked.continuation, "add_special": False}
        found: list[tuple[str, Any]] = []
        for token in reading.ids_of(await self._wire.post("/tokenize", alone)):
            body = {
                "prompt": prompt,
                "n_predict": 1,
                "n_probs": 1,
                "temperature": 0,
                "cache_prompt": True,
                "post_sampling_probs": False,
                "logit_bias": [[token, 10_000.0]],
            }
            answer = await self._wire.post("/completion", body)
            told = answer.get("completion_probabilities")
            first = told[0] if isinstance(told, list) and told else {}
            if first.get("id") != token:
                raise Refused("it said another token than the one that it was made to say")
            found.append((str(first.get("token", "")), first.get("logprob")))
            prompt = [*prompt, token]
        return reading.scored(found)

    async def _text(self, asked: Asked) -> str:
        """The conversation as the model reads it, up to where it is to speak."""
        if self.render is not None:
            return self.render(asked.messages, asked.tools)
        answer = await self._wire.post("/apply-template", asked.rendering(self.arguments))
        text = answer.get("prompt")
        if not isinstance(text, str) or not text:
            raise Refused("it does not render a conversation (/apply-template)")
        return text
