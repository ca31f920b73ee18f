"""The options that every command shares, and how its example is shown in --help."""

from __future__ import annotations

from typing import Annotated

import typer

from core.hints import program

Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON object as the last line of stdout.")
]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress and no comments.")]


def example(*lines: str) -> str:
    """An epilog that is shown line by line (the \\b tells typer not to join them)."""
    shown = [
        line.replace("ddr", program(), 1) if line.startswith("ddr ") else line for line in lines
    ]
    return "\b\nExample:\n" + "\n".join(f"  {line}" for line in shown)
