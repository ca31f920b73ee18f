"""Ask judges from a command: what it will take, progress, and what is said where it is broken off."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, TypeVar

import typer

if TYPE_CHECKING:
    from evaluator.calibration.sitting import Sheet
    from evaluator.llm import LLMChecker
    from server.asking import Judges
    from server.candidates import Candidate
    from server.cli.output import Output
    from server.cli.ticking import Telling

Found = TypeVar("Found")


def asked(
    work: Callable[[Telling], Awaitable[Found]],
    judges: Judges,
    out: Output,
    *,
    doing: str,
    kept: str = "What was answered is remembered",
    told: Mapping[str, str] | None = None,
    lock: AbstractContextManager[object] | None = None,
) -> Found:
    """Do work that asks these judges, under a lock if any, and tell its progress.

    Raises Exit after Ctrl-C, and with the budget spent: what is `kept` is said then, and the result is
    `told` (what was worked on) and why it stopped.
    """
    import asyncio

    from server.cli.interrupts import INTERRUPTED
    from server.cli.ticking import Telling, ticking
    from server.metering import BudgetSpentError

    async def go(telling: Telling) -> Found:
        async with ticking(telling.show):
            return await work(telling)

    try:
        with lock or nullcontext(), out.progress(doing) as progress:
            return asyncio.run(go(Telling(progress, judges.means.board)))
    except KeyboardInterrupt:
        out.note(f"stopped. {kept}; the same command goes on")
        raise typer.Exit(INTERRUPTED) from None
    except BudgetSpentError as exc:
        out.note(f"{exc}. {kept}; the same command goes on, with new money")
        out.result({**(told or {}), "stopped": str(exc)})
        raise typer.Exit(1) from None


def tell_estimate(
    named: Sequence[Candidate],
    asked_of: Callable[[Candidate], Sequence[tuple[LLMChecker, Sequence[Sheet]]]],
    judges: Judges,
    out: Output,
    **told: Any,
) -> None:
    """What each judge would take for what is not remembered; nothing is asked."""
    from server.cli.estimating import say_calls
    from server.judge_estimate import estimate_judging

    estimates: dict[str, Any] = {}
    for each in named:
        questions = [
            enquired.messages
            for checker, sheets in asked_of(each)
            for sheet in sheets
            for enquired in checker.enquiries(sheet.items, sheet.trajectory, done=sheet.done)
        ]
        found = estimate_judging(
            questions,
            [],
            judge=each.name,
            prices=judges.prices(each.spec),
            concurrency=judges.concurrency,
        )
        say_calls(each.name, found, "judge", out)
        estimates[each.name] = found.model_dump(mode="json")
    out.result({**told, "estimate": estimates})
