"""The facts that an entity's exploration should find, each with its proof."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from core.record import Record, UtcTime
from core.scenario import License

InsightType = Literal[
    "descriptive",
    "diagnostic",
    "predictive",
    "prescriptive",
    "evaluative",
    "exploratory",
    "other",
]
"""The four of InsightBench, the two that InsightEval adds, and what is none of these (EVALUATION 2)."""

Slot = Literal["direction", "magnitude", "period", "scope"]


class Magnitude(Record):
    """A figure that a claim must state, and how near it must come."""

    value: float
    unit: str = ""
    """'' (a bare count or level), '%', 'pp', 'x', 'min', 'h', 'days', 'mi', ..."""
    rel_tol: float = Field(default=0.02, ge=0)
    abs_tol: float = Field(default=0.0, ge=0)


class Signals(Record):
    """What the checker without a model looks for in a clause (EVALUATION 5.1).

    An alias is a short phrase. One that starts with '@' names a schema object
    ('@flights.departure_delay_min', '@aircraft'): it stands for the words of that name, so that
    a database whose names are exchanged needs no new signals.
    """

    metric: tuple[str, ...] = Field(min_length=1)
    """Aliases of what is measured; the clause must hold one of them."""
    kind: Literal["level", "share", "count", "change", "rank", "correlation", "extreme"]
    statistic: (
        Literal["mean", "median", "share", "count", "distinct", "max", "min", "rank"] | None
    ) = None
    """A clause that names another statistic of the same metric is not about this fact."""
    scope: tuple[tuple[str, ...], ...] = ()
    """Groups of aliases: the clause must hold one of each (a destination, a wet hour)."""
    comparator: Literal["time", "group", "threshold"] | None = None
    """What the fact is measured against; a clause without such a comparison is not about it."""
    direction: Literal["up", "down", "flat"] | None = None
    magnitude: Magnitude | None = None
    period: tuple[str, ...] = ()
    """Aliases of the period ('March 2019', '2019-03'); any may stand."""
    required: tuple[Slot, ...] = ()
    """The slots that a supporting clause must fill and match."""

    @model_validator(mode="after")
    def _required_slots_exist(self) -> Signals:
        have = {
            "direction": self.direction is not None,
            "magnitude": self.magnitude is not None,
            "period": bool(self.period),
            "scope": bool(self.scope),
        }
        missing = [slot for slot in self.required if not have[slot]]
        if missing:
            raise ValueError(f"required slots without a value: {', '.join(missing)}")
        return self


class Expected(Record):
    """The value that an item's evidence SQL must return."""

    value: float | str
    tolerance: float = Field(default=0.0, ge=0)
    """Absolute; 0 for text."""

    def holds(self, value: object) -> bool:
        """Whether a returned value is the expected one, within the tolerance."""
        if isinstance(self.value, str):
            return value == self.value
        if value is None or isinstance(value, (str, bytes)):
            return False
        try:
            return abs(float(value) - self.value) <= self.tolerance  # type: ignore[arg-type]
        except (TypeError, ValueError):
            return False


class Decision(Record):
    """What a person decided on an item, and why."""

    who: str
    when: UtcTime
    status: Literal["accepted", "rejected"]
    why: str


class Edit(Record):
    """What a person put into other words, and how it stood before."""

    who: str
    when: UtcTime
    why: str
    question: str
    """As it was; so are the others."""
    answer: str
    category: str
    decisions: tuple[Decision, ...] = ()
    """On the words that it had then; they do not count for those that it has now."""


class ChecklistItem(Record):
    """One fact about one entity, asked as a question that only a checker sees."""

    id: str
    entity_id: str
    question: str
    answer: str
    """In words, with its figures."""
    kind: Literal["open", "closed"] = "open"
    options: tuple[str, ...] = ()
    """The allowed answers of a closed item."""
    category: str
    insight_type: InsightType = "descriptive"
    difficulty: Literal["easy", "medium", "hard"] | None = None
    """By tables and steps: one table and one step is easy, two is medium, more is hard. None where
    nobody has said: lists of facts that were not written here seldom do."""
    capability: str | None = None
    tagged_by: str | None = None
    """What gave category and capability where the author did not: rules, a model, a person."""
    status: Literal["proposed", "accepted", "rejected", "stale"] = "accepted"
    decisions: tuple[Decision, ...] = ()
    edits: tuple[Edit, ...] = ()
    """The oldest first."""
    source: str
    """Where the fact comes from: a template's name, a document, a person."""
    evidence_sql: str | None = None
    """One SELECT on the agent's own database that returns one row with one value."""
    expected: Expected | None = None
    perturbation: str | None = None
    """The kind of disorder that must break this item (checklists/perturb.py names them)."""
    signals: Signals | None = None
    weight: float = Field(default=1.0, gt=0)

    @property
    def has_path(self) -> bool:
        """Whether evidence leads to it in the agent's own database (EVALUATION 5.5)."""
        return self.evidence_sql is not None and self.expected is not None


class Checklist(Record):
    """A versioned set of items for one scenario."""

    id: str
    version: str
    scenario_id: str
    hash: str
    """sha-256 of the items in canonical JSON."""
    scenario_fingerprint: str | None = None
    """The database content that the items were proved on."""
    license: License
    items: tuple[ChecklistItem, ...]
    summary: dict[str, str] = Field(default_factory=dict)
    """A short text per entity id, where there is one."""

    def of(self, entity_id: str) -> tuple[ChecklistItem, ...]:
        """The accepted items of one entity."""
        return tuple(i for i in self.items if i.entity_id == entity_id and i.status == "accepted")
