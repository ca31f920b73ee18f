"""Where a server of ours is reached: what may stand in its address, and whether one answers there."""

from __future__ import annotations

import re
from typing import Final
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, build_opener

from core.errors import UsageError
from core.hints import typed
from server.http import PORT

HEALTH_S: Final = 3.0
_PLAIN: Final = re.compile(r"https?://[A-Za-z0-9._~:/\[\]%-]+")


def is_plain(url: str) -> bool:
    """Whether it can stand in any configuration, and in a shell's line, as it is."""
    return _PLAIN.fullmatch(url) is not None


def checked_base(url: str) -> str:
    """The address of a server, without the slash at its end. Raises UsageError."""
    plain = url.strip().rstrip("/")
    try:
        parts = urlsplit(plain)
        is_whole = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        is_whole = False
    if not (is_whole and is_plain(plain)):
        raise UsageError(f"--url {url!r}: write the server's address as http://127.0.0.1:{PORT}")
    return plain


def why_silent(base: str) -> str | None:
    """Why no server of ours answers at an address; None where one does. Blocks for HEALTH_S."""
    try:
        # Past every proxy of the environment: the server is a neighbour.
        with build_opener(ProxyHandler({})).open(f"{base}/healthz", timeout=HEALTH_S) as answer:
            answer.read(1)
    except HTTPError as exc:
        with exc:
            return f"it answers {exc.code}"
    except URLError as exc:
        return getattr(exc.reason, "strerror", None) or str(exc.reason)
    except (OSError, ValueError) as exc:
        return str(exc) or type(exc).__name__
    return None


def serve_command(base: str) -> str:
    """What a person types for a server to answer there."""
    parts = urlsplit(base)
    host = "" if parts.hostname in ("127.0.0.1", "localhost") else f" --host {parts.hostname}"
    port = "" if parts.port in (None, PORT) else f" --port {parts.port}"
    return typed(f"serve --http{host}{port}")
