"""Go on from trajectories that had ended by themselves, in a run of its own: did they stop too early?

The run's specification names what each of its trajectories goes on from; its agent is sent that
conversation again, is told to go on (agent/going_on.py), and has so many turns more. The original is
only read. The new turns count from 1; nothing of the old ones is stored twice.
"""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from core.errors import StoreError, UsageError
from core.hints import typed
from core.outside import Key
from core.run import Continuation, Continued, RunSpec
from core.trajectory import Role, Trajectory
from server.build import REACT, run_id
from server.store import Repository


def continuation(
    spec: RunSpec,
    turns: int,
    store: Repository,
    now: datetime,
    *,
    budget_usd: float | None = None,
    concurrency: int | None = None,
) -> RunSpec:
    """The run that goes on with so many turns more: the stored one, or a new one that is not stored yet.

    It differs from the original in what it begins with, in its limit of turns, and in that no budget
    is announced. Raises UsageError for a run that cannot be gone on from.
    """
    if found := stored_continuation(spec, turns, store):
        return found
    _refuse(spec, turns)
    done = finished(spec, store)
    if not done:
        raise UsageError(f"run {spec.id}: none of its trajectories has ended by itself yet")
    lacking = next(
        (t for t in done if t.preamble is None or t.preamble.system_prompt is None), None
    )
    if lacking is not None:
        raise UsageError(f"trajectory {lacking.id} does not hold what its agent was sent")
    if not any(t.message_insights for t in done):
        again = typed(f"insights {spec.id}")
        raise UsageError(
            f"run {spec.id} has no message-wise insights, so nobody can tell what would be new: "
            f"ask for them first, {again}"
        )
    begun = tuple(
        Continued(entity_id=t.entity_id, trial=t.trial, trajectory_id=t.id)
        for t in sorted(done, key=lambda t: (t.trial, spec.entity_ids.index(t.entity_id)))
    )
    known = {
        **spec.model_dump(),
        "id": run_id(spec.scenario_id, now, (run.id for run in store.runs())),
        "entity_ids": tuple(dict.fromkeys(each.entity_id for each in begun)),
        "trials": max(each.trial for each in begun),
        "limits": {**spec.limits.model_dump(), "max_turns": turns},
        "announced_budget": False,
        # What is asked for later cannot be judged now.
        "insights": "per-turn",
        "continues": Continuation(run_id=spec.id, trajectories=begun).model_dump(),
        "created_at": now,
        "budget_usd": budget_usd,
        "concurrency": concurrency or spec.concurrency,
    }
    return RunSpec.model_validate(known)


def stored_continuation(spec: RunSpec, turns: int, store: Repository) -> RunSpec | None:
    """The newest run that goes on from this one by so many turns and from all that had finished."""
    want = {t.id for t in finished(spec, store)}
    for run in reversed(continuations(spec, store)):
        assert run.continues is not None
        from_ = {each.trajectory_id for each in run.continues.trajectories}
        if run.limits.max_turns == turns and from_ == want:
            return run
    return None


def continuations(spec: RunSpec, store: Repository) -> list[RunSpec]:
    """The runs that go on from this one, the oldest first."""
    runs = store.runs()
    found = [r for r in runs if r.continues is not None and r.continues.run_id == spec.id]
    return sorted(found, key=lambda run: run.created_at)


def finished(spec: RunSpec, store: Repository) -> list[Trajectory]:
    """The trajectories that count and ended by themselves."""
    return [
        each
        for each in store.trajectories(spec.id)
        if each.stop_reason is not None and each.stop_reason.self_terminated
    ]


def check(spec: RunSpec, store: Repository) -> None:
    """Raise StoreError where a run goes on from what is not stored any more."""
    if spec.continues is None:
        return
    stored = {head.id for head in store.heads(spec.continues.run_id)}
    lost = [t.trajectory_id for t in spec.continues.trajectories if t.trajectory_id not in stored]
    if lost:
        raise StoreError(
            f"run {spec.id} goes on from run {spec.continues.run_id}, of which {lost[0]} is not stored "
            f"any more; begin anew from another run: {typed('stopping RUN --after-finish N')}"
        )


def gone_on_from(spec: RunSpec, key: Key, store: Repository) -> Trajectory | None:
    """What one exploration of the run begins with; None where it begins at the beginning.

    Raises StoreError where that is not stored any more.
    """
    if spec.continues is None:
        return None
    for each in spec.continues.trajectories:
        if (each.entity_id, each.trial) == key:
            return store.trajectory(each.trajectory_id)
    raise StoreError(f"run {spec.id} goes on from no trajectory of {key[0]}, trial {key[1]}")


def said_before(spec: RunSpec, key: Key, store: Repository) -> Counter[Role]:
    """How many replies of each role the original holds: a script goes on where it was."""
    done = gone_on_from(spec, key, store)
    return Counter(call.role for call in done.calls) if done else Counter()


def _refuse(spec: RunSpec, turns: int) -> None:
    why: str | None = None
    if spec.continues is not None:
        why = f"it goes on from run {spec.continues.run_id} itself: take that one, with more turns"
    elif spec.outside is not None or spec.origin is not None:
        why = "its agent is none of ours, so that nobody here can ask it to go on"
    elif spec.agent != REACT or spec.model is None:
        why = (
            f"only the agent {REACT} has a conversation that can be gone on with, not {spec.agent}"
        )
    elif spec.model.provider == "replay":
        why = f"it replays run {spec.model.name}, which says nothing beyond its end: take that run"
    elif spec.is_bundled:
        # And what was found here would stand as the sender's.
        why = (
            "it came in a bundle, which does not tell where its model was asked; go on from it in the "
            f"home that explored it, with {typed(f'stopping {spec.id} --after-finish {turns}')}, and "
            "have both runs sent in one bundle"
        )
    if why:
        raise UsageError(f"run {spec.id} cannot be gone on from: {why}")
