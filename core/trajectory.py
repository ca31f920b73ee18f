"""What an agent did: turns, tool calls, model calls, insights and the reason it stopped."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Final, Literal

from pydantic import Field

from core.record import Record, UtcTime

Role = Literal["agent", "insight", "report", "checker", "judge", "author"]


class Usage(Record):
    """Tokens and money of model calls; None = not reported. `+` keeps the unknown unknown."""

    input_tokens: int | None = None
    """All input tokens, cached ones included."""
    output_tokens: int | None = None
    """All output tokens, reasoning included."""
    cached_input_tokens: int | None = None
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost_usd: float | None = None
    """None when there is no price; cost_reason says why."""
    cost_reason: str | None = None

    def __add__(self, other: Usage) -> Usage:
        def total(name: str) -> Any:
            mine, theirs = getattr(self, name), getattr(other, name)
            return None if mine is None or theirs is None else mine + theirs

        sums = {name: total(name) for name in Usage.model_fields if name != "cost_reason"}
        return Usage(**sums, cost_reason=self.cost_reason or other.cost_reason)


NO_USAGE = Usage(
    input_tokens=0,
    output_tokens=0,
    cached_input_tokens=0,
    cache_write_tokens=0,
    reasoning_tokens=0,
    cost_usd=0.0,
)
"""The neutral element of `+`: nothing was asked of a model."""

UNKNOWN_USAGE = Usage(cost_reason="the call failed")
"""Of a call that failed: what it took and cost nobody said."""


class ModelCall(Record):
    """One request to a language model, in any role."""

    role: Role
    model_asked: str
    model_served: str | None = None
    usage: Usage
    price_table_hash: str | None = None
    finish_reason: str | None = None
    started_at: UtcTime
    duration_s: float = Field(ge=0)
    error: str | None = None
    is_recalled: bool = False
    """Nothing was sent and nothing is paid for this: the reply to the same question was kept, or came
    with another verdict's, whose call holds what it took."""

    @property
    def served(self) -> tuple[str, ...]:
        """Who answered, each by itself: a sum of calls names them in one text, with commas between."""
        if self.model_served is None or self.model_served == self.model_asked:
            return (self.model_served,) if self.model_served else ()
        return tuple(self.model_served.split(", "))


class ToolCall(Record):
    """One call of a tool, as the agent emitted it."""

    call_id: str
    name: str
    arguments: str
    """The JSON text exactly as emitted, valid or not."""


RUN_LIMIT: Final = "run_limit"
"""The error_kind of a call that was refused because a limit of the run is reached."""


class ToolResult(Record):
    """What a tool answered, exactly as the agent saw it."""

    call_id: str
    name: str
    text: str
    is_error: bool = False
    error_kind: str | None = None
    """sql, refused, timeout, limit, python, sandbox, arguments, unknown_tool, internal, ...; a tool's
    own limit (memory, output) is `limit`, one of the run's is `run_limit`."""
    truncated: bool = False
    accessed_fields: tuple[str, ...] = ()
    """Sorted table.column names that the call read."""
    violations: tuple[str, ...] = ()
    """Attempts to look where nothing is to be seen."""
    duration_s: float = Field(ge=0)


class Turn(Record):
    """One act of the agent: what it thought, called and saw. Nudges are not turns."""

    index: int = Field(ge=1)
    text: str = ""
    reasoning: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_results: tuple[ToolResult, ...] = ()
    call: ModelCall | None = None
    """None for an agent that asks no model."""
    near_finish: bool = False
    """The finish marker stood in its text: beside a call it ends nothing."""
    raw: dict[str, Any] | None = None
    """The provider's own message, where it holds more than text, reasoning and calls (thinking
    blocks, signatures): history replays it unchanged."""
    told: str | None = None
    """What was said to the agent behind the last answer, beside what the tools said: what is left of
    its budget. None where nothing was."""
    started_at: UtcTime
    duration_s: float = Field(ge=0)

    @property
    def answers(self) -> list[tuple[int, ToolResult]]:
        """Each result with the number of its call, from 1; those whose call is not here come last."""
        left = {result.call_id: result for result in self.tool_results}
        asked = [left.pop(call.call_id, None) for call in self.tool_calls]
        every = enumerate([*asked, *left.values()], 1)
        return [(number, result) for number, result in every if result is not None]

    @property
    def met_limit(self) -> bool:
        """Whether one of its calls was refused because a limit of the run was reached."""
        return any(result.error_kind == RUN_LIMIT for result in self.tool_results)

    @property
    def was_refused(self) -> bool:
        """Whether the limit came before its first call, so that nothing of it was executed."""
        return bool(self.tool_results) and self.tool_results[0].error_kind == RUN_LIMIT


class Nudge(Record):
    """A reply that neither called a tool nor finished, and was answered with the nudge.

    A model call, not a turn.
    """

    after_turn: int = Field(ge=0)
    """The turn that it followed; 0 before the first."""
    text: str
    reasoning: str | None = None
    near_finish: bool = False
    """The finish marker stood in it, but not at its start."""
    told: str | None = None
    """See Turn: here behind the nudge."""
    call: ModelCall


