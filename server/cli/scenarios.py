"""`ddr scenarios`: list, show, build and verify what can be explored."""

from __future__ import annotations

import typer

from core.errors import ConfigError
from core.hints import typed
from core.wording import counted
from server.cli.building import as_typed, build
from server.cli.options import Json, Quiet, example
from server.cli.scenario_new import EXAMPLE, new
from server.cli.scenario_state import ScenarioName, state, unreadable

_NAMED = 100
"""Entities that are named for people."""


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(
        help="The databases that can be explored.", no_args_is_help=True, rich_markup_mode=None
    )
    group.command("list", epilog=example("ddr scenarios list"))(list_)
    group.command("show", epilog=example("ddr scenarios show flights"))(show)
    group.command(
        "build",
        epilog=example(
            "ddr scenarios build flights",
            "ddr scenarios build patients --synthetic --entities 100 --rows 200000 --seed 7",
        ),
    )(build)
    group.command("new", epilog=EXAMPLE)(new)
    group.command("verify", epilog=example("ddr scenarios verify flights --json"))(verify)
    app.add_typer(group, name="scenarios")


def list_(json: Json = False, quiet: Quiet = False) -> None:
    """List the scenarios: the shipped ones, those of plug-ins, and your own, with their sizes."""
    from databases.catalog import open_scenario, scenario_ids
    from server import settings as places
    from server.cli.output import Output

    out = Output(json=json, quiet=quiet)
    settings = places.load()
    names = scenario_ids(settings.home)
    found = []
    for name in names:
        try:
            found.append(state(open_scenario(name, settings.home), settings))
        except ConfigError as exc:  # one scenario.toml is wrong; the others are told all the same
            out.warn(str(exc))
            found.append(unreadable(name, str(exc)))
    sizes = ("records", "tables", "fields", "entities", "items")
    rows = [
        [s["id"], s["state"], *("" if s[n] is None else f"{s[n]:,}" for n in sizes), s["title"]]
        for s in found
    ]
    out.table(["scenario", "state", *(f">{name}" for name in sizes), "~title"], rows)
    out.hint(f"\nnext: {typed('scenarios show SCENARIO')}")
    out.result({"scenarios": found})


def show(scenario: ScenarioName, json: Json = False, quiet: Quiet = False) -> None:
    """Show a scenario: its terms, its tables and its entities."""
    from databases.catalog import open_scenario
    from server import settings as places
    from server.cli.output import Output

    out = Output(json=json, quiet=quiet)
    settings = places.load()
    installed = open_scenario(scenario, settings.home)
    about = installed.scenario
    out.say(f"{about.id} {about.version}: {about.title}")
    out.say("; ".join(filter(None, (f"licence {about.license.name}", about.license.source))))
    answer = state(installed, settings)
    if section := installed.manifest.build:
        # Who downloads is said to the owner of the data, and to nobody else.
        options = {name: value for name, value in section.options.items() if name != "contact"}
        answer["options"] = options
        if options:
            listed = [as_typed(name, value) for name, value in options.items()]
            out.say(f"build options: {', '.join(listed)}")
    if not installed.is_built():
        out.say(f"not built; build it: {installed.how_to_build}")
    else:
        installed.check()
        out.say(f"fingerprint {about.fingerprint}")
        answer["notes"] = installed.notes()
        for note in answer["notes"]:
            out.say(f"note: {note}")
        tables = installed.schema().tables
        rows = [[t.name, f"{t.row_count:,}", str(len(t.columns)), t.comment or ""] for t in tables]
        out.table(["table", ">rows", ">columns", "what it holds"], rows)
        entities = installed.entities()
        named = [f"{e.id} {e.label}" if e.label != e.id else e.id for e in entities[:_NAMED]]
        if len(entities) > _NAMED:
            named.append(f"and {len(entities) - _NAMED:,} more; --json names all")
        out.say(f"{counted(len(entities), about.entity_noun)}: {', '.join(named)}")
        answer["fingerprint"] = about.fingerprint
        answer["tables"] = [t.model_dump(mode="json") for t in tables]
        answer["entities"] = {e.id: e.label for e in entities}
        out.hint(f"\nnext: {typed(f'run --scenario {about.id} --agent profiler')}")
    out.result(answer)


def verify(scenario: ScenarioName, json: Json = False, quiet: Quiet = False) -> None:
    """Prove the checklist: every item holds on the database and fails on a perturbed copy."""
    from server.cli.checklist_proving import prove

    prove(scenario, None, json=json, quiet=quiet)
