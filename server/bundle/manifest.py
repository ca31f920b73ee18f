"""The list at the head of a bundle: what it holds, with a sha-256 for each file, and what it may be named."""

from __future__ import annotations

import json
import re
from typing import Final, Literal

from pydantic import Field, ValidationError

from core.errors import BundleError
from core.record import Record, UtcTime

FORMAT: Final = "ddr-bundle"
VERSION: Final = 1
"""Of the bundle's layout and of the records in it; a change of either that older code cannot read raises it."""
MANIFEST: Final = "manifest.json"
PARTS: Final = (
    "run",
    "trajectories",
    "calls",
    "turns",
    "nudges",
    "insights",
    "evaluations",
    "verdicts",
    "judgements",
)
"""The files of a run, in the order in which they are read: each speaks of what stands before it."""
SHARED: Final = ("rankings", "comparisons")
"""The files of several runs."""
_PLAIN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")
_NAMES: Final = re.compile(
    r"runs/[1-9][0-9]{0,3}/(?:"
    + "|".join(PARTS)
    + r")\.jsonl|(?:"
    + "|".join(SHARED)
    + r")\.jsonl|prompts/[0-9a-f]{64}\.json|checklists/[1-9][0-9]{0,3}\.json"
)


class FileListed(Record):
    """One file of a bundle."""

    name: str
    bytes: int = Field(ge=0)
    sha256: str = Field(pattern="^[0-9a-f]{64}$")


class RunListed(Record):
    """One run of a bundle."""

    id: str
    scenario_id: str
    scenario_fingerprint: str
    folder: str = Field(pattern="^runs/[1-9][0-9]{0,3}$")


class LeftOut(Record):
    """What is not in it, and why."""

    what: str
    why: str


class Manifest(Record):
    """What a bundle holds."""

    format: Literal["ddr-bundle"] = FORMAT
    version: Literal[1] = VERSION
    code_revision: str
    store_schema: int
    """Of the store that it was read from; for the record alone."""
    created_at: UtcTime
    with_answers: bool
    restricted: tuple[str, ...] = ()
    """Scenarios in it whose licence restricts their data."""
    runs: tuple[RunListed, ...] = Field(min_length=1, max_length=1000)
    left_out: tuple[LeftOut, ...] = ()
    files: tuple[FileListed, ...]

    @property
    def wanted(self) -> list[str]:
        """The files that runs must have, and those that are shared, in the order in which they are read."""
        mine = [f"{run.folder}/{part}.jsonl" for run in self.runs for part in PARTS]
        return [*mine, *(f"{part}.jsonl" for part in SHARED)]


def read_manifest(content: bytes, source: str) -> Manifest:
    """Strictly. Raises BundleError, which tells a newer version from what is no manifest at all."""
    try:
        told = json.loads(content)
    except (ValueError, RecursionError) as exc:
        raise BundleError(f"{source}: {MANIFEST} is no JSON: {exc}") from exc
    if not isinstance(told, dict) or told.get("format") != FORMAT:
        raise BundleError(f"{source} is no bundle of runs: {MANIFEST} does not say {FORMAT!r}")
    if told.get("version") != VERSION:
        raise BundleError(
            f"{source} is of version {told.get('version')!r:.20}, this code reads {VERSION}: it was "
            f"written by another ddr ({told.get('code_revision')!r:.60}); update this one"
        )
    try:
        found = Manifest.model_validate_json(content)
    except ValidationError as exc:
        first = exc.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise BundleError(f"{source}: {MANIFEST}: {where}: {first['msg']}") from exc
    names = [file.name for file in found.files]
    for name in names:
        if not _NAMES.fullmatch(name):
            raise BundleError(
                f"{source}: {MANIFEST} lists {name!r:.80}, which is no file of a bundle"
            )
    if len(set(names)) < len(names):
        raise BundleError(f"{source}: {MANIFEST} lists a file twice")
    folders = [run.folder for run in found.runs]
    if len(set(folders)) < len(folders) or len({run.id for run in found.runs}) < len(folders):
        raise BundleError(f"{source}: {MANIFEST} lists a run twice")
    if lacking := [name for name in found.wanted if name not in set(names)]:
        raise BundleError(f"{source}: {MANIFEST} does not list {lacking[0]}")
    for name in names:
        if name.startswith("runs/") and name not in set(found.wanted):
            raise BundleError(f"{source}: {name} belongs to no run that {MANIFEST} lists")
    return found


def check_name(kind: str, name: str) -> None:
    """Raise BundleError for a name that could be a path, or obeyed: files are named after some."""
    if not _PLAIN.fullmatch(name):
        raise BundleError(
            f"{kind} {name!r:.80}: letters, digits, '.', '_' and '-' alone may stand there"
        )
