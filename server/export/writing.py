"""Write all that is known of some runs into a folder: records first, then what follows from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Final, TypeVar

from analysis.drawing import Form
from core.errors import DdrError, UsageError
from core.evaluation import Evaluation
from core.run import RunSpec
from core.trajectory import Trajectory
from databases.catalog import open_scenario
from server.export.analyses import Found, analyses_of, joined, named
from server.export.calls import MODEL_CALLS, TOOL_CALLS, calls_of_models, calls_of_tools
from server.export.fields import Layout
from server.export.folder import Folder
from server.export.judged import EVALUATIONS, ITEMS, SCORES, VERDICTS, Ruled, calls_of_judges
from server.export.records import INSIGHTS, RUNS, TRAJECTORIES, TURNS, Acted, Attempt, Said
from server.export.scored import Basis, basis_of
from server.revision import code_revision
from server.settings import Settings
from server.store import Repository
from server.store.attempts import counting
from server.table_writers import TableForm

T = TypeVar("T")
Told = Callable[[float, float, str], None]
"""Told how far it is: done, of how many, and what."""

_ANSWERS: Final = "the checklist's text, and what of a verdict may quote it: --with-answers"


@dataclass(frozen=True)
class Wanted:
    """What of it is to be written."""

    forms: tuple[TableForm, ...]
    figures: tuple[Form, ...] = ()
    with_answers: bool = False
    with_restricted: bool = False
    """Also what holds data of a scenario whose licence restricts them."""


@dataclass(frozen=True)
class Exported:
    """What came of it."""

    place: Path
    listed: dict[str, Any]
    """The content of export.json."""
    restricted: tuple[str, ...]
    """Scenarios of which data were written that their licence restricts."""
    left_out: tuple[tuple[str, str], ...]
    """What is not there, and why."""


@dataclass
class _Export:
    folder: Folder
    store: Repository
    settings: Settings
    wanted: Wanted
    tell: Told
    left_out: list[tuple[str, str]] = field(default_factory=list)
    found: list[Found] = field(default_factory=list)

    def run(self, spec: RunSpec, *, is_restricted: bool, share: tuple[float, float]) -> None:
        """All of one run."""
        hidden = is_restricted and not self.wanted.with_restricted
        if hidden:
            self.left_out.append(
                (
                    f"{spec.id}: what names entities of {spec.scenario_id} or was read of them",
                    "its data are restricted; to have it all the same: --with-restricted",
                )
            )
        self._add(RUNS, [spec], hidden=hidden)
        heads = self.store.heads(spec.id)
        counts = {each.id for each in counting(heads)}
        first, last = share
        for number, head in enumerate(heads):
            self.tell(first + (last - first) * 0.7 * number / len(heads), 1, f"{head.entity_id}")
            whole = self.store.trajectory(head.id)
            self._attempt(whole, counts=head.id in counts, hidden=hidden)
        self.tell(first + (last - first) * 0.7, 1, "verdicts")
        self._verdicts(self.store.evaluations(spec.id), heads, hidden=hidden)
        self.tell(first + (last - first) * 0.8, 1, "scores and analyses")
        basis = basis_of(spec, self.store, self.settings)
        if basis.why_not:
            self.left_out.append((f"{spec.id}: scores", basis.why_not))
        self._add(SCORES, basis.scores, hidden=hidden)
        if self.wanted.with_answers and basis.checklist is not None:
            mine = set(spec.entity_ids)
            items = [item for item in basis.checklist.items if item.entity_id in mine]
            self._add(ITEMS, items, hidden=hidden)
        self._analyses(basis, hidden=hidden)

    def _attempt(self, whole: Trajectory, *, counts: bool, hidden: bool) -> None:
        self._add(TRAJECTORIES, [Attempt(whole, counts)], hidden=hidden)
        self._add(TURNS, [Acted(whole, turn) for turn in whole.turns], hidden=hidden)
        self._add(TOOL_CALLS, list(calls_of_tools(whole)), hidden=hidden)
        self._add(MODEL_CALLS, list(calls_of_models(whole)), hidden=hidden)
        self._add(INSIGHTS, [Said(whole, each) for each in whole.insights], hidden=hidden)

    def _verdicts(
        self, evaluations: Sequence[Evaluation], heads: Sequence[Trajectory], *, hidden: bool
    ) -> None:
        by_id = {head.id: head for head in heads}
        self._add(EVALUATIONS, evaluations, hidden=hidden)
        for each in evaluations:
            said = self.store.verdicts(each.id)
            entities = [by_id.get(verdict.trajectory_id) for verdict in said]
            ruled = [
                Ruled(each, verdict, head.entity_id if head else None)
                for verdict, head in zip(said, entities, strict=True)
            ]
            self._add(VERDICTS, ruled, hidden=hidden)
            self._add(MODEL_CALLS, list(calls_of_judges(each, said, by_id)), hidden=hidden)

    def _analyses(self, basis: Basis, *, hidden: bool) -> None:
        for found in analyses_of(basis, self.store, self.settings):
            if found.why_not:
                self.left_out.append((f"{basis.spec.id}: {found.name}", found.why_not))
            self.found.append(found.without_data if hidden else found)

    def _add(self, layout: Layout[T], records: Sequence[T], *, hidden: bool) -> None:
        if hidden and layout.holds_data:
            return
        self.folder.add(layout.shown(with_answers=self.wanted.with_answers), records)


def export(
    specs: Sequence[RunSpec],
    store: Repository,
    settings: Settings,
    place: Path,
    wanted: Wanted,
    *,
    now: datetime,
    tell: Told = lambda *_: None,
) -> Exported:
    """Write the runs' tables and figures, and a list of them. Raises StoreError, UsageError."""
    if not (wanted.forms or wanted.figures):
        raise UsageError("give a form: --format csv, json, parquet, svg or png")
    restricted = {spec.scenario_id for spec in specs if is_restricted(spec, settings)}
    with Folder(place, wanted.forms) as folder:
        work = _Export(folder, store, settings, wanted, tell)
        for number, spec in enumerate(specs):
            share = (number / len(specs), (number + 1) / len(specs))
            work.run(spec, is_restricted=spec.scenario_id in restricted, share=share)
        for table, told in joined(work.found) if folder.wants_tables else ():
            folder.add_table(table, told)
        for form in wanted.figures:
            for name, draw in named(work.found):
                tell(1, 1, f"{name}.{form}")
                folder.add_figure(name, form, draw(form))
    written = tuple(sorted(restricted)) if wanted.with_restricted else ()
    left_out = list(dict.fromkeys(work.left_out))
    if not wanted.with_answers:
        left_out.append(("answers", _ANSWERS))
    listed = folder.finish(
        {
            "runs": [spec.id for spec in specs],
            "created_at": now.isoformat().replace("+00:00", "Z"),
            "code_revision": code_revision(),
            "with_answers": wanted.with_answers,
            "restricted_data_of": list(written),
            "left_out": [{"what": what, "why": why} for what, why in left_out],
        }
    )
    return Exported(place, listed, written, tuple(left_out))


def is_restricted(spec: RunSpec, settings: Settings) -> bool:
    """Whether the licence of what was explored restricts its data; so it is where nobody knows."""
    try:
        return open_scenario(spec.scenario_id, settings.home).scenario.license.restricted
    except DdrError:
        return True
