"""What the gate says itself: small JSON (RFC 9457), without a word about this machine."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import Send

Headers = tuple[tuple[bytes, bytes], ...]


async def say(send: Send, body: bytes, *, status: int = 200, headers: Headers = ()) -> None:
    """A whole answer of JSON."""
    kind = b"application/json" if status < 400 else b"application/problem+json"
    fields = (
        (b"content-type", kind),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        *headers,
    )
    await send({"type": "http.response.start", "status": status, "headers": list(fields)})
    await send({"type": "http.response.body", "body": body})


async def refuse(send: Send, status: HTTPStatus, detail: str, *headers: tuple[str, str]) -> None:
    """An error, told in the one form that all of them have."""
    problem = {
        "type": "about:blank",
        "title": status.phrase,
        "status": int(status),
        "detail": detail,
    }
    body = json.dumps(problem, separators=(",", ":")).encode()
    more = tuple((name.encode(), value.encode()) for name, value in headers)
    await say(send, body, status=int(status), headers=more)
