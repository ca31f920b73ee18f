"""Send one request to an ASGI app as a server would, and hang up when it is time."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message

Headers = list[tuple[bytes, bytes]]


def raw(headers: Mapping[str, str] | Iterable[tuple[str, str]]) -> Headers:
    """Headers as an ASGI scope has them."""
    given = headers.items() if isinstance(headers, Mapping) else headers
    return [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in given]


@dataclass
class Exchange:
    """One request and what comes back."""

    headers: Headers
    body: bytes
    scope: dict[str, Any] = field(default_factory=dict)
    sent: list[Message] = field(default_factory=list)
    hang_up: asyncio.Event = field(default_factory=asyncio.Event)
    """Set by whoever does not want to wait any more."""
    _has_asked: bool = False

    async def run(self, app: ASGIApp) -> Exchange:
        """Have it served to its end."""
        scope = {
            "type": "http",
            "method": "POST",
            "path": "/mcp",
            "query_string": b"",
            "headers": self.headers,
            **self.scope,
        }
        await app(scope, self._receive, self._send)
        return self

    @property
    def status(self) -> int:
        status: int = self.sent[0]["status"]
        return status

    @property
    def kind(self) -> str:
        """The answer's content type."""
        kind: bytes = dict(self.sent[0]["headers"])[b"content-type"]
        return kind.decode()

    @property
    def parts(self) -> list[bytes]:
        """The pieces of the answer's body."""
        return [message["body"] for message in self.sent[1:]]

    @property
    def told(self) -> Any:
        """The answer's JSON."""
        return json.loads(b"".join(self.parts))

    async def _receive(self) -> Message:
        if not self._has_asked:
            self._has_asked = True
            return {"type": "http.request", "body": self.body, "more_body": False}
        await self.hang_up.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Message) -> None:
        self.sent.append(message)
