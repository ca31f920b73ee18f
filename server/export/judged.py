"""The tables of what was judged: evaluations, verdicts, scores, and the checklist where it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from core.checklist import ChecklistItem
from core.evaluation import Evaluation, Score, Verdict
from core.naming import without_folders
from core.trajectory import Trajectory
from server.export.calls import Asked
from server.export.fields import Field, Layout, listed, moment


@dataclass(frozen=True)
class Ruled:
    """A verdict, the evaluation that it belongs to, and what was explored."""

    evaluation: Evaluation
    verdict: Verdict
    entity_id: str | None
    """None where its trajectory is another run's."""


@dataclass(frozen=True)
class Scored:
    """A score, and whose."""

    run_id: str
    evaluation_id: str
    facet: str | None
    group: str | None
    score: Score


def _baseline(evaluation: Evaluation) -> str | None:
    found = evaluation.parameters.get("baseline")
    return None if found is None else str(found)


EVALUATIONS: Final = Layout[Evaluation](
    "evaluations",
    "a pass of a checker over a run, or over a baseline beside it",
    (
        Field("run_id", "text", "The run.", lambda e: e.run_id),
        Field("evaluation_id", "text", "", lambda e: e.id),
        Field("checker", "text", "", lambda e: e.checker),
        Field(
            "judges_asked", "text", "", lambda e: listed([*map(without_folders, e.judges_asked)])
        ),
        Field(
            "judges_served", "text", "", lambda e: listed([*map(without_folders, e.judges_served)])
        ),
        Field("baseline", "text", "Empty for the agent's own insights.", _baseline),
        Field(
            "beside",
            "text",
            "Of a baseline: the evaluation that it stands beside.",
            lambda e: str(e.parameters["of"]) if e.parameters.get("of") else None,
        ),
        Field("criteria", "text", "", lambda e: e.criteria),
        Field("prompt_hash", "text", "Of the judge's prompts.", lambda e: e.prompt_hash),
        Field("checklist_id", "text", "", lambda e: e.checklist_id),
        Field("checklist_version", "text", "", lambda e: e.checklist_version),
        Field("checklist_hash", "text", "sha-256 of its items.", lambda e: e.checklist_hash),
        Field("protocol", "text", "Of judging.", lambda e: e.protocol),
        Field("created_at", "text", "UTC.", lambda e: moment(e.created_at)),
    ),
    holds_data=False,
)

VERDICTS: Final = Layout[Ruled](
    "verdicts",
    "what a checker says of an item at one level of a trajectory",
    (
        Field("run_id", "text", "The run.", lambda r: r.evaluation.run_id),
        Field("evaluation_id", "text", "", lambda r: r.evaluation.id),
        Field("baseline", "text", "Empty for the agent's own.", lambda r: _baseline(r.evaluation)),
        Field("trajectory_id", "text", "The attempt.", lambda r: r.verdict.trajectory_id),
        Field("entity_id", "text", "What was explored.", lambda r: r.entity_id),
        Field("item_id", "text", "Of the checklist.", lambda r: r.verdict.item_id),
        Field("level", "text", "message or trajectory.", lambda r: r.verdict.level),
        Field("label", "text", "Empty = unscored.", lambda r: r.verdict.label),
        Field("found_at_turn", "integer", "First support.", lambda r: r.verdict.found_at_turn),
        Field("supporting_turns", "text", "", lambda r: listed(r.verdict.supporting_turns)),
        Field("contradicting_turns", "text", "", lambda r: listed(r.verdict.contradicting_turns)),
        Field("gated", "integer", "Clauses about this fact at all.", lambda r: r.verdict.gated),
        Field("cannot_tell", "truth", "Of a closed item.", lambda r: r.verdict.cannot_tell),
        Field("judges", "integer", "How many voted.", lambda r: max(1, len(r.verdict.votes))),
        Field("chosen", "text", "Of a closed item.", lambda r: r.verdict.chosen, is_answer=True),
        Field("evidence", "text", "The quote.", lambda r: r.verdict.evidence, is_answer=True),
        Field("reason", "text", "", lambda r: r.verdict.reason or None, is_answer=True),
        Field(
            "unscored_reason",
            "text",
            "Why there is no label.",
            lambda r: r.verdict.unscored_reason,
            is_answer=True,
        ),
    ),
)


