"""A core record as the JSON text that the store keeps."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import Any

from pydantic_core import PydanticSerializationError

from core.record import Record


def to_json(record: Record, *, without: AbstractSet[str] = frozenset()) -> str:
    """The record as JSON. Lone surrogates, which no UTF-8 text can hold, become U+FFFD.

    An agent can emit them ('\\ud800' is valid in a JSON string), and must not be able to lose a
    turn by it.
    """
    try:
        return record.model_dump_json(exclude=set(without))
    except PydanticSerializationError:
        mended = _mend(record.model_dump(exclude=set(without)))
        return type(record).model_validate(mended).model_dump_json(exclude=set(without))


def _mend(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_mend(key): _mend(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_mend(item) for item in value]
    return value
