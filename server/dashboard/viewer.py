"""Who looks at a page: nobody in particular, or whoever a token of theirs lets in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final

from fastapi import Depends, Request

from core.access import Role, Token
from server.dashboard.refusals import RefusedError
from server.rest_app.door import may_read
from server.runner import utc_now
from server.settings import Settings
from server.store import Repository
from server.store.overview import Overview, overviews_of
from server.streams import Streams
from server.tokens import BROWSER_NAME, holder

COOKIE: Final = "ddr"
"""It holds a token's secret; scripts cannot read it, and other sites' pages do not send it."""


@dataclass(frozen=True)
class Place:
    """What all requests of one worker share."""

    settings: Settings
    store: Repository
    streams: Streams = field(default_factory=Streams)
    """Pages that follow a run."""


@dataclass(frozen=True)
class Viewer:
    """Who asks for a page."""

    token: Token | None
    """None of somebody without a token, or with one that no longer holds."""
    secret: str | None = None
    """Of the token; only to be looked up again."""

    @property
    def role(self) -> Role | None:
        """None = the leaderboard and the scenarios' pages alone."""
        return self.token.role if self.token else None

    @property
    def is_admin(self) -> bool:
        """Whether checklists, proofs and running runs are shown."""
        return self.role == "admin"

    @property
    def name(self) -> str | None:
        """How a decision or a vote of theirs is signed."""
        return self.token.owner if self.token else None

    @property
    def is_named(self) -> bool:
        """Whether the token says who it is: whoever followed a one-time link may be anybody."""
        return self.name not in (None, BROWSER_NAME)

    def may_see(self, run: Overview) -> bool:
        """Whether a run is theirs to look at: an admin's each, of others' the finished ones."""
        return self.token is not None and may_read(self.token, run)


def place_of(request: Request) -> Place:
    """Of this worker."""
    found: Place = request.app.state.place
    return found


def viewer_of(request: Request, here: Annotated[Place, Depends(place_of)]) -> Viewer:
    """Whose cookie came with a request. The store is asked each time: a revoked token opens nothing."""
    secret = request.cookies.get(COOKIE)
    token = holder(here.store, secret, utc_now()) if secret else None
    return Viewer(token, secret if token else None)


InPlace = Annotated[Place, Depends(place_of)]
Anyone = Annotated[Viewer, Depends(viewer_of)]


def _address(request: Request) -> str:
    """Where they wanted to go, to be led there once they have shown a token."""
    query = request.url.query
    return f"{request.url.path}?{query}" if query else request.url.path


def _one_of(*roles: Role) -> Any:
    def viewer(request: Request, who: Anyone) -> Viewer:
        if who.role is None:
            raise RefusedError(401, "This page is for people with a token.", back=_address(request))
        if who.role not in roles:
            raise RefusedError(403, f"A token of the role {who.role} does not show this page.")
        return who

    return Depends(viewer)


Reader = Annotated[Viewer, _one_of("admin", "harness", "reader")]
"""Finished runs."""
Admin = Annotated[Viewer, _one_of("admin")]
"""Everything."""


def run_for(here: Place, who: Viewer, run_id: str) -> Overview:
    """A run that they may look at. Raises RefusedError: 404 where there is none, or it is not to be known."""
    return runs_for(here, who, [run_id])[0]


def runs_for(here: Place, who: Viewer, run_ids: Sequence[str]) -> list[Overview]:
    """The same of several, in their order."""
    found = overviews_of(here.store, run_ids)
    seen = [found.get(run_id) for run_id in run_ids]
    shown = [run for run in seen if run is not None and who.may_see(run)]
    if len(shown) < len(run_ids):
        # The same for both: that a run goes on is itself not for readers.
        raise RefusedError(404, "There is no run of this name that this token shows.")
    return shown
