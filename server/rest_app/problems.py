"""Say what went wrong as RFC 9457 does, with the way out, and nothing of this machine."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from core.errors import (
    ChecklistError,
    ConfigError,
    DdrError,
    ScenarioError,
    StoreError,
    ToolError,
    UnknownNameError,
    UsageError,
)

_LOG = logging.getLogger(__name__)

MEDIA_TYPE: Final = "application/problem+json"
_MOST_NAMES: Final = 30
_MOST_FAULTS: Final = 10
_MOST_TEXT: Final = 600
"""Characters of a text that is passed on."""
_PATH: Final = re.compile(r"(?<![\w:/.])~?/[\w.~-].*", re.DOTALL)
"""What looks like a path of this machine, and all behind it: folders may have blanks in their names.
What follows a scheme or a name is none."""
_OPTION: Final = re.compile(r"--([a-z]+(?:-[a-z]+)*)")


class Problem(Exception):  # noqa: N818 - RFC 9457's own word
    """An answer that is an error: what is wrong, and what to do."""

    def __init__(
        self,
        status: int,
        kind: str,
        detail: str,
        *,
        headers: Mapping[str, str] | None = None,
        errors: Sequence[Mapping[str, str]] = (),
    ) -> None:
        super().__init__(detail)
        self.status, self.kind, self.detail = status, kind, detail
        self.headers, self.errors = dict(headers or {}), errors

    def response(self) -> Response:
        """As it is sent."""
        said: dict[str, Any] = {
            "type": f"urn:ddr:problem:{self.kind}",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.detail,
        }
        if self.errors:
            said["errors"] = self.errors
        # ASCII, so that no text of a client's can break the answer to it.
        return Response(
            json.dumps(said), self.status, media_type=MEDIA_TYPE, headers=dict(self.headers)
        )


def install(app: FastAPI) -> None:
    """Answer every error of an application like this."""

    def handle(kind: type[Exception], told: Any) -> None:
        def handler(_request: Request, exc: Exception) -> Response:
            problem: Problem = told(exc)
            return problem.response()

        app.add_exception_handler(kind, handler)

    handle(Problem, lambda exc: exc)
    handle(RequestValidationError, _of_validation)
    handle(HTTPException, _of_http)
    handle(DdrError, of_error)
    handle(Exception, lambda _: _INTERNAL)


def of_error(exc: DdrError) -> Problem:
    """What of an error of ours may be told to whoever is not at this machine."""
    if isinstance(exc, UnknownNameError):
        return Problem(422, "unknown-name", _unknown(exc))
    if isinstance(exc, ConfigError):
        return _logged(exc, 409, "configuration", "a file of this server's cannot be read")
    if isinstance(exc, UsageError | ToolError):
        text = str(exc)
        if _PATH.search(text):
            return _logged(exc, 422, "refused", "this cannot be done as it was asked")
        # Written for the command line, whose options are fields here.
        text = _OPTION.sub(lambda found: found[1].replace("-", "_"), text)
        return Problem(422, "refused", text[:_MOST_TEXT])
    if isinstance(exc, ScenarioError):
        text = "the scenario's database is not there, or not what it was"
        return _logged(exc, 409, "scenario", text)
    if isinstance(exc, ChecklistError):
        return _logged(exc, 409, "checklist", "the scenario's checklist does not fit")
    if isinstance(exc, StoreError):
        _LOG.warning("a request was not carried out: %s", exc)
        text = "the store cannot be read or written just now: try again in a moment"
        return Problem(503, "store", text, headers={"Retry-After": "1"})
    return _logged(exc, 500, "internal", "something failed on the server's side")


def _logged(exc: DdrError, status: int, kind: str, text: str) -> Problem:
    _LOG.warning("a request was refused: %s", exc)
    return Problem(status, kind, f"{text}; its log says more: ask whoever runs the server")


_INTERNAL: Final = Problem(
    500, "internal", "the server failed; its log says more: ask whoever runs it"
)


def _unknown(exc: UnknownNameError) -> str:
    known = ", ".join(exc.known[:_MOST_NAMES]) or "none"
    if len(exc.known) > _MOST_NAMES:
        known += f" and {len(exc.known) - _MOST_NAMES} others"
    return f"unknown {exc.kind} {exc.name[:100]!r}; known: {known}"


def without_paths(text: str) -> str:
    """A text that may leave this machine: cut where a path begins."""
    return _PATH.sub("<path> ...", text)


def _of_validation(exc: RequestValidationError) -> Problem:
    errors = [
        {"where": ".".join(str(part)[:100] for part in each["loc"]), "what": str(each["msg"])[:200]}
        for each in exc.errors()[:_MOST_FAULTS]
    ]
    first = errors[0]
    detail = f"{first['where']}: {first['what']}; openapi.json has an example of each request"
    return Problem(422, "invalid", detail, errors=errors)


def _of_http(exc: HTTPException) -> Problem:
    if exc.status_code == HTTPStatus.NOT_FOUND:
        return Problem(404, "no-such-path", "there is nothing at this path; see openapi.json")
    if exc.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        text = "this path has no such method; see openapi.json"
        return Problem(405, "no-such-method", text, headers=exc.headers)
    return Problem(exc.status_code, "http", str(exc.detail)[:_MOST_TEXT], headers=exc.headers)
