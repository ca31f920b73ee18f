"""`ddr checklists verify`: prove the facts on the database, and on copies of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from core.wording import counted
from server.cli.options import Json, Quiet, example

if TYPE_CHECKING:
    from checklists.verify import Verification
    from core.checklist import Checklist
    from server.cli.output import Output

ChecklistName = Annotated[str, typer.Argument(metavar="CHECKLIST", help="Its id or its file.")]
MarkStale = Annotated[
    bool,
    typer.Option(
        "--mark-stale",
        help="Keep the checklist in your home with the items that no longer hold as stale.",
    ),
]
_SHOWN = 10


def add(group: typer.Typer) -> None:
    """Add the command."""
    group.command(
        "verify",
        epilog=example("ddr checklists verify flights", "ddr checklists verify mine --mark-stale"),
    )(verify)


def verify(
    checklist: ChecklistName,
    mark_stale: MarkStale = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Prove a checklist on its scenario's database and on copies of it; exit 1 where an item fails."""
    from checklists.loader import load
    from server import settings as places

    own = places.load().checklists
    scenario = load(checklist, own).scenario_id
    prove(scenario, checklist, json=json, quiet=quiet, mark_stale=mark_stale)


def prove(
    scenario: str, checklist_name: str | None, *, json: bool, quiet: bool, mark_stale: bool = False
) -> None:
    """All checks, told and kept for the reports; exit 1 where an item fails one, or content drifted."""
    from checklists.authoring.books import book_of
    from checklists.loader import checklist_for, has_checklist
    from databases.catalog import open_scenario
    from server import proofs
    from server import settings as places
    from server.cli.output import Output

    out = Output(json=json, quiet=quiet)
    settings = places.load()
    installed = open_scenario(scenario, settings.home)
    installed.check()
    own = settings.checklists
    if not checklist_name and not has_checklist(scenario, own):
        installed.verify_content()
        out.say(f"the database of {scenario} is what was built; it has no checklist to be proved")
        out.result({"items": 0, "unclaimed": 0, "drifted": False})
        return
    checklist = checklist_for(scenario, own, named=checklist_name)
    fingerprint = installed.verify_content()
    has_drifted = checklist.scenario_fingerprint not in (None, fingerprint)
    claiming, silent = _claiming(checklist)
    if silent:
        out.say(f"without evidence in SQL, and not proved: {counted(silent, 'item')}")
    if not claiming.items or not installed.manifest.is_filled_here:
        out.say(f"the database of {scenario} is what was built, and nothing is to be proved on it")
        out.result({"items": 0, "unclaimed": silent, "drifted": has_drifted})
        if has_drifted:
            raise typer.Exit(1)
        return
    with out.progress("proving") as progress:
        found = proofs.verified(
            claiming,
            installed,
            book=book_of(installed.base),
            progress=lambda what, share: progress.update(share, 1, what),
        )
    proofs.keep(settings, checklist.hash, fingerprint, found)
    _tell(out, scenario, checklist, found)
    if has_drifted:
        out.say(
            f"it was proved on another content of {scenario} ({checklist.scenario_fingerprint}); "
            f"here it is {fingerprint}"
        )
    stale = proofs.no_longer_held(found)
    answer = found.model_dump(mode="json")
    answer |= {"unclaimed": silent, "drifted": has_drifted, "stale": sorted(stale), "kept": None}
    if mark_stale and (stale or has_drifted):
        place = proofs.keep_stale(settings, checklist, fingerprint, stale)
        out.say(f"{counted(len(stale), 'item')} marked stale, and not scored any more: {place}")
        answer["kept"] = str(place)
    elif stale or has_drifted:
        out.say("--mark-stale keeps it in your home with the items that no longer hold as stale")
    out.result(answer)
    if not found.proved or (has_drifted and not mark_stale):
        raise typer.Exit(1)


def _claiming(checklist: Checklist) -> tuple[Checklist, int]:
    """The items that evidence is given for, and the number of accepted ones without any."""
    items = tuple(item for item in checklist.items if item.evidence_sql is not None)
    silent = sum(i.status == "accepted" for i in checklist.items if i.evidence_sql is None)
    return checklist.model_copy(update={"items": items}), silent


def _tell(out: Output, scenario: str, checklist: Checklist, found: Verification) -> None:
    from checklists.proof import CHECKS

    out.say(f"checklist {checklist.id} {checklist.version} on {scenario}: {found.items} items")
    rows = [
        [CHECKS[check], str(tally.passed), str(tally.failed), str(tally.unknown)]
        for check, tally in found.checks.items()
    ]
    out.table(["they", ">items", ">not", ">unknown"], rows)
    out.table(["category", ">items"], [[k, str(v)] for k, v in found.categories.items()])
    for reason, number in found.unknown.items():
        out.say(f"  unknown of {counted(number, 'item')}: {reason}")
    for failure in found.failures[:_SHOWN]:
        out.say(f"  {failure.item_id} ({failure.check}): {failure.reason}")
    if len(found.failures) > _SHOWN:
        out.say(f"  and {len(found.failures) - _SHOWN} more; --json has them all")
