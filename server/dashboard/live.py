"""Follow a run from its page: rows and figures drawn anew as they change, until it is over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Final

from fastapi import APIRouter, Header, Query
from starlette.responses import Response

from core.scenario import Entity
from core.wording import counted, plural
from server.dashboard.pages import environment
from server.dashboard.progress import Progress, progress
from server.dashboard.refusals import RefusedError
from server.dashboard.runs import entities_of
from server.dashboard.viewer import InPlace, Place, Reader, Viewer, run_for
from server.rest_app.door import may_read
from server.runner import utc_now
from server.store.glances import moment
from server.store.overview import overview
from server.streams import HEARTBEAT_S, Look, answer, event, stream
from server.tokens import holder

router = APIRouter()

LOOK_S: Final = 1.0


@router.get("/runs/{run}/live")
def follow(
    *,
    run: str,
    who: Reader,
    here: InPlace,
    first: Annotated[int, Query(ge=1, le=2**31)] = 1,
    since: Annotated[str | None, Query(max_length=200)] = None,
    last_event_id: Annotated[str | None, Header(max_length=200)] = None,
) -> Response:
    """Events `row` and `figures` with what to show, `over` at the end.

    `since` and Last-Event-ID are moments: what has not changed since is not told again.
    """
    found = run_for(here, who, run)
    place = last_event_id or since
    now = moment(here.store, found.spec.id)
    # A client that is told 204 does not connect again.
    if found.is_finished and place == now:
        return Response(status_code=204)
    assert who.token is not None
    whose = who.token.id
    if why := here.streams.why_full(whose):
        raise RefusedError(503, f"This page cannot follow the run: {why}.")
    entities, noun = entities_of(found.spec.scenario_id, here)
    watch = _Watch(here, who, found.spec.id, min(first, found.wanted), entities, noun)
    over = event("over", {"said": f"Run {found.spec.id} is over."})
    told = stream(
        here.streams,
        watch.look,
        place or "",
        whose=whose,
        over=over,
        look_s=LOOK_S,
        heartbeat_s=HEARTBEAT_S,
    )
    return answer(told)


@dataclass
class _Watch:
    """One page that follows a run."""

    here: Place
    who: Viewer
    run_id: str
    first: int
    entities: Mapping[str, Entity]
    noun: str
    _told: dict[str, str] = field(default_factory=dict)
    """Id of a part of the page -> as it was last sent."""

    def look(self, place: str) -> Look[str]:
        token = holder(self.here.store, self.who.secret, utc_now()) if self.who.secret else None
        # The moment first: what changes while we look is met the next time.
        now = moment(self.here.store, self.run_id)
        run = overview(self.here.store, self.run_id)
        may_go_on = token is not None and run is not None and may_read(token, run)
        if not may_go_on or run is None:
            return Look([], is_over=run is None, may_go_on=False, place=place)
        if now == place:
            return Look([], is_over=run.is_finished, may_go_on=True, place=place)
        told = progress(run, self.here.store, self.entities, first=self.first)
        return Look(
            [(text, now) for text in self._changes(told, now)],
            is_over=run.is_finished,
            may_go_on=True,
            place=now,
        )

    def _changes(self, told: Progress, now: str) -> list[str]:
        drawn = environment().get_template("_progress.html").module
        spec = told.run.spec
        nouns = plural(self.noun)
        parts = {
            line.id: str(drawn.entity_row(line, spec.id, spec.trials > 1))  # type: ignore[attr-defined]
            for line in told.lines
        }
        new = [name for name, html in parts.items() if self._told.get(name) != html]
        figures = str(drawn.figures(told, nouns))  # type: ignore[attr-defined]
        rows = [{"id": name, "html": parts[name]} for name in new]
        has_changed = self._told.get("figures") != figures
        self._told |= {**parts, "figures": figures}
        if not rows and not has_changed:
            return []
        said = f"{told.run.ended} of {counted(told.run.wanted, self.noun, nouns)} explored"
        data = {"rows": rows, "figures": figures, "state": told.state, "said": said}
        return [event("change", data, now)]
