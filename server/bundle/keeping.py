"""Keep the runs of a bundle in the store: all of them, or none; and never in the place of another."""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from checklists.loader import load
from core.errors import DdrError, UsageError
from core.evaluation import Evaluation
from core.hints import program, typed
from core.ranking import Ranking
from core.run import RunSpec
from databases.catalog import open_scenario
from server.bundle import travelling
from server.bundle.archive import Archive, opened
from server.bundle.fitting import RunFit
from server.bundle.manifest import Manifest, check_name
from server.bundle.prompts import keep_agents
from server.bundle.reading import read_prompts, read_records, spec_of
from server.bundle.staging import Staging, first_difference
from server.importing import keep_new
from server.settings import Settings
from server.store import Repository, whole_runs
from server.store.records import to_json
from server.store.whole_runs import Row, Rows, Snapshot, add_rows, snapshot

Told = Callable[[float, float, str], None]


@dataclass
class Kept:
    """What came of a bundle."""

    source: str
    sha256: str
    manifest: Manifest
    added: list[RunSpec] = field(default_factory=list)
    known: list[RunSpec] = field(default_factory=list)
    """Whose records were all here before."""
    records: dict[str, int] = field(default_factory=dict)
    """What was added, by table."""
    rankings: list[str] = field(default_factory=list)
    """Those that were added."""
    checklists: list[str] = field(default_factory=list)
    """Those that were added."""
    notes: list[str] = field(default_factory=list)
    """What the reader has to know before the scores are compared."""

    def as_json(self) -> dict[str, Any]:
        """For --json."""
        return {
            "source": self.source,
            "sha256": self.sha256,
            "code_revision": self.manifest.code_revision,
            "with_answers": self.manifest.with_answers,
            "restricted_data_of": list(self.manifest.restricted),
            "runs": [spec.id for spec in self.added],
            "known_runs": [spec.id for spec in self.known],
            "records": self.records,
            "rankings": self.rankings,
            "checklists": self.checklists,
            "left_out": [each.model_dump() for each in self.manifest.left_out],
            "notes": self.notes,
        }


def keep_bundle(
    path: Path, store: Repository, settings: Settings, *, tell: Told = lambda *_: None
) -> Kept:
    """Read, check and keep. Raises BundleError, UsageError, StoreError; nothing is kept then."""
    with opened(path) as archive, Staging() as staging:
        fits = read_records(archive, staging, tell)
        prompts = read_prompts(archive)
        tell(archive.size, archive.size, "comparing with what is here")
        kept = Kept(path.name, archive.sha256, archive.manifest)
        with snapshot(store) as moment:
            for fit in fits.values():
                _compare(fit, staging, moment, kept)
            _compare_rankings(staging, moment, kept)
        _keep_checklists(archive, settings, kept)
        for spec in kept.added:
            if spec.prompts_hash in prompts:
                keep_agents(prompts[spec.prompts_hash], settings)
        kept.records = _counted(staging, kept.added)
        add_rows(store, _rows(staging, kept))
    for spec in kept.added:
        kept.notes += _notes(spec, settings)
    return kept


def _compare(fit: RunFit, staging: Staging, moment: Snapshot, kept: Kept) -> None:
    """Leave out a run that is here; raise UsageError where another one stands in its place."""
    spec = spec_of(fit)
    body = moment.body(whole_runs.RUN, (spec.id,))
    if body is None:
        for kind in (whole_runs.TRAJECTORIES, whole_runs.EVALUATIONS):
            for row in staging.rows_of(kind, spec.id):
                if moment.body(kind, kind.key_of(row)) is not None:
                    raise UsageError(
                        f"{kind.table} {row[0]} of run {spec.id} is here already, of another run: "
                        f"import it into another home ({_other_home(kept)})"
                    )
        kept.added.append(spec)
        return
    paths = _paths(RunSpec.model_validate_json(body), moment)
    difference = first_difference(
        staging,
        moment,
        whole_runs.OF_A_RUN,
        spec.id,
        paths,
        with_answers=kept.manifest.with_answers,
    )
    if difference is not None:
        raise UsageError(
            f"run {spec.id} is here already, with other records ({difference}): look at the bundle's in "
            f"another home ({_other_home(kept)}), or forget the one here first: "
            f"{typed(f'delete {spec.id}')}"
        )
    staging.drop_run(spec.id)
    kept.known.append(spec)


