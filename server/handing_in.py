"""The three tools that agents from outside have beside the exploring ones, and what they may be sent."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from core.errors import ToolError
from core.outside import FINISH, GET_TASK, SUBMIT_INSIGHT
from core.protocols import ToolSpec
from core.trajectory import Usage
from tools.specs import Argument, check_arguments

NAMES: Final = (GET_TASK, SUBMIT_INSIGHT, FINISH)

INSIGHT_CHARS: Final = 4_000
REPORT_CHARS: Final = 50_000
EVIDENCE_CHARS: Final = 1_000
MOST_EVIDENCE: Final = 10
NAME_CHARS: Final = 200

_NAMED: Final = (
    Argument(
        "agent",
        "string",
        f"Your name and version, if you know them, at most {NAME_CHARS} characters.",
        most_chars=NAME_CHARS,
    ),
    Argument(
        "model",
        "string",
        f"The model that you are, if you know it, at most {NAME_CHARS} characters.",
        most_chars=NAME_CHARS,
    ),
)
_INSIGHT: Final = (
    Argument(
        "text",
        "string",
        f"One finding in 1 to 3 sentences with its figures, at most {INSIGHT_CHARS} characters.",
        required=True,
        most_chars=INSIGHT_CHARS,
    ),
    Argument(
        "turn",
        "integer",
        "The turn that showed it, as results number them; default: the latest one.",
        least=1,
    ),
)
_REPORT: Final = (
    Argument(
        "report",
        "string",
        f"All that you found, with its figures, at most {REPORT_CHARS} characters.",
        required=True,
        most_chars=REPORT_CHARS,
    ),
)
_COUNTS: Final = tuple(name for name in Usage.model_fields if name.endswith("_tokens"))
_USAGE: Final = (*_COUNTS, "cost_usd")


def specs(*, most_insights: int) -> tuple[ToolSpec, ...]:
    """The tools as they are listed; schemas keep to what every provider takes (field case F25)."""
    evidence = {
        "type": "array",
        "items": {"type": "string"},
        "description": "What shows it: SQL statements or figures, at most "
        f"{MOST_EVIDENCE} of {EVIDENCE_CHARS} characters.",
    }
    usage = {
        "type": "object",
        "properties": {
            name: {"type": "number" if name == "cost_usd" else "integer", "description": said}
            for name, said in (
                ("input_tokens", "All input tokens, cached ones included."),
                ("output_tokens", "All output tokens, reasoning included."),
                ("cached_input_tokens", "Input tokens read from a cache."),
                ("cache_write_tokens", "Input tokens written to a cache."),
                ("reasoning_tokens", "Output tokens spent on reasoning."),
                ("cost_usd", "Cost in US dollars."),
            )
        },
        "description": "What the exploration took, if you know it.",
    }
    return (
        _spec(
            GET_TASK,
            "Tell what there is to do: the one entity to explore, the rules, and how far you are."
            " Call it first.",
            _NAMED,
        ),
        _spec(
            SUBMIT_INSIGHT,
            f"Hand in one finding as soon as you have it, at most {most_insights} in all. The same"
            " text again counts once.",
            _INSIGHT,
            evidence=evidence,
        ),
        _spec(
            FINISH,
            "Hand in your report and stop, once new queries tell you nothing more. After it"
            " nothing else is taken.",
            _REPORT,
            usage=usage,
        ),
    )


def _spec(name: str, description: str, arguments: tuple[Argument, ...], **more: Any) -> ToolSpec:
    plain = {a.name: {"type": a.kind, "description": a.description} for a in arguments}
    schema: dict[str, Any] = {"type": "object", "properties": {**plain, **more}}
    if required := [a.name for a in arguments if a.required]:
        schema["required"] = required
    return ToolSpec(name=name, description=description, input_schema=schema)


@dataclass(frozen=True)
class SaidInsight:
    """What submit_insight was sent."""

    text: str
    turn: int | None
    evidence: tuple[str, ...]

    @property
    def digest(self) -> str:
        """The same for texts that differ in case, spacing and forms of characters alone."""
        plain = " ".join(unicodedata.normalize("NFKC", self.text).casefold().split())
        return hashlib.sha256(plain.encode("utf-8", "replace")).hexdigest()[:16]


def read_names(arguments: Mapping[str, Any]) -> dict[str, str]:
    """What an agent says that it is. Raises ToolError `arguments`."""
    return check_arguments(_NAMED, _without_blanks(arguments), GET_TASK)


def read_insight(arguments: Mapping[str, Any]) -> SaidInsight:
    """Raises ToolError `arguments` that says what is wrong."""
    rest = dict(arguments)
    evidence = _texts(rest.pop("evidence", None))
    given = check_arguments(_INSIGHT, rest, SUBMIT_INSIGHT)
    return SaidInsight(text=given["text"].strip(), turn=given.get("turn"), evidence=evidence)


def read_report(arguments: Mapping[str, Any]) -> tuple[str, Usage | None]:
    """The report, and the usage where it was told. Raises ToolError `arguments`."""
    rest = dict(arguments)
    usage = read_usage(rest.pop("usage", None))
    given = check_arguments(_REPORT, rest, FINISH)
    return given["report"].strip(), usage


def read_usage(said: object) -> Usage | None:
    """What an agent or its harness says that it took. Raises ToolError `arguments`."""
    if said is None or said == {}:
        return None
    if not isinstance(said, Mapping) or (set(said) - set(_USAGE)):
        raise _wrong(f"'usage' is an object of {', '.join(_USAGE)}")
    arguments = tuple(
        Argument(name, "number" if name == "cost_usd" else "integer", "", least=0)
        for name in _USAGE
    )
    given = check_arguments(arguments, said, FINISH)
    reason = None if "cost_usd" in given else "the agent did not report it"
    return Usage(**given, cost_reason=reason)


def _texts(said: object) -> tuple[str, ...]:
    if said is None:
        return ()
    listed = [said] if isinstance(said, str) else said
    if not isinstance(listed, list) or len(listed) > MOST_EVIDENCE:
        raise _wrong(f"'evidence' is a list of at most {MOST_EVIDENCE} texts")
    each = Argument("evidence", "string", "", most_chars=EVIDENCE_CHARS)
    return tuple(
        check_arguments((each,), {"evidence": text}, SUBMIT_INSIGHT)["evidence"]
        for text in listed
        if text is not None
    )


def _without_blanks(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Models fill what they do not know with an empty text."""
    return {k: v for k, v in arguments.items() if not (isinstance(v, str) and not v.strip())}


def _wrong(text: str) -> ToolError:
    return ToolError(text, kind="arguments")
