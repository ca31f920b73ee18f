"""A sheet of missed items for people: what was proposed goes out, what they confirm comes in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from core.errors import UsageError
from evaluator.asking import plain
from evaluator.failing import CANNOT_TELL, FailureSaid, Tallied
from evaluator.missed import FAILURES, FailureClass
from server import sheets

COLUMNS: Final = (
    "run",
    "subject",
    "entity",
    "category",
    "question",
    "answer",
    "computed",
    "computed_because",
    "proposed",
    "proposed_because",
    "turn",
    "quote",
    "class",
    "why",
    "who",
)
"""`class`, `why` and `who` are for people to fill in."""
_TURN: Final = re.compile(r"[0-9]{1,6}")


def kind_of(path: Path) -> str:
    """csv or jsonl, by the name's ending. Raises UsageError for another one."""
    kind = path.suffix.lower().lstrip(".")
    if kind not in ("csv", "jsonl"):
        raise UsageError(f"{path}: a sheet ends in .csv or .jsonl")
    return kind


def written(run_id: str, found: Sequence[Tallied], kind: str) -> str:
    """The sheet, one row a case. What other people said does not stand in it."""
    rows = [_row(run_id, each) for each in found]
    return sheets.written(rows, COLUMNS, is_csv=kind == "csv")


def _row(run_id: str, each: Tallied) -> dict[str, str]:
    item = each.case.item
    said = next((said for _, said in each.proposed), None)
    return {
        "run": run_id,
        "subject": each.case.subject,
        "entity": item.entity_id,
        "category": item.category,
        "question": item.question,
        "answer": item.answer,
        "computed": each.computed.failure or "",
        "computed_because": each.computed.reason,
        "proposed": (said.failure or "") if said else "",
        "proposed_because": said.reason if said else "",
        "turn": str(said.turn) if said and said.turn is not None else "",
        "quote": (said.quote or "") if said else "",
        "class": "",
        "why": "",
        "who": "",
    }


def confirmed_in(
    path: Path, run_id: str, known: Mapping[str, Tallied], *, who: str | None
) -> list[tuple[str, str, FailureSaid]]:
    """(subject, person, what they say) of a sheet; rows of other runs or without a class are passed over.

    Raises UsageError with file and row: an unknown case or class, one person twice, nobody named.
    """
    seen: set[tuple[str, str]] = set()
    found = []
    for number, row in _rows(path):
        where = f"{path}: row {number}"
        word = plain(str(row.get("class") or ""))
        if not word or str(row.get("run") or run_id) != run_id:
            continue
        subject = str(row.get("subject") or "")
        if subject not in known:
            raise UsageError(f"{where}: no missed item {subject!r} in run {run_id}")
        person = str(row.get("who") or "").strip() or (who or "").strip()
        if not person:
            raise UsageError(
                f"{where}: nobody is named; fill in the column who, or give --who NAME"
            )
        if (subject, person) in seen:
            raise UsageError(f"{where}: {person} speaks twice of {subject}")
        seen.add((subject, person))
        found.append((subject, person, by_person(class_named(word, where), row)))
    return found


def class_named(word: str, where: str) -> FailureClass | None:
    """The class that a person writes; None for 'cannot tell'. Raises UsageError for another word."""
    if word == CANNOT_TELL:
        return None
    for name in FAILURES:
        if word == name:
            return name
    raise UsageError(f"{where}: no class {word!r}; known: {', '.join((*FAILURES, CANNOT_TELL))}")


def by_person(failure: FailureClass | None, row: Mapping[str, Any]) -> FailureSaid:
    """A person's word."""
    turn = str(row.get("turn") or "")
    return FailureSaid(
        failure=failure,
        by="person",
        turn=int(turn) if _TURN.fullmatch(turn) else None,
        quote=str(row.get("quote") or "") or None,
        reason=str(row.get("why") or "")[:1000],
    )


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    is_csv = kind_of(path) == "csv"
    for number, row in sheets.handed_in(path, is_csv=is_csv, error=UsageError):
        if is_csv and (missing := {"subject", "class"} - set(row)):
            raise UsageError(f"{path}: no column {', '.join(sorted(missing))}")
        yield number + is_csv, row  # in a spreadsheet the head is the first row
