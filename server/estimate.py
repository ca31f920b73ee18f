"""What a run will take, by what runs of the same kind took."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import fmean
from typing import Any

from core.record import Record
from core.run import RunSpec
from core.trajectory import ModelCall, Role, Trajectory
from providers.pricing import PriceTable, reprice
from server.store import Repository
from server.store.attempts import active_s


class Amount(Record):
    """A total over the trajectories to come."""

    mean: float
    low: float | None
    """Were each of them like the least of those it is from; None where it is from a single one."""
    high: float | None
    """Were each like the greatest."""


class RoleEstimate(Record):
    """The part of one role."""

    calls: Amount
    input_tokens: Amount | None
    output_tokens: Amount | None


class Estimate(Record):
    """What a run will take: means over stored trajectories, times the trajectories to come."""

    from_runs: tuple[str, ...]
    from_trajectories: int
    trajectories: int
    calls: Amount
    input_tokens: Amount | None
    """Billed: what is sent again counts again. None where it was not reported."""
    output_tokens: Amount | None
    roles: dict[Role, RoleEstimate]
    cost_usd: Amount | None
    """None where a price is missing, or no model is asked."""
    cost_reason: str | None
    seconds_per_call: float | None
    """How long an answer of a model took; None without calls."""
    concurrency: int
    seconds: Amount
    """With as many under way as `concurrency` says, and nothing else beside them."""


_WHATEVER = {
    "id",
    "entity_ids",
    "trials",
    "concurrency",
    "budget_usd",
    "seed",
    "price_table_hash",
    "endpoint_allowed",
    "created_at",
}
"""What of a run's specification does not change what one trajectory takes."""


def estimate(
    spec: RunSpec,
    store: Repository,
    prices: PriceTable | None = None,
    *,
    runs: Iterable[str] | None = None,
) -> Estimate | None:
    """None where no run that differs in nothing but its entities, speed and budget has ended.

    `runs` names those that it is to come from; else all that are stored.
    """
    named = None if runs is None else set(runs)
    alike = [run for run in store.runs() if run.id != spec.id and _kind(run) == _kind(spec)]
    found: list[Trajectory] = []
    used = []
    for run in alike:
        if named is not None and run.id not in named:
            continue
        ended = [t for t in store.trajectories(run.id) if t.stop_reason and t.stop_reason.scored]
        found += ended
        used += [run.id] if ended else []
    if not found:
        return None
    times = len(spec.keys)
    priced = [[_at(call, prices) for call in t.calls] for t in found]
    cost = _amount(times, [_sum(calls, lambda call: call.usage.cost_usd) for calls in priced])
    side_by_side = min(spec.concurrency, times)
    waits = [call.duration_s for calls in priced for call in calls]
    asked = any(priced)
    return Estimate(
        from_runs=tuple(used),
        from_trajectories=len(found),
        trajectories=times,
        **_take(times, priced).model_dump(),
        roles={role: _take(times, _only(role, priced)) for role in _roles(priced)},
        cost_usd=cost if asked else None,
        cost_reason=_no_cost(priced) if asked and cost is None else None,
        seconds_per_call=fmean(waits) if waits else None,
        concurrency=side_by_side,
        seconds=_known(times / side_by_side, [active_s(t) for t in found]),
    )


_Calls = Sequence[Sequence[ModelCall]]
"""Of each trajectory."""


def _kind(run: RunSpec) -> dict[str, Any]:
    return run.model_dump(exclude=_WHATEVER)


def _at(call: ModelCall, prices: PriceTable | None) -> ModelCall:
    return reprice(call, prices) if prices else call


def _roles(calls: _Calls) -> list[Role]:
    return list(dict.fromkeys(call.role for mine in calls for call in mine))


def _only(role: Role, calls: _Calls) -> _Calls:
    return [[call for call in mine if call.role == role] for mine in calls]


def _take(times: int, calls: _Calls) -> RoleEstimate:
    return RoleEstimate(
        calls=_known(times, [len(mine) for mine in calls]),
        input_tokens=_amount(times, [_sum(mine, lambda c: c.usage.input_tokens) for mine in calls]),
        output_tokens=_amount(
            times, [_sum(mine, lambda c: c.usage.output_tokens) for mine in calls]
        ),
    )


def _sum(calls: Sequence[ModelCall], part: Callable[[ModelCall], float | None]) -> float | None:
    """None where one call's part is not known."""
    parts = [part(call) for call in calls]
    known = [each for each in parts if each is not None]
    return sum(known) if len(known) == len(parts) else None


def _amount(times: float, sums: Sequence[float | None]) -> Amount | None:
    """Over the trajectories of which it is known; None where it is known of none."""
    known = [each for each in sums if each is not None]
    return _known(times, known) if known else None


def _known(times: float, values: Sequence[float]) -> Amount:
    several = len(values) > 1
    return Amount(
        mean=times * fmean(values),
        low=times * min(values) if several else None,
        high=times * max(values) if several else None,
    )


def _no_cost(calls: _Calls) -> str:
    reasons = (c.usage.cost_reason for mine in calls for c in mine if c.usage.cost_usd is None)
    return next((reason for reason in reasons if reason), "unknown")
