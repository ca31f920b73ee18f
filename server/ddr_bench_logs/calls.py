"""The model calls of a session, as far as its statistics tell of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from core.trajectory import ModelCall, Role, Usage
from server.ddr_bench_logs.messages import Stats

NO_COST: Final = "the log holds no cost"
NO_TOKENS: Final = "the log holds no tokens of this call"


@dataclass(frozen=True)
class Caller:
    """Who was asked."""

    model: str
    """The model's name, where whoever imports the log says it."""

    def call(self, role: Role, stats: Stats | None, at: datetime) -> ModelCall:
        """A call that ended at `at`, or when its statistics say. Zero tokens mean that none were
        reported: the released code writes 0 where the endpoint is silent."""
        seconds = stats.seconds if stats else 0.0
        ended = (stats.at if stats else None) or at
        usage = Usage(cost_reason=NO_TOKENS)
        if stats and (stats.prompt_tokens or stats.completion_tokens):
            usage = Usage(
                input_tokens=stats.prompt_tokens,
                output_tokens=stats.completion_tokens,
                cost_reason=NO_COST,
            )
        return ModelCall(
            role=role,
            model_asked=self.model,
            usage=usage,
            started_at=ended - timedelta(seconds=seconds),
            duration_s=seconds,
        )


def reported(totals: Mapping[str, Any]) -> Usage | None:
    """What the session's own statistics say in all; None where they say nothing.

    It is the last prompt and the sum of all answers, insights left out (EVALUATION 1.6 g): kept as
    it was reported, and never mixed with the sum over calls.
    """
    prompt, answers = (
        _count(totals.get(f"total_{kind}_tokens")) for kind in ("prompt", "completion")
    )
    if not prompt and not answers:
        return None
    return Usage(input_tokens=prompt, output_tokens=answers, cost_reason=NO_COST)


def _count(value: Any) -> int | None:
    is_count = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 1e15
    return int(value) if is_count else None
