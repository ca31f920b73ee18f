"""Read what an endpoint tells of a prompt's tokens: what is not there is a refusal, never a zero."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from providers.continuation_wire import Refused
from providers.retry import EndpointError


@dataclass(frozen=True)
class Scored:
    """A continuation's tokens, and the natural logarithm of each one's probability after all before it."""

    tokens: tuple[str, ...]
    logprobs: tuple[float, ...]

    @property
    def mean(self) -> float:
        """(1/N) sum log P(t_i | t_<i, what came before) (DDR-19)."""
        return fmean(self.logprobs)


def ids_of(answer: Mapping[str, Any]) -> list[int]:
    """The tokens of a text. Raises Refused."""
    ids = answer.get("tokens")
    if not isinstance(ids, list) or not ids or not all(isinstance(each, int) for each in ids):
        raise Refused("it does not tell a text's tokens (/tokenize)")
    return ids


def choice_of(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """The only choice of an answer. Raises Refused."""
    choices = answer.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
        raise Refused("it answered without a choice")
    return choices[0]


def told(logprobs: Any, count: int | None) -> list[Any]:
    """vLLM's list with a mapping for each token of the prompt but the first."""
    if not isinstance(logprobs, list) or not logprobs:
        raise Refused("it answered without prompt_logprobs")
    if count is not None and len(logprobs) != count:
        raise Refused(f"it told of {len(logprobs)} tokens, and was sent {count}")
    return logprobs


def entry(place: Any, token: str | None) -> tuple[str, Any]:
    """What is told of the token that stands there; without its id the first one that is told of, which
    is the one that was sent."""
    told = place.get(token) if token is not None else next(iter(place.values()), None)
    if not isinstance(told, Mapping):
        raise Refused("it did not tell of the token that was sent")
    return str(told.get("decoded_token", "")), told.get("logprob")


def suffix(told: Sequence[tuple[str, Any]], text: str) -> list[tuple[str, Any]]:
    """The last tokens, as many as make up the text."""
    for count in range(1, len(told) + 1):
        end = told[-count:]
        said = "".join(token for token, _ in end)
        if said == text:
            return list(end)
        if len(said) >= len(text):
            break
    raise Refused("its tokens do not part where the continuation begins")


def starts(tokens: Sequence[str]) -> list[int]:
    """At which character each begins."""
    found, at = [], 0
    for token in tokens:
        found.append(at)
        at += len(token)
    return found


def scored(found: Sequence[tuple[str, Any]]) -> Scored:
    """Tokens with what was told of them. Raises EndpointError where a number is missing."""
    logprobs = [logprob for _, logprob in found]
    if not found or not all(isinstance(each, (int, float)) for each in logprobs):
        raise EndpointError("a log-probability is missing in the answer", kind="malformed")
    return Scored(tuple(token for token, _ in found), tuple(map(float, logprobs)))
