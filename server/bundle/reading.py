"""Read a bundle's records into a staging place, each checked for itself and against the others."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from pydantic import ValidationError

from core.errors import BundleError
from core.run import RunSpec
from server.bundle.archive import Archive
from server.bundle.fitting import RankingFit, RunFit, check_continuations
from server.bundle.lines import FORMS, Placing
from server.bundle.manifest import PARTS, SHARED
from server.bundle.prompts import check_prompts
from server.bundle.staging import Staging

Told = Callable[[float, float, str], None]
_LARGEST_PROMPTS: Final = 4 << 20
_OFTEN: Final = 500
"""Lines between two words of how far it is."""


def read_records(archive: Archive, staging: Staging, tell: Told) -> dict[str, RunFit]:
    """Every record into its row; the runs by their ids. Raises BundleError at the first that does not fit."""
    placing = Placing({})
    done = 0

    def through(name: str, part: str, check: Callable[[str, Any], None]) -> None:
        nonlocal done
        form = FORMS[part]
        for number, raw in archive.lines(name):
            with _place(archive, name, number):
                line = form.model_validate_json(raw)
                check(part, line)
                staging.add(part, placing.row(part, line))
            done += len(raw)
            if number % _OFTEN == 0:
                tell(done, archive.size, name)
        with _place(archive, name, None):
            staging.flush()

    fits: dict[str, RunFit] = {}
    for listed in archive.manifest.runs:
        fit = RunFit(listed)
        for part in PARTS:
            through(f"{listed.folder}/{part}.jsonl", part, fit.check)
        with _place(archive, listed.folder, None):
            fit.finish()
        fits[listed.id] = fit
    with _place(archive, "runs", None):
        check_continuations(fits)
    rankings = RankingFit(fits)
    for part in SHARED:
        through(f"{part}.jsonl", part, rankings.check)
    return fits


def read_prompts(archive: Archive) -> dict[str, bytes]:
    """Every file of prompts by its sha-256. Raises BundleError where one is not what its name says."""
    found = {}
    sizes = {each.name: each.bytes for each in archive.manifest.files}
    for name in archive.names("prompts"):
        if sizes[name] > _LARGEST_PROMPTS:
            raise BundleError(f"{archive.name}: {name} has {sizes[name]:,} bytes: no prompts have")
        content = archive.content(name)
        with _place(archive, name, None):
            check_prompts(name, content)
        found[name.removeprefix("prompts/").removesuffix(".json")] = content
    return found


def spec_of(fit: RunFit) -> RunSpec:
    """The run of a fit that was finished."""
    if fit.spec is None:
        raise BundleError(f"{fit.listed.id}: there is no run in it")
    return fit.spec


@contextmanager
def _place(archive: Archive, name: str, number: int | None) -> Iterator[None]:
    """Say where a fault is."""
    where = f"{archive.name}: {name}" + ("" if number is None else f", line {number}")
    try:
        yield
    except BundleError as exc:
        raise BundleError(f"{where}: {exc}") from exc
    except ValidationError as exc:
        first = exc.errors(include_url=False)[0]
        key = ".".join(str(part) for part in first["loc"])
        raise BundleError(
            f"{where}: {key}: {first['msg']} (the bundle was written by ddr "
            f"{archive.manifest.code_revision}; where that is a newer one, update this one)"
        ) from exc
    except sqlite3.IntegrityError as exc:
        raise BundleError(f"{where}: a record is there twice") from exc
    except (OverflowError, ValueError) as exc:
        raise BundleError(f"{where}: a figure that no record holds: {exc}") from exc
