"""`ddr reprice`: compute a run's costs anew from its stored tokens."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.wording import counted
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
    from server.spending import spent
    from server.store import RunLock, open_store

    out = Output(json=json, quiet=quiet)
    table = pricing.PriceTable.load(prices)
    settings = places.load().prepare()
    with open_store(settings.store_path) as store:
        spec = store.run(run)
        with RunLock(settings.locks, spec.id):
            calls = store.reprice(spec.id, lambda call: pricing.reprice(call, table))
    found = _by_role(calls)
    out.say(f"run {spec.id}: {counted(len(calls), 'call')} at the prices {table.hash[:12]}")
    sums = {role: spent(mine) for role, mine in found.items()}
    rows = [[role, str(each.calls), each.tokens, each.cost] for role, each in sums.items()]
    out.table(["role", ">calls", ">tokens in / out", ">cost"], rows)
    out.result(
        {
            "run": spec.id,
            "price_table_hash": table.hash,
            "calls": len(calls),
            "roles": {role: each.as_json() for role, each in sums.items()},
        }
    )


def _by_role(calls: list[ModelCall]) -> dict[str, list[ModelCall]]:
    found: dict[str, list[ModelCall]] = {}
    for call in calls:
        found.setdefault(call.role, []).append(call)
    return found
