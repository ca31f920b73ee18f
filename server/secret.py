"""Tokens: made so that nobody can guess them, kept as a hash alone, and read from a request."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Iterable
from typing import Final

PREFIX: Final = "ddr_"
"""What every token begins with: programs that look for leaked secrets find it, and none begins with a
dash, so that it would pass for an option of a command."""
_BYTES: Final = 32
_BEARER: Final = re.compile(r"bearer +(\S+) *", re.IGNORECASE)


def new_token() -> str:
    """One that nobody can guess."""
    return PREFIX + secrets.token_urlsafe(_BYTES)


def token_hash(token: str) -> str:
    """What is kept of a token. Tokens are random and long, so that one round is enough."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def bearer(headers: Iterable[tuple[bytes, bytes]]) -> str | None:
    """The one bearer token among a request's headers; None where there is none, or more than one."""
    said = [value for name, value in headers if name == b"authorization"]
    found = _BEARER.fullmatch(said[0].decode("latin-1")) if len(said) == 1 else None
    return None if found is None else found[1]
