"""A Python session in the sandbox, seen from the host: one cell at a time, bounded from outside."""

from __future__ import annotations

import asyncio
import base64
import time
from typing import Any

from core.errors import SandboxError, ToolError
from core.protocols import CellLimits, CellResult, QueryColumns, QueryFunction
from tools.python.bounds import Bounds
from tools.python.inside.figures import MOST_BYTES, MOST_FIGURES, is_picture
from tools.python.live import LiveSession
from tools.python.wire import EndedError, FloodError

MOST_ATTEMPTS = 20
MOST_REMARKS = 8
GRACE_S = 5.0
SIGKILLED = 128 + 9
LOOK_S = 2.0
"""How often a session that waits for its next cell is looked at."""
NEARLY = 0.9
"""The machine's two counts of processor time differ by some ticks."""


class SandboxKernel:
    """One session. After a kill the next cell starts a fresh one by itself."""

    def __init__(self, query: QueryFunction, bounds: Bounds, house: str) -> None:
        self._query = query
        self._bounds = bounds
        self._house = house
        self._live: LiveSession | None = None
        self._settling: asyncio.Task[None] | None = None
        self._watch: asyncio.TimerHandle | None = None
        self._lost = False
        self._is_closed = False
        self._cells = 0
        self._lock = asyncio.Lock()

    async def start(self) -> None:
        """Have the session ready for its first cell. Raises SandboxError."""
        live = await LiveSession.start(self._bounds, self._house)
        if self._is_closed:
            await live.close()
            raise SandboxError("the session was closed")
        self._live = live

    async def run(self, code: str, limits: CellLimits) -> CellResult:
        """Run one cell. Raises SandboxError where no session can be started."""
        async with self._lock:
            if self._settling and not self._settling.done():
                await asyncio.wait({self._settling})  # a caller that goes away leaves it to itself
            if self._live and not _is_as_left(self._live):
                self._lost = True
                await self._drop()
            if self._live is None:
                await self.start()
            assert self._live is not None
            lost, self._lost = self._lost, False
            self._cells += 1
            cell = _Cell(self._cells, code, limits, self._query)
            try:
                result = await cell.run(self._live)
            except BaseException:
                self._lost = True
                await self._drop()  # a cell that nobody waits for must not go on
                raise
            if result.killed or cell.died:
                self._lost = True
                await self._drop()
            else:
                self._live.pause()
                self._settling = asyncio.create_task(self._hold(self._live))
            return result.model_copy(update={"state_lost": lost})

    async def reset(self) -> None:
        """Forget every variable: the process is ended, the next cell starts another."""
        async with self._lock:
            self._lost = False
            await self._drop()

    async def close(self) -> None:
        """End the session and everything in it."""
        self._is_closed = True
        await self._drop()

    async def _hold(self, live: LiveSession) -> None:
        """See to it that nothing goes on after a cell; a kernel that does not keep still is ended."""
        if await live.process.still():
            self._unwatch()
            self._watch = asyncio.get_running_loop().call_later(LOOK_S, self._look, live)
        else:
            self._lost, self._live = True, None
            await live.close()

    def _look(self, live: LiveSession) -> None:
        """Between cells, now and then: one that goes on by whatever means is ended."""
        if live is not self._live or self._lock.locked():
            return  # it is gone or at work
        self._settling = asyncio.create_task(self._hold(live))

    def _unwatch(self) -> None:
        if self._watch:
            self._watch.cancel()

    async def _drop(self) -> None:
        self._unwatch()
        settling, self._settling = self._settling, None
        if settling:
            settling.cancel()
        live, self._live = self._live, None
        if live:
            await live.close()


