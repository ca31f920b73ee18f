"""Who sends a message, read from the protocol's own fields and bounded: all of it is the client's word."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from mcp.server.context import ServerRequestContext
from mcp.types import (
    CLIENT_INFO_META_KEY,
    PROTOCOL_VERSION_META_KEY,
    InitializeRequestParams,
)
from mcp.types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_HANDSHAKE_VERSION

from core.outside import Caller
from core.trajectory import Client

TEXT_CHARS: Final = 200
"""Of a client's name or version, or of a request's id."""
NAME_CHARS: Final = 128
"""Of a tool's name; a longer one is none of ours, and is written down cut."""
META_CHARS: Final = 4_000
"""Of a request's `_meta`, as JSON."""
META_DEPTH: Final = 8
CUT: Final = "ddr/cut"
"""Stands in a `_meta` of which not everything was kept."""

_SAID_ELSEWHERE: Final = frozenset({CLIENT_INFO_META_KEY, PROTOCOL_VERSION_META_KEY})


def caller_of(context: ServerRequestContext[Any, Any]) -> Caller:
    """The caller of a message, in either era."""
    params = context.params or {}
    number = context.request_id
    meta = params.get("_meta")
    return Caller(
        client=_client(context, params),
        request_id=None if number is None else bounded(number),
        meta=bounded_meta(meta) if isinstance(meta, Mapping) else {},
    )


def bounded(said: object) -> str:
    """A short text, whatever was sent."""
    return str(said)[:TEXT_CHARS]


def bounded_meta(meta: Mapping[str, Any]) -> dict[str, Any]:
    """As much of it as is kept, in order; what the caller's other fields say is left out."""
    kept: dict[str, Any] = {}
    room = META_CHARS
    for name, value in meta.items():
        if name in _SAID_ELSEWHERE:
            continue
        if not _is_flat(value, META_DEPTH):
            kept[CUT] = True
            continue
        room -= len(json.dumps({name: value}))
        if room < 0:
            kept[CUT] = True
            break
        kept[name] = value
    return kept


def _client(context: ServerRequestContext[Any, Any], params: Mapping[str, Any]) -> Client | None:
    if context.method == "initialize":
        info = params.get("clientInfo")
        if not isinstance(info, Mapping):
            return None
        name, version = info.get("name", ""), info.get("version", "")
        asked = params.get("protocolVersion")
        protocol = asked if asked in HANDSHAKE_PROTOCOL_VERSIONS else LATEST_HANDSHAKE_VERSION
    else:
        return introduced(context.session.client_params, context.protocol_version)
    return Client(name=bounded(name), version=bounded(version), protocol=bounded(protocol))


def introduced(said: InitializeRequestParams | None, protocol: str) -> Client | None:
    """The client that has said who it is, where it has."""
    if said is None:
        return None
    name, version = said.client_info.name, said.client_info.version
    return Client(name=bounded(name), version=bounded(version), protocol=bounded(protocol))


def _is_flat(value: Any, levels: int) -> bool:
    """Whether nothing lies deeper than so many levels."""
    if isinstance(value, Mapping):
        return levels > 0 and all(_is_flat(each, levels - 1) for each in value.values())
    if isinstance(value, list):
        return levels > 0 and all(_is_flat(each, levels - 1) for each in value)
    return True
