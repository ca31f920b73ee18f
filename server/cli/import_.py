"""`ddr import`: keep the runs of a bundle, after looking at every record of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.hints import typed
from core.wording import counted
from server.cli.options import Json, Quiet, example

if TYPE_CHECKING:
    from server.bundle.keeping import Kept
    from server.cli.output import Output


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("import", epilog=example("ddr import run.zip"))(import_bundle)


def import_bundle(
    bundle: Annotated[
        Path,
        typer.Argument(help="What the command `export` --bundle has written.", metavar="BUNDLE"),
    ],
    *,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Keep the runs of a bundle, all or none; what is here already stays as it is."""
    from server import settings as places
    from server.bundle.keeping import keep_bundle
    from server.cli.output import Output
    from server.store import open_store

    out = Output(json=json, quiet=quiet)
    settings = places.load().prepare()
    with open_store(settings.store_path) as store, out.progress("import") as shown:
        kept = keep_bundle(bundle, store, settings, tell=shown.update)
    _show(kept, out)
    out.result(kept.as_json())


def _show(kept: Kept, out: Output) -> None:
    out.say(f"{kept.source}: sha-256 {kept.sha256}, written by ddr {kept.manifest.code_revision}")
    for spec in kept.added:
        before = "" if spec.origin is None else f", from logs ({spec.origin.form})"
        out.say(f"run {spec.id}: {spec.agent} ({spec.agent_class}) on {spec.scenario_id}{before}")
    for spec in kept.known:
        out.say(f"run {spec.id}: already here, with the same records")
    if kept.added:
        counts = {name: count for name, count in kept.records.items() if count and name != "runs"}
        out.say(", ".join(f"{count:,} {name}" for name, count in counts.items()))
    if kept.rankings:
        out.say(f"{counted(len(kept.rankings), 'ranking')}: {', '.join(kept.rankings)}")
    for name in kept.checklists:
        out.say(f"checklist {name}: kept among your own")
    for each in kept.manifest.left_out:
        out.note(f"not in the bundle: {each.what} ({each.why})")
    for note in kept.notes:
        out.note(note)
    for scenario in kept.manifest.restricted:
        out.warn(f"the bundle holds data of {scenario}, whose licence restricts them")
    if kept.added:
        out.say(
            "what these runs hold is their sender's word: the hashes say that nothing was changed"
        )
        out.say("since they were written, not that it happened so")
        out.hint(f"\nlook at it: {typed(f'show {kept.added[0].id}')}")
