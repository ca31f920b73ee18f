"""Ask a person one thing after another in the terminal; every answer is kept as it comes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Container, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from core.record import Record

if TYPE_CHECKING:
    from server.cli.output import Output
    from server.labelling import Ask

HELP = "a note may follow the answer; skip, back, quit"


def ask_people(
    found: Sequence[Ask],
    done: Container[str],
    keep: Callable[[str, Record], None],
    out: Output,
    *,
    now: Callable[[], datetime],
    lines: Callable[[], str] | None = None,
) -> int:
    """How many answers were kept. Begins at the first question without one; ends with `quit`, or the
    end of what is typed.
    """
    kept, place = 0, next((n for n, ask in enumerate(found) if ask.subject not in done), len(found))
    answered = {ask.subject for ask in found if ask.subject in done}
    is_back = False
    while place < len(found):
        ask = found[place]
        if ask.subject in answered and not is_back:
            place += 1
            continue
        show(ask, place + 1, len(found), out)
        while True:
            out.note(f"{ask.answers} ({HELP}):")
            line = (lines or sys.stdin.readline)()
            said, _, note = line.strip().partition(" ")
            word = said.casefold()
            if not line or word in ("quit", "q"):
                return kept
            if word == "skip":
                place, is_back = place + 1, False
                break
            if word == "back":
                place, is_back = max(0, place - 1), True
                break
            try:
                record = ask.make(said, note.strip(), now())
            except ValueError as exc:
                out.note(str(exc))
                continue
            keep(ask.subject, record)
            answered.add(ask.subject)
            kept, place, is_back = kept + 1, place + 1, False
            break
    return kept


def show(ask: Ask, number: int, total: int, out: Output) -> None:
    """One question for people."""
    out.say(f"\n--- {number} of {total} ---")
    for head, text in ask.shown.items():
        if "\n" in text:
            out.say(f"{head}:")
            out.say("\n".join(f"  {line}" for line in text.splitlines()))
        else:
            out.say(f"{head}: {text}")
