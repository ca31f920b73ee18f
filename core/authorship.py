"""Whose words an insight is: the agent's own, or a model's that was asked about its turn later."""

from __future__ import annotations

from collections.abc import Iterable

from core.trajectory import Insight, Trajectory


def other_author(trajectory: Trajectory, insight: Insight) -> str | None:
    """Who wrote an insight that is not the agent's own; None where it is.

    What a run's model says when it is asked for an insight is that agent's way of handing it in. Of an
    agent whose model we do not ask ourselves, only what it handed in unasked is its own; that
    does not go by names, which an agent may choose as it likes.
    """
    asked = insight.prompt_hash is not None
    return insight.author if asked and trajectory.model is None else None


def own_turns(trajectory: Trajectory) -> frozenset[int]:
    """The turns of which the agent itself handed something in."""
    mine = (i for i in trajectory.message_insights if i.text and not other_author(trajectory, i))
    return frozenset(i.turn for i in mine if i.turn is not None)


def other_authors(trajectories: Iterable[Trajectory]) -> dict[str, int]:
    """How many message-wise insights with a text each other author wrote."""
    found: dict[str, int] = {}
    for trajectory in trajectories:
        for insight in trajectory.message_insights:
            author = other_author(trajectory, insight)
            if author is not None and insight.text:
                found[author] = found.get(author, 0) + 1
    return found
