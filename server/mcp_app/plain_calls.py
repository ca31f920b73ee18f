"""Read the commonest message, a well-formed tool call of the protocol's present revision, without the SDK.

What is not exactly that, however close it comes, is None here and goes the SDK's way, which answers it
or says what is wrong with it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mcp.server.connection import Connection
from mcp.shared.inbound import InboundModernRoute, classify_inbound_request
from mcp.types import (
    CLIENT_CAPABILITIES_META_KEY,
    CLIENT_INFO_META_KEY,
    PROTOCOL_VERSION_META_KEY,
)
from mcp.types import methods as spoken
from mcp.types.version import LATEST_MODERN_VERSION
from pydantic import ValidationError

from core.outside import Caller
from core.trajectory import Client
from server.mcp_app.callers import NAME_CHARS, bounded, bounded_meta, introduced

if TYPE_CHECKING:
    from starlette.types import Message

METHOD: Final = "tools/call"
VERSION: Final = b"mcp-protocol-version"
MOST_CLIENTS: Final = 256
"""Who is remembered, so that a client is not made out anew with each of its calls."""
MOST_CHARS: Final = 2_000
"""Of what a client says of itself, to be remembered."""

_ENVELOPE: Final = frozenset({"jsonrpc", "id", "method", "params"})
_PARAMS: Final = frozenset({"name", "arguments", "_meta"})
_META: Final = frozenset(
    {
        CLIENT_CAPABILITIES_META_KEY,
        CLIENT_INFO_META_KEY,
        PROTOCOL_VERSION_META_KEY,
        "progressToken",
    }
)
_ACCEPTED: Final = frozenset({"application/json", "text/event-stream"})


@dataclass(frozen=True)
class PlainCall:
    """A call of a tool, as it came."""

    number: int | str
    name: str
    arguments: Mapping[str, Any]
    caller: Caller
    progress_token: int | str | None


def may_be_plain(method: str, headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Whether it is worth while to look at the body."""
    return method == "POST" and (VERSION, LATEST_MODERN_VERSION.encode()) in headers


class PlainCalls:
    """Reads them, and remembers who the clients are."""

    def __init__(self) -> None:
        self._clients: dict[str, Client | None] = {}

    def read(self, headers: Iterable[tuple[bytes, bytes]], first: Message) -> PlainCall | None:
        """The call that a POST holds. `first`: what was received of it, all of it where it is plain."""
        if first["type"] != "http.request" or first.get("more_body", False):
            return None
        given: dict[str, str] = {}
        for name, value in headers:
            if (
                given.setdefault(name.decode("latin-1"), text := value.decode("latin-1"))
                is not text
            ):
                return None  # said twice
        accepted = {each.strip() for each in given.get("accept", "").split(",")}
        is_json = given.get("content-type", "").startswith("application/json")
        if not (is_json and accepted >= _ACCEPTED):
            return None
        try:
            message = json.loads(first.get("body", b""))
        except (ValueError, RecursionError):
            return None
        if not _is_plain(message):
            return None
        route = classify_inbound_request(message, headers=given)
        if not isinstance(route, InboundModernRoute):
            return None
        params = message["params"]
        if not _is_token(params["_meta"].get("progressToken", 0)):
            return None
        if not (_is_usual(params) and _said(route) in self._clients) and not _is_valid(params):
            return None
        return self._call(message, route)

    def _call(self, message: Mapping[str, Any], route: InboundModernRoute) -> PlainCall:
        params: Mapping[str, Any] = message["params"]
        meta: Mapping[str, Any] = params["_meta"]
        number, token = message["id"], meta.get("progressToken")
        return PlainCall(
            number=number,
            name=params["name"][:NAME_CHARS],
            arguments=params.get("arguments") or {},
            caller=Caller(
                client=self._client(route),
                request_id=bounded(number),
                meta=bounded_meta(meta),
            ),
            progress_token=token,
        )

    def _client(self, route: InboundModernRoute) -> Client | None:
        said = _said(route)
        if said in self._clients:
            return self._clients[said]
        met = Connection.from_envelope(
            route.protocol_version, route.client_info, route.client_capabilities
        )
        client = introduced(met.client_params, route.protocol_version)
        if len(said) <= MOST_CHARS:
            if len(self._clients) >= MOST_CLIENTS:
                self._clients.clear()
            self._clients[said] = client
        return client


def _is_plain(message: Any) -> bool:
    """Whether it has the parts of a tool call and no other, each of the kind that it should be."""
    if not isinstance(message, dict) or message.keys() != _ENVELOPE:
        return False
    number, params = message["id"], message["params"]
    return (
        message["jsonrpc"] == "2.0"
        and message["method"] == METHOD
        and (type(number) is int or (isinstance(number, str) and number.isascii()))
        and isinstance(params, dict)
        and params.keys() <= _PARAMS
    )


def _said(route: InboundModernRoute) -> str:
    """What a client says of itself with each call."""
    return repr((route.client_info, route.client_capabilities))


def _is_usual(params: Mapping[str, Any]) -> bool:
    """Whether nothing in it can be wrong but what the client says of itself."""
    return (
        isinstance(params.get("name"), str)
        and isinstance(params.get("arguments", {}), dict)
        and params["_meta"].keys() <= _META
    )


def _is_token(value: Any) -> bool:
    """Whether a client may name its progress so. What else the SDK lets pass here, it refuses later."""
    return type(value) is int or (isinstance(value, str) and value.isascii())


def _is_valid(params: Mapping[str, Any]) -> bool:
    """Whether the SDK would take it. To ask costs as much as all other reading together."""
    try:
        spoken.validate_client_request(METHOD, LATEST_MODERN_VERSION, params)
    except ValidationError:
        return False
    return True
