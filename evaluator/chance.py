"""What closed items are worth to someone who has seen nothing, and accuracy beyond that (EVALUATION 0, 4.2)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from statistics import fmean
from typing import Final

from checklists.audit.balance import construct_of
from core.checklist import ChecklistItem
from core.evaluation import LEVELS, Level, Score, Verdict
from core.record import Record
from core.scenario import Entity
from core.trajectory import Trajectory
from evaluator.asking import plain
from evaluator.outcomes import latest_attempts, outcomes

CONSTANT: Final = "constant"
"""The baseline that gives the same answer to every closed item with the same options."""

Guesses = Mapping[str, str]
"""An option, in plain spelling, for the id of each closed item that can be guessed."""


class Chance(Record):
    """Closed items at one level, over all of them; shares in [0, 1]."""

    level: Level
    items: int
    accuracy: float
    """Strict: unscored items count as 0."""
    constant: float
    """What the best constant answer scores on the same items."""
    by_construct: float | None
    """What the most frequent answer to the same question scores, the entity itself left out; None where
    no question is asked of two entities."""
    corrected: float | None
    """(accuracy - constant) / (1 - constant): 0 is a constant's worth; None where a constant is always
    right."""
    corrected_by_construct: float | None
    """The same beyond the answers by construct."""
    kappa: float | None
    """Cohen's, of answers given and true ones; 'cannot tell' is an answer of its own. None where it is
    not known what was answered."""
    cannot_tell: int
    """Items to which the judge said that the insights do not tell, in at least half of the trials."""


def closed(items: Sequence[ChecklistItem]) -> list[ChecklistItem]:
    """The accepted closed items."""
    return [item for item in items if item.kind == "closed" and item.status == "accepted"]


def constants(items: Sequence[ChecklistItem]) -> Guesses:
    """For each closed item the answer that is most frequent among all with the same options.

    One answer for all of them, the entity's own included: with one parameter for hundreds of items
    nothing is gained by it, while to leave an entity out turns a near tie against itself.
    """
    counted: dict[Hashable, Counter[str]] = defaultdict(Counter)
    for item in closed(items):
        counted[_options(item)][plain(item.answer)] += 1
    return {item.id: _most(counted[_options(item)], item) for item in closed(items)}


def by_construct(items: Sequence[ChecklistItem]) -> Guesses:
    """For each closed item the most frequent answer of the *other* entities to the same question.

    Questions are the same where options and construct are (checklists.audit.balance). An item that
    nobody else has is not guessed.
    """
    known = closed(items)
    whole: dict[Hashable, Counter[str]] = defaultdict(Counter)
    own: dict[Hashable, Counter[str]] = defaultdict(Counter)
    for item in known:
        whole[_construct(item)][plain(item.answer)] += 1
        own[_construct(item), item.entity_id][plain(item.answer)] += 1
    found = {}
    for item in known:
        others = whole[_construct(item)] - own[_construct(item), item.entity_id]
        if others:
            found[item.id] = _most(others, item)
    return found


def guessed(
    guesses: Guesses, items: Sequence[ChecklistItem], trajectories: Sequence[Trajectory]
) -> list[Verdict]:
    """The verdicts of someone who hands in these guesses and nothing else; no judge is needed.

    Open items are insufficient. A trajectory that broke down stays unscored, as everybody's.
    """
    found = []
    for trajectory in (t for each in latest_attempts(trajectories).values() for t in each):
        if trajectory.stop_reason is None or not trajectory.stop_reason.scored:
            continue
        for item in items:
            if item.entity_id == trajectory.entity_id:
                found += [_guessed(guesses.get(item.id), item, trajectory, lv) for lv in LEVELS]
    return found


def chance(
    items: Sequence[ChecklistItem],
    trajectories: Sequence[Trajectory],
    verdicts: Sequence[Verdict],
    entities: Sequence[Entity],
    score: Callable[[Sequence[ChecklistItem]], Sequence[Score]],
) -> list[Chance]:
    """Both levels, over the closed items of these entities; empty where there are none.

    `score` gives the competitor's scores over some items.
    """
    asked = {entity.id for entity in entities}
    mine = [item for item in closed(items) if item.entity_id in asked]
    if not mine:
        return []
    accuracy = {s.level: s.strict for s in score(mine) if s.averaging == "item"}
    constant, construct = constants(items), by_construct(items)
    found = []
    for level in LEVELS:
        strict = accuracy.get(level)
        if strict is None:
            continue
        one = fmean(constant[item.id] == plain(item.answer) for item in mine)
        other = fmean(construct.get(item.id) == plain(item.answer) for item in mine)
        results = outcomes(mine, trajectories, verdicts, entities, level)
        found.append(
            Chance(
                level=level,
                items=len(mine),
                accuracy=strict,
                constant=one,
                by_construct=other if construct else None,
                corrected=beyond(strict, one),
                corrected_by_construct=beyond(strict, other) if construct else None,
                kappa=_kappa(mine, trajectories, verdicts, level),
                cannot_tell=sum(each.is_untold for each in results),
            )
        )
    return found


def beyond(accuracy: float, prior: float) -> float | None:
    """(accuracy - prior) / (1 - prior); None where the prior is always right."""
    return None if prior >= 1 else (accuracy - prior) / (1 - prior)


def kappa(pairs: Sequence[tuple[str, str]]) -> float | None:
    """Cohen's kappa of (true, given) pairs; None of none, and where both never vary."""
    if not pairs:
        return None
    total = len(pairs)
    true, given = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
    agreed = sum(one == other for one, other in pairs) / total
    expected = sum(true[word] * given[word] for word in true) / total**2
    return None if expected >= 1 else (agreed - expected) / (1 - expected)


def _kappa(
    items: Sequence[ChecklistItem],
    trajectories: Sequence[Trajectory],
    verdicts: Sequence[Verdict],
    level: Level,
) -> float | None:
    truth = {item.id: plain(item.answer) for item in items}
    counted = {t.id for each in latest_attempts(trajectories).values() for t in each}
    mine = [
        verdict
        for verdict in verdicts
        if verdict.level == level
        and verdict.item_id in truth
        and verdict.trajectory_id in counted
        and verdict.label is not None
    ]
    # Where nothing was handed in nobody was asked: there is nothing that could be told.
    given = [(v, plain(v.chosen)) for v in mine if v.chosen is not None]
    return kappa([(truth[v.item_id], chosen) for v, chosen in given])


def _guessed(
    guess: str | None, item: ChecklistItem, trajectory: Trajectory, level: Level
) -> Verdict:
    right = guess == plain(item.answer)
    label = "insufficient" if guess is None else "supported" if right else "contradicted"
    return Verdict.model_validate(
        {
            "evaluation_id": CONSTANT,
            "item_id": item.id,
            "trajectory_id": trajectory.id,
            "level": level,
            "label": label,
            "chosen": guess,
            "reason": "" if guess is None else f"always answers {guess!r}",
        }
    )


def _most(counted: Counter[str], item: ChecklistItem) -> str:
    """The most frequent; of several the first in the order of the options."""
    order = [plain(option) for option in item.options]
    return max(counted, key=lambda word: (counted[word], -order.index(word)))


def _options(item: ChecklistItem) -> Hashable:
    return frozenset(plain(option) for option in item.options)


def _construct(item: ChecklistItem) -> Hashable:
    return _options(item), construct_of(item)
