"""`ddr checklists import`: take over a checklist that others publish."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.errors import UnknownNameError
from core.hints import typed
from core.wording import counted
from server.cli.options import Json, Quiet, example

if TYPE_CHECKING:
    from checklists.importers.ddr_bench import Imported
    from checklists.importers.fiscal_years import YearReport
    from server.cli.output import Output

FORMS = ("ddr-bench",)
_SHOWN = 10


def add(group: typer.Typer) -> None:
    """Add the command."""
    shown = example("ddr checklists import ddr-bench qa.json --scenario filings")
    group.command("import", epilog=shown)(import_)


def import_(
    form: Annotated[str, typer.Argument(metavar="FORM", help="Whose form: ddr-bench.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file as it is published.")],
    *,
    scenario: Annotated[str, typer.Option(help="What its facts are about.", metavar="SCENARIO")],
    id_: Annotated[
        str | None, typer.Option("--id", help="Keep it under this id.", metavar="ID")
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Also over another one.")] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Keep a published checklist in this home, to be chosen by --checklist.

    Its items have neither evidence nor signals: a model has to judge them. Entities that the
    built scenario lacks are told, and fiscal years that are not those of the filings.
    """
    from checklists.importers.ddr_bench import import_checklist
    from checklists.importers.fiscal_years import compare
    from core.scenario import License
    from databases.catalog import open_scenario
    from server import settings as places
    from server.cli.output import Output
    from server.fiscal_years import filed_years
    from server.importing import keep_new

    if form not in FORMS:
        raise UnknownNameError("form of checklist", form, FORMS)
    out = Output(json=json, quiet=quiet)
    settings = places.load().prepare()
    installed = open_scenario(scenario, settings.home)
    entities = installed.entities() if installed.is_built() else None
    terms = License(
        name="as published with DDR-Bench",
        restricted=installed.scenario.license.restricted,
        source=file.name,
    )
    imported = import_checklist(
        file,
        scenario_id=scenario,
        entity_ids=None if entities is None else {entity.id for entity in entities},
        license=terms,
        checklist_id=id_,
    )
    years = compare(imported.checklist.items, imported.years, filed_years(entities or ()))
    path = keep_new(imported.checklist, settings, replace=replace)
    _tell(imported, years, out, is_built=entities is not None, path=path)


def _tell(
    imported: Imported, years: YearReport, out: Output, *, is_built: bool, path: Path
) -> None:
    checklist = imported.checklist
    closed = sum(item.kind == "closed" for item in checklist.items)
    entities = len({item.entity_id for item in checklist.items})
    lost = [item for item in checklist.items if item.entity_id in set(imported.absent)]
    out.say(
        f"checklist {checklist.id}: {counted(len(checklist.items), 'item')} about "
        f"{counted(entities, 'entity')} of {checklist.scenario_id}, {closed} of them closed"
    )
    if not is_built:
        out.say(f"  {checklist.scenario_id} is not built: entities and years were not compared")
    elif lost:
        out.say(
            f"  {counted(len(lost), 'item')} about {counted(len(imported.absent), 'entity')} that the "
            f"built {checklist.scenario_id} lacks; they are kept, and count for no run"
        )
    _tell_years(years, out)
    out.hint(f"\nnext: {typed(f'evaluate last --checklist {checklist.id} --judge PROVIDER/MODEL')}")
    out.result(
        {
            "checklist": checklist.id,
            "scenario": checklist.scenario_id,
            "path": str(path),
            "hash": checklist.hash,
            "items": len(checklist.items),
            "open": len(checklist.items) - closed,
            "closed": closed,
            "entities": entities,
            "absent_entities": list(imported.absent) if is_built else None,
            "items_of_absent_entities": len(lost) if is_built else None,
            "fiscal_years": years.model_dump(mode="json"),
        }
    )


def _tell_years(years: YearReport, out: Output) -> None:
    if not years.agree + years.mismatched:
        return
    out.say(
        f"  fiscal years: {years.agree} agree with the filing, {years.mismatched} do not, "
        f"{years.silent} state none"
    )
    for each in years.mismatches[:_SHOWN]:
        out.say(f"    {each.item_id}: {each.reason}")
    if len(years.mismatches) > _SHOWN:
        out.say(f"    and {len(years.mismatches) - _SHOWN} more; --json has them all")
