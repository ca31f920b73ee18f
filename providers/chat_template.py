"""Render a conversation by a model's own template, as its files bring it (chat_template.jinja)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final, NoReturn

from core.errors import ConfigError
from core.reading import read_text

_LARGEST: Final = 1_000_000
"""Bytes of a template."""

Message = Mapping[str, Any]
Render = Callable[[Sequence[Message], Sequence[Mapping[str, Any]]], str]


def renderer(path: Path, arguments: Mapping[str, Any]) -> Render:
    """What renders messages and tools up to where the assistant is to speak.

    `path`: a Jinja template, or a tokenizer_config.json that holds one under `chat_template`.
    `arguments` are handed to it. It runs in Jinja's sandbox. Raises ConfigError where it cannot be read
    or is no template; what is returned raises it where the template refuses a conversation.
    """
    from jinja2 import TemplateError
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    shown = f"--chat-template {path}"
    text = read_text(path, error=ConfigError, largest=_LARGEST, shown=shown)
    special: dict[str, Any] = {"bos_token": "", "eos_token": ""}
    if path.suffix == ".json":
        text, special = _of_config(text, shown)
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
    environment.filters["tojson"] = _json
    environment.globals["raise_exception"] = _refuse
    environment.globals["strftime_now"] = lambda form: datetime.now().strftime(form)
    try:
        template = environment.from_string(text)
    except TemplateError as exc:
        raise ConfigError(f"{shown}: not a template: {exc}") from exc

    def render(messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]) -> str:
        try:
            return template.render(
                messages=[_with_values(message) for message in messages],
                tools=list(tools) or None,
                add_generation_prompt=True,
                **{**special, **arguments},
            )
        except (TemplateError, TypeError, ValueError) as exc:
            raise ConfigError(f"{shown} does not take this conversation: {exc}") from exc

    return render


def _of_config(text: str, shown: str) -> tuple[str, dict[str, Any]]:
    try:
        body = json.loads(text)
    except ValueError as exc:
        raise ConfigError(f"{shown}: not JSON: {exc}") from exc
    template = body.get("chat_template") if isinstance(body, dict) else None
    if not isinstance(template, str):
        raise ConfigError(f"{shown} holds no text under 'chat_template'")
    special = {}
    for name in ("bos_token", "eos_token"):
        token = body.get(name)
        special[name] = token.get("content") if isinstance(token, dict) else token or ""
    return template, special


def _with_values(message: Message) -> dict[str, Any]:
    """The message with its calls' arguments as values, which is what templates are written for."""
    own = dict(message)
    if calls := own.get("tool_calls"):
        own["tool_calls"] = [
            {**call, "function": {**call["function"], "arguments": _values(call["function"])}}
            for call in calls
        ]
    return own


def _values(function: Mapping[str, Any]) -> Any:
    try:
        return json.loads(function["arguments"])
    except ValueError:
        return function["arguments"]


def _json(value: Any, indent: int | None = None) -> str:
    """JSON as models are trained on it: without the escapes that HTML asks for."""
    return json.dumps(value, ensure_ascii=False, indent=indent)


def _refuse(text: str) -> NoReturn:
    from jinja2 import TemplateError

    raise TemplateError(text)
