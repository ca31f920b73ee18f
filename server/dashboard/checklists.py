"""Checklists for admins: browse and filter the items, look at each one's proof."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.responses import Response

from checklists.loader import checklist_ids
from core.checklist import Checklist, ChecklistItem
from core.errors import DdrError
from server.dashboard.pages import page
from server.dashboard.queues import Queue
from server.dashboard.refusals import RefusedError
from server.dashboard.shelf import mark, taken
from server.dashboard.viewer import Admin, InPlace
from server.item_proof import ItemProof, Side, prove
from server.rest_app.problems import without_paths
from server.reviewing import may_be_changed, standing_of

router = APIRouter()

PAGE: Final = 50
"""Items of one page."""
_LONGEST: Final = 2_000
"""Characters that are shown of what evidence gave."""
FILTERS: Final = ("entity", "category", "status", "difficulty")
_PROVING: Final = Queue("Another proof is being made")
"""Each may take a core and two gigabytes."""


@dataclass(frozen=True)
class Found:
    """Items that pass the filters, one page of them."""

    items: tuple[ChecklistItem, ...]
    total: int
    page: int
    pages: int
    query: str
    """Of the address, without the page."""


@router.get("/checklists")
def checklists(who: Admin, here: InPlace) -> Response:
    """Those that are shipped, and those of this home."""
    listed: list[tuple[str, Checklist | None, str]] = []
    for name in checklist_ids(here.settings.checklists):
        try:
            listed.append((name, taken(name, here.settings), ""))
        except DdrError as exc:
            listed.append((name, None, without_paths(str(exc))))
    own = {name for name, _, _ in listed if may_be_changed(name, here.settings)}
    return page("checklists.html", who, title="Checklists", at="checklists", listed=listed, own=own)


@router.get("/checklists/{name}")
def checklist(
    name: str,
    who: Admin,
    here: InPlace,
    *,
    q: str = "",
    entity: str = "",
    category: str = "",
    status: str = "",
    difficulty: str = "",
    at: int = 1,
) -> Response:
    """One checklist; `at` is the page, from 1."""
    facts = taken(name, here.settings)
    asked = {"entity": entity, "category": category, "status": status, "difficulty": difficulty}
    return page(
        "checklist.html",
        who,
        title=f"Checklist {facts.id}",
        at="checklists",
        facts=facts,
        found=_found(facts, q, asked, at),
        q=q,
        asked=asked,
        choices={key: _choices(facts, key) for key in FILTERS},
        standing=standing_of(facts),
        may_change=may_be_changed(facts.id, here.settings),
    )


@router.get("/checklists/{name}/items/{item_id:path}/proof")
def proof(name: str, item_id: str, who: Admin, here: InPlace) -> Response:
    """The proof of one item, made now: a part of its page."""
    facts = taken(name, here.settings)
    item = item_of(facts, item_id)
    made: ItemProof | None = None
    fault = ""
    with _PROVING.turn():
        try:
            made = _shown(prove(item, facts.scenario_id, here.settings))
        except DdrError as exc:
            fault = without_paths(str(exc))
    return page("_proof.html", who, title="Proof", item=item, proof=made, fault=fault)


def _shown(made: ItemProof) -> ItemProof:
    """Evidence may ask the engine for anything that it knows, also for its own place and for very much."""

    def cleaned(side: Side) -> Side:
        value = without_paths(side.value[:_LONGEST]) if isinstance(side.value, str) else side.value
        fault = without_paths(side.fault[:_LONGEST]) if side.fault else side.fault
        return replace(side, value=value, fault=fault)

    perturbed = cleaned(made.perturbed) if made.perturbed else None
    return ItemProof(cleaned(made.own), perturbed)


@router.get("/checklists/{name}/items/{item_id:path}")
def item(name: str, item_id: str, who: Admin, here: InPlace, by: str = "") -> Response:
    """One item, its proof, and what people decided on it."""
    facts = taken(name, here.settings)
    mine = item_of(facts, item_id)
    ids = [each.id for each in facts.items]
    place = ids.index(mine.id)
    return page(
        "item.html",
        who,
        title=f"Item {mine.id}",
        at="checklists",
        facts=facts,
        item=mine,
        number=place + 1,
        before=ids[place - 1] if place else None,
        after=ids[place + 1] if place + 1 < len(ids) else None,
        may_change=may_be_changed(facts.id, here.settings),
        by=by[:80],
        seen=mark(mine),
    )


def item_of(facts: Checklist, item_id: str) -> ChecklistItem:
    """The item of that id. Raises RefusedError."""
    for each in facts.items:
        if each.id == item_id:
            return each
    raise RefusedError(404, "This checklist has no such item.")


def _found(facts: Checklist, q: str, asked: dict[str, str], at: int) -> Found:
    wanted = q.casefold().split()
    passing = [
        each
        for each in facts.items
        if all(not value or _value(each, key) == value for key, value in asked.items())
        and all(word in f"{each.id} {each.question} {each.answer}".casefold() for word in wanted)
    ]
    pages = max(1, -(-len(passing) // PAGE))
    place = min(max(at, 1), pages)
    start = (place - 1) * PAGE
    query = urlencode({k: v for k, v in {"q": q, **asked}.items() if v})
    return Found(tuple(passing[start : start + PAGE]), len(passing), place, pages, query)


def _choices(facts: Checklist, key: str) -> list[str]:
    return sorted({value for each in facts.items if (value := _value(each, key))})


def _value(item: ChecklistItem, key: str) -> str:
    value = item.entity_id if key == "entity" else getattr(item, key)
    return "" if value is None else str(value)
