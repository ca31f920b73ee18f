"""The form of a checker's reply as a JSON schema, for models that can be held to one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evaluator.asking import Enquiry
from evaluator.replying import LIST, NUMBER


def form_of(enquiries: Sequence[Enquiry], *, together: bool = False) -> dict[str, Any]:
    """Of the reply to one item, or to several that are asked `together`.

    All have the same key; of several, any may bear the words of any, which the reading sorts out.
    """
    key = enquiries[0].key
    words = list(dict.fromkeys(word for each in enquiries for word in each.labels))
    turns = {"type": "array", "items": {"type": "integer"}}
    fields: dict[str, Any] = {
        key: {"type": "string", "enum": words},
        "supporting_turns": turns,
        "contradicting_turns": turns,
        "quote": {"type": "string"},
        "reason": {"type": "string"},
    }
    if not together:
        return _object(fields)
    return _object(
        {LIST: {"type": "array", "items": _object({NUMBER: {"type": "integer"}, **fields})}}
    )


def _object(fields: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }
