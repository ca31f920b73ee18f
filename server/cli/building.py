"""`ddr scenarios build`: make a scenario's database and the checklist that comes with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.errors import UsageError
from core.hints import typed
from core.wording import counted
from server.cli.options import Json, Quiet
from server.cli.scenario_state import ScenarioName, state

if TYPE_CHECKING:
    from core.checklist import Checklist
    from databases.installed import InstalledScenario
    from databases.manifest import OptionValue
    from databases.variants import Options

From = Annotated[
    Path | None,
    typer.Option("--from", help="The folder or file as its owners publish it.", metavar="PATH"),
]
Synthetic = Annotated[
    bool | None,
    typer.Option("--synthetic", help="Generate a twin: the same tables, nobody's data."),
]
Entities = Annotated[
    str | None,
    typer.Option(
        help="How many to generate, or which to take: official, ids, a file.", metavar="WHICH"
    ),
]
Rows = Annotated[
    str | None, typer.Option(help="About how many rows to generate: 200000, 50M.", metavar="N")
]
Seed = Annotated[str | None, typer.Option(help="Another seed is other data.", metavar="SEED")]
Name = Annotated[
    str | None, typer.Option(help="Keep it as a scenario of this name.", metavar="NAME")
]
Settings_ = Annotated[
    list[str] | None,
    typer.Option(
        "--set", help="Any other option of the scenario (scenarios show).", metavar="KEY=VALUE"
    ),
]
_MILLIONS = {"k": 1_000, "m": 1_000_000, "b": 1_000_000_000}


def build(
    scenario: ScenarioName,
    *,
    source: From = None,
    synthetic: Synthetic = None,
    entities: Entities = None,
    rows: Rows = None,
    seed: Seed = None,
    name: Name = None,
    as_is: Annotated[
        bool | None, typer.Option("--as-is", help="Serve the official file unchanged.")
    ] = None,
    anonymise: Annotated[
        bool | None, typer.Option("--anonymise", help="Replace names, ids and dates.")
    ] = None,
    fetch: Annotated[
        bool | None, typer.Option("--fetch", help="Download the source from its owner first.")
    ] = None,
    contact: Annotated[
        str | None,
        typer.Option(help="Who you are, for the owner's log: 'Name mail@host'.", metavar="TEXT"),
    ] = None,
    tables: Annotated[
        str | None, typer.Option(help="Which tables to load.", metavar="ddr|all")
    ] = None,
    notes: Annotated[
        Path | None,
        typer.Option(help="Texts for checklists only; never in the database.", metavar="DIR"),
    ] = None,
    export_layout: Annotated[
        Path | None,
        typer.Option(
            "--export-layout", help="Also write the twin in its owners' file layout.", metavar="DIR"
        ),
    ] = None,
    settings_: Settings_ = None,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Also where it is sound.")] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Build a scenario's database; nothing happens where it is built and sound.

    A scenario that is made from files takes --from, and --synthetic for a generated twin with
    hidden states behind its rows. Which options a scenario takes is told by `ddr scenarios show`.
    """
    from databases import build as builder
    from server import settings as places
    from server.authoring import author_checklist
    from server.cli.output import Output

    given = {
        "from": str(source.expanduser().absolute()) if source else None,
        "synthetic": synthetic,
        "entities": entities,
        "rows": _number(rows),
        "seed": seed,
        "as_is": as_is,
        "anonymise": anonymise,
        "fetch": fetch,
        "contact": contact,
        "tables": tables,
        "notes": str(notes.expanduser().absolute()) if notes else None,
        "export_layout": str(export_layout.expanduser().absolute()) if export_layout else None,
    }
    options = {
        **{k: v for k, v in given.items() if v is not None},
        **_pairs(settings_ or []),
    }
    out = Output(json=json, quiet=quiet)
    settings = places.load().prepare()
    with out.progress("building") as progress:
        installed = builder.build(
            scenario,
            settings.home,
            options=options or None,
            name=name,
            progress=lambda what, share: progress.update(share, 1, what),
            rebuild=rebuild,
        )
    with out.progress("authoring") as progress:
        checklist = author_checklist(
            installed,
            settings,
            lambda what, share: progress.update(share, 1, what),
            anew=rebuild,
        )
    built = installed.scenario.id
    out.say(f"{built} is built: {installed.place}")
    remarks = installed.notes()
    for remark in remarks:
        out.note(remark)
    if checklist is None:
        out.note("nothing was authored: it can be explored, and scored by a checklist of your own")
    else:
        out.say(f"its checklist has {counted(len(checklist.items), 'item')}")
        for remark in _thin(checklist, installed):
            out.note(remark)
    out.hint(f"\nnext: {typed(f'run --scenario {built} --agent profiler')}")
    out.result(
        {
            **state(installed, settings),
            "fingerprint": installed.scenario.fingerprint,
            "notes": remarks,
        }
    )


def as_typed(option: str, value: OptionValue) -> str:
    """A build option as it is given: '--seed 7', '--synthetic', '--set slope=0.02'."""
    from databases.variants import FLAGS, spelt

    if option not in FLAGS:
        return f"{spelt(option)}{str(value).lower() if isinstance(value, bool) else value}"
    return spelt(option) if isinstance(value, bool) or not value else f"{spelt(option)} {value}"


def _thin(checklist: Checklist, installed: InstalledScenario) -> list[str]:
    """Entities about which too little could be proved; what others published is as long as it is."""
    from checklists.validate import LEAST_CATEGORIES, LEAST_ITEMS, not_full

    if not checklist.items:
        return ["no fact could be proved: so little data, or so few entities, tell nothing apart"]
    if all(item.evidence_sql is None for item in checklist.items):
        return []
    entities = [entity.id for entity in installed.entities()]
    if not (short := not_full(checklist, entities)):
        return []
    return [
        f"fewer than {LEAST_ITEMS} facts in {LEAST_CATEGORIES} categories could be proved for "
        f"{len(short)} of {counted(len(entities), installed.scenario.entity_noun)}"
    ]


def _pairs(written: list[str]) -> Options:
    pairs = {}
    for text in written:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise UsageError(f"--set takes KEY=VALUE, not {text!r}")
        pairs[key.strip().replace("-", "_")] = value.strip()
    return pairs


def _number(text: str | None) -> int | None:
    """'50M' is fifty million."""
    if text is None:
        return None
    factor = _MILLIONS.get(text[-1:].lower(), 1)
    try:
        found = float(text[:-1] if factor > 1 else text) * factor
    except ValueError:
        found = 0.5
    if found < 1 or found != int(found):
        raise UsageError(f"--rows is a whole number such as 200000 or 50M, not {text!r}")
    return int(found)
