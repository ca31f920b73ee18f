"""The options that every command shares, and how its example is shown in --help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from core.hints import program

Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON object as the last line of stdout.")
]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress and no comments.")]
ChecklistName = Annotated[
    str | None,
    typer.Option(help="An id or a file; the scenario's own unless given.", metavar="CHECKLIST"),
]
RunNames = Annotated[
    list[str],
    typer.Argument(metavar="RUN", help="One or more; each an id, a unique prefix, or last."),
]
JudgedBy = Annotated[
    str | None,
    typer.Option(help="An id or a file, where the runs were judged by it.", metavar="CHECKLIST"),
]
Evaluations = Annotated[
    list[str] | None,
    typer.Option(
        help="The evaluation that speaks for its run; given again, one for another run. Else the "
        "newest that rest on the same things.",
        metavar="ID",
    ),
]
OutFiles = Annotated[
    list[Path] | None,
    typer.Option(
        help="Write the tables (.csv .json .parquet) or the figure (.svg .png); repeatable.",
        metavar="FILE",
    ),
]


def example(*lines: str) -> str:
    """An epilog that is shown line by line (the \\b tells typer not to join them)."""
    shown = [
        line.replace("ddr", program(), 1) if line.startswith("ddr ") else line for line in lines
    ]
    return "\b\nExample:\n" + "\n".join(f"  {line}" for line in shown)
