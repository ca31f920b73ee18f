"""A person at a terminal says why each missed item was missed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from core.errors import UsageError

if TYPE_CHECKING:
    from evaluator.failing import FailureSaid, Tallied
    from server.cli.output import Output


def confirm(
    found: Sequence[Tallied], who: str, keep: Callable[[str, FailureSaid], None], out: Output
) -> None:
    """Ask about each case of which this person has not spoken; each answer is kept at once.

    A number chooses a class, Enter takes what is proposed, 'u' says that it cannot be told, 's' passes
    it over, 'q' ends. Raises UsageError where there is no terminal.
    """
    from evaluator.missed import FAILURES

    if not sys.stdin.isatty():
        raise UsageError("--confirm asks at a terminal; without one use --export and --import")
    todo = [each for each in found if who not in dict(each.confirmed)]
    out.say(f"{len(todo)} of {len(found)} missed items are open for {who}")
    for number, name in enumerate(FAILURES, 1):
        out.say(f"  {number} {name}")
    for number, each in enumerate(todo, 1):
        _show(each, f"{number}/{len(todo)}", out)
        said = _answer(each, out)
        if said is None:
            break
        if not isinstance(said, str):
            keep(each.case.subject, said)


def _show(each: Tallied, place: str, out: Output) -> None:
    from server.cli.output import one_line

    item = each.case.item
    out.say(f"\n[{place}] entity {one_line(item.entity_id)}, {one_line(item.category)}")
    out.say(f"  {one_line(item.question)}\n  {one_line(item.answer)}")
    why = f"{each.computed.failure or 'unknown'} ({each.computed.reason})"
    out.say(f"  by the records: {one_line(why)}")
    for judge, said in each.proposed:
        where = f"turn {said.turn}" if said.turn is not None else "the report"
        why = f"{said.failure or said.unscored_reason or 'cannot tell'}: {said.reason}"
        out.say(f"  {one_line(judge)}: {one_line(why)}")
        if said.quote:
            out.say(f"    {where}: {one_line(said.quote[:300])}")


def _answer(each: Tallied, out: Output) -> FailureSaid | str | None:
    """What the person says; 'pass' to pass it over, None to end."""
    from evaluator.failing import FailureSaid, agreed
    from evaluator.missed import FAILURES

    numbers = {str(number): name for number, name in enumerate(FAILURES, 1)}
    offered = agreed(said for _, said in each.proposed) or each.computed.failure
    while True:
        # On stderr: of --json stdout is nothing but the answer.
        sys.stderr.write(f"  class{f' [{offered}]' if offered else ''}: ")
        sys.stderr.flush()
        line = sys.stdin.readline()
        word = line.strip().lower()
        if not line or word == "q":
            return None
        if word == "s":
            return "pass"
        if word == "u":
            return FailureSaid(failure=None, by="person")
        if not word and offered:
            basis = next((s for _, s in each.proposed if s.failure == offered), None)
            return FailureSaid(
                failure=offered,
                by="person",
                turn=basis.turn if basis else None,
                quote=basis.quote if basis else None,
            )
        if (failure := numbers.get(word)) is not None:
            return FailureSaid(failure=failure, by="person")
        out.say(
            f"  a number from 1 to {len(FAILURES)}, Enter, u (cannot be told), s (pass), q (end)"
        )
