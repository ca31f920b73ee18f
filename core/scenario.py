"""What is explored: a scenario (a task-entity database) and its entities."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from core.record import Record

Goal = Literal["none", "dataset", "generic"]
"""What an agent is told that it is to find out: nothing, the entity's own goal and role, or a goal that
would fit any data (EVALUATION IB-10)."""

ToolName = Literal["get_database_info", "describe_table", "execute_query", "execute_code"]


class License(Record):
    """The terms under which a scenario's data may be used."""

    name: str
    """SPDX identifier or the licence's own name."""
    restricted: bool = False
    """True where the data may not leave the machine without leave."""
    source: str | None = None
    """Where the data comes from, for the reader."""


class Scenario(Record):
    """One database in which one entity at a time is explored (paper section 3, D and T)."""

    id: str
    title: str
    version: str
    dialect: str = "duckdb"
    """The name of a database engine: duckdb, sqlite, postgresql, sqlalchemy, or a plug-in's."""
    database: str
    """A file's name, or a URL without a password. Never shown to an agent."""
    fingerprint: str | None = None
    """sha-256 of the content; None until it is built."""
    entity_noun: str
    """What one entity is called in prompts and reports: carrier, patient, company."""
    task_template: str
    """One sentence that names the entity and asks nothing; has {entity_noun} and {entity_id}."""
    tools: tuple[ToolName, ...] = (
        "get_database_info",
        "describe_table",
        "execute_query",
        "execute_code",
    )
    license: License


class Entity(Record):
    """One thing that a trajectory explores."""

    scenario_id: str
    id: str
    """The value by which the entity's rows are found in the database."""
    label: str
    """The name by which people call it; equals the id where there is none."""
    tables: tuple[str, ...] | None = None
    """Its own tables, where entities differ in them; None = all."""
    goal: str | None = None
    role: str | None = None
    cluster_id: str | None = None
    """What intervals cluster by; None = the entity itself."""
    attributes: dict[str, str] = Field(default_factory=dict)

    @property
    def cluster(self) -> str:
        """The key by which errors are clustered."""
        return self.cluster_id or self.id


class Task(Record):
    """What an agent is told: one entity, the tables, and no question, unless a run asks for a goal."""

    scenario_id: str
    entity_id: str
    entity_label: str
    entity_noun: str
    text: str
    """The task template filled in."""
    is_apart: bool = False
    """Whether the database holds this entity alone: no row bears its id then."""
