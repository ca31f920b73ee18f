"""The base of every record: frozen, unknown fields refused, NaN refused."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict


class Record(BaseModel):
    """An immutable value. A misspelt or extra field is an error, never ignored."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        allow_inf_nan=False,
        use_attribute_docstrings=True,
        ser_json_bytes="base64",
        val_json_bytes="base64",
    )


def _utc(value: datetime) -> datetime:
    if value.tzinfo is None:
        raise ValueError("a time without a zone: use UTC")
    return value.astimezone(UTC)


UtcTime = Annotated[datetime, AfterValidator(_utc)]
"""A moment with its zone, kept in UTC."""
