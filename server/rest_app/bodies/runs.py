"""Bodies about runs, their seats and configurations, and about scenarios."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Final

from pydantic import Field

from core.run import Limits
from core.scenario import Goal
from server.build import Hands
from server.rest_app.bodies.base import (
    PATH,
    RUN_ID,
    TIME,
    TOKEN,
    URL,
    Body,
    EntityId,
    Name,
    shown,
)

_RUN_STATE: Final[dict[str, Any]] = {
    "run": RUN_ID,
    "created_at": TIME,
    "scenario": "flights",
    "agent": "my-agent 2",
    "agent_class": "outside",
    "from_outside": True,
    "mine": True,
    "has_shell": False,
    "has_web": False,
    "queue": False,
    "tools": "both",
    "goal": "none",
    "entities": 2,
    "trials": 1,
    "limits": {"max_turns": 60, "max_seconds": 3600},
    "wanted": 2,
    "begun": 2,
    "open": 1,
    "ended": 1,
    "stop_reasons": {"finished": 1},
    "is_finished": False,
}


class NewRun(Body):
    """An agent from outside is let in."""

    model_config = shown(
        {
            "scenario": "flights",
            "agent": "my-agent 2",
            "entities": ["03", "07"],
            "trials": 1,
            "limits": {"max_turns": 60, "max_seconds": 3600},
            "has_shell": False,
            "has_web": False,
        }
    )

    scenario: Name
    agent: Name
    """The name under which its scores are shown."""
    entities: Annotated[list[EntityId], Field(min_length=1, max_length=10_000)] | str = "all"
    """Ids, or `all`, or `sample:N`."""
    trials: int = Field(default=1, ge=1, le=1_000)
    tools: Hands | None = None
    """Both, unless said."""
    limits: Limits = Limits()
    seed: int = Field(default=0, ge=0, le=2**53)
    """What `sample:N` is drawn by."""
    goal: Goal = "none"
    has_shell: bool | None = None
    """Whether the agent can run commands beside our tools; null = nobody knows."""
    has_web: bool | None = None
    queue: bool = False
    """One seat for each trial, which takes all entities one after the other."""
    idle_s: float = Field(default=1800.0, gt=0, le=604_800)
    """So long without a message, and it counts as gone."""
    endpoint_allowed: Name | None = None
    """Why restricted data may go to the model that the agent asks."""


class Place(Body):
    """One entity in one trial."""

    entity: str
    trial: int


class NewSeat(Body):
    """Where one agent connects. The token is told this once."""

    path: str
    url: str
    token: str
    keys: list[Place]


class RunState(Body):
    """A run, and how far it is."""

    model_config = shown(_RUN_STATE)

    run: str
    created_at: datetime
    scenario: str
    agent: str
    agent_class: str
    """Runs of different classes are not compared in one ranking."""
    from_outside: bool
    """False for a run of an agent of the server's own."""
    mine: bool
    """Whether this token may act on it."""
    has_shell: bool | None
    has_web: bool | None
    queue: bool
    tools: Hands
    goal: Goal
    entities: int
    trials: int
    limits: Limits
    wanted: int
    """Entities times trials."""
    begun: int
    open: int
    ended: int
    stop_reasons: dict[str, int]
    is_finished: bool


class MadeRun(Body):
    """A new run with its seats."""

    model_config = shown(
        {
            "run": RUN_ID,
            "seats": [
                {
                    "path": PATH,
                    "url": URL,
                    "token": TOKEN,
                    "keys": [{"entity": "03", "trial": 1}],
                }
            ],
        }
    )

    run: str
    seats: list[NewSeat]


class RunPage(Body):
    """Runs, the newest first."""

    model_config = shown({"runs": [_RUN_STATE], "next": None})

    runs: list[RunState]
    next: str | None
    """Give it as `after` for the next page; null where this was the last."""


class ConfigurationFile(Body):
    """A file for the folder that the client is started in."""

    path: str
    text: str


class SeatConfiguration(Body):
    """How a client is told of one seat."""

    path: str
    url: str
    keys: list[Place]
    is_closed: bool
    files: list[ConfigurationFile]
    """`$DDR_TOKEN` in them stands for the token, which the server does not know any more."""


class Configurations(Body):
    """For every seat of a run."""

    model_config = shown(
        {
            "client": "opencode",
            "command": 'opencode run "Call the tool get_task of ddr, and do what it says."',
            "seats": [
                {
                    "path": PATH,
                    "url": URL,
                    "keys": [{"entity": "03", "trial": 1}],
                    "is_closed": False,
                    "files": [{"path": "opencode.json", "text": '{"mcp": {"ddr": {}}}'}],
                }
            ],
            "next": None,
        }
    )

    client: str
    command: str
    """What starts it in that folder."""
    seats: list[SeatConfiguration]
    next: int | None


class Closed(Body):
    """A run whose seats are taken back."""

    model_config = shown({"run": RUN_ID, "stop_reasons": {"finished": 1, "no_contact": 1}})

    run: str
    stop_reasons: dict[str, int]


class ScenarioLine(Body):
    """One database that can be explored."""

    scenario: str
    title: str
    noun: str
    """What one entity is called."""
    is_built: bool
    """Whether runs can be made of it."""
    entities: int | None
    """null where it is not built."""
    is_restricted: bool
    """Whether a run of it needs `endpoint_allowed`."""


class Scenarios(Body):
    """All that the server knows."""

    model_config = shown(
        {
            "scenarios": [
                {
                    "scenario": "flights",
                    "title": "Flights from New York",
                    "noun": "carrier",
                    "is_built": True,
                    "entities": 16,
                    "is_restricted": False,
                }
            ]
        }
    )

    scenarios: list[ScenarioLine]
