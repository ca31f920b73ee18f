"""The REST application of one worker, to be mounted below /api."""

from __future__ import annotations

from typing import Any, Final

from fastapi import Depends, FastAPI
from fastapi.routing import APIRoute

from server.desks import Desks
from server.rest_app import (
    analyses,
    episodes,
    problems,
    runs,
    scenarios,
    scoring,
    trajectories,
    watching,
)
from server.rest_app.bodies.base import ProblemBody
from server.rest_app.door import OPEN, Door, Office, scheme
from server.settings import Settings

_ABOUT: Final = (
    "Make a run for an agent from outside, watch it, fetch its trajectories and score it; or play "
    "episodes step by step. Every request bears a token; every error is RFC 9457's."
)


def make_rest_app(desks: Desks, settings: Settings) -> Door:
    """The application. What is in front of it has looked at Host, Origin and the body's size."""
    app = FastAPI(
        title="ddr",
        summary="Open-ended data research from a program",
        description=_ABOUT,
        version="1",
        openapi_url=OPEN,
        # Their pages would fetch scripts from elsewhere.
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        generate_unique_id_function=_name,
        dependencies=[Depends(scheme)],
        responses={"4XX": _problem("What was asked for cannot be, and why.")},
    )
    here = Office(desks, settings, desks.store)
    app.state.office = here
    problems.install(app)
    for part in (scenarios, runs, trajectories, watching, scoring, analyses, episodes):
        app.include_router(part.router)
    return Door(app, here)


def _name(route: APIRoute) -> str:
    return route.name


def _problem(text: str) -> dict[str, Any]:
    schema = ProblemBody.model_json_schema()
    return {"description": text, "content": {problems.MEDIA_TYPE: {"schema": schema}}}
