"""`ddr checklists verify`: prove the facts on the database, and on perturbed copies of it."""

from __future__ import annotations

from typing import Annotated

import typer

from core.errors import ChecklistError
from server.cli.options import Json, Quiet, example

ChecklistName = Annotated[str, typer.Argument(metavar="CHECKLIST", help="Its id or its file.")]
_SHOWN = 10


def add(group: typer.Typer) -> None:
    """Add the command."""
    group.command("verify", epilog=example("ddr checklists verify flights"))(verify)


def verify(
    checklist: ChecklistName,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Prove a checklist on its scenario's database, and on perturbed copies of it."""
    from checklists.loader import load
    from server import settings as places

    own = places.load().checklists
    prove(load(checklist, own).scenario_id, checklist, json=json, quiet=quiet)


def prove(scenario: str, checklist_name: str | None, *, json: bool, quiet: bool) -> None:
    """Both halves of the proof, told and kept for the reports; exit 1 where an item fails it."""
    from checklists import verify as verifier
    from checklists.loader import checklist_for, load
    from databases.catalog import open_scenario
    from databases.connection import open_readonly
    from server import proofs
    from server import settings as places
    from server.cli.output import Output

    out = Output(json=json, quiet=quiet)
    settings = places.load()
    installed = open_scenario(scenario, settings.home)
    installed.check()
    own = settings.checklists
    checklist = load(checklist_name, own) if checklist_name else checklist_for(scenario, own)
    fingerprint = installed.verify_content()
    if checklist.scenario_fingerprint not in (None, fingerprint):
        raise ChecklistError(
            f"checklist {checklist.id} {checklist.version} was proved on another content of "
            f"{scenario} ({checklist.scenario_fingerprint}); here it is {fingerprint}"
        )
    with open_readonly(installed.database_path) as connection, out.progress("proving") as progress:
        found = verifier.verify(
            checklist,
            connection,
            progress=lambda what, share: progress.update(share, 1, what),
        )
    proofs.keep(settings, checklist.hash, fingerprint, found)
    failing = found.fail_when_perturbed
    out.say(f"checklist {checklist.id} {checklist.version} on {scenario}: {found.items} items")
    out.say(f"  {found.hold} hold on the database, {failing} fail when it is perturbed")
    out.table(["category", ">items"], [[k, str(v)] for k, v in found.categories.items()])
    for failure in found.failures[:_SHOWN]:
        out.say(f"  {failure.item_id} ({failure.check}): {failure.reason}")
    if len(found.failures) > _SHOWN:
        out.say(f"  and {len(found.failures) - _SHOWN} more; --json has them all")
    out.result(found.model_dump(mode="json"))
    if not found.proved:
        raise typer.Exit(1)
