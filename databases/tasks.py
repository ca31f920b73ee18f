"""Word what an agent is told of one entity: the task, and the goal where a run gives one."""

from __future__ import annotations

from typing import Final

from core.errors import UsageError
from core.scenario import Entity, Goal, Scenario, Task

GENERIC: Final = "Find what is of interest in these data: trends, differences, and what is unusual."
"""The goal that would fit any data (EVALUATION IB-10: the ablation of the set's own goal)."""


def task_of(scenario: Scenario, entity: Entity, goal: Goal, *, is_apart: bool) -> Task:
    """The template filled in, with the goal behind it. Raises UsageError where the entity has none."""
    noun = scenario.entity_noun
    text = scenario.task_template.format(
        entity_noun=noun, entity_id=entity.id, entity_label=entity.label
    )
    return Task(
        scenario_id=scenario.id,
        entity_id=entity.id,
        entity_label=entity.label,
        entity_noun=noun,
        text=" ".join([text, *_goal(scenario, entity, goal)]),
        is_apart=is_apart,
    )


def _goal(scenario: Scenario, entity: Entity, goal: Goal) -> list[str]:
    if goal == "none":
        return []
    if entity.goal is None:
        raise UsageError(
            f"--goal {goal}: {scenario.entity_noun} {entity.id} of {scenario.id} has no goal; "
            "leave --goal out, or say none"
        )
    # On one line: the words of a data set cannot pose as a paragraph of ours.
    role = [f"You work as {' '.join(entity.role.split())}."] if entity.role else []
    said = GENERIC if goal == "generic" else " ".join(entity.goal.split())
    return [*role, f"The goal: {said}"]
