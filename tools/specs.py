"""The four tools as an agent is told of them, and the check of the arguments that it sends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from core.errors import ToolError
from core.protocols import ToolSpec
from core.scenario import ToolName
from tools.limits import ToolLimits

IGNORED = frozenset({"wait_for_previous"})
"""Arguments that clients add on their own account (Gemini's)."""
TABLE_CHARS = 300
"""Of a table's name, its schema and quotes included."""


@dataclass(frozen=True)
class Argument:
    """One argument. Its bounds stand in the description too: some clients drop them from a schema."""

    name: str
    kind: Literal["string", "integer", "number", "boolean"]
    description: str
    required: bool = False
    least: float | None = None
    most_chars: int | None = None


def arguments_of(tool: ToolName, limits: ToolLimits) -> tuple[Argument, ...]:
    """What a tool takes."""
    longer = Argument(
        "reply_chars",
        "integer",
        f"Characters that the reply may have, 1000 to {limits.max_reply_chars};"
        f" default {limits.reply_chars}.",
        least=1000,
    )
    if tool == "get_database_info":
        return (Argument("offset", "integer", "Tables to skip; default 0.", least=0), longer)
    if tool == "describe_table":
        return (
            Argument(
                "table_name",
                "string",
                "A table of get_database_info.",
                required=True,
                most_chars=TABLE_CHARS,
            ),
            Argument("offset", "integer", "Columns to skip; default 0.", least=0),
            longer,
        )
    if tool == "execute_query":
        return (
            Argument(
                "query",
                "string",
                "One SELECT statement.",
                required=True,
                most_chars=limits.sql_chars,
            ),
            Argument(
                "limit",
                "integer",
                f"Rows to return, 1 to {limits.max_rows}; default {limits.default_rows}.",
                least=1,
            ),
            Argument("offset", "integer", "Rows to skip; default 0. Use with ORDER BY.", least=0),
            longer,
        )
    if tool == "execute_code":
        return (
            Argument(
                "code",
                "string",
                "Python to run. The value of the last expression is shown.",
                most_chars=limits.code_chars,
            ),
            Argument(
                "timeout",
                "number",
                f"Seconds, at most {limits.python_max_seconds:g};"
                f" default {limits.python_seconds:g}.",
                least=0.1,
            ),
            Argument("reset", "boolean", "Forget all variables first; default false."),
            Argument(
                "output_offset",
                "integer",
                "Instead of code: show what the last call printed from this character on.",
                least=0,
            ),
            longer,
        )
    return ()


_DUCKDB = (
    "in DuckDB's dialect (also WITH, FROM t, SUMMARIZE, DESCRIBE, SHOW TABLES, PIVOT, EXPLAIN)"
)
_LANGUAGES = {
    "duckdb": _DUCKDB,
    "sqlite": "in SQLite's dialect (also WITH, VALUES, EXPLAIN QUERY PLAN)",
    "postgresql": "in PostgreSQL's dialect (also WITH, VALUES, TABLE t, EXPLAIN)",
}
"""Engine to the words for what its execute_query takes."""
_ANY_LANGUAGE = "in the dialect that get_database_info names"


def spec_of(tool: ToolName, limits: ToolLimits, engine: str = "duckdb") -> ToolSpec:
    """The tool as it is listed. Its schema keeps to what every provider takes (field case F25)."""
    arguments = arguments_of(tool, limits)
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {a.name: {"type": a.kind, "description": a.description} for a in arguments},
    }
    if required := [a.name for a in arguments if a.required]:
        schema["required"] = required
    return ToolSpec(name=tool, description=_describe(tool, limits, engine), input_schema=schema)


def _describe(tool: ToolName, limits: ToolLimits, engine: str) -> str:
    if tool == "get_database_info":
        return "List the database's tables with their comments and column counts."
    if tool == "describe_table":
        return "Describe one table: its columns with type, nullability and comment."
    if tool == "execute_query":
        return (
            f"Run one read-only SQL SELECT {_LANGUAGES.get(engine, _ANY_LANGUAGE)}."
            f" Returns at most {limits.default_rows} rows unless limit asks for up to"
            f" {limits.max_rows}; the reply says whether it was truncated and why."
            f" Time limit {limits.sql_seconds:g} s. Prefer aggregates to raw rows."
        )
    return (
        "Run Python in a sandbox without files or network. Variables survive between calls."
        " query(sql) returns a pandas DataFrame from the database (read-only, up to"
        f" {limits.frame_rows:,} rows). pandas (pd), numpy (np), scipy, scikit-learn, statsmodels and"
        " matplotlib are there."
        " Output: what is printed, then the value of the last expression."
    )


def check_arguments(
    arguments: Sequence[Argument], given: Mapping[str, Any], tool: str
) -> dict[str, Any]:
    """The arguments with their true types. Raises ToolError `arguments` that says what is wrong."""
    known = {argument.name: argument for argument in arguments}
    if unknown := sorted(set(given) - set(known) - IGNORED):
        takes = ", ".join(known) or "no arguments"
        raise _wrong(f"{tool} does not take {unknown[0]!r}; it takes {takes}")
    checked: dict[str, Any] = {}
    for name, argument in known.items():
        value = given.get(name)
        if value is None:
            if argument.required:
                raise _wrong(f"{tool} needs {name!r}: {argument.description}")
            continue
        checked[name] = _typed(argument, value)
    return checked


def _typed(argument: Argument, value: Any) -> Any:
    name = argument.name
    if argument.kind == "string":
        if not isinstance(value, str):
            raise _wrong(f"{name!r} must be a string")
        if not value.strip():
            raise _wrong(f"{name!r} is empty: {argument.description}")
        if "\0" in value:
            raise _wrong(f"{name!r} holds a NUL character")
        if not value.isascii() and value.encode("utf-8", "ignore").decode() != value:
            raise _wrong(f"{name!r} holds half of a surrogate pair, which is no character")
        if argument.most_chars and len(value) > argument.most_chars:
            raise _wrong(f"{name!r} has {len(value)} characters; at most {argument.most_chars}")
        return value
    if argument.kind == "boolean":
        said = str(value).strip().lower()
        if said not in {"true", "false"}:
            raise _wrong(f"{name!r} must be true or false")
        return said == "true"
    number = _number(value)
    if number is None or (argument.kind == "integer" and number != int(number)):
        raise _wrong(
            f"{name!r} must be a{'n' if argument.kind == 'integer' else ''} {argument.kind}"
        )
    if argument.least is not None and number < argument.least:
        raise _wrong(f"{name!r} must be at least {argument.least:g}")
    return int(number) if argument.kind == "integer" else number


def _number(value: Any) -> float | None:
    """Models write 20, 20.0 and "20"; all three mean the number."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if abs(number) < float(1 << 53) else None


def _wrong(text: str) -> ToolError:
    return ToolError(text, kind="arguments")
