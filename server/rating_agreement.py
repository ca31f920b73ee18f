"""How far metrics go with people's scores of the same explorations (IE-09)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean

from core.checklist import Checklist
from core.evaluation import LEVELS, Verdict
from core.labels import PersonRating
from core.record import Record
from core.trajectory import Trajectory
from evaluator.agreement import icc
from evaluator.correlation import correlate
from evaluator.metrics.rouge import rouge1
from evaluator.metrics.scores import one_to_many
from evaluator.metrics.sets import InsightSet, Truth

Columns = Mapping[str, Mapping[str, float]]
"""{metric: {trajectory id: its score, 0 to 1}}."""


class MetricBesidePeople(Record):
    """One metric over the explorations that people have scored."""

    metric: str
    n: int
    mean: float
    people: float
    """The mean of people's scores of the same explorations."""
    gap: float
    """The mean absolute difference."""
    pearson: float | None
    spearman: float | None
    """None below three explorations, and where a column does not vary."""


class RatingAgreement(Record):
    """People's scores, and every metric beside them."""

    rated: int
    people: tuple[str, ...]
    icc: float | None
    """ICC(1) of people's scores, over what all of them have scored."""
    metrics: tuple[MetricBesidePeople, ...]
    """Those that go best with people first, by Spearman."""


def agree(ratings: Sequence[tuple[str, str, PersonRating]], columns: Columns) -> RatingAgreement:
    """From (trajectory id, who, rating)."""
    scores: dict[str, dict[str, float]] = defaultdict(dict)
    for subject, who, rating in ratings:
        scores[subject][who] = rating.score
    names = sorted({who for each in scores.values() for who in each})
    means = {subject: fmean(each.values()) for subject, each in scores.items()}
    whole = [list(each.values()) for each in scores.values() if len(each) == len(names)]
    found = []
    for metric, column in columns.items():
        both = [subject for subject in means if subject in column]
        if not both:
            continue
        people, own = [means[s] for s in both], [column[s] for s in both]
        related = correlate(own, people)
        found.append(
            MetricBesidePeople(
                metric=metric,
                n=len(both),
                mean=fmean(own),
                people=fmean(people),
                gap=fmean(abs(a - b) for a, b in zip(own, people, strict=True)),
                pearson=related.pearson,
                spearman=related.spearman,
            )
        )
    found.sort(key=lambda each: -2.0 if each.spearman is None else each.spearman, reverse=True)
    return RatingAgreement(
        rated=len(scores),
        people=tuple(names),
        icc=icc(whole) if len(names) > 1 and len(whole) > 1 else None,
        metrics=tuple(found),
    )


def columns_of(
    trajectories: Sequence[Trajectory],
    checklist: Checklist,
    verdicts: Mapping[str, Sequence[Verdict]],
) -> dict[str, dict[str, float]]:
    """The metrics that ask no model, and the share supported in each evaluation (id -> verdicts)."""
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for evaluation_id, said in verdicts.items():
        for level in LEVELS:
            shares: dict[str, list[bool]] = defaultdict(list)
            for verdict in said:
                if verdict.level == level:
                    shares[verdict.trajectory_id].append(verdict.label == "supported")
            for trajectory_id, mine in shares.items():
                found[f"{level} accuracy of {evaluation_id}"][trajectory_id] = fmean(mine)
    for each in trajectories:
        items = [item for item in checklist.of(each.entity_id) if item.kind == "open"]
        if not items:
            continue
        score = one_to_many(
            InsightSet(
                entity_id=each.entity_id,
                trial=each.trial,
                cluster=each.entity_id,
                category="",
                difficulty="unknown",
                truths=tuple(Truth(id=i.id, text=i.answer, type=i.insight_type) for i in items),
                predictions=tuple(
                    i.text for i in each.message_insights if i.text and i.text.strip()
                ),
            ),
            lambda pair: rouge1(prediction=pair.prediction, reference=pair.truth).f1,
        )
        found["ROUGE-1 recall"][each.id] = score.recall.strict
        if score.f1 is not None:
            found["ROUGE-1 F1"][each.id] = score.f1.strict
    return dict(found)
