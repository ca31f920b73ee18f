"""What people are asked of a run, one thing at a time, and how their answers are read and kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal

from core.checklist import Checklist, ChecklistItem
from core.evaluation import Label, Level
from core.labels import BEST_OF_FORM, FormAnswer, PersonLabel, PersonRating, Section
from core.record import Record
from core.run import RunSpec
from core.trajectory import Trajectory
from evaluator.asking import numbered
from server.drawing import drawn
from server.sampling import questions

Kind = Literal["label", "rating", "form"]
RECORDS: Final[dict[Kind, type[PersonLabel] | type[PersonRating] | type[FormAnswer]]] = {
    "label": PersonLabel,
    "rating": PersonRating,
    "form": FormAnswer,
}
LABELS: Final[dict[str, Label]] = {
    "s": "supported",
    "c": "contradicted",
    "i": "insufficient",
    "supported": "supported",
    "contradicted": "contradicted",
    "insufficient": "insufficient",
}
SAMPLE: Final = "30"
"""How much is asked unless told: InsightEval's study had 30 data points (IE-09)."""


@dataclass(frozen=True)
class Ask:
    """One thing that a person is asked."""

    subject: str
    """Its name among a run's."""
    shown: Mapping[str, str]
    """What is shown of it, by heading."""
    answers: str
    """What may be answered, in words."""
    make: Callable[[str, str, datetime], Record] = field(repr=False)
    """(answer, note, now) -> the record. Raises ValueError with what may be answered."""


def asks(
    kind: Kind,
    spec: RunSpec,
    trajectories: Sequence[Trajectory],
    checklist: Checklist,
    *,
    sample: str | None = None,
    judged: Mapping[str, str] | None = None,
) -> list[Ask]:
    """What is asked of a run, drawn by its seed: the same for everybody. Raises UsageError (sample).

    `judged`: the judge's labels by subject, shown where people are not to be blind to them.
    """
    every = questions(trajectories, checklist)
    found: list[Ask] = []
    if kind == "label":
        found = [_label(*each, judged) for each in every]
    elif kind == "rating":
        some = {each.id: each for each, _, _ in every}
        found = [_rating(each, checklist) for each in some.values()]
    else:
        entities = {each.entity_id: None for each, _, _ in every} or dict.fromkeys(spec.entity_ids)
        chosen = drawn(list(entities), sample, seed=spec.seed) if entities else []
        return [each for entity_id in chosen for each in _form(entity_id, checklist)]
    return drawn(found, sample or SAMPLE, seed=spec.seed) if found else []


def subject_of(trajectory_id: str, item_id: str, level: Level) -> str:
    """How a label names what it is about."""
    return f"{trajectory_id}|{item_id}|{level}"


def _label(
    trajectory: Trajectory, item: ChecklistItem, level: Level, judged: Mapping[str, str] | None
) -> Ask:
    subject = subject_of(trajectory.id, item.id, level)
    shown = {"question": item.question, "answer": item.answer}
    if item.options:
        shown["options"] = " | ".join(item.options)
    shown["insights" if level == "message" else "report"] = _said(trajectory, level)
    if judged is not None:
        shown["the judge says"] = judged.get(subject, "unscored")

    def make(answer: str, note: str, now: datetime) -> PersonLabel:
        label = LABELS.get(answer.strip().casefold())
        if label is None:
            raise ValueError("answer supported, contradicted or insufficient (s, c, i)")
        return PersonLabel(
            trajectory_id=trajectory.id,
            item_id=item.id,
            level=level,
            label=label,
            note=note,
            is_blind=judged is None,
            created_at=now,
        )

    return Ask(subject, shown, "supported, contradicted, insufficient (s, c, i)", make)


def _rating(trajectory: Trajectory, checklist: Checklist) -> Ask:
    truths = [item.answer for item in checklist.of(trajectory.entity_id)]
    if summary := checklist.summary.get(trajectory.entity_id):
        truths.append(f"In short: {summary}")
    shown = {
        "what there was to find": "\n".join(f"- {truth}" for truth in truths),
        "insights": _said(trajectory, "message") or "(none)",
        "report": _said(trajectory, "trajectory") or "(none)",
    }

    def make(answer: str, note: str, now: datetime) -> PersonRating:
        given, best = _score(answer)
        return PersonRating(
            trajectory_id=trajectory.id, given=given, best=best, note=note, created_at=now
        )

    return Ask(trajectory.id, shown, "how much of it was found: 1 to 10, or 0.0 to 1.0", make)


def _score(answer: str) -> tuple[float, float]:
    """A whole number is out of ten; one with a point is out of one."""
    said = answer.strip()
    try:
        given = float(said)
    except ValueError:
        given = -1.0
    if said.isdigit() and 1 <= given <= 10:
        return given, 10.0
    if "." in said and 0 <= given <= 1:
        return given, 1.0
    raise ValueError("answer a whole number from 1 to 10, or 0.0 to 1.0 with its point")


_OVERVIEW: Final = (
    ("description", "Is it clear what the data hold and what they are about?"),
    ("goal", "Is the goal specific enough that one could tell whether it was reached?"),
)
_INSIGHT: Final = (
    ("question", "Is this a question that somebody with this goal would want answered?"),
    ("evidence", "Does the evidence answer the question?"),
    ("insight", "Does the insight serve the goal?"),
)
_SUMMARY: Final = (
    ("complete", "Does the summary hold all that matters among the insights?"),
    ("concise", "Does it hold nothing else, and is it as short as it can be?"),
)


def _form(entity_id: str, checklist: Checklist) -> list[Ask]:
    """The three sections of InsightBench's quality check (IB-11, App. B.4), in our own words."""
    name = {"data set": entity_id}
    summary = checklist.summary.get(entity_id)
    made = [_formed(entity_id, "overview", *each, shown=name) for each in _OVERVIEW]
    for item in checklist.of(entity_id):
        shown = {**name, "question": item.question, "insight": item.answer}
        if item.evidence_sql:
            shown["evidence"] = item.evidence_sql
        made += [
            _formed(entity_id, "insights", *each, shown=shown, item_id=item.id) for each in _INSIGHT
        ]
    if summary:
        shown = {**name, "summary": summary}
        made += [_formed(entity_id, "summary", *each, shown=shown) for each in _SUMMARY]
    return made


def _formed(
    entity_id: str,
    section: Section,
    key: str,
    question: str,
    *,
    shown: Mapping[str, str],
    item_id: str | None = None,
) -> Ask:
    def make(answer: str, note: str, now: datetime) -> FormAnswer:
        if answer.strip() not in [str(n) for n in range(1, BEST_OF_FORM + 1)]:
            raise ValueError(f"answer a whole number from 1 (not at all) to {BEST_OF_FORM} (fully)")
        return FormAnswer(
            entity_id=entity_id,
            section=section,
            question=key,
            item_id=item_id,
            score=int(answer),
            note=note,
            created_at=now,
        )

    subject = "|".join([entity_id, section, *([item_id] if item_id else []), key])
    told = {**shown, f"section {section}": question}
    return Ask(subject, told, f"1 (not at all) to {BEST_OF_FORM} (fully)", make)


def _said(trajectory: Trajectory, level: Level) -> str:
    if level == "trajectory":
        return trajectory.report or ""
    told = ((each.turn, each.text) for each in trajectory.message_insights)
    return numbered([(turn, text) for turn, text in told if text and text.strip()])
