"""Turn a model's name into a specification, and a specification into a model to ask."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from core import plugins
from core.errors import UnknownNameError, UsageError
from core.protocols import ChatModel
from core.run import ModelSpec
from core.trajectory import Role, Trajectory
from providers.locality import WITHOUT_ENDPOINT
from providers.price_list import provider_names, table_for
from providers.pricing import PriceTable
from providers.retry import Backoff, Wait

_COMMON = {
    "anthropic", "azure", "bedrock", "deepseek", "gemini", "groq", "hosted_vllm", "mistral",
    "ollama", "openai", "openrouter", "vertex_ai",
}  # fmt: skip
"""Providers that are named to whoever asks for one that nobody knows."""


def parse_model(text: str, base_url: str | None = None) -> ModelSpec:
    """'provider/name', 'scripted:FILE' or 'replay:RUN' as a specification.

    A name without a provider is OpenAI's format where a base URL is given. Raises UsageError, and
    UnknownNameError with the providers of a like name and the common ones.
    """
    head, colon, rest = text.partition(":")
    if colon and head in WITHOUT_ENDPOINT:
        if not rest:
            raise UsageError(f"model {text!r}: write {head}:{_what(head)}")
        if base_url is not None:
            raise UsageError(f"model {text!r} has no endpoint: leave out the base URL")
        return ModelSpec(provider=head, name=rest)
    provider, slash, name = text.partition("/")
    if not slash and base_url is not None:
        provider, name = "openai", text
    if not provider or not name:
        raise UsageError(f"model {text!r}: write provider/name, scripted:FILE or replay:RUN")
    if base_url is not None and urlsplit(base_url).scheme not in {"http", "https"}:
        raise UsageError(f"base URL {base_url!r}: write http://... or https://...")
    own = set(plugins.known("ddr.providers", ()))
    known = provider_names() | own
    # A plug-in may be named by its place, module:attribute. Without litellm's lists nothing is known.
    if known and provider not in known and ":" not in provider:
        shown = {
            *difflib.get_close_matches(provider, known),
            *(_COMMON & known),
            *own,
            *WITHOUT_ENDPOINT,
        }
        raise UnknownNameError("provider", provider, shown, unlisted=len(known - shown))
    return ModelSpec(provider=provider, name=name, base_url=base_url)


def _what(head: str) -> str:
    return "FILE" if head == "scripted" else "RUN"


def model_name(spec: ModelSpec) -> str:
    """The name as it is typed, stored and looked up in a price table."""
    return f"{spec.provider}{':' if spec.provider in WITHOUT_ENDPOINT else '/'}{spec.name}"


def make_model(
    spec: ModelSpec,
    *,
    prices: PriceTable | None = None,
    timeout_s: float = 600.0,
    backoff: Backoff | None = None,
    on_wait: Callable[[Wait], None] | None = None,
    trajectory: Trajectory | None = None,
    said: Mapping[Role, int] | None = None,
) -> ChatModel:
    """A model to ask. A scripted or replayed one is for one trajectory; others serve any number.

    Without `prices` litellm's list holds (price_list.table_for). `timeout_s` is for one request;
    `on_wait` hears of every pause before a repeated one. `trajectory` is what `replay:` replays.
    `said`: how many replies of each role a script has given before, so that it goes on behind them.
    """
    table = table_for(spec, prices)
    if spec.provider == "scripted":
        from providers.scripted import ScriptedModel

        scripted = ScriptedModel.from_file(Path(spec.name), prices=table)
        scripted.skip(said or {})
        return scripted
    if spec.provider == "replay":
        from providers.replay import ReplayModel

        if trajectory is None:
            raise UsageError(f"model {model_name(spec)!r}: there is no trajectory to replay")
        return ReplayModel(trajectory, name=model_name(spec))
    if not _is_litellms(spec):
        made: ChatModel = plugins.load("ddr.providers", spec.provider, {})(
            spec, prices=table, timeout_s=timeout_s
        )
        return made
    from providers.litellm_model import LitellmModel

    return LitellmModel(spec, prices=table, timeout_s=timeout_s, backoff=backoff, on_wait=on_wait)


def _is_litellms(spec: ModelSpec) -> bool:
    """Whether litellm asks it; else a plug-in, a script or a replay does."""
    own = (*WITHOUT_ENDPOINT, *plugins.known("ddr.providers", ()))
    return ":" not in spec.provider and spec.provider not in own


def prepare(spec: ModelSpec) -> None:
    """Do beforehand what a model's first call would wait for: seconds for litellm's import."""
    if _is_litellms(spec):
        from providers.litellm_model import prepare as imported

        imported(spec)


def tells_chances(spec: ModelSpec) -> bool:
    """Whether a model can be asked for the log-probabilities of its tokens. Takes seconds once."""
    if not _is_litellms(spec):
        return False
    from providers.litellm_model import tells_chances as known

    return known(spec)


def takes_forms(spec: ModelSpec) -> bool:
    """Whether a model is known to hold to a JSON schema that is asked for. Takes seconds once."""
    if not _is_litellms(spec):
        return False
    from providers.litellm_model import takes_forms as known

    return known(spec)


def wants_marks(spec: ModelSpec) -> bool:
    """Whether a provider caches only what is marked, so that it matters what is `shared` (ChatModel)."""
    if not _is_litellms(spec):
        return False
    from providers.litellm_model import wants_marks as known

    return known(spec)


def missing_keys(spec: ModelSpec) -> tuple[str, ...]:
    """The environment's variables of which one should hold the provider's key, where none does.

    Empty where nobody can say it without asking the endpoint.
    """
    if not _is_litellms(spec):
        return ()
    from providers.litellm_model import missing_keys as missing

    return missing(spec)
