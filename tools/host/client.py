"""The tools of one session behind the tool host: what a runner or an MCP server holds.

A lost connection costs a call, never an exception: its answer says that it can be repeated, and
whether the variables of Python are gone.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from core.errors import DdrError, ToolError
from core.protocols import Observation, ToolSpec
from core.trajectory import Sandbox
from tools.host.link import Link, LostError, Reach
from tools.host.messages import SESSION_GONE, Opened, Opening, unpack
from tools.values import compact

_LOG = logging.getLogger(__name__)

UNAVAILABLE: Final = "unavailable"
"""The error kind that says: there are no tools any more, do not go on."""
TRIES = 3
"""Hosts that are asked to open a session before it is given up."""
OPEN_S = 300.0
"""An installation's first use compiles what the sandboxes import, on a slow machine for minutes."""
CLOSE_S = 30.0
HANG_S = 180.0
"""Past it a call is taken for lost: a host answers each within its tool's own limit."""
GONE: Final = "all Python variables are gone"


class HostTools:
    """One session's tools in the tool host. Opened at the first use. Implements core.protocols.Tools."""

    def __init__(
        self,
        reach: Reach,
        opening: Opening,
        *,
        hang_s: float = HANG_S,
        computed: Callable[[], bool] = lambda: False,
    ) -> None:
        """`computed`: whether other processes ran Python in this session; asked when it is made anew."""
        self._reach, self._opening, self._hang_s = reach, opening, hang_s
        self._computed = computed
        self._link: Link | None = None
        self._opened: Opened | None = None
        self._lock = asyncio.Lock()
        self._used_python = False
        self._remark: str | None = None
        self._closed = False

    @property
    def sandbox_state(self) -> Sandbox:
        """How Python is held, or why it is off, as the host found it when the session was opened."""
        if self._opened is None:
            return Sandbox(name="off", detail="the tools have not been reached yet")
        return self._opened.sandbox

    async def list(self) -> Sequence[ToolSpec]:
        """The tools on offer.

        Raises ToolError `unavailable` where no host can be had, DatabaseError, ConfigError or
        UsageError where the session cannot be opened.
        """
        await self._ready()
        assert self._opened is not None
        return self._opened.specs

    async def call(self, name: str, arguments: Mapping[str, Any]) -> Observation:
        """Call one. A failed call is an Observation with is_error, never an exception.

        Kind `tool_host`: the host broke off; the call can be repeated. Kind `unavailable`: it
        broke off too often, and there are no tools any more.
        """
        if self._closed:
            return failed("internal", "this session is closed")
        try:
            return await self._try_call(name, arguments)
        except ToolError as exc:
            return failed(exc.kind, str(exc))
        except DdrError:
            # Its text may name a path of this machine, which is nothing for an agent.
            _LOG.exception("a session cannot be opened any more")
            return failed(UNAVAILABLE, "the database cannot be opened any more")

    async def close(self) -> None:
        """End the session and everything in it, where it was ever opened."""
        self._closed = True
        async with self._lock:
            link, self._link = self._link, None
            if link is None:
                return
            try:
                async with asyncio.timeout(CLOSE_S):
                    await link.ask({"op": "close", "key": self._opening.key})
            except (LostError, ToolError, TimeoutError):
                return  # with the host, the session is gone
            finally:
                link.close()

    async def leave(self) -> None:
        """Hang up. The session stays for whoever opens it next, until it was idle for long."""
        self._closed = True
        async with self._lock:
            if self._link is not None:
                self._link.close()
                self._link = None

    async def _try_call(self, name: str, arguments: Mapping[str, Any]) -> Observation:
        asked = {"op": "call", "key": self._opening.key, "name": name, "arguments": arguments}
        for _ in range(TRIES):
            link = await self._ready()
            self._used_python |= name == "execute_code"
            try:
                async with asyncio.timeout(self._hang_s):
                    frame = await link.ask(asked)
            except (LostError, TimeoutError):
                self._hang_up(link)
                return await self._broke_off()
            except (TypeError, ValueError, RecursionError) as exc:
                return failed("arguments", f"the arguments of {name} are not plain JSON: {exc}")
            except ToolError as exc:
                if exc.kind != SESSION_GONE:
                    raise
                self._hang_up(link)  # nothing was begun: open it again
                continue
            return self._marked(unpack(frame.message["seen"], frame.payload))
        raise ToolError("the session of these tools ends again and again", kind=UNAVAILABLE)

    def _hang_up(self, link: Link) -> None:
        link.close()
        if self._link is link:
            self._link = None

    async def _ready(self) -> Link:
        """The session's connection, made again where it was lost."""
        async with self._lock:
            if self._link is not None and not self._link.is_over:
                return self._link
            self._link = None
            for _ in range(TRIES):
                link = await self._reach.connect()
                try:
                    opened = await self._open(link)
                except LostError:
                    link.close()
                    continue
                except BaseException:
                    link.close()
                    raise
                if opened.created and (self._used_python or self._computed()):
                    self._used_python, self._remark = False, f"The tools were restarted: {GONE}."
                self._link, self._opened = link, opened
                return link
            raise ToolError("the tool host breaks off again and again", kind=UNAVAILABLE)

    async def _open(self, link: Link) -> Opened:
        said = {"op": "open", "opening": self._opening.model_dump(mode="json")}
        try:
            async with asyncio.timeout(OPEN_S):
                frame = await link.ask(said)
        except TimeoutError:
            raise ToolError("the tool host does not answer", kind=UNAVAILABLE) from None
        return Opened.model_validate(frame.message["opened"])

    async def _broke_off(self) -> Observation:
        """What is said of a call that was lost, once it is known what was lost with it."""
        used = self._used_python
        told = "The tool host broke off during this call, which gave nothing. It can be repeated"
        if self._closed:  # by us, who do not come back
            return failed("tool_host", f"{told}.")
        await self._ready()
        if self._remark is not None:  # whoever it was that used Python
            told += f"; {GONE}"
        elif used:
            told += "; the variables of Python are kept"
        return failed("tool_host", f"{told}.")

    def _marked(self, seen: Observation) -> Observation:
        """The first answer after a loss tells of it."""
        remark, self._remark = self._remark, None
        if remark is None or seen.data is None:
            return seen
        note = " ".join(part for part in (remark, seen.data.get("note")) if part)
        data = {**seen.data, "note": note}
        return seen.model_copy(update={"data": data, "text": compact(data)})


def failed(kind: str, text: str) -> Observation:
    """A call that came to nothing, told as tools tell it."""
    data = {"error": text, "kind": kind}
    return Observation(text=compact(data), data=data, is_error=True, error_kind=kind)
