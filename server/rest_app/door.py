"""Let nobody in without a token, and let each in to what is theirs."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field
from typing import Annotated, Any, Final

from fastapi import Depends, Request
from fastapi.security import HTTPBearer
from starlette.types import ASGIApp, Receive, Scope, Send

from core.access import Role, Token
from core.errors import DdrError
from core.hints import called
from core.run import RunSpec
from databases.catalog import open_scenario
from server.desk import Desk
from server.desks import Desks
from server.rest_app.problems import Problem, of_error
from server.runner import utc_now
from server.secret import bearer
from server.settings import Settings
from server.store import Repository
from server.store.overview import Overview, overview
from server.streams import Streams
from server.tokens import holder

OPEN: Final = "/openapi.json"
MOST_WATCHED: Final = 32
"""Streams of one token in one worker: a harness may watch many runs, and leaves room for others."""
MOST_JUDGED: Final = 2
"""Judgings of one worker at a time: they take a whole core each."""
_STEP: Final = re.compile(r"/episodes/([^/]+)/step")
_WHO: Final = {"WWW-Authenticate": "Bearer"}

scheme = HTTPBearer(auto_error=False, description="A role token, or at `step` the episode's own.")
"""For the OpenAPI document; the Door does the work."""


@dataclass
class Office:
    """What all requests of one worker share."""

    desks: Desks
    settings: Settings
    store: Repository
    streams: Streams = field(default_factory=lambda: Streams(most_own=MOST_WATCHED))
    """Event streams that are open."""
    judging: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MOST_JUDGED))
    """Held while a thread judges."""


class Door:
    """In front of the application: whoever is not known is refused before a body is read."""

    def __init__(self, app: ASGIApp, office: Office) -> None:
        self._app, self._office = app, office

    def hang_up(self) -> None:
        """The server stops: end the streams, whose clients go on at another worker or the next start."""
        self._office.streams.is_closing = True

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # Where this is mounted, the path begins with the place.
        path: str = scope.get("path", "").removeprefix(scope.get("root_path", ""))
        if scope["type"] != "http" or path == OPEN:
            await self._app(scope, receive, send)
            return
        try:
            who = await self._who(scope, path)
        except Problem as problem:
            await problem.response()(scope, receive, send)
            return
        state = {**scope.get("state", {}), **who}
        # Hints of ours name the program alone, and no folder of this machine.
        with called("ddr", home=None):
            await self._app({**scope, "state": state}, receive, send)

    async def _who(self, scope: Scope, path: str) -> dict[str, Any]:
        secret = _secret(scope)
        if (seat := _STEP.fullmatch(path)) is not None:
            return {"desk": await self._desk(seat[1], secret)}
        try:
            token = holder(self._office.store, secret, utc_now())
        except DdrError as exc:
            raise of_error(exc) from exc
        if token is None:
            text = "this token is unknown, expired or revoked; `token create` of the server's ddr makes another"
            raise Problem(401, "token", text, headers=_WHO)
        return {"token": token, "secret": secret}

    async def _desk(self, path: str, secret: str) -> Desk:
        try:
            desk = await self._office.desks.at(path)
        except DdrError as exc:
            raise of_error(exc) from exc
        # The same answer for a path that nobody was given, so that none can be found by trying.
        if desk is None or not desk.admits(secret):
            text = "this is not the token of this episode: give the one that its reset answered"
            raise Problem(401, "token", text, headers=_WHO)
        return desk


def _secret(scope: Scope) -> str:
    secret = bearer(scope["headers"])
    if secret is None:
        text = "who is it? send the header 'Authorization: Bearer TOKEN'"
        raise Problem(401, "token", text, headers=_WHO)
    return secret


def office(request: Request) -> Office:
    """Of this worker."""
    found: Office = request.app.state.office
    return found


def desk(request: Request) -> Desk:
    """Whose token came with a step."""
    found: Desk = request.state.desk
    return found


def needs(*roles: Role) -> Any:
    """A dependency: the token, where it has one of these roles."""

    def token_of(request: Request) -> Token:
        token: Token = request.state.token
        if token.role not in roles:
            text = f"a token of the role {token.role} may not do this; {' and '.join(roles)} may"
            raise Problem(403, "role", text)
        return token

    return Depends(token_of)


InOffice = Annotated[Office, Depends(office)]
Anybody = Annotated[Token, needs("admin", "harness", "reader")]
Worker = Annotated[Token, needs("admin", "harness")]
Admin = Annotated[Token, needs("admin")]


def may_work(token: Token, spec: RunSpec) -> bool:
    """Whether a run is the token's own, or it is an admin's."""
    mine = spec.outside is not None and spec.outside.enrolled_by == token.owner
    return token.role == "admin" or (token.role == "harness" and mine)


def may_read(token: Token, run: Overview) -> bool:
    """Whether a token sees a run: its own always, those of others once they are finished."""
    return run.is_finished or may_work(token, run.spec)


def may_see_values(here: Office, token: Token, spec: RunSpec) -> bool:
    """Whether what its database holds is the token's to see: restricted data are an admin's, and of
    whoever made the run, whose agent saw them."""
    if may_work(token, spec):
        return True
    try:
        installed = open_scenario(spec.scenario_id, here.settings.home)
    except DdrError:
        return False  # nobody knows any more
    return not installed.scenario.license.restricted


def readable(here: Office, token: Token, run_id: str) -> Overview:
    """A run that the token may read. Raises Problem 404, 403."""
    run = _found(here, run_id)
    if not may_read(token, run):
        text = f"run {run.spec.id} goes on, and is not this token's: it can be read once it is over"
        raise Problem(403, "not-finished", text)
    return run


def workable(here: Office, token: Token, run_id: str) -> Overview:
    """A run that the token may act on. Raises Problem 404, 403."""
    run = _found(here, run_id)
    if not may_work(token, run.spec):
        text = f"run {run.spec.id} is another's; a token of whoever made it, or an admin's, may do this"
        raise Problem(403, "not-yours", text)
    return run


def _found(here: Office, run_id: str) -> Overview:
    run = overview(here.store, run_id)
    if run is None:
        text = "there is no run of this id; GET runs lists those that this token may read"
        raise Problem(404, "no-such-run", text)
    return run
