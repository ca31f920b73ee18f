"""Every route of an application, with all that it can be asked by: for tests that leave none out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from server.dashboard.app import make_dashboard
from server.desks import Desks
from server.rest_app import make_rest_app
from server.settings import Settings
from server.store import Repository


@dataclass(frozen=True)
class Route:
    """One of them."""

    method: str
    path: str
    """With its parameters in braces, as it is reached on the server."""
    path_names: tuple[str, ...]
    query_names: tuple[str, ...]
    form_names: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


def of_dashboard() -> list[Route]:
    """Those of the pages; nothing is opened for it."""
    app: Any = make_dashboard(Settings(Path("/nowhere")), cast(Repository, None))
    while not isinstance(app, FastAPI):
        app = vars(app).get("_app") or vars(app)["app"]
    return list(_walk(app.routes, ""))


def of_rest() -> list[Route]:
    """Those of the REST interface."""
    nobody = cast(Desks, SimpleNamespace(store=None))
    app: Any = make_rest_app(nobody, Settings(Path("/nowhere")))
    return list(_walk(app._app.routes, "/api"))


def _walk(routes: list[Any], prefix: str) -> Iterator[Route]:
    for route in routes:
        if (router := getattr(route, "original_router", None)) is not None:
            yield from _walk(router.routes, prefix)
        elif isinstance(route, APIRoute):
            names = _names(route.dependant)
            for method in sorted(route.methods or ()):
                yield Route(method, f"{prefix}{route.path}", *names)
        elif route.path == "/openapi.json":
            yield Route("GET", f"{prefix}{route.path}", (), (), ())
        else:
            raise AssertionError(f"what kind of a route is {route!r}?")


def _names(dependant: Dependant) -> tuple[tuple[str, ...], ...]:
    whole = list(_all(dependant))
    return tuple(
        tuple(
            dict.fromkeys(
                field.alias for each in whole for field in getattr(each, f"{kind}_params")
            )
        )
        for kind in ("path", "query", "body")
    )


def _all(dependant: Dependant) -> Iterator[Dependant]:
    yield dependant
    for each in dependant.dependencies:
        yield from _all(each)
