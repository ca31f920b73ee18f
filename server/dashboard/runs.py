"""Runs: the list of those that somebody may see, and one with all that it came to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from time import monotonic
from typing import Annotated, Final

from fastapi import APIRouter, Query
from starlette.responses import Response

from analysis.scaling import LABEL
from analysis.scoreboard import Scoreboard
from core.errors import DdrError
from core.scenario import Entity
from core.wording import plural
from databases.catalog import open_scenario
from server.curves import of_run
from server.dashboard.charts import Chart, of_curves
from server.dashboard.pages import page
from server.dashboard.progress import progress, spend_of, state_of, taken_by
from server.dashboard.viewer import InPlace, Place, Reader, Viewer, run_for
from server.rest_app.problems import without_paths
from server.runs import competitor
from server.standings_kept import formula
from server.standings_summary import Summary
from server.store.glances import Taken, glances, kept_summaries, moment
from server.store.overview import Overview, overviews

router = APIRouter()

MOST: Final = 50
"""Runs of one page."""
DRAWS: Final = 400
"""Resamples of a curve's band: enough to be drawn."""
REMEMBERED_S: Final = 10.0
"""So long at most a scenario's files are not read again."""


@dataclass(frozen=True)
class RunLine:
    """A run in the list."""

    run: Overview
    who: str
    state: str
    spend: str


@dataclass(frozen=True)
class Scores:
    """What the shared table of scores asks for."""

    name: str
    noun: str
    nouns: str
    board: Scoreboard


@router.get("/runs")
def list_runs(
    who: Reader, here: InPlace, after: Annotated[str | None, Query(max_length=200)] = None
) -> Response:
    """A page of them, the newest first."""
    found: list[Overview] = []
    before = after
    while len(found) <= MOST:
        some = overviews(here.store, before=before, count=MOST + 1)
        if not some:
            break
        before = some[-1].spec.id
        found += [run for run in some if who.may_see(run)]
        if len(some) <= MOST:
            break
    shown = found[:MOST]
    kept = kept_summaries(here.store, [run.spec.id for run in shown], formula())
    lines = [
        RunLine(run, competitor(run.spec), state_of(run), _spend(run, kept.get(run.spec.id), here))
        for run in shown
    ]
    following = shown[-1].spec.id if len(found) > MOST else None
    return page(
        "runs.html",
        who,
        title="Runs",
        at="runs",
        lines=lines,
        following=following,
        is_first=after is None,
    )


@router.get("/runs/{run}")
def show_run(
    run: str, who: Reader, here: InPlace, first: Annotated[int, Query(ge=1, le=2**31)] = 1
) -> Response:
    """How far it is, what it took and what it scored."""
    found = run_for(here, who, run)
    spec = found.spec
    known = entities_of(spec.scenario_id, here)
    summary = summary_of(found, here)
    told = progress(found, here.store, known[0], first=min(first, found.wanted), summary=summary)
    chart, why = _curve(found, here)
    return page(
        "run.html",
        who,
        title=f"Run {spec.id}",
        at="runs",
        progress=told,
        spec=spec,
        name=competitor(spec),
        noun=known[1],
        nouns=plural(known[1]),
        scores=_scores(summary, known[1]),
        summary=summary,
        chart=chart,
        why_no_curve=why,
        threshold=LABEL,
        moment=None if found.is_finished else moment(here.store, spec.id),
    )


def entities_of(scenario_id: str, here: Place) -> tuple[Mapping[str, Entity], str]:
    """A scenario's entities by id, and what one is called; none where it is not installed any more."""
    known = _scenario(scenario_id, here)
    return ({}, "entity") if known is None else (known.entities, known.noun)


def summary_of(run: Overview, here: Place) -> Summary | None:
    """What a finished run came to, where it was summed up."""
    body = kept_summaries(here.store, [run.spec.id], formula()).get(run.spec.id)
    return None if body is None else Summary.model_validate_json(body)


def may_see_values(who: Viewer, scenario_id: str, here: Place) -> bool:
    """Whether rows and results of a scenario are for them: restricted ones are for admins alone."""
    if who.is_admin:
        return True
    known = _scenario(scenario_id, here)
    return known is not None and not known.is_restricted  # of one that is gone nobody knows


@dataclass(frozen=True)
class _Scenario:
    entities: Mapping[str, Entity]
    noun: str
    is_restricted: bool


def _scenario(scenario_id: str, here: Place) -> _Scenario | None:
    return _opened(scenario_id, here.settings.home, int(monotonic() / REMEMBERED_S))


@lru_cache(maxsize=64)
def _opened(scenario_id: str, home: Path, _moment: int) -> _Scenario | None:
    try:
        found = open_scenario(scenario_id, home)
        entities = {each.id: each for each in found.entities()}
    except DdrError:
        return None
    return _Scenario(entities, found.scenario.entity_noun, found.scenario.license.restricted)


def _spend(run: Overview, body: str | None, here: Place) -> str:
    spec = run.spec
    if spec.model is None or spec.outside is not None:
        return spend_of(spec, Taken())
    if body is not None:
        summary = Summary.model_validate_json(body)
        if summary.why_not is None:
            return spend_of(spec, taken_by(summary))
    found = glances(here.store, spec.id, spec.entity_ids)
    return spend_of(spec, sum((each.taken for each in found.values()), Taken()))


def _scores(summary: Summary | None, noun: str) -> Scores | None:
    if summary is None or not summary.scores:
        return None
    baselines = [score for each in summary.baselines.values() for score in each]
    board = Scoreboard([*summary.scores, *baselines], noun, plural(noun))
    return Scores(summary.competitor, noun, plural(noun), board)


def _curve(run: Overview, here: Place) -> tuple[Chart | None, str | None]:
    """Accuracy by turn, or why there is none to show."""
    spec = run.spec
    axis = "turn" if spec.outside is None else "calls"
    try:
        found = of_run(spec, here.store, here.settings, axes=(axis,))  # type: ignore[arg-type]
    except DdrError as exc:
        return None, without_paths(str(exc))
    if found is None:
        return None, None
    growth = found.growths[axis]  # type: ignore[index]
    curve = found.curve(axis, draws=DRAWS)  # type: ignore[arg-type]
    ends = tuple(sorted({each.end for each in growth.explorations}))
    unit = "turn" if axis == "turn" else "call"
    undated = (
        f" {100 * growth.undated_share:.1f}% of items are supported without a {unit}: in no curve."
    )
    note = (
        f"Mean over entities of the share of items that the insights turn by turn had found; 95% band. "
        f"{LABEL.capitalize()}: nobody was told a budget. Ticks: where trajectories ended."
        f"{undated if growth.undated_share else ''}"
    )
    chart = of_curves("curve", f"Accuracy by {unit}", [curve], x_label=unit, note=note, marks=ends)
    return chart, None
