"""`ddr checklists review`: a sheet out, people's decisions in, and how far they agree."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.errors import ChecklistError, UnknownNameError, UsageError
from core.hints import typed
from core.wording import counted
from server.cli.checklist_proving import ChecklistName
from server.cli.options import Json, Quiet, example

if TYPE_CHECKING:
    from server.cli.output import Output
    from server.reviewing import Standing

_STATUSES = ("proposed", "accepted", "rejected", "stale")
_SHOWN = 10


def add(group: typer.Typer) -> None:
    """Add the command."""
    shown = example(
        "ddr checklists review patients-derived --out sheet.csv",
        "ddr checklists review patients-derived --in sheet.csv --who Ada",
    )
    group.command("review", epilog=shown)(review)


def review(
    checklist: ChecklistName,
    *,
    out_sheet: Annotated[
        Path | None, typer.Option("--out", help="Write a sheet: .csv or .jsonl.", metavar="FILE")
    ] = None,
    in_sheets: Annotated[
        list[Path] | None,
        typer.Option(
            "--in", help="Take the decisions of a sheet; may be repeated.", metavar="FILE"
        ),
    ] = None,
    who: Annotated[
        str | None,
        typer.Option(help="Who decided, where the sheet does not say.", metavar="NAME"),
    ] = None,
    only: Annotated[
        str | None,
        typer.Option(help="With --out: the items of one status.", metavar="|".join(_STATUSES)),
    ] = None,
    id_: Annotated[
        str | None, typer.Option("--id", help="With --in: keep a copy of this name.", metavar="NEW")
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="With --out: over a file that is there.")
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Have people decide which items count; without a sheet, say how it stands.

    Each decision keeps who, when and why. An item that some accept and others reject waits.
    """
    from datetime import UTC, datetime

    from checklists.loader import load
    from checklists.review.sheet import kind_of, written
    from server import settings as places
    from server.cli.output import Output
    from server.reviewing import chosen, standing_of, take

    if out_sheet is not None and in_sheets:
        raise UsageError("a sheet goes out or comes in: give --out or --in")
    if (only is not None or replace) and out_sheet is None:
        raise UsageError("--only and --replace go with --out")
    if (who is not None or id_ is not None) and not in_sheets:
        raise UsageError("--who and --id go with --in")
    if only is not None and only not in _STATUSES:
        raise UnknownNameError("status", only, _STATUSES)
    out = Output(json=json, quiet=quiet)
    settings = places.load().prepare()
    taken = 0
    if in_sheets:
        mine, taken = take(
            checklist, in_sheets, settings, who=who, now=datetime.now(UTC), new_id=id_
        )
        out.say(f"{counted(taken, 'decision')} taken into {mine.id}")
    else:
        mine = load(checklist, settings.checklists)
    if out_sheet is not None:
        items = chosen(mine, only)
        _write(out_sheet, written(items, kind_of(out_sheet)), replace=replace)
        out.say(f"{counted(len(items), 'item')} written to {out_sheet}; fill in decision and why")
        out.hint(f"\nthen: {typed(f'checklists review {checklist} --in {out_sheet} --who NAME')}")
    stands = standing_of(mine)
    _tell(stands, out)
    out.result(
        {
            "checklist": mine.id,
            "hash": mine.hash,
            "items": len(mine.items),
            "taken": taken,
            "sheet": str(out_sheet) if out_sheet else None,
            **stands.model_dump(mode="json"),
        }
    )


def _tell(stands: Standing, out: Output) -> None:
    counts = ", ".join(f"{count} {status}" for status, count in stands.statuses.items())
    out.say(f"items: {counts or 'none'}; only accepted ones score")
    found = stands.agreement
    if found.items:
        figures = [f"share of equal decisions {_figure(found.share)}"]
        if len(found.reviewers) == 2:
            figures.append(f"Cohen's kappa {_figure(found.kappa)}")
        figures.append(f"Krippendorff's alpha {_figure(found.alpha)}")
        out.say(
            f"{', '.join(found.reviewers)} on {counted(found.items, 'item')}: {', '.join(figures)}"
        )
    for item_id in stands.conflicts[:_SHOWN]:
        out.say(f"  in conflict: {item_id}")
    if len(stands.conflicts) > _SHOWN:
        out.say(f"  and {len(stands.conflicts) - _SHOWN} more; --json has them all")


def _figure(value: float | None) -> str:
    return "- (not defined)" if value is None else f"{value:.3f}"


def _private(path: str, flags: int) -> int:
    import os

    return os.open(path, flags, 0o600)


def _write(path: Path, text: str, *, replace: bool) -> None:
    """Not over somebody's filled-in sheet."""
    try:
        mode = "w" if replace else "x"
        # Its owner's alone: the answers stand in it.
        with open(path, mode, encoding="utf-8", newline="", opener=_private) as stream:
            # Without the mark, spreadsheets take a CSV file for one of another encoding.
            stream.write(f"\ufeff{text}" if path.suffix.lower() == ".csv" else text)
    except FileExistsError as exc:
        raise UsageError(f"{path} is there already; give another name, or --replace") from exc
    except OSError as exc:
        raise ChecklistError(f"the sheet cannot be written to {path}: {exc.strerror}") from exc
