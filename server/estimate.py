"""What a run will take, by what runs of the same kind took."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from core.record import Record
from core.run import RunSpec
from core.trajectory import Trajectory
from providers.pricing import PriceTable, reprice
from server.runs import competitor
from server.store import Repository
from server.store.attempts import active_s


class Estimate(Record):
    """Means over stored trajectories, times the trajectories to come."""

    from_runs: tuple[str, ...]
    from_trajectories: int
    trajectories: int
    calls: float
    input_tokens: float | None
    """Billed: what is sent again counts again. None where it was not reported."""
    output_tokens: float | None
    cost_usd: float | None
    cost_reason: str | None
    seconds: float
    """At the run's own concurrency."""


def estimate(spec: RunSpec, store: Repository, prices: PriceTable | None = None) -> Estimate | None:
    """None where no stored run of the same scenario, agent, model, tools and protocol ended."""
    alike = [run for run in store.runs() if run.id != spec.id and _kind(run) == _kind(spec)]
    found: list[Trajectory] = []
    used = []
    for run in alike:
        ended = [t for t in store.trajectories(run.id) if t.stop_reason and t.stop_reason.scored]
        found += ended
        used += [run.id] if ended else []
    if not found:
        return None
    times = len(spec.entity_ids) * spec.trials
    cost, reason = _cost(found, prices)
    return Estimate(
        from_runs=tuple(used),
        from_trajectories=len(found),
        trajectories=times,
        calls=times * fmean(len(t.calls) for t in found),
        input_tokens=_times(times, [t.usage(None).input_tokens for t in found]),
        output_tokens=_times(times, [t.usage(None).output_tokens for t in found]),
        cost_usd=None if cost is None else times * cost,
        cost_reason=reason,
        seconds=times * fmean(active_s(t) for t in found) / min(spec.concurrency, times),
    )


def _kind(run: RunSpec) -> tuple[str, ...]:
    return run.scenario_id, run.agent, competitor(run), run.tools, run.protocol, run.insights


def _times(times: int, counts: Sequence[int | None]) -> float | None:
    known = [count for count in counts if count is not None]
    return times * fmean(known) if len(known) == len(counts) else None


def _cost(
    found: Sequence[Trajectory], prices: PriceTable | None
) -> tuple[float | None, str | None]:
    """The mean cost of a trajectory, at these prices where they are given."""
    costs = []
    for trajectory in found:
        cost = 0.0
        for call in trajectory.calls:
            usage = (reprice(call, prices) if prices else call).usage
            if usage.cost_usd is None:
                return None, usage.cost_reason
            cost += usage.cost_usd
        costs.append(cost)
    return fmean(costs), None
