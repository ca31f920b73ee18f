"""Read an insight that was written by hand: JSON where it is, else a Python literal, else field by field."""

from __future__ import annotations

import ast
import difflib
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, get_args

from core.checklist import InsightType

LONGEST: Final = 200_000
"""Characters of one text that are looked at; the longest cell of the release has under 10,000."""
FIELDS: Final = (
    "data_type",
    "insight",
    "insight_value",
    "plot",
    "question",
    "actionable_insight",
    "description",
    "recommendation",
    "code",
)
OTHER: Final = "other"
TYPES: Final = tuple(kind for kind in get_args(InsightType) if kind != OTHER)

# A key, a colon, and a string in either kind of quotes; a backslash hides the quote behind it.
_FIELD: Final = re.compile(
    r"""(?P<q>["'])(?P<key>[A-Za-z_ ]{3,40})(?P=q)\s*:\s*[fFrR]?(?P<v>"{3}|'{3}|"|')""",
)
_KEY_GOES_ON: Final = re.compile(r"""[A-Za-z_ ]{3,40}["']\s*:""")


def read_insight(text: str) -> Mapping[str, Any] | None:
    """The fields of one insight under their right names; None where there is not one of them.

    json, then ast.literal_eval, then each field that is a string by itself (EVALUATION 0.6): so that a
    comma that is missing in a plot costs the plot, and not the insight.
    """
    text = text.strip()[:LONGEST]
    for read in (_as_json, _as_python):
        found = read(text)
        if isinstance(found, Mapping):
            return right_names(found) or None
    return right_names(dict(_field_by_field(text))) or None


def right_names(found: Mapping[Any, Any]) -> dict[str, Any]:
    """The same values under the keys that are meant: 'actionable insight' is 'actionable_insight'.

    A key that is spelt right outweighs a misspelt one; keys that resemble none are left out.
    """
    named: dict[str, Any] = {}
    for key, value in sorted(found.items(), key=lambda pair: pair[0] not in FIELDS):
        if (right := _right_name(str(key))) is not None:
            named.setdefault(right, value)
    return named


def type_of(stated: str) -> str:
    """One of TYPES, in any case and nearly any spelling, or 'other'."""
    word = stated.strip().lower()
    near = difflib.get_close_matches(word, TYPES, n=1, cutoff=0.85)
    return near[0] if near else OTHER


def _right_name(key: str) -> str | None:
    plain = re.sub(r"[^a-z]+", "_", key.strip().lower()).strip("_")
    if plain in FIELDS:
        return plain
    near = difflib.get_close_matches(plain, FIELDS, n=1, cutoff=0.88)
    return near[0] if near else None


def _as_json(text: str) -> Any:
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None


def _as_python(text: str) -> Any:
    """A literal, alone or behind `name =`. Nothing is evaluated."""
    body = re.sub(r"\A[A-Za-z_]\w*\s*=\s*", "", text)
    try:
        found = ast.literal_eval(body)
        str(found)  # what has no text, as a number of thousands of digits, is no field
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return None
    return found


def _field_by_field(text: str) -> Iterator[tuple[str, str]]:
    at = 0
    while (found := _FIELD.search(text, at)) is not None:
        end = _end_of(text, found.end(), found["v"])
        if end is None:
            at = found.end()
            continue
        yield found["key"], _unescaped(text[found.end() : end])
        # Where the end was forgotten, the next key's own quote was taken for it.
        at = end if _KEY_GOES_ON.match(text, end + 1) else end + len(found["v"])


def _end_of(text: str, start: int, quote: str) -> int | None:
    """Where the string that begins there ends; None where it does not."""
    at = start
    while (at := text.find(quote, at)) != -1:
        hidden = 0
        while at - hidden - 1 >= start and text[at - hidden - 1] == "\\":
            hidden += 1
        if hidden % 2 == 0:
            return at
        at += 1
    return None


def _unescaped(text: str) -> str:
    shown = {"\\n": "\n", "\\t": "\t", "\\'": "'", '\\"': '"', "\\\\": "\\"}
    return re.sub(r"\\[nt'\"\\]", lambda found: shown[found[0]], text)
