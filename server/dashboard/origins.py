"""Whether a form was sent from a page of this very server: another port of this host is another's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from starlette.datastructures import Headers

_USUAL: Final = {"http": "80", "https": "443"}


def is_from_us(headers: Headers) -> bool:
    """By what browsers say of every form.

    Cookies know no ports: a page of another server on 127.0.0.1 would send ours along. Where the browser
    itself says whether it is the same origin, that holds, also behind a proxy that hides the port; of
    others the origin must be what they called us by.
    """
    origin = headers.get("origin")
    if not origin:
        return False
    said = headers.get("sec-fetch-site")
    if said is not None:
        return said == "same-origin"
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    usual = f":{_USUAL.get(parts.scheme, '')}"
    ours, theirs = (headers.get("host", "").lower(), parts.netloc.lower())
    return bool(theirs) and theirs.removesuffix(usual) == ours.removesuffix(usual)
