"""`ddr plan`: what fits a budget, and which difference it will show."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from server.cli import run_options as opt
from server.cli.options import ChecklistName, Json, Quiet, example

if TYPE_CHECKING:
    from server.cli.output import Output
    from server.planning import Cost, Plan


def register(app: typer.Typer) -> None:
    """Add the command."""
    shown = example(
        "ddr plan --scenario flights --models openai/gpt-x,anthropic/claude-y --budget-usd 50",
        "ddr plan --scenario flights --models openai/gpt-x --budget-usd 50 --judge openai/gpt-mini "
        "--prices prices.toml",
    )
    app.command("plan", epilog=shown)(plan)


def plan(
    *,
    scenario: Annotated[str, typer.Option(help="What is to be explored.", metavar="SCENARIO")],
    models: Annotated[
        str, typer.Option(help="The models, with commas: provider/name.", metavar="M,M2")
    ],
    budget_usd: Annotated[float, typer.Option(help="Dollars for all of it.", metavar="DOLLARS")],
    judge: Annotated[
        str | None,
        typer.Option(help="The model that judges; without one the rules do.", metavar="MODEL"),
    ] = None,
    prices: opt.Prices = None,
    checklist: ChecklistName = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Say how many entities and trials a budget pays, and how precise that is; nothing is asked."""
    from checklists.loader import checklist_for
    from core.errors import UsageError
    from databases.catalog import open_scenario
    from providers.catalog import parse_model
    from providers.pricing import PriceTable
    from server import settings as places
    from server.cli.output import Output
    from server.planning import Planner
    from server.store import open_store

    out = Output(json=json, quiet=quiet)
    if budget_usd <= 0:
        raise UsageError(f"--budget-usd {budget_usd:g}: give more than 0")
    named = [name.strip() for name in models.split(",") if name.strip()]
    if not named:
        raise UsageError("--models: name one model at least")
    settings = places.load().prepare()
    installed = open_scenario(scenario, settings.home)
    installed.check()
    facts = checklist_for(scenario, settings.checklists, named=checklist)
    entities = installed.entities()
    if not any(facts.of(entity.id) for entity in entities):
        raise UsageError(
            f"the checklist {facts.id} has no item on an entity of {scenario}; name another: --checklist"
        )
    table = PriceTable.load(Path(prices)) if prices else None
    with open_store(settings.store_path) as store:
        found = Planner(store, scenario, entities, facts, table).plan(
            [parse_model(name) for name in dict.fromkeys(named)],
            parse_model(judge) if judge else None,
            budget_usd,
        )
    _show(found, out)
    out.result(found.model_dump(mode="json"))
    if not found.choices:
        raise typer.Exit(1)


def _show(found: Plan, out: Output) -> None:
    for each in found.models:
        out.say(f"{each.who}: {_dollars(each)} a trajectory ({each.basis})")
    if found.judge is not None:
        out.say(
            f"{found.judge.who} as judge: {_dollars(found.judge)} a trajectory ({found.judge.basis})"
        )
    told = found.assumed.model_dump()
    parts = (f"{name} {value:.2f} ({found.sources[name]})" for name, value in told.items())
    out.say(
        f"{found.known_entities} entities with {found.items_per_entity:.1f} items each; "
        f"{', '.join(parts)}"
    )
    missing = [each.who for each in (*found.models, found.judge) if each and each.usd is None]
    if missing:
        out.say(f"no price for {', '.join(missing)}: give one with --prices FILE")
        return
    if not found.choices:
        out.say(f"${found.budget_usd:g} buys not one entity explored by all and judged")
        return
    rows = [
        [
            str(each.entities),
            str(each.trials),
            f"${each.cost_usd:,.2f}",
            _points(each.precision.half_width),
            _points(each.precision.detectable),
            _points(each.precision.unpaired),
            "best" if number == found.best else "",
        ]
        for number, each in enumerate(found.choices)
    ]
    heads = [">entities", ">trials", ">cost", ">+- (points)", ">shows (points)", ">unpaired", ""]
    out.table(heads, rows)
    out.say("shows: the difference between two models, paired by item, that is found 4 times in 5")
    if len(found.models) > 2:
        out.say("of several models fewer differences show: Holm's correction is not in this")


def _dollars(cost: Cost) -> str:
    return "no price" if cost.usd is None else f"${cost.usd:.4f}"


def _points(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}"
