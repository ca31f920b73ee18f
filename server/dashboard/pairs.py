"""Two runs of the leaderboard side by side: the same items of both, paired."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Query
from starlette.responses import Response

from checklists.loader import load
from core.errors import DdrError, UsageError
from core.evaluation import Level
from databases.catalog import open_scenario
from evaluator.comparable import Difference
from evaluator.paired import Paired
from server.dashboard.forest import difference_figure, points
from server.dashboard.leaderboard import LEVELS
from server.dashboard.pages import page
from server.dashboard.queues import Queue
from server.dashboard.refusals import RefusedError
from server.dashboard.viewer import InPlace, Place, Reader, runs_for
from server.diffing import Compared, Side, compare, sides_of
from server.rest_app.problems import without_paths

router = APIRouter()

WIDTHS = (760, 350)
"""Of a drawing, and of the one for phones."""

_WORK: Final = Queue("Other runs are being compared")

RunId = Annotated[str, Query(max_length=200)]


@router.get("/compare/models")
def pair(who: Reader, here: InPlace, one: RunId = "", other: RunId = "") -> Response:
    """One run against the other, whoever may see both; what they differ in else is said above all."""
    if not one or not other:
        raise RefusedError(422, "Choose two rows of one table of the leaderboard.")
    specs = [run.spec for run in runs_for(here, who, [one, other])]
    if specs[0].id == specs[1].id:
        raise RefusedError(422, "These are the same run: it does not differ from itself.")
    if specs[0].scenario_id != specs[1].scenario_id:
        raise RefusedError(422, "These explored different scenarios: they have no item in common.")
    try:
        with _WORK.turn():
            found = _compared(sides_of(specs, here.store), here)
    except UsageError as exc:
        raise RefusedError(422, without_paths(f"They cannot be compared: {exc}.")) from exc
    ours, theirs = (side.name for side in found.sides)
    whole = [(words, _of(found.pairs, level)) for level, words in LEVELS]
    parts = [(each.group or "", each) for each in found.groups if each.level == "trajectory"]
    return page(
        "pair.html",
        who,
        title=f"{ours} against {theirs}",
        at="leaderboard",
        found=found,
        whole=whole,
        levels=LEVELS,
        figures=[
            difference_figure(
                [*whole, *parts], name=f"pair-{width}", title="Differences", width=width
            )
            for width in WIDTHS
        ],
        points=points,
        forbidding=[_told(each) for each in found.differences.forbidding],
        remarks=[_told(each) for each in found.differences.remarks],
    )


def _compared(sides: tuple[Side, ...], here: Place) -> Compared:
    first = sides[0]
    gone = (
        "The checklist that they were judged by is not on this server any more: judge them again."
    )
    try:
        checklist = load(first.evaluation.checklist_id, here.settings.checklists)
        entities = open_scenario(first.spec.scenario_id, here.settings.home).entities()
    except DdrError as exc:
        raise RefusedError(409, gone) from exc
    if checklist.hash != first.evaluation.checklist_hash:
        raise RefusedError(409, gone)
    return compare(sides, here.store, checklist, entities, by="category", although_different=True)


def _told(difference: Difference) -> tuple[str, list[tuple[str, str]]]:
    """In what they differ, and each value with whose it is; a model may be called by a path."""
    groups = difference.groups.items()
    return difference.what, [(without_paths(value), ", ".join(whose)) for value, whose in groups]


def _of(pairs: tuple[Paired, ...], level: Level) -> Paired:
    return next(pair for pair in pairs if (pair.level, pair.averaging) == (level, "item"))