class _Cell:
    """One cell on its way through a live session."""

    def __init__(self, number: int, code: str, limits: CellLimits, query: QueryFunction) -> None:
        self._number = number
        self._code = code
        self._limits = limits
        self._query = query
        self._fields: set[str] = set()
        self._violations: list[str] = []
        self._figures: list[bytes] = []
        self.died = False

    async def run(self, live: LiveSession) -> CellResult:
        started = time.monotonic()
        live.begin(self._limits.output_bytes)
        live.zygote.touch()
        answer: dict[str, Any] = {}
        killed: str | None = None
        try:
            async with asyncio.timeout(self._limits.wall_s) as bound:
                answer = await self._talk(live)
        except TimeoutError:
            if not bound.expired():
                raise
            killed = "timeout"
        except FloodError:
            killed = "output"
        except EndedError as exc:
            killed, answer = await self._how_it_died(live, exc)
        live.output.drain()
        live.zygote.touch()
        if live.output.is_flooded:
            killed = "output"
        return CellResult(
            stdout=clean(live.output.text + _remarks(answer.get("remarks"))),
            value=_text(answer.get("value")),
            error=_text(answer.get("error")),
            truncated=live.output.total > self._limits.output_bytes,
            killed=killed,
            accessed_fields=tuple(sorted(self._fields)),
            violations=tuple(self._violations),
            figures=tuple(self._figures),
            duration_s=time.monotonic() - started,
        )

    async def _talk(self, live: LiveSession) -> dict[str, Any]:
        """Hand the cell over and answer its queries until it is done."""
        live.process.resume()
        await live.channel.send(
            {
                "op": "run",
                "id": self._number,
                "code": self._code,
                "memory_mb": self._limits.memory_mb,
            }
        )
        while True:
            message = await live.channel.receive()
            if message["op"] == "query":
                await self._answer(live, message)
            elif message.get("id") != self._number:
                continue
            elif message["op"] == "figure":
                self._draw(message.get("png"))
            elif message["op"] == "done":
                self._note(message.get("attempts"))
                return message

    async def _answer(self, live: LiveSession, message: dict[str, Any]) -> None:
        sql = _text(message.get("sql")) or ""
        try:
            columns: QueryColumns = await self._query(sql)
        except ToolError as exc:
            self._note(exc.violations)
            await live.channel.send({"error": str(exc)})
            return
        self._fields.update(columns.accessed_fields)
        head = {"truncated": columns.truncated, "bytes": len(columns.payload)}
        await live.channel.send(head, columns.payload)

    def _draw(self, said: Any) -> None:
        if not isinstance(said, str) or len(said) > MOST_BYTES * 4 // 3 + 4:
            return
        try:
            picture = base64.b64decode(said, validate=True)
        except ValueError:
            return
        if is_picture(picture) and len(self._figures) < MOST_FIGURES:
            self._figures.append(picture)

    def _note(self, attempts: Any) -> None:
        for said in attempts if isinstance(attempts, (list, tuple)) else ():
            text = (_text(said) or "")[:250]
            if text and text not in self._violations and len(self._violations) < MOST_ATTEMPTS:
                self._violations.append(text)

    async def _how_it_died(
        self, live: LiveSession, ended: EndedError
    ) -> tuple[str | None, dict[str, Any]]:
        """The process ended by itself: a SIGKILL that is not ours is the machine's want of memory."""
        self.died = True
        if ended.broken:
            return None, {"error": "the Python process broke off; its variables are gone"}
        if live.process.was_killed:
            return None, {"error": "the session was closed; its variables are gone"}
        ending = await live.process.ending(GRACE_S)
        if ending is None:
            how = "broke off"
        elif ending.status is None:
            how = "was ended with its server's sandbox"
        elif ending.status == SIGKILLED:
            spent = ending.cpu_s >= live.bounds.cpu_s * NEARLY
            return ("cpu" if spent else "memory"), {}
        else:
            how = f"ended by itself (exit code {ending.status})"
        return None, {"error": f"the Python process {how}; its variables are gone"}


def _is_as_left(live: LiveSession) -> bool:
    """Whether it is still there, and has done nothing since its last cell."""
    return not live.process.has_ended() and live.process.is_still()


def _text(value: Any) -> str | None:
    return clean(value) if isinstance(value, str) else None


def _remarks(said: Any) -> str:
    """What the sandbox has to say of its figures, as lines after the output."""
    texts = [_text(line) for line in said[:MOST_REMARKS]] if isinstance(said, list) else []
    return "".join(f"[{text[:300]}]\n" for text in texts if text)


def clean(text: str) -> str:
    """Without halves of surrogate pairs, which no strict encoder takes."""
    return text.encode("utf-8", "replace").decode()
