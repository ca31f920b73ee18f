"""The sessions of the tool host: each lives by its key, whoever is connected."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol

from core.errors import ToolError, UsageError
from core.protocols import Observation, Tools
from core.trajectory import Sandbox
from tools.host.messages import Opening

_LOG = logging.getLogger(__name__)

IDLE_S = 1800.0
"""How long a session that nobody is connected to is kept after its last call."""
MOST_SESSIONS = 512
CLOSE_S = 10.0
"""How long the end of one session is waited for."""


class HeldTools(Tools, Protocol):
    """A session's tools with what they hold."""

    @property
    def sandbox_state(self) -> Sandbox:
        """How Python is held, or why it is off."""
        ...

    async def tell(self, name: str, arguments: Mapping[str, Any]) -> Observation:
        """As `call`; where `data` is None, it is what the text says as JSON."""
        ...

    async def close(self) -> None:
        """Let go of everything."""
        ...


class Session:
    """One agent's tools, and who is connected to them."""

    def __init__(self, opening: Opening, making: asyncio.Task[HeldTools], now: float) -> None:
        self.opening = opening
        self.making = making
        self.clients: set[Hashable] = set()
        self.calls = 0
        self.used_at = now
        self.closed = False

    @property
    def tools(self) -> HeldTools:
        """Only once they are made."""
        return self.making.result()


class SessionBook:
    """Every session by its key."""

    def __init__(
        self,
        make: Callable[[Opening], Awaitable[HeldTools]],
        *,
        idle_s: float = IDLE_S,
        most: int = MOST_SESSIONS,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._make, self._idle_s, self._most, self._now = make, idle_s, most, now
        self._sessions: dict[str, Session] = {}

    def __len__(self) -> int:
        return len(self._sessions)

    @property
    def calls(self) -> int:
        """Under way in all sessions."""
        return sum(session.calls for session in self._sessions.values())

    async def open(self, opening: Opening, client: Hashable) -> tuple[Session, bool]:
        """The session of this key, made where it is not there yet; whether it was made now.

        Raises UsageError where it was opened with other words, ToolError `limit` where there are
        too many, and what the making raises.
        """
        session = self._sessions.get(opening.key)
        created = session is None
        if session is None:
            if len(self._sessions) >= self._most:
                await self._make_room()
            making = asyncio.ensure_future(self._make(opening))
            session = self._sessions[opening.key] = Session(opening, making, self._now())
        elif session.opening != opening:
            raise UsageError("a session of this key was opened on another database or other tools")
        session.clients.add(client)
        try:
            # Shielded: another client may wait for the same session.
            await asyncio.shield(session.making)
        except BaseException:
            session.clients.discard(client)
            if session.making.done():
                self._forget(session)
            raise
        if session.closed:
            raise ToolError("the session was closed while it was opened", kind="session_gone")
        return session, created

    @contextmanager
    def call(self, session: Session) -> Iterator[HeldTools]:
        """Around one call: a session in use is not idle."""
        session.calls += 1
        try:
            yield session.tools
        finally:
            session.calls -= 1
            session.used_at = self._now()

    def leave(self, session: Session, client: Hashable) -> None:
        """A client is gone; its variables stay for the next one of the same key."""
        session.clients.discard(client)
        session.used_at = self._now()

    async def close(self, session: Session) -> None:
        """End it and everything in it. Returns once it has ended; never raises."""
        if session.closed:
            return
        self._forget(session)
        try:
            async with asyncio.timeout(CLOSE_S):
                tools = await asyncio.shield(session.making)
                await tools.close()
        except Exception:  # noqa: BLE001 - the others must be closed as well
            _LOG.exception("a session did not end well")

    async def sweep(self) -> None:
        """End what was abandoned: nobody is connected, and the last call is long ago."""
        for session in self._abandoned():
            if self._now() - session.used_at >= self._idle_s:
                await self.close(session)

    async def close_all(self) -> None:
        """End every session."""
        await asyncio.gather(*(self.close(session) for session in list(self._sessions.values())))

    async def _make_room(self) -> None:
        abandoned = self._abandoned()
        if not abandoned:
            raise ToolError(
                f"all {self._most} sessions are in use; close one, or try again later", kind="limit"
            )
        await self.close(min(abandoned, key=lambda session: session.used_at))

    def _abandoned(self) -> list[Session]:
        return [s for s in self._sessions.values() if not s.clients and not s.calls]

    def _forget(self, session: Session) -> None:
        session.closed = True
        if self._sessions.get(session.opening.key) is session:
            del self._sessions[session.opening.key]
