"""One thing that was looked at, and what to do about it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    name: str
    ok: bool
    detail: str
    remedy: str | None = None
    """What to do where it is not ok."""
    needed: bool = True
    """False where the demo works without it."""

    def as_dict(self) -> dict[str, Any]:
        """For --json."""
        return asdict(self)
