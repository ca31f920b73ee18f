"""Review mode: people accept, reject or reword items, each by name and with a reason."""

from __future__ import annotations

import hmac
import re
from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Final, Literal

from fastapi import APIRouter, Form
from starlette.responses import RedirectResponse, Response

from checklists.review.deciding import decided, edited, with_items
from core.checklist import Checklist, ChecklistItem, Decision
from core.errors import DdrError
from server.dashboard.checklists import item_of
from server.dashboard.refusals import RefusedError
from server.dashboard.shelf import mark, taken
from server.dashboard.viewer import Admin, InPlace, Place, Viewer
from server.rest_app.problems import without_paths
from server.reviewing import change
from server.runner import utc_now

router = APIRouter()

MOST: Final = 8_000
"""Characters of a text."""
_NAME: Final = re.compile(r"[^\x00-\x1f\x7f]{1,80}")

Text = Annotated[str, Form(max_length=MOST)]
Change = Callable[[ChecklistItem, str, datetime], ChecklistItem]


@router.post("/checklists/{name}/copy")
def copy(name: str, _who: Admin, here: InPlace, new_id: Text) -> Response:
    """A copy of a checklist that people may decide on."""
    taken(name, here.settings)
    try:
        made = change(name, lambda mine: mine, here.settings, new_id=new_id.strip())
    except DdrError as exc:
        raise RefusedError(409, without_paths(str(exc))) from exc
    return RedirectResponse(f"/checklists/{made.id}", status_code=303)


@router.post("/checklists/{name}/items/{item_id:path}/decide")
def decide(
    name: str,
    item_id: str,
    who: Admin,
    here: InPlace,
    *,
    seen: Text,
    decision: Annotated[Literal["accepted", "rejected"], Form()],
    by: Text = "",
    why: Text = "",
) -> Response:
    """Accept or reject it as it was seen."""
    reason = why.strip()
    if decision == "rejected" and not reason:
        raise RefusedError(422, "A rejection needs a reason: go back and say why.")

    def act(mine: ChecklistItem, name_: str, now: datetime) -> ChecklistItem:
        return decided(mine, [Decision(who=name_, when=now, status=decision, why=reason)])

    return _changed(name, item_id, act, seen=seen, by=by, who=who, here=here)


@router.post("/checklists/{name}/items/{item_id:path}/edit")
def edit(
    name: str,
    item_id: str,
    who: Admin,
    here: InPlace,
    *,
    seen: Text,
    question: Text,
    answer: Text,
    category: Text,
    why: Text,
    by: Text = "",
) -> Response:
    """Put it into other words: it is proposed anew, and what was decided on the old ones is kept apart."""
    words = [" ".join(text.split()) for text in (question, answer, category)]
    if not all(words) or not why.strip():
        raise RefusedError(
            422,
            "Question, answer, category and the reason are all needed: go back and fill them in.",
        )

    def act(mine: ChecklistItem, name_: str, now: datetime) -> ChecklistItem:
        asked, answered, kind = words
        return edited(
            mine,
            question=asked,
            answer=answered,
            category=kind,
            who=name_,
            why=why.strip(),
            when=now,
        )

    return _changed(name, item_id, act, seen=seen, by=by, who=who, here=here)


def signature(by: str, who: Viewer) -> str:
    """Whose word it is: what they call themselves, else their token's name. Raises RefusedError."""
    name = " ".join(by.split()) or who.name or ""
    if not _NAME.fullmatch(name):
        raise RefusedError(422, "Who says so? Go back and give a name of 1 to 80 characters.")
    return name


def _changed(
    name: str, item_id: str, act: Change, *, seen: str, by: str, who: Viewer, here: Place
) -> Response:
    signed, now = signature(by, who), utc_now()
    item_of(taken(name, here.settings), item_id)

    def made(mine: Checklist) -> Checklist:
        own = item_of(mine, item_id)
        if not hmac.compare_digest(mark(own).encode(), seen.encode()):
            raise RefusedError(
                409, "Somebody changed this item since you looked: go back and reload it."
            )
        fresh = act(own, signed, now)
        return with_items(mine, [fresh if each.id == item_id else each for each in mine.items])

    try:
        change(name, made, here.settings)
    except DdrError as exc:
        raise RefusedError(409, without_paths(str(exc))) from exc
    return RedirectResponse(f"/checklists/{name}/items/{item_id}?by={_quoted(signed)}", 303)


def _quoted(text: str) -> str:
    from urllib.parse import quote

    return quote(text, safe="")
