"""`ddr checklists list`: the shipped checklists, and those of this home."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from core.hints import typed
from server.cli.options import Json, Quiet, example

if TYPE_CHECKING:
    from core.checklist import Checklist


def add(group: typer.Typer) -> None:
    """Add the command."""
    group.command("list", epilog=example("ddr checklists list"))(list_)


def list_(json: Json = False, quiet: Quiet = False) -> None:
    """List the checklists: the shipped ones, and your own."""
    from checklists.loader import checklist_ids, load
    from server import settings as places
    from server.cli.output import Output

    out = Output(json=json, quiet=quiet)
    own = places.load().checklists
    found = [load(name, own) for name in checklist_ids(own)]
    rows = [
        [
            each.id,
            each.version,
            each.scenario_id,
            f"{len(each.items):,}",
            f"{_stale(each):,}" if _stale(each) else "",
            each.hash[:12],
        ]
        for each in found
    ]
    out.table(["checklist", "version", "scenario", ">items", ">stale", "hash"], rows)
    out.hint(f"\nnext: {typed('checklists audit CHECKLIST')}")
    out.result(
        {
            "checklists": [
                {
                    "id": each.id,
                    "version": each.version,
                    "scenario": each.scenario_id,
                    "items": len(each.items),
                    "stale": _stale(each),
                    "hash": each.hash,
                }
                for each in found
            ]
        }
    )


def _stale(checklist: Checklist) -> int:
    """Items that no longer hold on their scenario's content: they are not scored."""
    return sum(item.status == "stale" for item in checklist.items)
