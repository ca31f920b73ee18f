"""Read a checker's reply strictly: one label with what it cites, or the fault that makes it unusable."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from evaluator.asking import plain

LONGEST: Final = 100_000
"""Characters; a reply beyond that is not looked at."""
LIST: Final = "verdicts"
NUMBER: Final = "item"
"""The keys of a reply to several items: the list, and in each of its objects whose it is."""
_TURN: Final = re.compile(r"\[?\s*(?:turn\s*)?(-?\d{1,9})\s*\]?", re.IGNORECASE)
_OPENING: Final = re.compile(r"[{\[]")
_LIST_OF_MORE: Final = re.compile(r"\[\s*[{\[]")
_BRACKET: Final = re.compile(r'\\.|["{}\[\]]', re.DOTALL)


@dataclass(frozen=True)
class Answer:
    """A reply that can be read; whether what it cites exists is still open."""

    word: str
    """One of the allowed words."""
    supporting_turns: tuple[int, ...] = ()
    """Without repetition, in order. 0, which no turn has, stands for what is no number."""
    contradicting_turns: tuple[int, ...] = ()
    quote: str = ""
    reason: str = ""


@dataclass(frozen=True)
class Fault:
    """Why a reply cannot be used."""

    kind: Literal["unreadable", "invalid citation"]
    text: str
    """One of a few, so that they can be counted."""
    detail: str = ""
    again: bool = True
    """Whether it helps to ask once more."""

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}"


class _UnreadableError(Exception):
    pass


def read(text: str, *, key: str, allowed: Collection[str], data: str = "") -> Answer | Fault:
    """The one answer in a reply (EVALUATION 1.2, field cases F35 to F37, F44).

    `key` names the field that holds the word, `allowed` the words that it may hold, in plain
    spelling; `data` is the text that the model was shown. Text before and after the object and code
    fences around it do not matter. An object that stands in `data` itself is a copy, not an answer.
    Never raises.
    """
    found = _found(text, key, data)
    return found if isinstance(found, Fault) else _answer(found, key, allowed)


def read_many(
    text: str, *, key: str, allowed: Sequence[Collection[str]], data: str = ""
) -> list[Answer | Fault] | Fault:
    """The answers in a reply to several items, in the items' order; as strict as for one.

    `allowed`: the words for each item. What names no item, or one that was not asked, is no answer
    to any. Never raises.
    """
    found = _found(text, LIST, data)
    if isinstance(found, Fault):
        return found
    lists = [value for pairs in found for name, value in pairs if _is(name, LIST)]
    if any(type(each) is not list for each in lists):
        return Fault("unreadable", f"the {LIST} are no list")
    if any(each != lists[0] for each in lists):
        return Fault("unreadable", f"two differing lists of {LIST}", again=False)
    entries = [entry for entry in lists[0] if isinstance(entry, _Pairs)]
    return [
        _answer([pairs for pairs in entries if _number_of(pairs) == number], key, words)
        for number, words in enumerate(allowed, start=1)
    ]


def _found(text: str, key: str, data: str) -> list[_Pairs] | Fault:
    """The objects of a reply that have the key, copies of objects in the data aside."""
    said, shown = _spoken(text), " ".join(data.split())
    if not said:
        return Fault("unreadable", "an empty reply")
    if len(said) > LONGEST:
        return Fault("unreadable", "a reply without end")
    try:
        objects = list(_objects(said, key))
    except _UnreadableError as exc:
        return Fault("unreadable", str(exc))
    found = [pairs for source, pairs in objects if " ".join(source.split()) not in shown]
    return found or Fault("unreadable", f"no JSON object with the key {key!r}")


def _answer(found: Sequence[_Pairs], key: str, allowed: Collection[str]) -> Answer | Fault:
    """What the objects say together of one item."""
    words = [value for pairs in found for name, value in pairs if _is(name, key)]
    if not words:
        return Fault("unreadable", f"no JSON object with the key {key!r}")
    if not all(isinstance(word, str) for word in words):
        return Fault("unreadable", f"the {key} is no text")
    if len(given := {plain(word) for word in words}) > 1:
        # Asked again, a judge that wavers would only be pressed to choose.
        return Fault("unreadable", f"two differing {key}s", again=False)
    if (word := given.pop()) not in allowed:
        return Fault("unreadable", f"the {key} is none of those allowed")
    fields = {plain(name): value for name, value in found[-1]}
    return Answer(
        word=word,
        supporting_turns=_turns(fields.get("supporting_turns")),
        contradicting_turns=_turns(fields.get("contradicting_turns")),
        quote=_text(fields.get("quote")),
        reason=_text(fields.get("reason")),
    )


def _number_of(pairs: _Pairs) -> int:
    """Whose answer an object is; 0 where it does not say so, or says two things."""
    numbers = {_number(value) for name, value in pairs if _is(name, NUMBER)}
    return numbers.pop() if len(numbers) == 1 else 0


def _spoken(text: str) -> str:
    """The reply without the thinking that some models put before it."""
    said = text.strip()
    return said.partition("</think>")[2].strip() if said.startswith("<think>") else said


def _objects(text: str, key: str) -> Iterator[tuple[str, _Pairs]]:
    """Every JSON object with the key that is no part of another, with its source.

    Raises _UnreadableError where something with the key is broken or is a list: what is inside is
    not looked for, so that no fragment poses as the answer.
    """
    decoder = json.JSONDecoder(object_pairs_hook=_Pairs, strict=False)
    at = 0
    while opening := _OPENING.search(text, at):
        start = opening.start()
        try:
            value, at = decoder.raw_decode(text, start)
        except RecursionError:
            raise _UnreadableError("nested without end") from None
        except ValueError:
            at = _closing(text, start)
            if f'"{key}"' in text[start:at]:
                raise _UnreadableError("broken JSON") from None
            continue
        source = text[start:at]
        if isinstance(value, _Pairs):
            if any(_is(name, key) for name, _ in value):
                yield source, value
        elif f'"{key}"' in source:
            raise _UnreadableError("a list instead of an object")


class _Pairs(list[tuple[str, Any]]):
    """An object's fields, a repeated name included."""


