"""Who may use the server beside the agents: a token's role and how long it holds."""

from __future__ import annotations

from datetime import datetime
from typing import Final, Literal, get_args

from core.record import Record, UtcTime

Role = Literal["admin", "harness", "reader"]
"""admin: everything. harness: makes runs and works with its own. reader: reads what is finished."""

ROLES: Final[tuple[Role, ...]] = get_args(Role)


class Token(Record):
    """A token for a person or a harness, without the secret, which is kept nowhere."""

    id: str
    """By which it is listed and revoked; no secret."""
    role: Role
    name: str | None = None
    """Whose it is. Tokens of one name share their runs, so that a new one can take an old one's place."""
    created_at: UtcTime
    expires_at: UtcTime | None = None
    """None = it holds until it is revoked."""
    revoked_at: UtcTime | None = None
    is_once: bool = False
    """It opens the dashboard, once, and nothing else."""

    @property
    def owner(self) -> str:
        """Whose the runs are that are made with it."""
        return self.name or self.id

    def state(self, now: datetime) -> Literal["valid", "expired", "revoked"]:
        """What it is worth at a moment."""
        if self.revoked_at is not None:
            return "revoked"
        if self.expires_at is not None and now >= self.expires_at:
            return "expired"
        return "valid"
