"""What became of each item at one level: judged in every trial, or unscored with the reason."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from core.checklist import ChecklistItem
from core.evaluation import Level, Verdict
from core.scenario import Entity
from core.trajectory import Trajectory

NEVER_RUN = "never run"
NOT_JUDGED = "not judged"
NOT_ENDED = "the trajectory did not end"

_WORST_FIRST = ("unscored", "contradicted", "insufficient", "supported")


@dataclass(frozen=True)
class Outcome:
    """One item at one level, averaged over its trials (EVALUATION 1.2)."""

    item_id: str
    entity_id: str
    cluster: str
    trials: int
    """At least 1: an entity that was never run counts as one that was not scored."""
    scored: int
    """Of the trials."""
    supported: int
    """Of the scored ones."""
    bucket: str
    """Its most frequent label over the trials; a tie goes to the worse one."""
    reasons: tuple[str, ...] = ()
    """Why trials are unscored, one entry each."""
    answered: int = 0
    """Of the scored ones, those in which anything was handed in at this level."""
    answered_supported: int = 0
    """Of these."""
    cannot_tell: int = 0
    """In how many trials the judge was given the choice, and said that the insights do not tell."""

    @property
    def strict(self) -> float:
        """Share of all trials in which it was supported; unscored ones count as 0."""
        return self.supported / self.trials

    @property
    def scored_only(self) -> float | None:
        """The same over the scored trials; None where there are none."""
        return self.supported / self.scored if self.scored else None

    @property
    def answered_only(self) -> float | None:
        """The same over the answered trials; None where there are none."""
        return self.answered_supported / self.answered if self.answered else None

    @property
    def coverage(self) -> float:
        """Share of its trials that were scored."""
        return self.scored / self.trials

    @property
    def is_untold(self) -> bool:
        """Whether it is insufficient because the judge could not tell, in at least half of its trials."""
        return self.bucket == "insufficient" and 2 * self.cannot_tell >= self.trials


def latest_attempts(trajectories: Sequence[Trajectory]) -> dict[str, list[Trajectory]]:
    """Per entity, the last attempt of each trial: a broken attempt never counts beside its heir."""
    latest: dict[tuple[str, int], Trajectory] = {}
    for trajectory in trajectories:
        key = (trajectory.entity_id, trajectory.trial)
        if key not in latest or trajectory.attempt > latest[key].attempt:
            latest[key] = trajectory
    found: dict[str, list[Trajectory]] = defaultdict(list)
    for (entity_id, _), trajectory in sorted(latest.items()):
        found[entity_id].append(trajectory)
    return found


def outcomes(
    items: Sequence[ChecklistItem],
    trajectories: Sequence[Trajectory],
    verdicts: Sequence[Verdict],
    entities: Sequence[Entity],
    level: Level,
) -> list[Outcome]:
    """One outcome per accepted item of the given entities, in the order of the items.

    No item leaves the list: one whose entity has no trajectory is unscored ("never run"), one
    without a verdict is unscored ("not judged", or that the trajectory did not end). Verdicts of several evaluations (the seeded
    derangements of a baseline) count as further trials.
    """
    clusters = {entity.id: entity.cluster for entity in entities}
    runs = latest_attempts(trajectories)
    evaluations = sorted({verdict.evaluation_id for verdict in verdicts}) or [""]
    said = {
        (verdict.evaluation_id, verdict.trajectory_id, verdict.item_id): verdict
        for verdict in verdicts
        if verdict.level == level
    }
    spoke = {t.id for tried in runs.values() for t in tried if _is_answered(t, level)}
    found = []
    for item in items:
        if item.entity_id not in clusters or item.status != "accepted":
            continue
        tried = [
            (trajectory, said.get((evaluation, trajectory.id, item.id)))
            for trajectory in runs.get(item.entity_id, ())
            for evaluation in evaluations
        ]
        trials = [_trial(*each) for each in tried] or [("unscored", NEVER_RUN)]
        answered = [
            verdict.label
            for trajectory, verdict in tried
            if verdict is not None and verdict.label and trajectory.id in spoke
        ]
        untold = sum(verdict is not None and verdict.cannot_tell for _, verdict in tried)
        made = _outcome(item, clusters[item.entity_id], trials)
        found.append(
            replace(
                made,
                answered=len(answered),
                answered_supported=answered.count("supported"),
                cannot_tell=untold,
            )
        )
    return found


def reasons(found: Sequence[Outcome]) -> Mapping[str, int]:
    """Why trials are unscored, the most frequent reason first."""
    counted = Counter(reason for outcome in found for reason in outcome.reasons)
    return dict(sorted(counted.items(), key=lambda pair: (-pair[1], pair[0])))


def _is_answered(trajectory: Trajectory, level: Level) -> bool:
    if level == "trajectory":
        return trajectory.report is not None
    return any(insight.text for insight in trajectory.message_insights)


def _trial(trajectory: Trajectory, verdict: Verdict | None) -> tuple[str, str | None]:
    if verdict is None:
        return "unscored", NOT_ENDED if trajectory.stop_reason is None else NOT_JUDGED
    if verdict.label is None:
        return "unscored", verdict.unscored_reason or "no reason given"
    return verdict.label, None


def _outcome(
    item: ChecklistItem, cluster: str, trials: Sequence[tuple[str, str | None]]
) -> Outcome:
    labels = Counter(label for label, _ in trials)
    return Outcome(
        item_id=item.id,
        entity_id=item.entity_id,
        cluster=cluster,
        trials=len(trials),
        scored=len(trials) - labels["unscored"],
        supported=labels["supported"],
        bucket=max(_WORST_FIRST, key=lambda label: (labels[label], -_WORST_FIRST.index(label))),
        reasons=tuple(reason for _, reason in trials if reason is not None),
    )


def entity_means(found: Sequence[Outcome], values: Sequence[float]) -> dict[str, float]:
    """The mean of `values` (one per outcome) inside each entity."""
    grouped: dict[str, list[float]] = defaultdict(list)
    for outcome, value in zip(found, values, strict=True):
        grouped[outcome.entity_id].append(value)
    return {entity_id: fmean(group) for entity_id, group in grouped.items()}
