"""Give out tokens for people and harnesses, and tell whose a token is."""

from __future__ import annotations

import hmac
import secrets
from datetime import datetime, timedelta
from typing import Final

from core.access import ROLES, Role, Token
from core.errors import UsageError, one_of
from server.secret import new_token, token_hash
from server.store import Repository
from server.store.tokens import Tokens

MOST_DAYS: Final = 3_650.0
MOST_NAME: Final = 200
"""Characters."""
ONCE: Final = timedelta(minutes=30)
"""So long a one-time link waits to be followed."""
BROWSER_NAME: Final = "browser"
BROWSER: Final = timedelta(hours=12)
"""So long whoever followed one is let in."""


def role_of(name: str) -> Role:
    """The role of that name. Raises UnknownNameError with those that there are."""
    return one_of("role", name, ROLES)


def issue(
    store: Repository,
    role: Role,
    now: datetime,
    *,
    name: str | None = None,
    expires_days: float | None = None,
) -> tuple[Token, str]:
    """A new token and its secret, which nobody can be told again.

    Raises UsageError for a name or a time that cannot be.
    """
    if expires_days is not None and not 0 < expires_days <= MOST_DAYS:
        raise UsageError(f"a token holds for more than 0 and at most {MOST_DAYS:g} days")
    if name is not None and len(name) > MOST_NAME:
        raise UsageError(f"a token's name has at most {MOST_NAME} characters")
    until = None if expires_days is None else now + timedelta(days=expires_days)
    token = _fresh(role, now, name=name or None, until=until)
    secret = new_token()
    Tokens(store).add(token, token_hash(secret))
    return token, secret


def once(store: Repository, role: Role, now: datetime) -> str:
    """The secret of a one-time link: it is exchanged for a token of this role, or expires."""
    token = _fresh(role, now, name="one-time link", until=now + ONCE, is_once=True)
    secret = new_token()
    Tokens(store).add(token, token_hash(secret))
    return secret


def exchanged(store: Repository, secret: str, now: datetime) -> str | None:
    """The secret of a token for a browser, in return for a one-time one, which holds no longer.

    None where that one was none, was used or has expired.
    """
    link = Tokens(store).spent(token_hash(secret), now)
    if link is None:
        return None
    token = _fresh(link.role, now, name=BROWSER_NAME, until=now + BROWSER)
    fresh = new_token()
    Tokens(store).add(token, token_hash(fresh))
    return fresh


def holder(store: Repository, secret: str, now: datetime) -> Token | None:
    """Whose secret it is; None where it is nobody's, has expired or was revoked.

    The store is asked each time, so that a revoked token is refused from the next request on. It is
    found by its hash, of which the time that this takes tells nothing that leads to a secret.
    """
    wanted = token_hash(secret)
    found = Tokens(store).behind(wanted)
    if found is None or not hmac.compare_digest(found[1], wanted):
        return None
    return found[0] if found[0].state(now) == "valid" and not found[0].is_once else None


def _fresh(
    role: Role, now: datetime, *, name: str | None, until: datetime | None, is_once: bool = False
) -> Token:
    return Token(
        id=f"t-{secrets.token_hex(4)}",
        role=role,
        name=name,
        created_at=now,
        expires_at=until,
        is_once=is_once,
    )
