"""`ddr checklists tag`: category and capability for items that came without."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.errors import ChecklistError, UsageError
from core.hints import typed
from server.cli.checklist_proving import ChecklistName
from server.cli.options import Json, Quiet, example

if TYPE_CHECKING:
    from collections.abc import Mapping

    from server.cli.output import Output


def add(group: typer.Typer) -> None:
    """Add the command."""
    shown = example(
        "ddr checklists tag ddr-bench-filings --sheet tags.csv",
        "ddr checklists tag ddr-bench-filings --apply tags.csv --by 'Ada L.'",
    )
    group.command("tag", epilog=shown)(tag)


def tag(
    checklist: ChecklistName,
    *,
    sheet: Annotated[
        Path | None, typer.Option(help="Also write the tags here, to be reviewed.", metavar="CSV")
    ] = None,
    apply_: Annotated[
        Path | None,
        typer.Option("--apply", help="Take the tags of a reviewed sheet.", metavar="CSV"),
    ] = None,
    by: Annotated[str | None, typer.Option(help="Who reviewed it.", metavar="NAME")] = None,
    rules: Annotated[
        Path | None, typer.Option(help="Rules of your own, in place of ours.", metavar="TOML")
    ] = None,
    id_: Annotated[
        str | None, typer.Option("--id", help="Keep the copy under this id.", metavar="ID")
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Also over another one.")] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Keep a copy of a checklist whose items have a category, a capability and a difficulty.

    Rules propose them from the words of the question and from the evidence; each says why on the
    sheet. What an author or a person gave stays.
    """
    from checklists.loader import load
    from checklists.tagging.rules import read_rules
    from checklists.tagging.sheet import from_csv, to_csv
    from checklists.tagging.tagging import counts, propose, tagged
    from server import settings as places
    from server.cli.output import Output
    from server.importing import keep_new

    if apply_ is not None and (sheet is not None or rules is not None):
        raise UsageError("--apply takes the tags of a sheet: leave out --sheet and --rules")
    if apply_ is not None and not (by or "").strip():
        raise UsageError("whose review is it? give --by NAME")
    if apply_ is None and by is not None:
        raise UsageError("--by names who reviewed the sheet of --apply")
    out = Output(json=json, quiet=quiet)
    settings = places.load().prepare()
    mine = load(checklist, settings.checklists)
    known = read_rules(rules)
    tags = from_csv(apply_, mine.items) if apply_ else propose(mine.items, known)
    source = f"person:{(by or '').strip()[:100]}" if apply_ else known.name
    name = id_ or (mine.id if mine.id.endswith("-tagged") else f"{mine.id}-tagged")
    copy = tagged(mine, tags, by=source, new_id=name)
    path = keep_new(copy, settings, replace=replace or id_ is None)
    if sheet is not None:
        _write(sheet, to_csv(mine.items, tags))
    table = counts(copy.items)
    _tell(out, table, name, source)
    if sheet is not None:
        out.hint(
            f"\nlook at {sheet}, then: {typed(f'checklists tag {mine.id} --apply {sheet} --by NAME')}"
        )
    out.result(
        {
            "checklist": name,
            "of": mine.id,
            "path": str(path),
            "hash": copy.hash,
            "tagged_by": source,
            "items": len(copy.items),
            "changed": sum(a != b for a, b in zip(mine.items, copy.items, strict=True)),
            "sheet": str(sheet) if sheet else None,
            "counts": table,
        }
    )


def _tell(out: Output, table: Mapping[str, Mapping[str, int]], name: str, source: str) -> None:
    out.say(f"checklist {name}, tagged by {source}")
    for facet in ("category", "capability", "difficulty"):
        out.table([facet, ">items"], [[key, str(count)] for key, count in table[facet].items()])
        out.say()


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as exc:
        raise ChecklistError(f"the sheet cannot be written to {path}: {exc.strerror}") from exc
