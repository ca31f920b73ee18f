"""Write runs into one file, line by line: their records, prompts, and the list with a hash of each part."""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final

from checklists.loader import load
from core.errors import DdrError, StoreError, UsageError
from core.evaluation import Evaluation, Verdict
from core.ranking import Ranking
from core.run import RunSpec
from server.bundle import lines, prompts, travelling
from server.bundle.manifest import MANIFEST, FileListed, LeftOut, Manifest, RunListed, check_name
from server.export.writing import is_restricted
from server.revision import code_revision
from server.settings import Settings
from server.store import Repository, whole_runs
from server.store.records import to_json
from server.store.whole_runs import Rows, Snapshot, snapshot

Told = Callable[[float, float, str], None]
_MOMENT: Final = (1980, 1, 1, 0, 0, 0)
"""Of each part: the same records make the same parts, whenever they are written."""
_MODE: Final = 0o100600 << 16
_ANSWERS: Final = "they may quote the checklist: --with-answers"


@dataclass(frozen=True)
class Written:
    """What came of it."""

    path: Path
    sha256: str
    """Of the whole file."""
    manifest: Manifest


@dataclass
class _Bundle:
    archive: zipfile.ZipFile
    moment: Snapshot
    settings: Settings
    with_answers: bool
    tell: Callable[[str], None]
    files: list[FileListed] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)

    def run(self, spec: RunSpec, folder: str) -> None:
        """All that a run's store holds of it."""
        evaluations = [
            Evaluation.model_validate_json(row[-1])
            for row in self.moment.rows(whole_runs.EVALUATIONS, spec.id)
        ]
        paths = travelling.paths_of(spec, evaluations, ())
        for kind in whole_runs.OF_A_RUN:
            part = "run" if kind is whole_runs.RUN else kind.table
            told = self._lines(kind, spec, paths)
            self._add(f"{folder}/{part}.jsonl", told)
        for found in prompts.prompts_of(spec, evaluations, self.settings):
            if isinstance(found, LeftOut):
                self.left_out.append(found)
            else:
                name = f"prompts/{found[0]}.json"
                if name not in {file.name for file in self.files}:
                    self._add(name, iter([found[1]]))

    def rankings(self, specs: Sequence[RunSpec]) -> None:
        """Those of which every run is in the bundle."""
        here = {spec.id for spec in specs}
        known: dict[str, Ranking] = {}
        for spec in specs:
            for row in self.moment.rows(whole_runs.RANKINGS, spec.id):
                known[row[0]] = Ranking.model_validate_json(row[-1])
        whole = [each for each in known.values() if set(each.run_ids) <= here]
        for each in known.values():
            if lacking := sorted(set(each.run_ids) - here):
                why = f"it ranks runs that are not in the bundle: {', '.join(lacking)}"
                self.left_out.append(LeftOut(what=f"ranking {each.id}", why=why))
        paths = travelling.Paths(
            name for each in whole for name in (*each.judges_asked, *each.judges_served)
        )
        told = (lines.line_of(r.id, to_json(travelling.ranking_sent(r))) for r in whole)
        self._add("rankings.jsonl", map(paths.out_of, told))
        compared = (
            lines.line_of(each.id, row[-1])
            for each in whole
            for row in self.moment.rows(whole_runs.COMPARISONS, each.id)
        )
        self._add("comparisons.jsonl", map(paths.out_of, compared))

    def checklists(self, specs: Sequence[RunSpec]) -> None:
        """Those that the runs were judged by; only where answers travel."""
        named = {}
        for spec in specs:
            for row in self.moment.rows(whole_runs.EVALUATIONS, spec.id):
                each = Evaluation.model_validate_json(row[-1])
                named[each.checklist_id, each.checklist_hash] = each
        for number, ((name, digest), _) in enumerate(sorted(named.items()), start=1):
            try:
                found = load(name, self.settings.checklists)
            except DdrError as exc:
                self.left_out.append(LeftOut(what=f"checklist {name}", why=str(exc)))
                continue
            if found.hash != digest:
                why = "the one here is another version of it"
                self.left_out.append(LeftOut(what=f"checklist {name} {digest[:12]}", why=why))
                continue
            self._add(f"checklists/{number}.json", iter([to_json(found)]))

    def _lines(self, kind: Rows, spec: RunSpec, paths: travelling.Paths) -> Iterator[str]:
        lost = 0
        for count, row in enumerate(self.moment.rows(kind, spec.id)):
            if count % 500 == 0:
                self.tell(f"{spec.id}: {kind.table}")
            body = row[-1]
            if kind is whole_runs.RUN:
                told = lines.line_of(spec.id, to_json(travelling.run_sent(spec)))
            elif kind is whole_runs.EVALUATIONS:
                own = Evaluation.model_validate_json(body)
                told = lines.line_of(spec.id, to_json(travelling.evaluation_sent(own)))
            elif kind is whole_runs.VERDICTS and not self.with_answers:
                said = Verdict.model_validate_json(body)
                said = travelling.verdict_sent(said, with_answers=False)
                told = lines.line_of(row[0], to_json(said))
            elif kind is whole_runs.JUDGEMENTS:
                form = lines.JUDGEMENTS[row[0]].model_validate_json(body)
                sent = travelling.judgement_sent(row[0], form, with_answers=self.with_answers)
                if sent is None:
                    lost += 1
                    continue
                told = lines.said_line(spec.id, row, to_json(sent))
            else:
                told = lines.line_of(spec.id if kind is whole_runs.TRAJECTORIES else row[0], body)
            yield paths.out_of(told)
        if lost:
            what = f"{spec.id}: {lost} judgements on missed items and the checklist"
            self.left_out.append(LeftOut(what=what, why=_ANSWERS))

    def _add(self, name: str, parts: Iterator[str]) -> None:
        digest, size = hashlib.sha256(), 0
        info = zipfile.ZipInfo(name, _MOMENT)
        info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, _MODE
        with self.archive.open(info, "w", force_zip64=True) as target:
            for text in parts:
                content = text.encode("utf-8", "replace")
                digest.update(content)
                size += len(content)
                target.write(content)
        self.files.append(FileListed(name=name, bytes=size, sha256=digest.hexdigest()))