class Insight(Record):
    """What was found: per turn (message) or at the end (trajectory)."""

    id: str
    trajectory_id: str
    level: Literal["message", "trajectory"]
    turn: int | None = None
    """The turn that it belongs to; None at trajectory level."""
    text: str | None
    """None = the agent looked and found nothing worth saying; it keeps its turn number."""
    author: str
    """Whose words: an agent's or a model's name."""
    evidence: tuple[str, ...] = ()
    prompt_hash: str | None = None
    call: ModelCall | None = None

    @property
    def failed(self) -> bool:
        """Whether it has no text because the call for it failed."""
        return self.text is None and self.call is not None and self.call.error is not None


class StopReason(StrEnum):
    """Why a trajectory ended."""

    FINISHED = "finished"
    MAX_TURNS = "max_turns"
    MAX_TOKENS = "max_tokens"
    MAX_COST = "max_cost"
    MAX_SECONDS = "max_seconds"
    IDLE = "idle"
    CONTEXT_LENGTH = "context_length"
    PROVIDER_ERROR = "provider_error"
    TOOL_UNAVAILABLE = "tool_unavailable"
    CANCELLED = "cancelled"
    ABANDONED = "abandoned"
    NO_CONTACT = "no_contact"

    @property
    def self_terminated(self) -> bool:
        """Whether the agent itself chose to stop."""
        return self is StopReason.FINISHED

    @property
    def scored(self) -> bool:
        """Whether its items are scored (EVALUATION 1.2): our faults never lower a score."""
        return self not in _UNSCORED


_UNSCORED = frozenset(
    {
        StopReason.PROVIDER_ERROR,
        StopReason.TOOL_UNAVAILABLE,
        StopReason.CANCELLED,
        StopReason.NO_CONTACT,
    }
)


class Client(Record):
    """Who connected, as it introduced itself."""

    name: str
    version: str
    protocol: str | None = None


UNSAFE = "unsafe-none"
"""The name of the sandbox that is none."""


class Sandbox(Record):
    """How Python was held, or why it was off."""

    name: str
    """bubblewrap, landlock, unsafe-none, off, or a plug-in's."""
    detail: str | None = None

    @property
    def is_unsafe(self) -> bool:
        """Whether nothing held it."""
        return self.name == UNSAFE


class Before(Record):
    """What was sent between the start prompt and the first turn of one that goes on from another."""

    trajectory_id: str
    """Its turns and its report were sent again as they had been."""
    told: str
    """Ours, behind that report."""


class Preamble(Record):
    """All that the agent was sent before its first turn."""

    system_prompt: str | None = None
    start_prompt: str
    tool_schemas: tuple[dict[str, Any], ...] = ()
    before: Before | None = None
    """None where it began at its beginning."""


class Trajectory(Record):
    """One attempt of one agent at one entity. Totals are properties, never stored."""

    id: str
    run_id: str
    scenario_id: str
    scenario_fingerprint: str
    entity_id: str
    trial: int = Field(default=1, ge=1)
    attempt: int = Field(default=1, ge=1)
    model: str | None = None
    agent: str
    client: Client | None = None
    preamble: Preamble | None = None
    turns: tuple[Turn, ...] = ()
    nudges: tuple[Nudge, ...] = ()
    insights: tuple[Insight, ...] = ()
    failed_calls: tuple[ModelCall, ...] = ()
    """Model calls of the agent and for its report that brought an error in place of a reply."""
    report_forced: bool = False
    stop_reason: StopReason | None = None
    """None while it goes on, or after the process died in mid-run."""
    error: str | None = None
    sandbox: Sandbox | None = None
    reported_agent: str | None = None
    """What an agent from outside says that it is; like the two below never mixed with what we know."""
    reported_model: str | None = None
    reported_usage: Usage | None = None
    started_at: UtcTime
    ended_at: UtcTime | None = None
    schema_version: int = 1
    code_revision: str | None = None

    @property
    def calls(self) -> tuple[ModelCall, ...]:
        """Every model call of every role, failed ones too, in order."""
        spoken: list[Turn | Nudge | Insight] = [*self.turns, *self.nudges, *self.insights]
        found = [part.call for part in spoken if part.call]
        return tuple(sorted([*found, *self.failed_calls], key=lambda call: call.started_at))

    def usage(self, role: Role | None = "agent") -> Usage:
        """The summed usage of one role; None sums all of them."""
        total = NO_USAGE
        for call in self.calls:
            if role is None or call.role == role:
                total = total + call.usage
        return total

    @property
    def near_finishes(self) -> int:
        """How many replies held the finish marker and ended nothing."""
        return sum(t.near_finish for t in self.turns) + sum(n.near_finish for n in self.nudges)

    @property
    def tool_calls(self) -> int:
        """How many tool calls were made."""
        return sum(len(turn.tool_calls) for turn in self.turns)

    @property
    def tool_seconds(self) -> float:
        """Time spent inside tools (paper App. F), seconds."""
        return sum(result.duration_s for turn in self.turns for result in turn.tool_results)

    @property
    def message_insights(self) -> tuple[Insight, ...]:
        """In the order of turns, those without text included.

        Of a turn that was asked about again after a failure, the failed ones are left out.
        """
        mine = [i for i in self.insights if i.level == "message"]
        answered = {i.turn for i in mine if not i.failed}
        kept = (i for i in mine if not i.failed or i.turn not in answered)
        return tuple(sorted(kept, key=lambda insight: insight.turn or 0))

    @property
    def report(self) -> str | None:
        """The trajectory-wise insight, if one was handed in."""
        texts = [i.text for i in self.insights if i.level == "trajectory" and i.text]
        return texts[-1] if texts else None
