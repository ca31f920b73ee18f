"""Plain JSON lines: one trajectory each, as insights with a report, or as a list of messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from core.errors import LogError
from core.reading import json_lines, kind_of, read_text
from core.trajectory import StopReason
from server.foreign_logs.messages import explore
from server.foreign_logs.told import MOST_TRIALS, MOST_TURNS, Told, is_number

FIELDS: Final = ("entity", "insights", "report", "messages", "trial", "model", "stop_reason")
MOST_INSIGHTS: Final = 10_000


def read_lines(path: Path) -> list[Told]:
    """Every trajectory of a file, one object a line: {entity, insights, report} or {entity, messages}.

    An insight is a text, or {text, turn}; without a turn it is undated. Further fields: trial (from
    1), model, stop_reason (one of ours; `finished` unless said). Empty lines do not matter.
    Raises LogError with file, line and key.
    """
    text = read_text(path, error=LogError)
    found = [
        _told(said, _place(path, number))
        for number, said in json_lines(text, error=LogError, where=partial(_place, path))
    ]
    if not found:
        raise LogError(f"{path.name}: no trajectory in it; one JSON object a line belongs here")
    return found


def _place(path: Path, number: int) -> str:
    return f"{path.name}: line {number}"


def _told(said: Mapping[str, Any], where: str) -> Told:
    if strange := [key for key in said if key not in FIELDS]:
        raise LogError(f"{where}: key {strange[0]!r} is unknown; known are {', '.join(FIELDS)}")
    entity, model = _entity(said, where), _text(said, "model", where)
    if "messages" in said:
        if "insights" in said or "report" in said:
            raise LogError(f"{where}: either messages, or insights and a report")
        told = explore(said["messages"], entity=entity, where=where, model=model)
    elif "insights" in said or "report" in said:
        told = Told(
            entity=entity,
            where=where,
            insights=tuple(_insights(said.get("insights"), where)),
            report=_text(said, "report", where),
            model=model,
        )
    else:
        raise LogError(f"{where}: neither insights, a report nor messages")
    return _with(told, said, where)


def _with(told: Told, said: Mapping[str, Any], where: str) -> Told:
    trial = said.get("trial")
    if trial is not None and not is_number(trial, MOST_TRIALS):
        raise LogError(f"{where}: key 'trial': a number from 1 to {MOST_TRIALS:,} belongs here")
    reason = _text(said, "stop_reason", where)
    if reason is None:
        return replace(told, trial=trial)
    known = {each.value: each for each in StopReason}
    if reason not in known:
        raise LogError(f"{where}: key 'stop_reason': {reason!r} is none of {', '.join(known)}")
    return replace(told, trial=trial, stop_reason=known[reason])


def _entity(said: Mapping[str, Any], where: str) -> str:
    entity = said.get("entity")
    if type(entity) is int:
        return str(entity)
    if not isinstance(entity, str) or not entity.strip():
        raise LogError(f"{where}: key 'entity': the id of an entity belongs here")
    return entity.strip()


def _text(said: Mapping[str, Any], key: str, where: str) -> str | None:
    value = said.get(key)
    if value is None:
        return None
    if not isinstance(value, str):
        raise LogError(f"{where}: key {key!r}: a text belongs here, not {kind_of(value)}")
    return value.strip() or None


def _insights(listed: Any, where: str) -> Iterator[tuple[int | None, str]]:
    if listed is None:
        return
    if not isinstance(listed, list):
        raise LogError(f"{where}: key 'insights': a list belongs here, not {kind_of(listed)}")
    if len(listed) > MOST_INSIGHTS:
        raise LogError(f"{where}: key 'insights': more than {MOST_INSIGHTS:,}")
    for number, each in enumerate(listed):
        place = f"{where}: key 'insights.{number}'"
        fields = each if isinstance(each, dict) else {"text": each}
        text, turn = fields.get("text"), fields.get("turn")
        if not isinstance(text, str):
            raise LogError(f"{place}: a text, or an object with one, belongs here")
        if turn is not None and not is_number(turn, MOST_TURNS):
            raise LogError(f"{place}: turn is a number from 1 to {MOST_TURNS:,}")
        if text.strip():
            yield turn, text.strip()