def write_bundle(
    specs: Sequence[RunSpec],
    store: Repository,
    settings: Settings,
    path: Path,
    *,
    now: datetime,
    with_answers: bool = False,
    with_restricted: bool = False,
    tell: Told = lambda *_: None,
) -> Written:
    """One file with these runs. Raises StoreError, UsageError; then there is no file.

    Records name entities and hold what was read of them, so that a run of restricted data travels
    only where that is said.
    """
    restricted = sorted({spec.scenario_id for spec in specs if is_restricted(spec, settings)})
    if restricted and not with_restricted:
        raise UsageError(
            f"the data of {', '.join(restricted)} are restricted, and a bundle holds what was read of "
            "them; where its licence lets them go there: --with-restricted"
        )
    here = {spec.id for spec in specs}
    for spec in specs:
        check_name("run", spec.id)
        if spec.continues is not None and spec.continues.run_id not in here:
            raise UsageError(
                f"run {spec.id} goes on from run {spec.continues.run_id}: name both, so that they travel "
                "together"
            )
    listed = [
        RunListed(
            id=spec.id,
            scenario_id=spec.scenario_id,
            scenario_fingerprint=spec.scenario_fingerprint,
            folder=f"runs/{number}",
        )
        for number, spec in enumerate(specs, start=1)
    ]
    with _fresh(path) as fresh, snapshot(store) as moment:
        with zipfile.ZipFile(fresh, "w", zipfile.ZIP_DEFLATED) as archive:
            work = _Bundle(archive, moment, settings, with_answers, lambda what: tell(0, 0, what))
            for number, (spec, each) in enumerate(zip(specs, listed, strict=True)):
                work.tell = lambda what, done=number: tell(done, len(specs), what)  # type: ignore[misc]
                work.run(spec, each.folder)
                _say_unsaid(spec, store, work.left_out)
            work.rankings(specs)
            if with_answers:
                work.checklists(specs)
            else:
                what = "the checklist's text, and what of verdicts may quote it"
                work.left_out.append(LeftOut(what=what, why="--with-answers"))
            manifest = Manifest(
                code_revision=code_revision(),
                store_schema=moment.schema,
                created_at=now,
                with_answers=with_answers,
                restricted=tuple(restricted),
                runs=tuple(listed),
                left_out=tuple(work.left_out),
                files=tuple(work.files),
            )
            archive.writestr(_info(MANIFEST), json.dumps(json.loads(to_json(manifest)), indent=1))
        with fresh.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    return Written(path, digest, manifest)


def _say_unsaid(spec: RunSpec, store: Repository, left_out: list[LeftOut]) -> None:
    if spec.outside is not None:
        why = "they hold the addresses and tokens by which its agent came"
        left_out.append(LeftOut(what=f"{spec.id}: seats, and the protocol's own chatter", why=why))
    if spec.price_table_hash is not None:
        why = "they are yours; what each call cost is in its record"
        left_out.append(LeftOut(what=f"{spec.id}: its price table", why=why))
    if under_way := sum(head.stop_reason is None for head in store.heads(spec.id)):
        what = f"{spec.id}: the rest of {under_way} trajectories"
        left_out.append(LeftOut(what=what, why="they have not ended"))


def _info(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, _MOMENT)
    info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, _MODE
    return info


@contextmanager
def _fresh(path: Path) -> Iterator[Path]:
    """A file beside the final one, which takes its place at the end; mode 0600."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        yield fresh
        fresh.replace(path)
    except OSError as exc:
        raise StoreError(f"{path} cannot be written: {exc.strerror or exc}") from exc
    finally:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)