def _plain(name: str, kind: Any, told: str) -> Field[Scored]:
    return Field(name, kind, told, lambda s: getattr(s.score, name))


SCORES: Final = Layout[Scored](
    "scores",
    "an accuracy with all that it is out of (docs/scores.md)",
    (
        Field("run_id", "text", "The run.", lambda s: s.run_id),
        Field("evaluation_id", "text", "", lambda s: s.evaluation_id),
        Field("competitor", "text", "Whose.", lambda s: without_folders(s.score.competitor)),
        Field("facet", "text", "Empty for all items.", lambda s: s.facet),
        Field("group", "text", "Of the facet.", lambda s: s.group),
        _plain("level", "text", "message or trajectory."),
        _plain("averaging", "text", "item, or sample: mean of the entities' shares."),
        _plain("headline", "number", "strict, where coverage is at least 0.95."),
        _plain("headline_reason", "text", "Why there is no headline."),
        _plain("strict", "number", "Unscored items count as 0."),
        _plain("scored_only", "number", "Unscored items are left out."),
        _plain("answered_only", "number", "Entities without insights are left out too."),
        _plain("coverage", "number", "Scored items / all items."),
        _plain("standard_error", "number", "Of strict, clustered by entity."),
        _plain("low", "number", "95 % interval, clustered by entity."),
        _plain("high", "number", "95 % interval, clustered by entity."),
        _plain("items", "integer", "All."),
        _plain("supported", "integer", ""),
        _plain("contradicted", "integer", ""),
        _plain("insufficient", "integer", ""),
        _plain("unscored", "integer", ""),
        _plain("cannot_tell", "integer", "Of the insufficient ones."),
        _plain("entities", "integer", ""),
    ),
    holds_data=False,
)

ITEMS: Final = Layout[ChecklistItem](
    "items",
    "an item of the checklist that a run was judged by",
    (
        Field("item_id", "text", "", lambda i: i.id),
        Field("entity_id", "text", "", lambda i: i.entity_id),
        Field("question", "text", "", lambda i: i.question),
        Field("answer", "text", "", lambda i: i.answer),
        Field("kind", "text", "open or closed.", lambda i: i.kind),
        Field("options", "text", "With | between.", lambda i: " | ".join(i.options) or None),
        Field("category", "text", "", lambda i: i.category),
        Field("insight_type", "text", "", lambda i: i.insight_type),
        Field("difficulty", "text", "", lambda i: i.difficulty),
        Field("capability", "text", "", lambda i: i.capability),
        Field("status", "text", "Only accepted ones score.", lambda i: i.status),
        Field("source", "text", "", lambda i: i.source),
        Field("evidence_sql", "text", "", lambda i: i.evidence_sql),
        Field(
            "expected",
            "text",
            "What the evidence returns.",
            lambda i: None if i.expected is None else str(i.expected.value),
        ),
        Field("weight", "number", "", lambda i: i.weight),
    ),
    holds_answers=True,
)


def calls_of_judges(
    evaluation: Evaluation, verdicts: Sequence[Verdict], heads: dict[str, Trajectory]
) -> Iterator[Asked]:
    """Every request that these verdicts took."""
    for verdict in verdicts:
        head = heads.get(verdict.trajectory_id)
        for call in verdict.calls:
            yield Asked(
                evaluation.run_id,
                verdict.trajectory_id,
                head.entity_id if head else "",
                None,
                evaluation.id,
                call,
            )