def _compare_rankings(staging: Staging, moment: Snapshot, kept: Kept) -> None:
    for row in list(staging.rows(whole_runs.RANKING)):
        ranking = Ranking.model_validate_json(row[-1])
        if moment.body(whole_runs.RANKING, (ranking.id,)) is None:
            # What ranks a run of this home here is said by this home's judges alone.
            if ours := [run for run in ranking.run_ids if _is_ours(run, moment)]:
                staging.drop_ranking(ranking.id)
                kept.notes.append(
                    f"ranking {ranking.id} is not kept: it ranks {ours[0]}, a run of this home, by its "
                    f"sender's word; rank them here: {typed('rank ' + ' '.join(ranking.run_ids))}"
                )
            else:
                kept.rankings.append(ranking.id)
            continue
        judges = (*ranking.judges_asked, *ranking.judges_served)
        difference = first_difference(
            staging,
            moment,
            (whole_runs.RANKING, whole_runs.COMPARISONS),
            ranking.id,
            travelling.Paths(judges),
            with_answers=kept.manifest.with_answers,
        )
        if difference is not None:
            raise UsageError(
                f"ranking {ranking.id} is here already, with other records ({difference}): import the "
                f"bundle into another home ({_other_home(kept)})"
            )
        staging.drop_ranking(ranking.id)


def _is_ours(run_id: str, moment: Snapshot) -> bool:
    """Whether it is stored here, and came in no bundle."""
    body = moment.body(whole_runs.RUN, (run_id,))
    return body is not None and not RunSpec.model_validate_json(body).is_bundled


def _paths(spec: RunSpec, moment: Snapshot) -> travelling.Paths:
    rows = moment.rows(whole_runs.EVALUATIONS, spec.id)
    return travelling.paths_of(spec, [Evaluation.model_validate_json(row[-1]) for row in rows], ())


def _rows(staging: Staging, kept: Kept) -> Iterator[tuple[Rows, Iterator[Row]]]:
    """What goes into the store, with where each run came from."""
    specs = {spec.id: travelling.run_kept(spec, kept.source, kept.sha256) for spec in kept.added}
    for kind in whole_runs.ALL:
        rows = staging.rows(kind)
        if kind is whole_runs.RUN:
            rows = ((*row[:-1], to_json(specs[row[0]])) for row in rows)
        yield kind, rows


def _counted(staging: Staging, specs: list[RunSpec]) -> dict[str, int]:
    return {
        kind.table: sum(staging.count(kind, spec.id) for spec in specs)
        for kind in whole_runs.OF_A_RUN
    }


_LARGEST_CHECKLIST: Final = 256 << 20


def _keep_checklists(archive: Archive, settings: Settings, kept: Kept) -> None:
    """Those that are not here; one of the same name with other items stays here as it is."""
    sizes = {each.name: each.bytes for each in archive.manifest.files}
    for name in archive.names("checklists"):
        if sizes[name] > _LARGEST_CHECKLIST:
            kept.notes.append(f"{name} has {sizes[name]:,} bytes and was not kept")
            continue
        with tempfile.TemporaryDirectory(prefix="ddr-bundle-") as folder:
            place = Path(folder) / "checklist.json"
            place.write_bytes(archive.content(name))
            found = load(place)
        check_name("checklist", found.id)
        try:
            here = load(found.id, settings.checklists).hash
        except DdrError:
            here = None
        if here is None:
            keep_new(found, settings)
            kept.checklists.append(found.id)
        elif here != found.hash:
            kept.notes.append(
                f"the checklist {found.id} is another one here, which stays: what was judged by the "
                "bundle's cannot be scored by it"
            )


def _notes(spec: RunSpec, settings: Settings) -> list[str]:
    """Whether what it explored is here, and the same."""
    try:
        installed = open_scenario(spec.scenario_id, settings.home)
    except DdrError:
        return [f"the scenario {spec.scenario_id} is not known here: its scores cannot be computed"]
    fingerprint = installed.scenario.fingerprint
    build = typed(f"scenarios build {spec.scenario_id}")
    if fingerprint is None:
        return [f"{spec.scenario_id} is not built here, which its scores need: {build}"]
    if fingerprint != spec.scenario_fingerprint:
        return [
            f"{spec.scenario_id} is another data set here (fingerprint {fingerprint[:12]}, the run's is "
            f"{spec.scenario_fingerprint[:12]}): the runs of both are not compared"
        ]
    return []


def _other_home(kept: Kept) -> str:
    return f"DDR_HOME=elsewhere {program()} import {shlex.quote(kept.source)}"
