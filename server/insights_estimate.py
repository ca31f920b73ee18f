"""What asking for a run's missing insights will take: the very prompts, at what such prompts took."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from agent.insights import render
from core.run import RunSpec
from core.trajectory import ModelCall, Trajectory, Turn
from providers.catalog import model_name
from providers.price_list import table_for
from server.calls_estimate import CHARACTERS, CallsEstimate, estimate_calls
from server.insights import Plan, missing, tells_nothing
from server.store import Repository

REPLY: Final = 80.0
"""Tokens of 1 to 3 sentences with their figures, where nothing was measured."""
_ENOUGH: Final = 200
"""Stored calls by which is measured; the newest runs come first."""


class InsightsEstimate(CallsEstimate):
    """Of the turns that have no insight yet."""

    not_asked: int
    """Turns without an insight that tell nothing, so that nobody is asked about them."""


@dataclass(frozen=True)
class _Sample:
    """A stored call, and how long its prompt was."""

    characters: int
    call: ModelCall


def estimate_insights(
    plan: Plan, spec: RunSpec, store: Repository, *, concurrency: int
) -> InsightsEstimate:
    """Tokens by the length of each prompt, at the tokens per character that stored calls took."""
    sizes: list[int] = []
    silent = 0
    trajectories = store.trajectories(spec.id)
    for trajectory in trajectories:
        for turn in missing(trajectory):
            if tells_nothing(turn):
                silent += 1
            else:
                sizes.append(_length(plan, trajectory, turn))
    samples = _samples(plan, store)
    density, reply = 1 / CHARACTERS, REPLY
    if samples:
        density = sum(s.call.usage.input_tokens or 0 for s in samples) / sum(
            s.characters for s in samples
        )
        reply = fmean(s.call.usage.output_tokens or 0 for s in samples)
    found = estimate_calls(
        [size * density for size in sizes],
        reply,
        model=model_name(plan.model),
        prices=table_for(plan.model, plan.prices),
        took_s=[sample.call.duration_s for sample in samples],
        side_by_side=min(concurrency, len(trajectories)),
    )
    return InsightsEstimate(**dict(found), not_asked=silent)


def _samples(plan: Plan, store: Repository) -> list[_Sample]:
    found: list[_Sample] = []
    for run in reversed(store.runs()):
        if run.scenario_id == plan.scenario.id and len(found) < _ENOUGH:
            found += _samples_of(run, plan, store)
    return found[:_ENOUGH]


def _samples_of(run: RunSpec, plan: Plan, store: Repository) -> Iterator[_Sample]:
    name, prompt = model_name(plan.model), plan.prompts.hash_of("insight")
    # The calls alone are read first: a run may be large, and most have none of these.
    if not any(_is_alike(call, name) for call in store.calls(run.id)):
        return
    for trajectory in store.trajectories(run.id):
        turns = {turn.index: turn for turn in trajectory.turns}
        for insight in trajectory.message_insights:
            call, turn = insight.call, turns.get(insight.turn or 0)
            if call is None or turn is None or insight.prompt_hash != prompt:
                continue
            if _is_alike(call, name):
                yield _Sample(_length(plan, trajectory, turn), call)


def _is_alike(call: ModelCall, name: str) -> bool:
    if call.role != "insight" or call.model_asked != name or call.error is not None:
        return False
    return None not in (call.usage.input_tokens, call.usage.output_tokens)


def _length(plan: Plan, trajectory: Trajectory, turn: Turn) -> int:
    task = plan.task(trajectory.entity_id)
    return len(plan.prompts.fill("insight", task, turn=render(turn)))
