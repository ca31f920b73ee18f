"""The tables of what was done: runs, trajectories, turns, insights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from core.naming import without_folders
from core.run import RunSpec
from core.trajectory import Insight, Trajectory, Turn
from server.export.fields import Field, Layout, moment, usage_fields
from server.runs import competitor
from server.store.attempts import active_s


@dataclass(frozen=True)
class Attempt:
    """One trajectory, and whether it is the one that counts for its entity and trial."""

    trajectory: Trajectory
    counts: bool


@dataclass(frozen=True)
class Acted:
    """A turn and whose it is."""

    trajectory: Trajectory
    turn: Turn


@dataclass(frozen=True)
class Said:
    """An insight and whose it is."""

    trajectory: Trajectory
    insight: Insight


def _model_told(spec: RunSpec) -> str | None:
    return without_folders(competitor(spec)) if spec.model else None


RUNS: Final = Layout[RunSpec](
    "runs",
    "a run",
    (
        Field("run_id", "text", "The run.", lambda r: r.id),
        Field("scenario_id", "text", "What was explored.", lambda r: r.scenario_id),
        Field(
            "scenario_fingerprint",
            "text",
            "sha-256 of the data's content.",
            lambda r: r.scenario_fingerprint,
        ),
        Field("competitor", "text", "Whose row it is.", lambda r: without_folders(competitor(r))),
        Field("agent", "text", "Which agent.", lambda r: r.agent),
        Field("agent_class", "text", "What it had beside the tools.", lambda r: r.agent_class),
        Field("model", "text", "Empty where no model was asked.", _model_told),
        Field("tools", "text", "sql, python or both.", lambda r: r.tools),
        Field("sandbox", "text", "What was asked to hold Python.", lambda r: r.sandbox),
        Field("protocol", "text", "Of exploration.", lambda r: r.protocol),
        Field("goal", "text", "What it was told to find out.", lambda r: r.goal),
        Field("prompts_hash", "text", "sha-256 of the agent's prompts.", lambda r: r.prompts_hash),
        Field("max_turns", "integer", "Empty = unlimited.", lambda r: r.limits.max_turns),
        Field("max_tokens", "integer", "Empty = unlimited.", lambda r: r.limits.max_tokens),
        Field("max_cost_usd", "number", "Empty = unlimited.", lambda r: r.limits.max_cost_usd),
        Field("max_seconds", "number", "Empty = unlimited.", lambda r: r.limits.max_seconds),
        Field("max_idle_turns", "integer", "", lambda r: r.limits.max_idle_turns),
        Field("entities", "integer", "How many.", lambda r: len(r.entity_ids)),
        Field("trials", "integer", "Explorations of each entity.", lambda r: r.trials),
        Field("budget_usd", "number", "Of the whole run.", lambda r: r.budget_usd),
        Field("seed", "integer", "", lambda r: r.seed),
        Field("insights", "text", "When message-wise ones are asked for.", lambda r: r.insights),
        Field(
            "imported_form",
            "text",
            "How it came here; empty where it was explored here.",
            lambda r: r.imported.form if r.imported else None,
        ),
        Field("created_at", "text", "UTC.", lambda r: moment(r.created_at)),
    ),
    holds_data=False,
)

TRAJECTORIES: Final = Layout[Attempt](
    "trajectories",
    "an attempt of the agent at an entity",
    (
        Field("run_id", "text", "The run.", lambda a: a.trajectory.run_id),
        Field("trajectory_id", "text", "The attempt.", lambda a: a.trajectory.id),
        Field("entity_id", "text", "What was explored.", lambda a: a.trajectory.entity_id),
        Field("trial", "integer", "From 1.", lambda a: a.trajectory.trial),
        Field("attempt", "integer", "From 1.", lambda a: a.trajectory.attempt),
        Field("counts", "truth", "Whether it is the one that is scored.", lambda a: a.counts),
        Field(
            "stop_reason",
            "text",
            "Empty while it goes on, or where its process was killed.",
            lambda a: a.trajectory.stop_reason.value if a.trajectory.stop_reason else None,
        ),
        Field(
            "self_terminated",
            "truth",
            "Whether the agent itself chose to stop.",
            lambda a: (
                a.trajectory.stop_reason.self_terminated if a.trajectory.stop_reason else None
            ),
        ),
        Field("turns", "integer", "How many.", lambda a: len(a.trajectory.turns)),
        Field("tool_calls", "integer", "How many.", lambda a: a.trajectory.tool_calls),
        Field("nudges", "integer", "How many.", lambda a: len(a.trajectory.nudges)),
        Field(
            "near_finishes",
            "integer",
            "Replies that held the finish marker and ended nothing.",
            lambda a: a.trajectory.near_finishes,
        ),
        Field(
            "insights",
            "integer",
            "Message-wise ones with a text.",
            lambda a: sum(each.text is not None for each in a.trajectory.message_insights),
        ),
        Field("has_report", "truth", "", lambda a: a.trajectory.report is not None),
        Field("report_forced", "truth", "It was asked for.", lambda a: a.trajectory.report_forced),
        Field(
            "model",
            "text",
            "As asked.",
            lambda a: without_folders(a.trajectory.model) if a.trajectory.model else None,
        ),
        Field(
            "reported_model",
            "text",
            "An outside agent's word.",
            lambda a: a.trajectory.reported_model,
        ),
        Field(
            "sandbox",
            "text",
            "What held Python.",
            lambda a: a.trajectory.sandbox.name if a.trajectory.sandbox else None,
        ),
        Field("started_at", "text", "UTC.", lambda a: moment(a.trajectory.started_at)),
        Field("ended_at", "text", "UTC.", lambda a: moment(a.trajectory.ended_at)),
        Field("active_s", "number", "From start to end.", lambda a: active_s(a.trajectory)),
        Field("tool_s", "number", "Of these, inside tools.", lambda a: a.trajectory.tool_seconds),
        *usage_fields(lambda a: a.trajectory.usage("agent"), "agent_"),
        Field("code_revision", "text", "Of the server.", lambda a: a.trajectory.code_revision),
    ),
)

TURNS: Final = Layout[Acted](
    "turns",
    "a turn",
    (
        Field("run_id", "text", "The run.", lambda t: t.trajectory.run_id),
        Field("trajectory_id", "text", "The attempt.", lambda t: t.trajectory.id),
        Field("entity_id", "text", "What was explored.", lambda t: t.trajectory.entity_id),
        Field("trial", "integer", "From 1.", lambda t: t.trajectory.trial),
        Field("turn", "integer", "From 1.", lambda t: t.turn.index),
        Field("text", "text", "What the agent wrote.", lambda t: t.turn.text or None),
        Field("reasoning", "text", "As far as it was reported.", lambda t: t.turn.reasoning),
        Field("tool_calls", "integer", "How many.", lambda t: len(t.turn.tool_calls)),
        Field("near_finish", "truth", "", lambda t: t.turn.near_finish),
        Field("started_at", "text", "UTC.", lambda t: moment(t.turn.started_at)),
        Field("duration_s", "number", "", lambda t: t.turn.duration_s),
        Field(
            "tool_s",
            "number",
            "Of these, inside tools.",
            lambda t: sum(result.duration_s for result in t.turn.tool_results),
        ),
        *usage_fields(lambda t: t.turn.call.usage if t.turn.call else None),
    ),
)

INSIGHTS: Final = Layout[Said](
    "insights",
    "an insight",
    (
        Field("run_id", "text", "The run.", lambda s: s.trajectory.run_id),
        Field("trajectory_id", "text", "The attempt.", lambda s: s.trajectory.id),
        Field("entity_id", "text", "What was explored.", lambda s: s.trajectory.entity_id),
        Field("trial", "integer", "From 1.", lambda s: s.trajectory.trial),
        Field("insight_id", "text", "", lambda s: s.insight.id),
        Field("level", "text", "message or trajectory.", lambda s: s.insight.level),
        Field("turn", "integer", "Empty at trajectory level.", lambda s: s.insight.turn),
        Field("text", "text", "Empty = nothing worth saying.", lambda s: s.insight.text),
        Field("author", "text", "Whose words.", lambda s: without_folders(s.insight.author)),
        Field("failed", "truth", "The call for it failed.", lambda s: s.insight.failed),
        Field("prompt_hash", "text", "", lambda s: s.insight.prompt_hash),
    ),
)
