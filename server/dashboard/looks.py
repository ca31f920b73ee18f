"""Where a finished run looked, when it stopped, and what tokens, money and time bought: worked out when asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from fastapi import APIRouter
from starlette.responses import Response

from analysis.axes import Axis
from analysis.exploration import figures
from analysis.exploration.tables import tables as tables_of
from analysis.stopping_drawing import draw
from analysis.table import Table
from core.errors import DdrError
from server import exploration, stopping
from server.curves import of_run as curves_of
from server.dashboard.charts import Chart, of_curves
from server.dashboard.pages import page
from server.dashboard.queues import Queue
from server.dashboard.refusals import RefusedError
from server.dashboard.viewer import InPlace, Place, Reader, run_for
from server.rest_app.problems import without_paths
from server.runs import competitor
from server.store.glances import revision
from server.store.overview import Overview

router = APIRouter()

DRAWS: Final = 200
AXES: Final[tuple[tuple[Axis, str], ...]] = (
    ("billed_tokens", "billed tokens"),
    ("new_tokens", "new tokens"),
    ("cost_usd", "US$"),
    ("seconds", "seconds"),
)
_HEADERS: Final = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    # A picture, also where it is opened by itself.
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
}


@dataclass(frozen=True)
class Picture:
    """A figure with what stands beneath it."""

    name: str
    title: str
    told: str
    svg: bytes
    tables: tuple[Table, ...]


@dataclass(frozen=True)
class Looks:
    """All that is worked out of a run."""

    pictures: tuple[Picture, ...]
    charts: tuple[Chart, ...]
    missing: tuple[tuple[str, str], ...]
    """(what, why) of parts that cannot be had."""


@router.get("/runs/{run}/looks")
def show_looks(run: str, who: Reader, here: InPlace) -> Response:
    """The page; it takes a moment when it is asked for first."""
    found = _finished(run_for(here, who, run))
    return page(
        "looks.html",
        who,
        title=f"Where run {found.spec.id} looked",
        at="runs",
        spec=found.spec,
        name=competitor(found.spec),
        looks=_looks(here, found),
    )


@router.get("/runs/{run}/looks/{name}.svg")
def show_figure(run: str, name: str, who: Reader, here: InPlace) -> Response:
    """One of its figures."""
    found = _finished(run_for(here, who, run))
    for picture in _looks(here, found).pictures:
        if picture.name == name:
            return Response(picture.svg, media_type="image/svg+xml", headers=_HEADERS)
    raise RefusedError(404, "There is no such figure.")


def _finished(run: Overview) -> Overview:
    if not run.is_finished:
        raise RefusedError(409, "This is worked out once a run is finished, and this one goes on.")
    return run


@dataclass(frozen=True)
class _Asked:
    """A run at one revision of its records."""

    run_id: str
    revision: int
    home: str
    here: Place = field(compare=False)
    run: Overview = field(compare=False)


_WORK: Final = Queue("Other figures are being drawn")
_MOST_KEPT: Final = 8
_KEPT: Final[dict[_Asked, Looks]] = {}


def _looks(here: Place, run: Overview) -> Looks:
    now = revision(here.store, run.spec.id)
    asked = _Asked(run.spec.id, now, str(here.settings.home), here, run)
    if (found := _KEPT.get(asked)) is None:
        with _WORK.turn():
            found = _KEPT.get(asked) or _worked_out(asked)
            while len(_KEPT) >= _MOST_KEPT:
                del _KEPT[next(iter(_KEPT))]
            _KEPT[asked] = found
    return found


def _worked_out(asked: _Asked) -> Looks:
    pictures: list[Picture] = []
    charts: list[Chart] = []
    missing: list[tuple[str, str]] = []

    def attempt(what: str, work: Callable[[], None]) -> None:
        try:
            work()
        except DdrError as exc:
            missing.append((what, without_paths(str(exc))))

    attempt("Where it looked", lambda: pictures.extend(_explored(asked)))
    attempt("When it stopped", lambda: pictures.append(_stopped(asked)))
    attempt("Curves", lambda: charts.extend(_curves(asked)))
    return Looks(tuple(pictures), tuple(charts), tuple(missing))


def _explored(asked: _Asked) -> list[Picture]:
    found = exploration.of_run(asked.run.spec, asked.here.store, asked.here.settings)
    made = {table.name: table for table in tables_of(found.exploration)}
    told: dict[figures.Name, tuple[str, str, tuple[str, ...]]] = {
        "heat": (
            "The schema, by how many trajectories read each column",
            "Dark where many did; a pale cell was never read.",
            ("fields",),
        ),
        "points": (
            "Coverage and evenness of what each trajectory read",
            "A point a trajectory: the share of columns that it read, and how evenly; dark where accuracy is high.",
            ("regime",),
        ),
        "turns": (
            "From the first turns to the last",
            "Breadth, complexity of queries and size of what came back, over turns.",
            ("thirds",),
        ),
    }
    return [
        Picture(
            name,
            title,
            words,
            figures.draw(found.exploration, name, "svg"),
            tuple(made[each] for each in beneath),
        )
        for name, (title, words, beneath) in told.items()
    ]


def _stopped(asked: _Asked) -> Picture:
    found = stopping.of_run(asked.run.spec, asked.here.store, asked.here.settings)
    endings = next(table for table in stopping.tables([found]) if table.name == "endings")
    return Picture(
        "stopping",
        "Turns at the end",
        "Those that chose to end apart from those that a limit ended.",
        draw(stopping.pictures([found]), "svg"),
        (endings,),
    )


def _curves(asked: _Asked) -> list[Chart]:
    spec = asked.run.spec
    if spec.model is None:
        return []
    names = tuple(axis for axis, _ in AXES)
    found = curves_of(spec, asked.here.store, asked.here.settings, axes=names)
    if found is None:
        return []
    return [
        of_curves(
            f"curve-{axis}",
            f"Accuracy by {words}",
            [curve],
            x_label=words,
            is_log=curve.points[0].x > 0,
        )
        for axis, words in AXES
        if (curve := found.curve(axis, draws=DRAWS)).points
    ]