def _closing(text: str, start: int) -> int:
    """Where what cannot be read ends: at its closing bracket, or at the end of the text."""
    if text[start] == "[" and not _LIST_OF_MORE.match(text, start):
        return start + 1  # brackets of prose, as in '[Turn 3]'
    depth, quoted = 0, False
    for found in _BRACKET.finditer(text, start):
        mark = found[0]
        if mark == '"':
            quoted = not quoted
        elif not quoted and mark in "{[":
            depth += 1
        elif not quoted and mark in "}]":
            depth -= 1
            if depth == 0:
                return found.end()
    return len(text)


def _is(name: str, key: str) -> bool:
    return plain(name) == key


def _turns(value: Any) -> tuple[int, ...]:
    if value is None:
        return ()
    listed = value if type(value) is list else [value]
    parts = [
        part
        for each in listed
        if each is not None
        for part in (each.split(",") if isinstance(each, str) else [each])
    ]
    return tuple(sorted({_number(p) for p in parts if not (isinstance(p, str) and not p.strip())}))


def _number(part: Any) -> int:
    if isinstance(part, str) and (found := _TURN.fullmatch(part.strip())):
        return int(found[1])
    if isinstance(part, float) and part.is_integer():
        return int(part)
    return part if type(part) is int else 0


def _text(value: Any) -> str:
    """A field as text that can be stored: a lone half of a surrogate pair cannot."""
    if value is None or value == []:
        return ""
    if type(value) is list and len(value) == 1:
        value = value[0]
    text = str(value) if isinstance(value, (str, int, float)) else "(no text)"
    return text.encode("utf-8", "replace").decode("utf-8").strip()
