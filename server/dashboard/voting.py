"""People's blind votes: two sets of novel insights, nobody's name, one vote per person and pair."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Annotated, Final, Literal
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Form, Query
from starlette.responses import RedirectResponse, Response

from core.run import RunSpec
from server.ballots import CRITERIA, MOST_REASON, QUESTION, Booth
from server.dashboard.pages import page
from server.dashboard.refusals import RefusedError
from server.dashboard.runs import entities_of, may_see_values
from server.dashboard.viewer import InPlace, Place, Reader, Viewer
from server.runner import utc_now
from server.standings_kept import Tally
from server.standings_summary import Summary

router = APIRouter()

PATIENCE_S: Final = 10.0
"""So long a visitor waits for runs that nobody has summed up yet: it happens once for each."""
_NAME: Final = re.compile(r"[^\x00-\x1f\x7f]{1,80}")
_Name = Annotated[str, Query(max_length=80)]


@router.get("/compare/vote")
def scenarios(who: Reader, here: InPlace) -> Response:
    """Where there is something to vote on."""
    found = {name: runs for name, runs in _votable(here).items() if may_see_values(who, name, here)}
    return page("vote_scenarios.html", who, title="Blind votes", at="compare", scenarios=found)


@router.get("/compare/vote/{scenario}")
def ballot(scenario: str, who: Reader, here: InPlace, by: _Name = "", told: _Name = "") -> Response:
    """The next pair of whoever asks, without names."""
    if not who.is_named and not by.strip():
        return page(
            "vote.html", who, title="A blind vote", at="compare", scenario=scenario, person=None
        )
    person = _person(who, by)
    booth = _booth(here, who, scenario, person)
    found = booth.next()
    entities, noun = entities_of(scenario, here)
    subject = None
    if found is not None:
        entity = entities.get(found.cell.entity)
        label = entity.label if entity else found.cell.entity
        own = f" ({found.cell.entity})" if label != found.cell.entity else ""
        subject = f"{noun} {label}{own}"
    return page(
        "vote.html",
        who,
        title="A blind vote",
        at="compare",
        scenario=scenario,
        person=person,
        ballot=found,
        seal=booth.seal(found.cell, who.secret or "") if found else None,
        subject=subject,
        question=QUESTION,
        criteria=CRITERIA,
        votes=len(booth.said),
        told=_TOLD.get(told),
        most=MOST_REASON,
    )


@router.post("/compare/vote/{scenario}")
def vote(
    scenario: str,
    who: Reader,
    here: InPlace,
    *,
    pair: Annotated[str, Form(max_length=64)],
    choice: Annotated[Literal["first", "second", "tie"], Form()],
    reason: Annotated[str, Form(max_length=4 * MOST_REASON)] = "",
    by: Annotated[str, Form(max_length=80)] = "",
) -> Response:
    """Keep a vote and offer the next pair. The same form sent again changes nothing."""
    person = _person(who, by)
    booth = _booth(here, who, scenario, person)
    found = booth.sealed(pair, who.secret or "")
    if found is None:
        told = "changed"
    else:
        kept = booth.vote(found, choice, " ".join(reason.split()), utc_now())
        told = "kept" if kept else "again"
    query = urlencode({"told": told} if who.is_named else {"told": told, "by": person})
    return RedirectResponse(f"/compare/vote/{quote(scenario, safe='')}?{query}", status_code=303)


_TOLD: Final = {
    "kept": "Your vote is kept. Here is the next pair.",
    "again": "You had voted on that pair before, and that vote stands.",
    "changed": "That pair is no longer as you saw it, so nothing was kept. Here is another.",
}


def _person(who: Viewer, by: str) -> str:
    """Whose vote it is: the token's name; of a one-time link, which names nobody, what they call themselves."""
    name = (who.name or "") if who.is_named else " ".join(by.split())
    if not _NAME.fullmatch(name):
        raise RefusedError(422, "Who votes? Go back and give a name of 1 to 80 characters.")
    return name


def _booth(here: Place, who: Viewer, scenario: str, person: str) -> Booth:
    runs = _votable(here).get(scenario)
    if runs is None or not may_see_values(who, scenario, here):
        raise RefusedError(404, "There is nothing to vote on in a scenario of this name.")
    return Booth(here.store, scenario, person, runs)


def _votable(here: Place) -> dict[str, list[tuple[RunSpec, Summary]]]:
    """Scenario -> its finished and judged runs, where there are two at least."""
    found: dict[str, list[tuple[RunSpec, Summary]]] = defaultdict(list)
    summaries = Tally(here.store, here.settings, patience_s=PATIENCE_S).runs()
    judged = {each.run_id: each for each in summaries if each.why_not is None}
    for spec in here.store.runs():
        if spec.id in judged:
            found[spec.scenario_id].append((spec, judged[spec.id]))
    return {name: runs for name, runs in found.items() if len(runs) > 1}
