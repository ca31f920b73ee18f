"""The contracts that a plug-in fulfils; each has a test-suite under tests/contracts."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from core.checklist import ChecklistItem
from core.evaluation import Verdict
from core.record import Record
from core.run import Limits
from core.scenario import Task
from core.trajectory import (
    Insight,
    ModelCall,
    Nudge,
    Preamble,
    Role,
    StopReason,
    ToolCall,
    Trajectory,
    Turn,
)


class ToolSpec(Record):
    """A tool as an agent is told of it."""

    name: str
    description: str
    input_schema: dict[str, Any]


class Observation(Record):
    """What a tool call gave back, as the agent sees it."""

    text: str
    data: dict[str, Any] | None = None
    """The same as structured values, where the tool has them."""
    is_error: bool = False
    error_kind: str | None = None
    truncated: bool = False
    accessed_fields: tuple[str, ...] = ()
    violations: tuple[str, ...] = ()
    images: tuple[bytes, ...] = ()
    """Pictures (PNG) for clients that take them; the text says how many there are."""
    duration_s: float = 0.0


@runtime_checkable
class Tools(Protocol):
    """The tools that an agent holds; a built-in agent gets them through an MCP session."""

    async def list(self) -> Sequence[ToolSpec]:
        """The tools on offer."""
        ...

    async def call(self, name: str, arguments: Mapping[str, Any]) -> Observation:
        """Call one. A failed call is an Observation with is_error, never an exception."""
        ...


class Finish(Record):
    """The agent's last word: it stops, by itself unless stop_reason says otherwise."""

    report: str | None
    call: ModelCall | None = None
    """The model call that brought it, where no turn holds it: role agent where the agent finished by
    itself, role report where it was asked to."""
    prompt_hash: str | None = None
    stop_reason: StopReason | None = None
    """What ended the exploration where the agent did not choose to stop; None = it chose."""


Step = Preamble | Turn | Nudge | Insight | Finish
"""What an agent yields."""


@runtime_checkable
class Agent(Protocol):
    """Explores one entity and stops by itself.

    Yields each Turn as it ends, its message-wise Insight after it (trajectory_id is filled by
    the caller), and a Finish at the end. An iterator that ends without a Finish was idle. An
    agent that asks a model yields the Preamble as it was sent before anything else, and a Nudge for
    each reply that was neither a call nor a finish.

    An ending that it does not choose: at a limit it asks for no further turn, may ask once for the
    report, and yields a Finish with a stop_reason. An endpoint's failure is raised as ProviderError,
    and never is a report. Where its kind is context_length, the Finish with a report over the turns
    that still fitted comes first, then the error is raised: a caller that goes on after the Finish
    meets it, and the stop reason is context_length either way.
    """

    name: str

    def explore(
        self, task: Task, tools: Tools, model: ChatModel | None, limits: Limits
    ) -> AsyncIterator[Step]:
        """Explore until there is nothing more to find."""
        ...


class Chance(Record):
    """A token that a model might have said."""

    token: str
    logprob: float
    """Natural logarithm of its probability."""


class Spoken(Record):
    """A token that a model said, with those that it might have said in its place."""

    token: str
    top: tuple[Chance, ...] = ()
    """The likeliest at that place, what was said among them as a rule."""


class Reply(Record):
    """A language model's answer."""

    text: str
    reasoning: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    raw: dict[str, Any]
    """The message as the provider sent it, replayed unchanged in history."""
    call: ModelCall
    chances: tuple[Spoken, ...] = ()
    """The text's tokens, one after the other; empty where the provider was not asked or told none."""


@runtime_checkable
class ChatModel(Protocol):
    """A language model with tools."""

    name: str

    async def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[ToolSpec] = (),
        *,
        role: Role = "agent",
        form: Mapping[str, Any] | None = None,
    ) -> Reply:
        """One request. Raises ProviderError; never returns an error as a text.

        Messages are dicts of the OpenAI chat format; an assistant's may be a Reply.raw. One may hold
        `shared`: how many characters of its text begin other requests too, for prompt caches. `role` is
        what the call is booked as. `form` is a JSON schema that the reply is to have; a model that
        cannot be held to one answers as it does without.
        """
        ...


@runtime_checkable
class Checker(Protocol):
    """Judges the insights of one trajectory against its entity's items."""

    name: str

    def check(
        self, items: Sequence[ChecklistItem], trajectory: Trajectory, *, evaluation_id: str
    ) -> AsyncIterator[Verdict]:
        """One verdict per item and level, each yielded as soon as it stands."""
        ...


class CellLimits(Record):
    """What one cell of Python may use."""

    wall_s: float = 30.0
    memory_mb: int = 2048
    output_bytes: int = 65536


class CellResult(Record):
    """What one cell of Python gave."""

    stdout: str = ""
    value: str | None = None
    """repr of the last expression."""
    error: str | None = None
    """The traceback, cut to the agent's own frames."""
    truncated: bool = False
    killed: str | None = None
    """timeout, memory or output: the kernel was ended and its variables are gone."""
    state_lost: bool = False
    """True where this cell began in a fresh kernel because an earlier one had ended."""
    accessed_fields: tuple[str, ...] = ()
    violations: tuple[str, ...] = ()
    figures: tuple[bytes, ...] = ()
    """What matplotlib drew, as PNG; few and bounded in size."""
    duration_s: float = 0.0


class QueryColumns(Record):
    """A whole result on its way into a kernel (host to sandbox, never back)."""

    payload: bytes
    """Pickled {column: numpy or pandas array}, or [(column, array), ...] where two columns have one
    name; the kernel makes a DataFrame of it. Text may come as a pandas Categorical, which is smaller."""
    row_count: int
    truncated: bool = False
    accessed_fields: tuple[str, ...] = ()


@runtime_checkable
class QueryFunction(Protocol):
    """The read-only way to the data that a kernel is handed."""

    async def __call__(self, sql: str) -> QueryColumns:
        """Raises ToolError with a text that helps."""
        ...


@runtime_checkable
class Kernel(Protocol):
    """One persistent Python session inside a sandbox."""

    async def run(self, code: str, limits: CellLimits) -> CellResult:
        """Run a cell; variables survive until the next reset, kill or close."""
        ...

    async def reset(self) -> None:
        """Forget every variable."""
        ...

    async def close(self) -> None:
        """End the session and everything in it."""
        ...


@runtime_checkable
class SandboxFactory(Protocol):
    """A way to hold Python."""

    name: str

    async def open(self, session: str, query: QueryFunction) -> Kernel:
        """Start a kernel that nothing outlives. Raises SandboxError where this machine cannot hold one."""
        ...
