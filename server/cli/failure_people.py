"""People's words on missed items, for `ddr failures`: a sheet out, a sheet in, or at the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import UsageError
from core.hints import typed
from core.wording import counted

if TYPE_CHECKING:
    from evaluator.failing import Tallied
    from server.cli.failure_asking import Place


def take(path: Path, place: Place, who: str | None) -> None:
    """Take a filled-in sheet. Raises UsageError where a row is wrong; nothing is taken then."""
    from server.failure_sheet import confirmed_in
    from server.store import RunLock
    from server.store.judgements import Judgements

    run = place.basis.spec.id
    known = {each.case.subject: each for each in _found(place)}
    said = confirmed_in(path, run, known, who=who)
    with RunLock(place.settings.locks, run), place.store.together() as whole:
        kept = Judgements(whole, "failure")
        for subject, person, each in said:
            kept.say(run, subject, person, each)
    place.out.say(f"{counted(len(said), 'class', 'classes')} taken from {path}")


def write(path: Path, place: Place) -> None:
    """Write the sheet, not over one that is there. Raises UsageError."""
    from server.failure_sheet import kind_of, written
    from server.sheets import hand_out

    run, found, kind = place.basis.spec.id, _found(place), kind_of(path)
    text = written(run, found, kind)
    # Without the mark, spreadsheets take a CSV file for one of another encoding.
    hand_out(path, f"\ufeff{text}" if kind == "csv" else text)
    place.out.say(f"{counted(len(found), 'missed item')} written to {path}; fill in class and who")
    place.out.hint(f"then: {typed(f'failures {run} --import {path}')}")


def ask(place: Place, who: str) -> None:
    """Ask a person at the terminal; each word is kept at once."""
    from server.cli.confirming import confirm
    from server.store.judgements import Judgements

    run = place.basis.spec.id
    kept = Judgements(place.store, "failure")
    confirm(_found(place), who, lambda subject, said: kept.say(run, subject, who, said), place.out)


def _found(place: Place) -> list[Tallied]:
    from server.failures import tallied

    run = place.basis.spec.id
    if place.basis.evaluation is None:
        raise UsageError(
            f"what run {run} missed is known once it is judged: {typed(f'evaluate {run}')}"
        )
    return tallied(place.basis, place.store, place.installed)
