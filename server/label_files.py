"""Hand what people are asked out as a file, and take their answers back from one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from core.errors import ConfigError
from core.record import Record
from server.labelling import Ask
from server.sheets import hand_out, handed_in, written

COLUMNS: Final = ("subject", "answer_here", "note", "by")
"""What is filled in stands first; what is shown follows."""


@dataclass(frozen=True)
class Given:
    """An answer in a file that can be kept."""

    subject: str
    by: str
    record: Record


def write(path: Path, found: Sequence[Ask]) -> None:
    """CSV where the name ends so, else JSON lines: a row per question, not over a file that is there.

    Its owner's alone can read it: the answers stand in it. Raises UsageError.
    """
    rows = [_row(ask) for ask in found]
    heads = list(dict.fromkeys([*COLUMNS, *(key for row in rows for key in row)]))
    hand_out(path, written(rows, heads, is_csv=_is_csv(path)))


def read(path: Path, found: Sequence[Ask], *, by: str, now: datetime) -> list[Given]:
    """The answers in a file; rows without one are passed over.

    Raises ConfigError, with the row, for a subject that nobody was asked about, an answer that
    cannot be, or one person's two answers to one question: nothing is kept then.
    """
    known = {ask.subject: ask for ask in found}
    given: dict[tuple[str, str], Given] = {}
    for number, row in enumerate(_rows(path), 1):
        answer = str(row.get("answer_here") or "").strip()
        if not answer:
            continue
        where = f"{path}, row {number}"
        subject = str(row.get("subject") or "")
        if subject not in known:
            raise ConfigError(f"{where}: nothing here is named {subject!r}")
        who = str(row.get("by") or "").strip() or by
        try:
            record = known[subject].make(answer, str(row.get("note") or "").strip(), now)
        except ValueError as exc:
            raise ConfigError(f"{where}: {answer!r} is no answer; {exc}") from exc
        if (subject, who) in given:
            raise ConfigError(f"{where}: {who} has answered {subject!r} before")
        given[subject, who] = Given(subject, who, record)
    return list(given.values())


def rows_of(path: Path) -> list[Mapping[str, Any]]:
    """The rows of a CSV or JSON lines file. Raises ConfigError."""
    return list(_rows(path))


def _rows(path: Path) -> Iterator[Mapping[str, Any]]:
    for _, row in handed_in(path, is_csv=_is_csv(path), error=ConfigError):
        yield row


def _is_csv(path: Path) -> bool:
    return path.suffix.lower() == ".csv"


def _row(ask: Ask) -> dict[str, str]:
    return {
        **dict.fromkeys(COLUMNS, ""),
        "subject": ask.subject,
        "answers": ask.answers,
        **{f"shown: {head}": text for head, text in ask.shown.items()},
    }
