"""What a run came to so far, read from the store: for lists, for JSON, for the last word."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from core import tokens
from core.agent_class import CLOSED_BOOK
from core.authorship import other_authors
from core.evaluation import BASELINES
from core.run import RunSpec
from core.trajectory import StopReason, Trajectory
from server.contacts import Contacts, reported
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
    never_met: int
    """Of those, nobody came to explore."""
    turns: int
    """Stored, of all attempts."""

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left that a resume would explore."""
        return self.done == self.wanted


def competitor(spec: RunSpec) -> str:
    """Whose insights a run's are: the model's, or the agent's where there is no model.

    An agent from outside goes by the name that it was enrolled under: which model it asks is its own
    word (Trajectory.reported_model), and no name for a row. One that bears a baseline's name is told
    apart from it: their verdicts would be counted together.
    """
    from providers.catalog import model_name

    name = model_name(spec.model) if spec.model else spec.agent
    if spec.outside is None and spec.agent == CLOSED_BOOK:
        return f"{name} (closed book)"
    return f"{name} (agent)" if name.casefold() in BASELINES else name


def progress_of(spec: RunSpec, store: Repository) -> RunProgress:
    """How far the run is by what the store holds."""
    attempts = store.heads(spec.id)
    wanted = len(spec.keys)
    left = len(to_do(spec, attempts, retry_errors=False))
    left_with_faults = len(to_do(spec, attempts, retry_errors=True))
    return RunProgress(
        wanted=wanted,
        done=wanted - left,
        failed=left_with_faults - left,
        never_met=sum(each.stop_reason is StopReason.NO_CONTACT for each in counting(attempts)),
        turns=store.turns_stored(spec.id),
    )


def state_of(spec: RunSpec, state: RunProgress, contacts: Contacts, *, locked: bool) -> str:
    """In words how a run stands: running, complete, to resume; open or closed to an agent from outside."""
    if locked:
        return "running"
    if state.is_complete:
        word = "complete"
    elif spec.outside is None:
        word = "to resume"
    else:
        word = "open" if any(not each.is_closed for each in contacts.seats) else "closed"
    word += f", {state.never_met} without contact" if state.never_met else ""
    failed = state.failed - state.never_met
    return f"{word}, {failed} failed" if failed > 0 else word


def summary(spec: RunSpec, store: Repository) -> dict[str, Any]:
    """The run for --json: totals over all attempts, then each trajectory that counts."""
    attempts = store.all_attempts(spec.id)
    counted = counting(attempts)
    whole = totals(attempts)
    contacts = Contacts(spec, store)
    return {
        "run": spec.id,
        "scenario": spec.scenario_id,
        "agent": spec.agent,
        "class": spec.agent_class,
        **_let_in(spec, contacts),
        "model": competitor(spec) if spec.model else None,
        "protocol": spec.protocol,
        "goal": spec.goal,
        "announced_budget": spec.announced_budget,
        "continues": spec.continues.run_id if spec.continues else None,
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
        "trajectories": [_line(each, contacts) for each in counted],
    }


def _let_in(spec: RunSpec, contacts: Contacts) -> dict[str, Any]:
    """How an agent from outside was let in; nothing of one of ours."""
    outside = spec.outside
    if outside is None:
        return {}
    return {
        "declared": {"shell": outside.has_shell, "web": outside.has_web},
        "queue": outside.queue,
        "seats": len(contacts.seats),
        "open_seats": sum(not each.is_closed for each in contacts.seats),
    }


def _line(trajectory: Trajectory, contacts: Contacts) -> dict[str, Any]:
    line = outline(trajectory)
    if contacts.seats:
        line["contact"] = contacts.of(trajectory).model_dump(mode="json")
        line["reported"] = reported(trajectory)
    return line


def outline(trajectory: Trajectory) -> dict[str, Any]:
    """One trajectory in a line."""
    return {
        "trajectory": trajectory.id,
        "entity": trajectory.entity_id,
        "trial": trajectory.trial,
        "attempt": trajectory.attempt,
        "turns": len(trajectory.turns),
        "insights": sum(1 for each in trajectory.message_insights if each.text),
        "insights_by_others": other_authors([trajectory]),
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
