"""The dashboard of one worker, beside the agents' endpoint and the REST interface."""

from __future__ import annotations

import importlib
from typing import Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from core.errors import DdrError
from core.hints import called
from server.dashboard import assets, entering, pairs
from server.dashboard.origins import is_from_us
from server.dashboard.pages import page
from server.dashboard.refusals import RefusedError
from server.dashboard.viewer import Place, Viewer, viewer_of
from server.rest_app.problems import without_paths
from server.settings import Settings
from server.store import Repository
from server.streams import Streams

SECTIONS: Final = (
    "leaderboard",
    "scenarios",
    "runs",
    "live",
    "looks",
    "trajectories",
    "checklists",
    "reviewing",
    "labels",
    "compare",
    "voting",
)
"""Modules of pages, each with a `router`; a module of that name is in this package."""
SEGMENTS: Final = ("/", "/static", "/enter", "/leave", *(f"/{name}" for name in SECTIONS))
"""First segments of the paths that are pages."""


def make_dashboard(settings: Settings, store: Repository) -> Dashboard:
    """The pages. What is in front of them has looked at Host, Origin and the body's size."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    app.state.place = Place(settings, store)
    app.include_router(assets.router)
    app.include_router(entering.router)
    app.include_router(pairs.router)
    for name in SECTIONS:
        app.include_router(importlib.import_module(f"server.dashboard.{name}").router)
    app.add_exception_handler(RefusedError, _refused)
    app.add_exception_handler(DdrError, _failed)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(Exception, _broken)
    app.middleware("http")(_guarded)
    return Dashboard(GZipMiddleware(app, minimum_size=500), app.state.place)


class Dashboard:
    """All pages of one worker."""

    def __init__(self, app: ASGIApp, place: Place) -> None:
        self._app, self._place = app, place

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        await self._app(scope, receive, send)

    @property
    def streams(self) -> Streams:
        """Those of pages that follow a run."""
        return self._place.streams

    def hang_up(self) -> None:
        """The server stops: pages that follow a run go on at another worker or the next start."""
        self.streams.is_closing = True


async def _guarded(request: Request, handle: object) -> Response:
    """A form comes from a page of ours, or it is nothing."""
    if request.method not in ("GET", "HEAD") and not is_from_us(request.headers):
        return _refusal(request, RefusedError(403, "This form was not sent from a page of ours."))
    # Hints of ours name the program alone, and no folder of this machine.
    with called("ddr", home=None):
        response: Response = await handle(request)  # type: ignore[operator]
    return response


async def _refused(request: Request, exc: Exception) -> Response:
    assert isinstance(exc, RefusedError)
    if exc.status == 401 and request.method == "GET":
        return RedirectResponse(f"/enter?{entering.query(exc.back)}", status_code=303)
    return _refusal(request, exc)


async def _failed(request: Request, exc: Exception) -> Response:
    status = 404 if isinstance(exc, DdrError) and exc.exit_code == 2 else 500
    return _refusal(request, RefusedError(status, without_paths(str(exc))))


async def _http(request: Request, exc: Exception) -> Response:
    status = exc.status_code if isinstance(exc, HTTPException) else 500
    text = "There is no such page." if status == 404 else "This cannot be done here."
    return _refusal(request, RefusedError(status, text))


async def _invalid(request: Request, exc: Exception) -> Response:
    assert isinstance(exc, RequestValidationError)
    where = ", ".join(str(each["loc"][-1])[:60] for each in exc.errors()[:5])
    return _refusal(
        request, RefusedError(422, f"This address or form is not as it should be: {where}.")
    )


async def _broken(request: Request, exc: Exception) -> Response:
    # What it was stands in the server's log.
    return _refusal(request, RefusedError(500, "The server failed to draw this page."))


def _refusal(request: Request, exc: RefusedError) -> Response:
    here: Place = request.app.state.place
    try:
        who = viewer_of(request, here)
    except DdrError:
        who = Viewer(None)  # the store itself does not answer
    return page("refusal.html", who, title="Not shown", status=exc.status, text=exc.text)
