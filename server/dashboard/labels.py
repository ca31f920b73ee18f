"""Label mode: people say what the insights say of an item, blind to the judge."""

from __future__ import annotations

from typing import Annotated, Final
from urllib.parse import quote

from fastapi import APIRouter, Form
from starlette.responses import RedirectResponse, Response

from checklists.loader import checklist_for
from core.labels import PersonLabel
from server.dashboard.pages import page
from server.dashboard.refusals import RefusedError
from server.dashboard.reviewing import Text, signature
from server.dashboard.viewer import Admin, InPlace, Place, Viewer, run_for
from server.judged import own_evaluations
from server.labelling import Ask, asks
from server.runner import utc_now
from server.store.judgements import Judgements
from server.store.told import told

router = APIRouter()

_KIND: Final = "label"


@router.get("/labels/{run}")
def label(run: str, who: Admin, here: InPlace, by: str = "") -> Response:
    """The next question that this person has not answered."""
    found = _asks(here, who, run)
    name = signature(by, who) if by.strip() or who.is_named else None
    if name is None:
        return page("label.html", who, title=f"Label {run}", at="runs", run=run, by=None)
    done = _answered(here, run, name)
    rest = [each for each in found if each.subject not in done]
    return page(
        "label.html",
        who,
        title=f"Label {run}",
        at="runs",
        run=run,
        by=name,
        ask=rest[0] if rest else None,
        done=len(found) - len(rest),
        total=len(found),
    )


@router.post("/labels/{run}")
def say(
    run: str,
    who: Admin,
    here: InPlace,
    *,
    subject: Text,
    answer: Annotated[str, Form(max_length=40)],
    note: Text = "",
    by: Text = "",
) -> Response:
    """Keep the answer, and go on; whoever answers again has thought better of it."""
    name = signature(by, who)
    ask = next((each for each in _asks(here, who, run) if each.subject == subject), None)
    if ask is None:
        raise RefusedError(404, "Nobody is asked about this.")
    try:
        record = ask.make(answer, note.strip(), utc_now())
    except ValueError as exc:
        raise RefusedError(422, f"This is no answer: {exc}.") from exc
    Judgements(here.store, _KIND).say(run, subject, name, record)
    return RedirectResponse(f"/labels/{run}?by={quote(name, safe='')}", status_code=303)


def _asks(here: Place, who: Viewer, run: str) -> list[Ask]:
    spec = run_for(here, who, run).spec
    judged = own_evaluations(here.store.evaluations(spec.id))
    named = judged[-1].checklist_id if judged else None
    facts = checklist_for(spec.scenario_id, here.settings.checklists, named=named)
    found = asks("label", spec, told(here.store, spec.id), facts)
    if not found:
        raise RefusedError(
            404, "This run handed in nothing that could be labelled, or no item is about it."
        )
    return found


def _answered(here: Place, run: str, name: str) -> set[str]:
    said = Judgements(here.store, _KIND).of_run(run, PersonLabel)
    return {subject for subject, by, _ in said if by == name}
