"""Bodies about episodes: reset, step and reward."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from core.run import Limits
from server.build import Hands
from server.rest_app.bodies.base import PATH, RUN_ID, TOKEN, Body, EntityId, Name, shown


class NewEpisode(Body):
    """Reset: one exploration of one entity begins."""

    model_config = shown(
        {"scenario": "flights", "seed": 7, "policy": "policy-3", "limits": {"max_turns": 40}}
    )

    scenario: Name
    entity: EntityId | None = None
    """null = the one that the seed draws."""
    seed: int = Field(default=0, ge=0, le=2**53)
    policy: Name = "policy"
    """The name under which its scores are shown."""
    tools: Hands | None = None
    limits: Limits = Limits()
    has_shell: bool | None = False
    """Whether the policy can do more than step; null = nobody knows."""
    has_web: bool | None = False
    endpoint_allowed: Name | None = None


class ToolLine(Body):
    """A tool as the policy is told of it."""

    name: str
    description: str
    input_schema: dict[str, Any]


class Episode(Body):
    """An episode that may begin. The token is told this once."""

    model_config = shown(
        {
            "episode": PATH,
            "token": TOKEN,
            "run": RUN_ID,
            "entity": "03",
            "task": "Analyse the data about the carrier 03.",
            "instructions": "Analyse the data about the carrier 03.\nYou are given no question.",
            "tools": [
                {
                    "name": "execute_query",
                    "description": "Run one read-only SQL statement.",
                    "input_schema": {
                        "type": "object",
                        "properties": {"query": {"type": "string"}},
                        "required": ["query"],
                    },
                }
            ],
        }
    )

    episode: str
    token: str
    run: str
    entity: str
    task: str
    instructions: str
    """The task, and how the tools are used: enough for a system prompt."""
    tools: list[ToolLine]


class Action(Body):
    """One call of a tool."""

    model_config = shown(
        {"tool": "execute_query", "arguments": {"query": "SELECT count(*) FROM flights"}}
    )

    tool: Annotated[str, Field(min_length=1, max_length=128)]
    arguments: dict[str, Any] = Field(default_factory=dict)


class Step(Body):
    """What came of it. No reward: that is the trainer's to ask for, after the end."""

    model_config = shown(
        {
            "observation": '{"turn":1,"columns":["count_star()"],"rows":[[336776]]}',
            "turn": 1,
            "is_error": False,
            "error_kind": None,
            "done": False,
        }
    )

    observation: str
    """As the agent sees it: compact JSON."""
    turn: int | None
    """The latest one; null where the call could not be written down."""
    is_error: bool
    error_kind: str | None
    done: bool
    """Whether nothing more is taken."""


class LevelReward(Body):
    """How many items of the checklist one kind of insights supports."""

    reward: float | None
    """supported / out_of; null where the episode is not to be scored."""
    supported: int
    contradicted: int
    insufficient: int
    unscored: int
    out_of: int
    """Items of this entity."""


class Reward(Body):
    """What an episode was worth, by the checker without a model."""

    model_config = shown(
        {
            "episode": PATH,
            "entity": "03",
            "stop_reason": "finished",
            "reward": 0.25,
            "why_none": None,
            "guarded": 0.15,
            "contradictions": 1,
            "untraced": 0,
            "turns": 21,
            "message": {
                "reward": 0.25,
                "supported": 3,
                "contradicted": 1,
                "insufficient": 8,
                "unscored": 0,
                "out_of": 12,
            },
            "trajectory": {
                "reward": 0.17,
                "supported": 2,
                "contradicted": 0,
                "insufficient": 10,
                "unscored": 0,
                "out_of": 12,
            },
        }
    )

    episode: str
    entity: str
    stop_reason: str
    reward: float | None
    """That of the insights handed in on the way (`message`)."""
    why_none: str | None
    """Why there is no reward."""
    guarded: float | None
    """The same with its guards, over all insights read as one text (evaluator.reward): less 0.1 for
    each contradicted item and 0.02 for each number that nothing showed."""
    contradictions: int
    untraced: int | None
    """Numbers that nothing showed; null where nobody looked."""
    turns: int
    message: LevelReward
    trajectory: LevelReward
    """Of the report."""
