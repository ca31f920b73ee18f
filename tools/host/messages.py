"""What is said over the tool host's socket: how a session is opened, and an answer on the wire."""

from __future__ import annotations

import itertools
import json
from typing import Any, Final, Literal, Self

from pydantic import Field, model_validator

from core import errors
from core.protocols import Observation, ToolSpec
from core.record import Record
from core.scenario import ToolName
from core.trajectory import Sandbox
from databases.target import Target
from tools.limits import ToolLimits
from tools.values import compact

SESSION_GONE: Final = "session_gone"
"""The failure of a call to a session that is not there any more: open it again."""


class Opening(Record):
    """What a session is opened with. Whoever opens it again must say the same."""

    key: str = Field(min_length=1, max_length=300)
    """Names the session; whoever knows it may use it."""
    target: Target
    names: tuple[ToolName, ...]
    limits: ToolLimits = Field(default_factory=ToolLimits)
    python_state: Literal["session", "call"] = "session"
    """Whether variables outlive a session's call, or each call begins with none."""
    sandbox: str | None = None
    """Name of what holds Python; None leaves it out."""

    @model_validator(mode="after")
    def _names_can_be_names(self) -> Self:
        """Of files and modules: without a NUL or half of a surrogate pair, on which calls fail."""
        said = (self.key, self.sandbox or "", self.target.dialect, self.target.location)
        if any(b"\0" in text.encode() for text in said):
            raise ValueError("a NUL in a name")
        return self


class Opened(Record):
    """The host's answer to an opening."""

    created: bool
    """False where the session was there already, with its variables."""
    specs: tuple[ToolSpec, ...]
    sandbox: Sandbox


class Health(Record):
    """How the host is."""

    pid: int
    sessions: int
    calls: int
    """Under way now."""
    connections: int


class Failure(Record):
    """What the host says instead of an answer."""

    kind: str
    """The name of an error of core.errors, `session_gone`, or `refused`."""
    text: str

    def error(self) -> errors.DdrError:
        """The same as an exception. One that is no error of ours is a ToolError of that kind."""
        found = getattr(errors, self.kind, None)
        if isinstance(found, type) and found in _PLAIN:
            raised: errors.DdrError = found(self.text)
            return raised
        return errors.ToolError(self.text, kind=self.kind)


_PLAIN: Final = (
    errors.UsageError,
    errors.ConfigError,
    errors.ScenarioError,
    errors.DatabaseError,
    errors.SandboxError,
)
"""What an opening may fail with."""


def failure(exc: errors.DdrError) -> Failure:
    """An error on its way to the client, as the nearest of those that it knows."""
    if isinstance(exc, errors.ToolError):
        return Failure(kind=exc.kind, text=str(exc))
    known = next((kind for kind in type(exc).__mro__ if kind in _PLAIN), errors.ScenarioError)
    return Failure(kind=known.__name__, text=str(exc))


def pack(seen: Observation, *, in_text: bool = False) -> tuple[dict[str, Any], bytes]:
    """An Observation as JSON, with its text and its pictures as bytes behind it.

    Data travels as the text alone where the text is its JSON, as every tool's is. `in_text`: data that
    is None has been left there from the start.
    """
    text = seen.text.encode("utf-8", "surrogatepass")
    is_text = in_text if seen.data is None else compact(seen.data) == seen.text
    said = {
        "text": len(text),
        "images": [len(image) for image in seen.images],
        "is_text": is_text,
        "data": None if is_text else seen.data,
        "is_error": seen.is_error,
        "error_kind": seen.error_kind,
        "truncated": seen.truncated,
        "accessed_fields": seen.accessed_fields,
        "violations": seen.violations,
        "duration_s": seen.duration_s,
    }
    return said, b"".join((text, *seen.images))


def unpack(said: dict[str, Any], payload: bytes) -> Observation:
    """The Observation again, from a host that is believed: it is not checked field by field.

    Raises ValueError where the sizes do not fit.
    """
    sizes = [said["text"], *said["images"]]
    if sum(sizes) != len(payload):
        raise ValueError("what came behind an answer does not have the sizes that it should have")
    ends = list(itertools.accumulate(sizes))
    parts = [payload[end - size : end] for end, size in zip(ends, sizes, strict=True)]
    text = parts[0].decode("utf-8", "surrogatepass")
    return Observation.model_construct(
        text=text,
        data=json.loads(text) if said["is_text"] else said["data"],
        is_error=said["is_error"],
        error_kind=said["error_kind"],
        truncated=said["truncated"],
        accessed_fields=tuple(said["accessed_fields"]),
        violations=tuple(said["violations"]),
        images=tuple(parts[1:]),
        duration_s=said["duration_s"],
    )
