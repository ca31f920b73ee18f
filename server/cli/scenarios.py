"""`ddr scenarios`: list, show, build and verify what can be explored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.hints import typed
from core.wording import counted
from server.cli.options import Json, Quiet, example

if TYPE_CHECKING:
    from databases.catalog import InstalledScenario

ScenarioName = Annotated[str, typer.Argument(metavar="SCENARIO", help="Its id, as in the list.")]


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(
        help="The databases that can be explored.", no_args_is_help=True, rich_markup_mode=None
    )
    group.command("list", epilog=example("ddr scenarios list"))(list_)
    group.command("show", epilog=example("ddr scenarios show flights"))(show)
    group.command("build", epilog=example("ddr scenarios build flights"))(build)
    group.command("verify", epilog=example("ddr scenarios verify flights --json"))(verify)
    app.add_typer(group, name="scenarios")


def list_(json: Json = False, quiet: Quiet = False) -> None:
    """List the scenarios that are shipped or plugged in."""
    from databases.catalog import open_scenario, scenario_ids
    from server import settings as places
    from server.cli.output import Output

    out = Output(json=json, quiet=quiet)
    home = places.load().home
    found = [_state(open_scenario(name, home)) for name in scenario_ids()]
    heads = ["scenario", "title", "state", ">entities"]
    out.table(heads, [[s["id"], s["title"], s["state"], str(s["entities"] or "")] for s in found])
    out.result({"scenarios": found})


def _state(installed: InstalledScenario) -> dict[str, Any]:
    scenario = installed.scenario
    built = installed.is_built()
    return {
        "id": scenario.id,
        "title": scenario.title,
        "version": scenario.version,
        "state": "built" if built else "not built",
        "entities": len(installed.entities()) if built else None,
        "license": scenario.license.name,
    }


def show(scenario: ScenarioName, json: Json = False, quiet: Quiet = False) -> None:
    """Show a scenario: its terms, its tables and its entities."""
    from databases.catalog import open_scenario
    from server import settings as places
    from server.cli.output import Output

    out = Output(json=json, quiet=quiet)
    installed = open_scenario(scenario, places.load().home)
    about = installed.scenario
    out.say(f"{about.id} {about.version}: {about.title}")
    out.say(f"licence {about.license.name}; {about.license.source or ''}")
    answer = _state(installed)
    if not installed.is_built():
        out.say(f"not built; build it: {typed(f'scenarios build {scenario}')}")
    else:
        installed.check()
        out.say(f"fingerprint {about.fingerprint}")
        tables = installed.schema().tables
        rows = [[t.name, f"{t.row_count:,}", str(len(t.columns)), t.comment or ""] for t in tables]
        out.table(["table", ">rows", ">columns", "what it holds"], rows)
        entities = installed.entities()
        named = ", ".join(f"{e.id} {e.label}" for e in entities)
        out.say(f"{counted(len(entities), about.entity_noun)}: {named}")
        answer["fingerprint"] = about.fingerprint
        answer["tables"] = [t.model_dump(mode="json") for t in tables]
        answer["entities"] = {e.id: e.label for e in entities}
    out.result(answer)


def build(
    scenario: ScenarioName,
    *,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Also where it is sound.")] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Build a scenario's database; nothing happens where it is built and sound."""
    from databases import build as builder
    from server import settings as places
    from server.cli.output import Output

    out = Output(json=json, quiet=quiet)
    home = places.load().prepare().home
    with out.progress("building") as progress:
        installed = builder.build(
            scenario,
            home,
            progress=lambda what, share: progress.update(share, 1, what),
            rebuild=rebuild,
        )
    out.say(f"{scenario} is built: {installed.place}")
    out.result({**_state(installed), "fingerprint": installed.scenario.fingerprint})


def verify(scenario: ScenarioName, json: Json = False, quiet: Quiet = False) -> None:
    """Prove the checklist: every item holds on the database and fails on a perturbed copy."""
    from server.cli.checklists import prove

    prove(scenario, None, json=json, quiet=quiet)
