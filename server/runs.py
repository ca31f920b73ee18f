"""What a run came to so far, read from the store: for lists, for JSON, for the last word."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from core import tokens
from core.run import RunSpec
from core.trajectory import Trajectory
from server.spending import spent
from server.store import Repository
from server.store.attempts import active_s, counting, to_do, totals


@dataclass(frozen=True)
class RunProgress:
    """How far a run is."""

    wanted: int
    """(entity, trial) pairs."""
    done: int
    """Of them, explored to an end that a resume leaves alone."""
    failed: int
    """Of those, ended by a fault."""
    turns: int
    """Stored, of all attempts."""


def competitor(spec: RunSpec) -> str:
    """Whose insights a run's are: the model's, or the agent's where there is no model."""
    from providers.catalog import model_name

    return model_name(spec.model) if spec.model else spec.agent


def progress_of(spec: RunSpec, store: Repository) -> RunProgress:
    """How far the run is by what the store holds."""
    attempts = store.heads(spec.id)
    wanted = len(spec.entity_ids) * spec.trials
    left = len(to_do(spec, attempts, retry_errors=False))
    left_with_faults = len(to_do(spec, attempts, retry_errors=True))
    return RunProgress(
        wanted=wanted,
        done=wanted - left,
        failed=left_with_faults - left,
        turns=store.turns_stored(spec.id),
    )


def summary(spec: RunSpec, store: Repository) -> dict[str, Any]:
    """The run for --json: totals over all attempts, then each trajectory that counts."""
    attempts = store.all_attempts(spec.id)
    counted = counting(attempts)
    whole = totals(attempts)
    return {
        "run": spec.id,
        "scenario": spec.scenario_id,
        "agent": spec.agent,
        "model": competitor(spec) if spec.model else None,
        "protocol": spec.protocol,
        "goal": spec.goal,
        "created_at": spec.created_at.isoformat(),
        "entities": len(spec.entity_ids),
        "trials": spec.trials,
        "done": progress_of(spec, store).done,
        "stop_reasons": dict(Counter(stop_of(each) for each in counted)),
        "attempts": whole.attempts,
        "turns": whole.turns,
        "tool_calls": whole.tool_calls,
        "active_s": round(whole.active_s, 3),
        **spent(call for each in attempts for call in each.calls).as_json(),
        "trajectories": [outline(each) for each in counted],
    }


def outline(trajectory: Trajectory) -> dict[str, Any]:
    """One trajectory in a line."""
    return {
        "trajectory": trajectory.id,
        "entity": trajectory.entity_id,
        "trial": trajectory.trial,
        "attempt": trajectory.attempt,
        "turns": len(trajectory.turns),
        "insights": sum(1 for each in trajectory.message_insights if each.text),
        "report": trajectory.report is not None,
        "stop_reason": stop_of(trajectory),
        "error": trajectory.error,
        "seconds": round(active_s(trajectory), 3),
        "report_forced": trajectory.report_forced,
        "nudges": len(trajectory.nudges),
        **spent(trajectory.calls).as_json(),
        "agent_input_tokens": _inputs(trajectory),
        "sandbox": trajectory.sandbox.name if trajectory.sandbox else None,
    }


def _inputs(trajectory: Trajectory) -> dict[str, int | None]:
    """The three counts of the agent's own input, which are three different figures (F34)."""
    calls = [call for call in trajectory.calls if call.role == "agent"]
    return {
        "billed": tokens.billed_input(calls),
        "peak_context": tokens.peak_context(calls),
        "new": tokens.new_input(calls),
    }


def stop_of(trajectory: Trajectory) -> str:
    """Why it ended; 'broken off' where its process died, or while it goes on."""
    return trajectory.stop_reason.value if trajectory.stop_reason else "broken off"
