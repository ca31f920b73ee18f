"""What going on after a finish would take: the last request of each trajectory, growing turn by turn."""

from __future__ import annotations

import json
from collections.abc import Sequence
from statistics import fmean
from typing import Any

from agent.going_on import conversation
from core.run import ModelSpec, RunSpec
from core.trajectory import Role, Trajectory
from providers.catalog import model_name
from providers.price_list import table_for
from providers.pricing import PriceTable
from server.after_finish import finished
from server.calls_estimate import CHARACTERS, CallsEstimate, estimate_calls
from server.store import Repository


def estimate_after_finish(
    spec: RunSpec, turns: int, store: Repository, prices: PriceTable | None
) -> dict[Role, CallsEstimate]:
    """At most so many turns for each trajectory that had finished, by role; nothing is asked.

    A trajectory may stop again at once, and then takes one call. `prices`: those that the run goes by.
    """
    done = finished(spec, store)
    if spec.model is None or not done:
        return {}
    beside: dict[str, Any] = {"done": done, "side_by_side": spec.concurrency, "prices": prices}
    sizes = [size for each in done for size in _sizes(each, turns)]
    found: dict[Role, CallsEstimate] = {"agent": _estimated(sizes, "agent", spec.model, **beside)}
    asked = [call for each in done for call in each.calls if call.role == "insight"]
    known = [c.usage.input_tokens for c in asked if c.usage.input_tokens is not None]
    size = fmean(known) if known else _turn_tokens(done)
    writer = spec.insight_model or spec.model
    found["insight"] = _estimated([size] * (turns * len(done)), "insight", writer, **beside)
    return found


def _estimated(
    sizes: Sequence[float],
    role: Role,
    model: ModelSpec,
    *,
    done: Sequence[Trajectory],
    side_by_side: int,
    prices: PriceTable | None,
) -> CallsEstimate:
    calls = [c for each in done for c in each.calls if c.role == role and c.error is None]
    replies = [c.usage.output_tokens for c in calls if c.usage.output_tokens is not None]
    said = [len(turn.text) / CHARACTERS for each in done for turn in each.turns]
    return estimate_calls(
        sizes,
        fmean(replies or said or [0.0]),
        model=model_name(model),
        prices=table_for(model, prices),
        took_s=[call.duration_s for call in calls],
        side_by_side=side_by_side,
    )


def _sizes(done: Trajectory, turns: int) -> list[float]:
    """Input tokens of each call to come: the last one's, and the mean growth for each turn more."""
    calls = [call for call in done.calls if call.role == "agent"]
    inputs = [c.usage.input_tokens for c in calls if c.usage.input_tokens is not None]
    if len(inputs) < len(calls) or not inputs:
        inputs = [_length(done, n) for n in range(len(done.turns) + 1)]
    growth = (inputs[-1] - inputs[0]) / (len(inputs) - 1) if len(inputs) > 1 else 0.0
    return [inputs[-1] + growth * turn for turn in range(1, turns + 1)]


def _length(done: Trajectory, turns: int) -> int:
    """By its characters, where the endpoint did not say."""
    messages = conversation(done, nudge="", turns=turns).messages()
    return round(len(json.dumps(messages, ensure_ascii=False)) / CHARACTERS)


def _turn_tokens(done: Sequence[Trajectory]) -> float:
    shown = [sum(len(r.text) for r in turn.tool_results) for each in done for turn in each.turns]
    return fmean(shown or [0]) / CHARACTERS
