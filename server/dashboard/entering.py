"""Let people in: by a one-time link, or by a token that they paste; and out again."""

from __future__ import annotations

import re
from typing import Annotated, Final
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from server.dashboard.pages import page
from server.dashboard.refusals import RefusedError
from server.dashboard.viewer import COOKIE, Anyone, InPlace
from server.runner import utc_now
from server.tokens import exchanged, holder

router = APIRouter()

_OURS: Final = re.compile(r"/[A-Za-z0-9_./?=&%~-]{0,500}")
"""A path of this server; never '//elsewhere'."""


@router.get("/enter")
def enter(
    request: Request, who: Anyone, here: InPlace, once: str = "", back: str = "/"
) -> Response:
    """Exchange a one-time link, which then opens nothing any more; or ask for a token."""
    if not once:
        return page("enter.html", who, title="Show a token", back=_path(back), wrong=False)
    secret = exchanged(here.store, once, utc_now())
    if secret is None:
        raise RefusedError(
            403, "This link was used already, or is too old. The server prints one when it starts."
        )
    return _let_in(request, secret, _path(back))


@router.post("/enter")
def show_token(
    request: Request,
    who: Anyone,
    here: InPlace,
    token: Annotated[str, Form(max_length=400)] = "",
    back: Annotated[str, Form(max_length=600)] = "/",
) -> Response:
    """Take the token that was pasted."""
    secret = token.strip()
    if holder(here.store, secret, utc_now()) is None:
        return page(
            "enter.html", who, title="Show a token", status=403, back=_path(back), wrong=True
        )
    return _let_in(request, secret, _path(back))


@router.post("/leave")
def leave() -> Response:
    """Forget who it is. A token of their own still holds elsewhere."""
    response = RedirectResponse("/", status_code=303)
    response.delete_cookie(COOKIE, path="/")
    return response


def query(back: str | None) -> str:
    """Of the address of the page that asks for a token."""
    return urlencode({"back": _path(back or "/")})


def _path(asked: str) -> str:
    return asked if _OURS.fullmatch(asked) and not asked.startswith("//") else "/"


def _let_in(request: Request, secret: str, back: str) -> Response:
    response = RedirectResponse(back, status_code=303)
    response.set_cookie(
        COOKIE,
        secret,
        path="/",
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    response.headers["Cache-Control"] = "no-store"
    response.headers["Referrer-Policy"] = "no-referrer"
    return response
