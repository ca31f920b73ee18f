"""What no exploration would score: no insight, empty phrases, another entity's insights."""

from __future__ import annotations

import random
from collections.abc import Sequence
from math import factorial

from core.scenario import Entity
from core.trajectory import Insight, Trajectory
from evaluator.matching import nouns_of
from evaluator.outcomes import latest_attempts
from evaluator.renaming import swap_names

GENERIC = (
    "The entity stands out from the others in several respects.",
    "Activity rises towards the middle of the period and falls again at its end, with a clear peak.",
    "Most records concentrate in a few categories, while the rest share what remains.",
    "On average the delays, costs and volumes are higher than those of comparable entities.",
    "Values are lowest early in the day and grow steadily until the evening.",
    "Weekends differ noticeably from working days, and the summer from the winter.",
    "Extreme values occur rarely, yet they weigh heavily on the mean.",
    "External conditions have a strong negative effect, which worsened over time.",
    "Some values are missing, more often than elsewhere, and data quality should be reviewed.",
    "Overall the figures are robust, and management should watch the upward trend closely.",
)
"""Sentences of a report on anything: directions and comparisons, no names, no figures."""


def blank(trajectory: Trajectory) -> Trajectory:
    """The same trajectory with nothing handed in."""
    return trajectory.model_copy(update={"insights": ()})


def generic(trajectory: Trajectory) -> Trajectory:
    """The same trajectory with phrases for insights, one a turn, and all of them for a report."""
    return saying(trajectory, GENERIC, report=" ".join(GENERIC), author="generic")


def saying(
    trajectory: Trajectory, said: Sequence[str], *, report: str | None, author: str
) -> Trajectory:
    """The same trajectory with these sentences for insights, one a turn from 1, and this report, if any."""
    texts: list[tuple[int | None, str]] = [*enumerate(said, 1)]
    if report is not None:
        texts.append((None, report))
    insights = tuple(
        Insight(
            id=f"{trajectory.id}-{author}-{turn or 'report'}",
            trajectory_id=trajectory.id,
            level="trajectory" if turn is None else "message",
            turn=turn,
            text=text,
            author=author,
        )
        for turn, text in texts
    )
    return trajectory.model_copy(update={"insights": insights})


def shuffled(
    trajectories: Sequence[Trajectory],
    entities: Sequence[Entity],
    *,
    seed: int,
    derangements: int = 5,
) -> list[list[Trajectory]]:
    """Every entity with the insights of another, in up to `derangements` different ways.

    Each round answers for every given trajectory, under its own id and entity: the donor's
    insights with the donor's names exchanged for the recipient's. Donors are the last attempts
    that ended by an agent's own doing; what broke down hands in nothing and stays unscored.
    Two entities can be exchanged in one way only, three in two: then there are fewer rounds,
    and with a single entity none (`no_shuffle_reason` says so). Same seed, same rounds.
    """
    usable = {
        trajectory.id: trajectory
        for attempts in latest_attempts(trajectories).values()
        for trajectory in attempts
        if trajectory.stop_reason is not None and trajectory.stop_reason.scored
    }
    known = {entity.id: entity for entity in entities}
    ids = sorted({t.entity_id for t in usable.values() if t.entity_id in known})
    return [
        [
            _as_if(trajectory, usable, donors.get(trajectory.entity_id), known)
            for trajectory in trajectories
        ]
        for donors in _derangements(ids, seed, derangements)
    ]


def of_another(
    trajectories: Sequence[Trajectory], theirs: Sequence[Trajectory]
) -> list[Trajectory]:
    """The given trajectories with what another run handed in on the same entity, under their own ids.

    The same trial, or the other run's first where it has fewer. Those whose entity the other run did
    not come to an end with are left out: nobody knows what it would have said.
    """
    ended = {
        entity_id: [t for t in attempts if t.stop_reason is not None and t.stop_reason.scored]
        for entity_id, attempts in latest_attempts(theirs).items()
    }
    found = []
    for trajectory in trajectories:
        donors = ended.get(trajectory.entity_id)
        if not donors:
            continue
        donor = next((t for t in donors if t.trial == trajectory.trial), donors[0])
        insights = tuple(
            insight.model_copy(
                update={
                    "id": f"{trajectory.id}-from-{insight.id}",
                    "trajectory_id": trajectory.id,
                }
            )
            for insight in donor.insights
        )
        found.append(trajectory.model_copy(update={"insights": insights}))
    return found


def no_shuffle_reason(trajectories: Sequence[Trajectory]) -> str | None:
    """Why there is no shuffled baseline; None where there is one."""
    ended = {
        t.entity_id for t in trajectories if t.stop_reason is not None and t.stop_reason.scored
    }
    if len(ended) >= 2:
        return None
    return (
        f"only {len(ended)} of the entities was explored to its end, and insights can be exchanged "
        "between two at least"
    )


def _as_if(
    recipient: Trajectory,
    usable: dict[str, Trajectory],
    donor_id: str | None,
    known: dict[str, Entity],
) -> Trajectory:
    if donor_id is None or recipient.id not in usable:
        return blank(recipient)
    theirs = [t for t in usable.values() if t.entity_id == donor_id]
    donor = next((t for t in theirs if t.trial == recipient.trial), theirs[0])
    one, other = known[donor_id], known[recipient.entity_id]
    nouns = nouns_of(donor, one)
    insights = tuple(
        insight.model_copy(
            update={
                "id": f"{recipient.id}-from-{insight.id}",
                "trajectory_id": recipient.id,
                "text": insight.text
                and swap_names(insight.text, one, other, list(known.values()), nouns),
            }
        )
        for insight in donor.insights
    )
    return recipient.model_copy(update={"insights": insights})


def _derangements(ids: Sequence[str], seed: int, wanted: int) -> list[dict[str, str]]:
    """Different permutations that leave nobody in place: recipient -> donor."""
    generator = random.Random(seed)
    found: list[dict[str, str]] = []
    while len(found) < min(wanted, _count(len(ids))):
        drawn = list(ids)
        generator.shuffle(drawn)
        donors = dict(zip(ids, drawn, strict=True))
        if all(one != other for one, other in donors.items()) and donors not in found:
            found.append(donors)
    return found


def _count(n: int) -> int:
    """How many derangements n things have: 0, 1, 2, 9, 44, ... for n = 1, 2, 3, 4, 5."""
    return round(sum((-1) ** k * (factorial(n) // factorial(k)) for k in range(n + 1))) if n else 0
