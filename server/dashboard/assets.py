"""Style sheets and scripts of our own and of the charts' library, by names that change with the content."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

from fastapi import APIRouter
from starlette.responses import Response

from server.dashboard.refusals import RefusedError

router = APIRouter()

_TYPES: Final = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8"}
_FILES: Final = {
    "report.css": ("analysis", "templates/report.css"),
    "dashboard.css": ("server.dashboard", "static/dashboard.css"),
    "dashboard.js": ("server.dashboard", "static/dashboard.js"),
    "parts.js": ("server.dashboard", "static/parts.js"),
    "review.css": ("server.dashboard", "static/review.css"),
    "story.js": ("analysis", "templates/story.js"),
    "trajectory.js": ("server.dashboard", "static/trajectory.js"),
    "trajectory.css": ("server.dashboard", "static/trajectory.css"),
    "live.js": ("server.dashboard", "static/live.js"),
    "charts.js": ("server.dashboard", "static/charts.js"),
    "uPlot.js": ("server.dashboard", "static/vendor/uPlot.js"),
    "uPlot.css": ("server.dashboard", "static/vendor/uPlot.css"),
}
"""A list, not a folder: nothing else can be asked for."""


def url(name: str) -> str:
    """The address of a file; '' of one that was not brought (see vendor.py)."""
    found = _content(name)
    return "" if found is None else f"/static/{hashlib.sha256(found).hexdigest()[:12]}/{name}"


@router.get("/static/{digest}/{name}")
def static(digest: str, name: str) -> Response:
    """A file. The digest in its address makes it good for ever."""
    found = _content(name) if name in _FILES else None
    if found is None or not url(name).startswith(f"/static/{digest}/"):
        raise RefusedError(404, "There is no such file.")
    kind = _TYPES["." + name.rpartition(".")[2]]
    return Response(
        found,
        media_type=kind,
        headers={
            "Cache-Control": "public, max-age=31536000, immutable",
            "X-Content-Type-Options": "nosniff",
        },
    )


@cache
def _content(name: str) -> bytes | None:
    package, path = _FILES[name]
    place: Traversable = files(package)
    for part in path.split("/"):
        place = place.joinpath(part)
    return place.read_bytes() if place.is_file() else None
