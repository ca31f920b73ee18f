"""Sets in the layout of the release, made by hand: small, and wrong in one place where a test wants it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from databases.build import build
from databases.installed import InstalledScenario

TICKETS = (
    "number,opened_at,closed_at,category,notes\n"
    "T1,2024-01-01 08:00:00,2024-01-02 09:30:00.250000000,Printer,\n"
    'T2,2024-01-03 10:00:00,,"Cable, long",\n'
    "T3,2024-01-04 11:00:00,2024-01-05 11:00:00.000000000,Printer,\n"
)
"""A column that is empty throughout, one date that is, a comma within quotes."""
PEOPLE = "name,department\nAsh,Repairs\nBirch,Sales\n"
INSIGHTS: Sequence[Any] = (
    {
        "data_type": "Descriptive",
        "insight": "Printers break most",
        "question": "What breaks?",
        "actionable_insight": "Buy others.",
    },
    {"data_type": "time_series", "insight": "Tickets come daily", "question": "When?"},
)


def write_set(
    folder: Path,
    name: str,
    *,
    insights: Sequence[Any] = INSIGHTS,
    table: str | bytes = TICKETS,
    users: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    **changes: Any,
) -> Path:
    """One set: its JSON and its CSVs. A change of None leaves a key out."""
    csvs = folder / "csvs"
    csvs.mkdir(parents=True, exist_ok=True)
    content = table if isinstance(table, bytes) else table.encode()
    (csvs / f"{name}.csv").write_bytes(content)
    if users is not None:
        (csvs / f"{name}-sysuser.csv").write_text(users, encoding="utf-8")
    told = {
        "goal": f"Find what is wrong in {name}",
        "role": "Repair Manager",
        "category": "Incidents Management.",
        "dataset_description": "Tickets.",
        "header": f"Printers that break ({name})",
        **(metadata or {}),
    }
    whole = {
        # As the release has it: a path of its authors' own machine.
        "dataset_csv_path": f"data/notebooks/csvs/{name}.csv",
        "user_dataset_csv_path": users and f"data/notebooks/csvs/{name}-sysuser.csv",
        "metadata": told,
        "insight_list": list(insights),
        "summary": f"Much breaks in {name}.",
        **changes,
    }
    path = folder / f"{name}.json"
    path.write_text(json.dumps(whole), encoding="utf-8")
    return path


def write_notebook(folder: Path, name: str, *cells: str, level: int | None = 3) -> Path:
    """A notebook with one code cell per text, and a head that tells the difficulty."""
    head = f"### Your Task\n**Difficulty**: {level} out of 5. Not easy.\n" if level else "### Task"
    written = [{"cell_type": "markdown", "source": [head]}]
    written += [{"cell_type": "code", "source": cell.splitlines(keepends=True)} for cell in cells]
    path = folder / f"{name}.ipynb"
    path.write_text(json.dumps({"cells": written, "nbformat": 4}), encoding="utf-8")
    return path


def built(folder: Path, home: Path, **options: Any) -> InstalledScenario:
    """The scenario of the sets in a folder."""
    return build("insightbench", home, options={"from": str(folder), **options})
