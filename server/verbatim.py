"""Write down what a client sent as JSON text, whatever it is: a record changes nothing and leaves nothing out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

_HALVES: Final = re.compile("[\ud800-\udfff]")
"""Halves of surrogate pairs: characters for JSON, but not for UTF-8, as which the text is kept."""


def verbatim(value: Any) -> str:
    """The JSON text of what a JSON parser gave. Reading it gives the same again, NaN included.

    Raises TypeError or ValueError for what no JSON parser gives, numbers of more than 4 300 digits
    among it.
    """
    try:
        text = json.dumps(value, ensure_ascii=False)
    except RecursionError:
        text = "".join(_flat(value))
    return _HALVES.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


def _flat(value: Any) -> Iterator[str]:
    """The text in pieces, without recursion: a client nests as deep as it likes."""
    open_ends: list[tuple[Iterator[Any], str]] = [(iter([("", value)]), "")]
    while open_ends:
        members, end = open_ends[-1]
        for lead, member in members:
            yield lead
            if isinstance(member, dict) and member:
                yield "{"
                open_ends.append((_fields(member), "}"))
                break
            if isinstance(member, (list, tuple)) and member:
                yield "["
                items = ((", " if n else "", item) for n, item in enumerate(member))
                open_ends.append((items, "]"))
                break
            yield json.dumps(member, ensure_ascii=False)
        else:
            yield end
            open_ends.pop()


def _fields(members: dict[Any, Any]) -> Iterator[tuple[str, Any]]:
    for number, (name, member) in enumerate(members.items()):
        yield f"{', ' if number else ''}{json.dumps(name, ensure_ascii=False)}: ", member
