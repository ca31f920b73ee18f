"""What an exploration is worth to a trainer, in-process and without a model, hard to win by saying much."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from core.checklist import ChecklistItem
from core.errors import UnknownNameError
from core.evaluation import Label
from core.scenario import Entity
from core.trajectory import Trajectory
from evaluator.grounding import grounding_of
from evaluator.matching import Insights, Match, match_all, nouns_of, unscored

CHECKERS: Final = ("matching",)
"""What can reward in-process; a judge's verdicts are `ddr evaluate`'s."""

Tell = Literal["all", "message", "trajectory"]

Untraced = Callable[[Trajectory], int]
"""How many numbers of a trajectory's insights come from nothing that it was shown."""


@dataclass(frozen=True)
class Terms:
    """The weights of r = sum of w * supported - contradictions - untraced numbers - length.

    EVALUATION 5.4. What is found is a share between 0 and 1; each other term is taken off it.
    """

    contradiction: float = 0.1
    """For each item that the insights contradict."""
    untraced: float = 0.02
    """For each number that is neither observed nor one step from what was."""
    length: float = 0.0001
    """For each token above the budget."""
    budget: int = 2000
    """Tokens that cost nothing, over all insights; a token is taken for four characters."""


@dataclass(frozen=True)
class Guards:
    """What may change from one episode to the next, so that no fixed list can be learnt by heart."""

    hidden: float = 0.0
    """Share of an entity's items that do not count, other ones for every seed."""
    tolerance: float = 0.0
    """How much narrower a figure's relative tolerance may be: each item's is drawn from [1 - this, 1]."""
    seed: int = 0


@dataclass(frozen=True)
class Reward:
    """A reward with all that it is made of."""

    value: float | None
    """None where the exploration ended through no fault of the agent, or nothing could be measured."""
    why_none: str | None = None
    found: float = 0.0
    """Weight of the supported items / weight of all that count, in [0, 1]."""
    labels: Mapping[str, Label | None] = field(default_factory=dict)
    """Per item that counts."""
    contradictions: int = 0
    untraced: int | None = None
    """None where nobody looked."""
    tokens: int = 0

    @property
    def supported(self) -> tuple[str, ...]:
        """The items that were found, each once."""
        return tuple(name for name, label in self.labels.items() if label == "supported")


def untraced_numbers(trajectory: Trajectory) -> int:
    """Numbers that its insights state and nothing that it was shown holds, nor one step leads to."""
    return sum(each.claimed - each.grounded for each in grounding_of(trajectory).insights)


def score(
    trajectory: Trajectory,
    checklist: Sequence[ChecklistItem],
    *,
    entities: Sequence[Entity],
    checker: str = "matching",
    level: Tell = "all",
    terms: Terms = Terms(),
    guards: Guards = Guards(),
    untraced: Untraced | None = untraced_numbers,
) -> Reward:
    """The reward of one trajectory by the items of its entity; items of others are passed over.

    Pure, without input or output. `entities` are all of the scenario's: a figure about another one is
    nobody's find. `level`: which insights count; "all" reads those on the way and the report as one
    text, so that what is said twice is worth no more. `untraced` is asked only where the term weighs
    something and the trajectory has turns; None leaves numbers untraced. Raises UnknownNameError.
    """
    if checker not in CHECKERS:
        raise UnknownNameError("checker of rewards", checker, CHECKERS)
    entity = next((each for each in entities if each.id == trajectory.entity_id), None)
    why = unscored(trajectory, entity)
    if entity is None or why is not None:
        return Reward(None, why)
    items = _counting([i for i in checklist if i.entity_id == entity.id], guards)
    insights = _insights(trajectory, level)
    found = _judged(items, insights, entity, entities, trajectory)
    labels = {item.id: match.label for item, match in zip(items, found, strict=True)}
    weight = sum(item.weight for item in items if labels[item.id] is not None)
    if not weight:
        return Reward(None, "the checklist asks nothing of this entity that rules can check")
    share = sum(item.weight for item in items if labels[item.id] == "supported") / weight
    against = sum(label == "contradicted" for label in labels.values())
    looked = untraced is not None and terms.untraced > 0 and bool(trajectory.turns)
    loose = untraced(trajectory) if untraced is not None and looked else None
    tokens = sum(len(text) for _, text in insights) // 4
    value = (
        share
        - terms.contradiction * against
        - terms.untraced * (loose or 0)
        - terms.length * max(0, tokens - terms.budget)
    )
    return Reward(value, None, share, labels, against, loose, tokens)


def _insights(trajectory: Trajectory, level: Tell) -> list[tuple[int | None, str]]:
    said: list[tuple[int | None, str]] = []
    if level != "trajectory":
        said += [(i.turn, i.text) for i in trajectory.message_insights if i.text]
    if level != "message" and trajectory.report:
        said.append((None, trajectory.report))
    return said


def _judged(
    items: Sequence[ChecklistItem],
    insights: Insights,
    entity: Entity,
    entities: Sequence[Entity],
    trajectory: Trajectory,
) -> list[Match]:
    others = [other for other in entities if other.id != entity.id]
    nouns = nouns_of(trajectory, entity)
    return match_all(
        items,
        insights,
        entity=entity,
        others=others,
        nouns=nouns,
        one_a_clause=True,
        quoted=False,
    )


def _counting(items: Sequence[ChecklistItem], guards: Guards) -> list[ChecklistItem]:
    """The items that count under a seed, with their tolerances; the same for the same seed."""
    accepted = [item for item in items if item.status == "accepted"]
    if not guards.hidden and not guards.tolerance:
        return accepted
    return [
        _narrowed(item, guards)
        for item in accepted
        if random.Random(f"{guards.seed} hidden {item.id}").random() >= guards.hidden
    ]


def _narrowed(item: ChecklistItem, guards: Guards) -> ChecklistItem:
    signals = item.signals
    if not guards.tolerance or signals is None or signals.magnitude is None:
        return item
    drawn = random.Random(f"{guards.seed} tolerance {item.id}").uniform(1 - guards.tolerance, 1)
    magnitude = signals.magnitude.model_copy(update={"rel_tol": signals.magnitude.rel_tol * drawn})
    return item.model_copy(update={"signals": signals.model_copy(update={"magnitude": magnitude})})
