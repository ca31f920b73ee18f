"""What each tool's answer looks like, in the few words of JSON Schema that every client takes."""

from __future__ import annotations

from typing import Any, Final

_TURN: Final = {
    "type": "integer",
    "description": "The turn that this belongs to: k for the k-th call that explores.",
}


def _text(said: str) -> dict[str, Any]:
    return {"type": "string", "description": said}


def _count(said: str) -> dict[str, Any]:
    return {"type": "integer", "description": said}


def _flag(said: str) -> dict[str, Any]:
    return {"type": "boolean", "description": said}


def _maybe(said: str, kind: str = "string") -> dict[str, Any]:
    """A value that may be null. A list of types, or no type at all, is more than some clients take."""
    kinds = [{"type": kind}, {"type": "null"}]
    return {"description": f"{said}; null where there is none.", "anyOf": kinds}


def _list(said: str, **items: Any) -> dict[str, Any]:
    return {"type": "array", "description": said, "items": items}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


_CUT: Final = {
    "truncated": _flag("Whether this is only a part."),
    "truncation_reason": _maybe("Why it was cut"),
    "note": _maybe("What else to know"),
}
_OFFSET: Final = _count("What was skipped.")
_QUEUE: Final = {"tasks_left": _count("Further tasks in the queue.")}

_ANSWERS: Final[dict[str, dict[str, Any]]] = {
    "get_database_info": {
        "dialect": _text("Of execute_query."),
        "table_count": _count("In the whole database."),
        "offset": _OFFSET,
        **_CUT,
        "tables": _list(
            "Tables from the offset on.",
            **_object(
                name=_text("As describe_table takes it."),
                comment=_maybe("What it holds"),
                column_count=_count("Its columns."),
            ),
        ),
    },
    "describe_table": {
        "table": _text("Its name."),
        "kind": _text("table or view."),
        "comment": _maybe("What it holds"),
        "row_count": _count("Its rows."),
        "column_count": _count("Its columns."),
        "keys": _list("Primary and foreign keys.", **_object(kind=_text("Of key."))),
        "offset": _OFFSET,
        **_CUT,
        "columns": _list(
            "Columns from the offset on.",
            **_object(
                name=_text("Its name."),
                type=_text("Its type."),
                nullable=_flag("Whether it may be NULL."),
                comment=_maybe("What it holds"),
            ),
        ),
    },
    "execute_query": {
        "row_count": _count("Rows in this answer."),
        "offset": _OFFSET,
        **_CUT,
        "columns": _list("Names.", type="string"),
        "types": _list("Of the columns.", type="string"),
        "rows": {"type": "array", "description": "Each a list of values, in the columns' order."},
    },
    "execute_code": {
        **_CUT,
        "stdout": _text("What was printed."),
        "value": _maybe("The value of the last expression"),
        "error": _maybe("The traceback"),
    },
    "get_task": {
        "task": _text("What there is to do."),
        "how": _text("The rules."),
        "turns_used": _count("So far."),
        "turns_max": _maybe("The limit", "integer"),
        "seconds_max": _maybe("The limit", "number"),
        "insights": _count("Handed in so far."),
        "insights_max": _count("The limit."),
        **_QUEUE,
    },
    "submit_insight": {
        "insight_id": _text("Of this one."),
        "insights": _count("Handed in so far."),
        "duplicate": _flag("Whether it was there already."),
    },
    "finish": {
        "status": _text("finished."),
        "insights": _count("Handed in."),
        "duplicate": _flag("Whether it was finished before."),
        "next": _text("What to do now, in a queue."),
        **_QUEUE,
    },
}


def output_schema(tool: str) -> dict[str, Any] | None:
    """Of a tool's answer; None for a tool that is not ours. Only `turn` is required."""
    properties = _ANSWERS.get(tool)
    if properties is None:
        return None
    return {
        "type": "object",
        "properties": {"turn": _TURN, **properties},
        "required": ["turn"],
    }
