"""A Python session in the sandbox, seen from the host: one cell at a time, bounded from outside."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from core.errors import ToolError
from core.protocols import CellLimits, CellResult, QueryColumns, QueryFunction
from tools.deadline import in_thread
from tools.python.wire import EndedError, LiveSession
from tools.walls.bwrap import Sizes

MOST_ATTEMPTS = 20
GRACE_S = 1.0
SIGKILLED = 128 + 9


class BubblewrapKernel:
    """One session. After a kill the next cell starts a fresh one by itself."""

    def __init__(self, query: QueryFunction, sizes: Sizes, memory_mb: int) -> None:
        self._query = query
        self._sizes = sizes
        self._memory_mb = memory_mb
        self._live: LiveSession | None = None
        self._cells = 0
        self._lock = asyncio.Lock()

    async def start(self) -> None:
        """Have the session ready for its first cell. Raises SandboxError."""
        self._live = await LiveSession.start(self._sizes, self._memory_mb)

    async def run(self, code: str, limits: CellLimits) -> CellResult:
        """Run one cell. Raises SandboxError where no session can be started."""
        async with self._lock:
            lost = self._cells > 0 and self._live is None
            if self._live is None:
                await self.start()
            assert self._live is not None
            self._cells += 1
            cell = _Cell(self._cells, code, limits, self._query)
            try:
                result = await cell.run(self._live)
            except BaseException:
                await self._drop()  # a cell that nobody waits for must not go on
                raise
            if result.killed or cell.died:
                await self._drop()
            else:
                self._live.process.pause()
                if not await in_thread(self._live.process.still, name="sandbox-pause"):
                    await self._drop()  # a process of the cell goes on
            return result.model_copy(update={"state_lost": lost})

    async def reset(self) -> None:
        """Forget every variable: the process is ended, the next cell starts another."""
        async with self._lock:
            await self._drop()

    async def close(self) -> None:
        """End the session and everything in it."""
        await self._drop()

    async def _drop(self) -> None:
        live, self._live = self._live, None
        if live:
            live.close()
            await in_thread(live.process.wait, name="sandbox-end")


class _Cell:
    """One cell on its way through a live session."""

    def __init__(self, number: int, code: str, limits: CellLimits, query: QueryFunction) -> None:
        self._number = number
        self._code = code
        self._limits = limits
        self._query = query
        self._fields: set[str] = set()
        self._violations: list[str] = []
        self.died = False

    async def run(self, live: LiveSession) -> CellResult:
        started = time.monotonic()
        live.output.begin(self._limits.output_bytes)
        talk = asyncio.create_task(self._talk(live))
        flood = asyncio.create_task(live.output.flooded.wait())
        try:
            done, _ = await asyncio.wait(
                {talk, flood},
                timeout=self._limits.wall_s,
                return_when=asyncio.FIRST_COMPLETED,
            )
        finally:
            for task in (talk, flood):
                task.cancel()
        live.output.drain()
        answer: dict[str, Any] = {}
        killed: str | None = None
        if flood in done or live.output.flooded.is_set():
            killed = "output"
        elif talk not in done:
            killed = "timeout"
        else:
            try:
                answer = talk.result()
            except EndedError as exc:
                killed, answer = await self._how_it_died(live, exc)
        return CellResult(
            stdout=clean(live.output.text),
            value=_text(answer.get("value")),
            error=_text(answer.get("error")),
            truncated=live.output.total > self._limits.output_bytes,
            killed=killed,
            accessed_fields=tuple(sorted(self._fields)),
            violations=tuple(self._violations),
            duration_s=time.monotonic() - started,
        )

    async def _talk(self, live: LiveSession) -> dict[str, Any]:
        """Hand the cell over and answer its queries until it is done."""
        live.process.resume()
        await live.send(
            {
                "op": "run",
                "id": self._number,
                "code": self._code,
                "memory_mb": self._limits.memory_mb,
            }
        )
        while True:
            message = await live.receive()
            if message["op"] == "query":
                await self._answer(live, message)
            elif message["op"] == "done" and message.get("id") == self._number:
                self._note(message.get("attempts"))
                return message

    async def _answer(self, live: LiveSession, message: dict[str, Any]) -> None:
        sql = _text(message.get("sql")) or ""
        try:
            columns: QueryColumns = await self._query(sql)
        except ToolError as exc:
            self._note(exc.violations)
            await live.send({"error": str(exc)})
            return
        self._fields.update(columns.accessed_fields)
        head = {"truncated": columns.truncated, "bytes": len(columns.payload)}
        await live.send(head, columns.payload)

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
        code = await in_thread(lambda: live.process.wait(GRACE_S), name="sandbox-end")
        if code == SIGKILLED:
            return "memory", {}
        how = "broke off" if code is None else f"ended by itself (exit code {code})"
        return None, {"error": f"the Python process {how}; its variables are gone"}


def _text(value: Any) -> str | None:
    return clean(value) if isinstance(value, str) else None


def clean(text: str) -> str:
    """Without halves of surrogate pairs, which no strict encoder takes."""
    return text.encode("utf-8", "replace").decode()
