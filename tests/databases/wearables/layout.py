"""Write a small study in the owners' layout: made-up people, and columns that must not be taken."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Callable, Sequence
from pathlib import Path

from databases.wearables.features import known, tables

PEOPLE = ("W-1", "W-2")
DATES = ("2018-04-13", "2018-04-14", "2018-04-15")
LEFT_OUT = (
    "f_steps:fitbit_steps_intraday_rapids_sumsteps_norm:allday",
    "f_steps:fitbit_steps_intraday_rapids_sumsteps_dis:allday",
    "f_steps:fitbit_steps_intraday_rapids_sumsteps:morning",
    "f_steps:fitbit_steps_intraday_rapids_sumsteps:7dhist",
    "f_steps:fitbit_steps_intraday_rapids_sumsteps:weekend",
)
"""Derived, normalised, or of another time of day."""
SCALES = {"STAIS": (40.0, 45.0), "CESD_10items": (8.0, 9.0), "BRS": (3.0, 3.5)}
"""Scale to what everybody answers before and after."""

Cell = Callable[[str, str, str], object]
"""(pid, date, column) to what stands in the cell."""


def one(_pid: str, _date: str, _column: str) -> object:
    """A cell of an ordinary file."""
    return 1


def text_of(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Rows as CSV."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return stream.getvalue()


def features_text(
    table: str, people: Sequence[str] = PEOPLE, cell: Cell = one, more: Sequence[str] = ()
) -> str:
    """A file of features: every known one, the raw steps' derived ones, and `more`."""
    columns = [feature.source for feature in known(table)]
    columns += LEFT_OUT if table == "steps" else ()
    columns += more
    rows = [[p, d, *(cell(p, d, c) for c in columns)] for p in people for d in DATES]
    return text_of(["pid", "date", *columns], rows)


def file_of(study: Path, table: str) -> Path:
    """Where a table's file stands."""
    return study / "FeatureData" / f"{tables()[table].file or table}.csv"


def write_study(root: Path, name: str = "INS-W_1", people: Sequence[str] = PEOPLE) -> Path:
    """A whole study: seven files of features, two surveys, the list of people."""
    study = root / name
    for folder in ("FeatureData", "SurveyData", "ParticipantsInfoData"):
        (study / folder).mkdir(parents=True)
    for table in tables():
        file_of(study, table).write_text(features_text(table, people), encoding="utf-8")
    for wave, place in (("pre", 0), ("post", 1)):
        header = ["pid", "date", *(f"{scale}_{wave.upper()}" for scale in SCALES)]
        rows = [[p, "2018-03-21", *(s[place] for s in SCALES.values())] for p in people]
        (study / "SurveyData" / f"{wave}.csv").write_text(text_of(header, rows), encoding="utf-8")
    platforms = [[p, "ios" if n % 2 else "android"] for n, p in enumerate(people)]
    (study / "ParticipantsInfoData" / "platform.csv").write_text(
        text_of(["pid", "platform"], platforms), encoding="utf-8"
    )
    return study


def gzipped(path: Path) -> Path:
    """The same file, gzipped in its place."""
    packed = path.with_name(f"{path.name}.gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    path.unlink()
    return packed
