"""What a client may show its model before anything else: the task, and how our tools work."""

from __future__ import annotations

from typing import Final

from core.scenario import Task

MAX_INSTRUCTIONS: Final = 2000
"""Characters; clients cut what is longer."""


def fitting(task: Task, how: str) -> str:
    """The task first, so that it is whole where the rest has to be cut."""
    text = f"{task.text}\n{how.format(noun=task.entity_noun)}"
    return text if len(text) < MAX_INSTRUCTIONS else text[: MAX_INSTRUCTIONS - 2] + "…"
