"""`ddr run --estimate`: what runs like these took, told for the runs to come."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from server.estimate import Estimate, estimate
from server.runs import competitor

if TYPE_CHECKING:
    from core.run import RunSpec
    from providers.pricing import PriceTable
    from server.cli.output import Output
    from server.store import Repository

_NO_PILOT = "no stored run of {model} on {scenario} with the same tools and protocol has ended"


def tell(
    specs: Sequence[RunSpec], store: Repository, prices: PriceTable | None, out: Output
) -> None:
    """Each run's estimate; exit 1 where one needs a pilot first."""
    answers = []
    for spec in specs:
        found = estimate(spec, store, prices)
        why = None if found else _NO_PILOT.format(model=competitor(spec), scenario=spec.scenario_id)
        answers.append(
            {
                "model": competitor(spec),
                "estimate": found.model_dump(mode="json") if found else None,
                "reason": why,
            }
        )
        out.say(f"{competitor(spec)}: {_line(found) if found else why}")
        if found is None:
            out.say("  explore a few first, as a pilot: the same command with --entities sample:2")
    out.result({"estimates": answers})
    if any(answer["estimate"] is None for answer in answers):
        raise typer.Exit(1)


def _line(found: Estimate) -> str:
    cost = (
        f"${found.cost_usd:.2f}" if found.cost_usd is not None else f"no cost ({found.cost_reason})"
    )
    return (
        f"{found.trajectories} trajectories, about {found.calls:.0f} calls, "
        f"{_count(found.input_tokens)} tokens in, {_count(found.output_tokens)} out, {cost}, "
        f"{found.seconds:.0f} s (by {found.from_trajectories} trajectories of "
        f"{', '.join(found.from_runs)})"
    )


def _count(tokens: float | None) -> str:
    return "unknown" if tokens is None else f"{tokens:,.0f}"
