"""Read what the models answer strictly: facts, one JSON object each, and one ruling."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from pydantic import ValidationError

from checklists.derive.facts import Fact, Ruling

LONGEST: Final = 200_000
"""Characters; a reply beyond that is not looked at."""
MOST: Final = 100
"""Facts of one reply; more are a model that does not stop."""
_NONE: Final = re.compile(r"\W*NO FACTS\W*", re.IGNORECASE)


class UnusableError(Exception):
    """A reply that cannot be used; its text says why, and is told to the model."""


@dataclass(frozen=True)
class Extracted:
    """The facts of one reply."""

    facts: tuple[Fact, ...]
    unreadable: int
    """Objects that are no fact: a key is missing, or is of another kind."""


def read_facts(text: str) -> Extracted:
    """Every fact in a reply. Raises UnusableError where there is neither a fact nor NO FACTS."""
    said = _spoken(text)
    if _NONE.fullmatch(said) or re.sub(r"```(json)?|\s", "", said) in ("[]", '{"facts":[]}'):
        return Extracted((), 0)
    facts, unreadable = [], 0
    for value in _objects(said):
        try:
            facts.append(Fact.model_validate(_only(value, Fact)))
        except ValidationError:
            unreadable += 1
    if not facts and not unreadable:
        raise UnusableError("it holds no JSON object, and does not say NO FACTS")
    if not facts and unreadable:
        raise UnusableError(f"none of its {unreadable} objects has the keys that were asked for")
    return Extracted(tuple(facts[:MOST]), unreadable)


def read_ruling(text: str) -> Ruling:
    """The one ruling in a reply. Raises UnusableError where there is none, or more than one."""
    rulings = [value for value in _objects(_spoken(text)) if "supported" in value]
    if not rulings:
        raise UnusableError("it holds no JSON object with the key 'supported'")
    if len({json.dumps(value, sort_keys=True) for value in rulings}) > 1:
        raise UnusableError("it holds two differing rulings")
    try:
        ruling = Ruling.model_validate(_only(rulings[0], Ruling))
    except ValidationError as exc:
        fault = exc.errors(include_url=False)[0]
        raise UnusableError(f"key {'.'.join(map(str, fault['loc']))!r}: {fault['msg']}") from exc
    return ruling


def _only(value: dict[str, Any], record: type[Fact | Ruling]) -> dict[str, Any]:
    """The keys that were asked for: a model that adds one of its own has still answered."""
    known = {key: value[key] for key in record.model_fields if value.get(key) is not None}
    if isinstance(known.get("figure"), int | float):
        known["figure"] = str(known["figure"])
    return known


def _spoken(text: str) -> str:
    """The reply without the thinking that some models put before it."""
    said = text.strip()
    said = said.partition("</think>")[2].strip() if said.startswith("<think>") else said
    if not said:
        raise UnusableError("it is empty")
    if len(said) > LONGEST:
        raise UnusableError("it is a text without end")
    # A lone half of a surrogate pair can be neither hashed nor kept.
    return said.encode("utf-8", "replace").decode("utf-8")


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Every JSON object of a reply, those in a list or below the key 'facts' among them."""
    decoder = json.JSONDecoder(strict=False)
    at = 0
    while (opening := re.compile(r"[{\[]").search(text, at)) is not None:
        try:
            value, at = decoder.raw_decode(text, opening.start())
        except RecursionError:
            raise UnusableError("it is nested without end") from None
        except ValueError:
            at = opening.start() + 1
            continue
        if isinstance(value, dict) and isinstance(value.get("facts"), list):
            value = value["facts"]
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, dict):
                yield each
