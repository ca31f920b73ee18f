"""`ddr reprice`: compute a run's costs anew from its stored tokens."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from server.cli.options import Json, Quiet, example
from server.cli.runs import RunName

if TYPE_CHECKING:
    from core.trajectory import ModelCall


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("reprice", epilog=example("ddr reprice last --prices prices.toml"))(reprice)


def reprice(
    run: RunName,
    *,
    prices: Annotated[
        Path, typer.Option(help="A TOML or JSON file with the models' prices.", metavar="FILE")
    ],
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compute every call's cost anew, in all roles, the verdicts' calls included."""
    from providers import pricing
    from server import settings as places
    from server.cli.output import Output
    from server.runs import cost_of, tokens_of
    from server.store import RunLock, open_store

    out = Output(json=json, quiet=quiet)
    table = pricing.PriceTable.load(prices)
    settings = places.load().prepare()
    with open_store(settings.store_path) as store:
        spec = store.run(run)
        with RunLock(settings.locks, spec.id):
            calls = store.reprice(spec.id, lambda call: pricing.reprice(call, table))
    found = _by_role(calls)
    out.say(f"run {spec.id}: {len(calls)} calls at the prices {table.hash[:12]}")
    rows = [
        [role, str(each["calls"]), tokens_of(each["usage"]), cost_of(each["usage"])]
        for role, each in found.items()
    ]
    out.table(["role", ">calls", ">tokens in / out", ">cost"], rows)
    out.result(
        {
            "run": spec.id,
            "price_table_hash": table.hash,
            "calls": len(calls),
            "roles": {
                role: {"calls": each["calls"], "usage": each["usage"].model_dump()}
                for role, each in found.items()
            },
        }
    )


def _by_role(calls: list[ModelCall]) -> dict[str, dict[str, Any]]:
    from core.trajectory import NO_USAGE

    found: dict[str, dict[str, Any]] = {}
    for call in calls:
        mine = found.setdefault(call.role, {"calls": 0, "usage": NO_USAGE})
        mine["calls"] += 1
        mine["usage"] = mine["usage"] + call.usage
    return found
