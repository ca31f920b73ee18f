"""What a derivation would still ask, and cost: by its calls so far, or by the length of the documents."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean
from typing import Final

from checklists.derive.asking import Messages
from core.record import Record
from core.trajectory import ModelCall, Role, Usage
from providers.catalog import model_name
from providers.price_list import table_for
from providers.pricing import priced
from server.calls_estimate import CHARACTERS
from server.deriving import Prepared

_REPLY: Final[Mapping[Role, float]] = {"author": 700.0, "checker": 150.0}
"""Tokens of an answer, where nothing was measured."""
_FACTS: Final = 6.0
"""Facts of one piece of a document that come to be verified, where nothing was measured."""


class DeriveEstimate(Record):
    """What is left to be asked."""

    extractions: int
    verifications: float
    """Expected, by what was extracted so far or by an assumption."""
    basis: str
    input_tokens: float
    output_tokens: float
    cost_usd: float | None
    cost_reason: str | None


def estimate(made: Prepared) -> DeriveEstimate:
    """What the derivation would still ask, by its calls so far or by the length of the prompts."""
    open_ = made.deriver.questions(made.documents)
    calls = {r: [c for c in made.calls if c.role == r and c.error is None] for r in _REPLY}
    measured = len(calls["author"]) > 0
    per_piece = len(calls["checker"]) / len(calls["author"]) if measured else _FACTS
    verifications = per_piece * len(open_)
    sizes = [_length(messages) / CHARACTERS for messages in open_]
    check_size = _mean(calls["checker"], "input_tokens") or (fmean(sizes) if sizes else 0.0)
    parts = [
        (made.models[0], "author", sum(sizes), float(len(open_))),
        (made.models[1], "checker", check_size * verifications, verifications),
    ]
    total_in = total_out = cost = 0.0
    reason: str | None = None
    for model, role, tokens_in, count in parts:
        reply = _mean(calls[role], "output_tokens") or _REPLY[role]  # type: ignore[index]
        total_in, total_out = total_in + tokens_in, total_out + reply * count
        usage = Usage(input_tokens=round(tokens_in), output_tokens=round(reply * count))
        found = priced(usage, model_name(model), table_for(model, made.prices))
        if found.cost_usd is None:
            reason = reason or found.cost_reason or "unknown"
        cost += found.cost_usd or 0.0
    return DeriveEstimate(
        extractions=len(open_),
        verifications=verifications,
        basis="by the calls so far" if measured else "assumed from the length of the documents",
        input_tokens=total_in,
        output_tokens=total_out,
        cost_usd=None if reason else cost,
        cost_reason=reason,
    )


def _length(messages: Messages) -> int:
    return sum(len(message["content"]) for message in messages)


def _mean(calls: list[ModelCall], name: str) -> float | None:
    known = [count for call in calls if (count := getattr(call.usage, name)) is not None]
    return fmean(known) if known else None
