"""A small clinic's files, made in the test: patients, their visits, and what must not be seen."""

from __future__ import annotations

import csv
import datetime as dt
from pathlib import Path

PATIENTS = 12
HEADER = ["PatientNo", 'Full "Name"', "Sex", "Born", "Remark", "Mail"]


def patients() -> list[list[str]]:
    """One row each; the remark and the mail address tell who they are."""
    return [
        [
            f"C-{1000 + 7 * n}",
            f"Name{n} O'Neil",
            "FM"[n % 2],
            str(dt.date(1950, 1, 1) + dt.timedelta(days=300 * n)),
            f"came in with her sister, number {n} of a family of many",
            f"name{n}@example.org",
        ]
        for n in range(PATIENTS)
    ]


def visits(of: int = PATIENTS) -> list[list[str]]:
    """Twenty for each of the first patients; a dose is missing now and then."""
    return [
        [
            str(n + 1),
            f"C-{1000 + 7 * (n % of)}",
            f"{1 + n % 28:02d}.{1 + n % 12:02d}.2019",
            "" if n % 10 == 9 else f"{5 + n % 40 * 0.5:.1f}",
            ("north", "south", "east")[n % 3],
        ]
        for n in range(20 * PATIENTS)
    ]


def write(path: Path, header: list[str], rows: list[list[str]]) -> Path:
    """A CSV file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([header, *rows])
    return path


def files(folder: Path, *, with_visits: int = PATIENTS) -> Path:
    """Both tables; only the first `with_visits` patients have visits."""
    write(folder / "Patients.csv", HEADER, patients())
    header = ["visit_id", "PatientNo", "Seen On", "dose mg", "ward"]
    write(folder / "visits.csv", header, visits(with_visits))
    return folder
