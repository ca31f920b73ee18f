"""Turn a database's values into strict JSON without losing what they say."""

from __future__ import annotations

import base64
import json
import math
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

INT64 = 1 << 63
UINT64 = 1 << 64
BLOB_MARK = "base64:"


def as_json(value: Any) -> Any:
    """A value of strict JSON (field case F14).

    Integers of up to 64 bits stay numbers, wider ones become their exact digits as a string;
    decimals are exact strings; NaN and the infinities are the strings "NaN", "Infinity" and
    "-Infinity"; blobs are "base64:..."; times are ISO 8601; a struct is an object, a map is a list
    of [key, value].
    """
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return value if -INT64 <= value < UINT64 else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else _not_finite(value)
    if isinstance(value, Decimal):
        if value.is_nan():
            return "NaN"
        return f"{value:f}" if value.is_finite() else _not_finite(float(value))
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, timedelta):
        return _interval(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return BLOB_MARK + base64.b64encode(bytes(value)).decode()
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, (list, tuple)):
        return [as_json(item) for item in value]
    if isinstance(value, dict):
        return _mapping(value)
    return str(value)


def _mapping(value: dict[Any, Any]) -> Any:
    if all(isinstance(key, str) for key in value):
        return {key: as_json(item) for key, item in value.items()}
    return [[as_json(key), as_json(item)] for key, item in value.items()]


def _not_finite(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


def _interval(value: timedelta) -> str:
    days, rest = divmod(value, timedelta(days=1))
    clock = str(rest)
    return f"{days} days {clock}" if days else clock


def clip(value: Any, most: int) -> tuple[Any, bool]:
    """The value, and whether it had to be cut to `most` characters.

    What is cut ends with a mark that gives the full length; a nested value is cut as its JSON text.
    """
    if isinstance(value, str):
        text = value
    elif isinstance(value, (list, dict)):
        text = compact(value)
    else:
        return value, False
    if len(text) <= most:
        return value, False
    return f"{text[:most]}… [clipped, {len(text)} characters in full]", True


def compact(data: Any) -> str:
    """The one way in which data becomes text: compact, strict JSON."""
    return _encode(data)


# One encoder for all: json.dumps with these arguments makes a new one each time.
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
