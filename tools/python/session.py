"""execute_code: one persistent Python session per ToolSet, started at its first use."""

from __future__ import annotations

import asyncio
from typing import Any

from core.errors import SandboxError
from core.protocols import CellLimits, CellResult, Kernel, QueryFunction, SandboxFactory
from tools.limits import ToolLimits
from tools.rendering import fit, leading
from tools.values import compact

SPARE = 560
GONE = "all variables are gone; the next call starts afresh"


class PythonSession:
    """The agent's second hand. One cell runs at a time; the others wait their turn."""

    def __init__(
        self, factory: SandboxFactory, query: QueryFunction, limits: ToolLimits, session: str
    ) -> None:
        """`query` is what query(sql) comes to inside: the gate and the bounds of the SQL hand."""
        self._factory = factory
        self._query = query
        self._limits = limits
        self._session = session
        self._kernel: Kernel | None = None
        self._is_closed = False
        self._turn = asyncio.Lock()

    async def run(self, code: str, seconds: float, *, reset: bool = False) -> CellResult:
        """Run one cell; `reset` forgets every variable first, whatever becomes of the cell.

        Raises SandboxError where no session can be started.
        """
        async with self._turn:
            if self._kernel is None:
                kernel = await self._factory.open(self._session, self._query)
                if self._is_closed:
                    await kernel.close()
                    raise SandboxError("the session was closed")
                self._kernel = kernel
            elif reset:
                await self._kernel.reset()
            limits = CellLimits(
                wall_s=seconds,
                memory_mb=self._limits.python_memory_mb,
                output_bytes=self._limits.python_output_bytes,
            )
            return await self._kernel.run(code, limits)

    async def close(self) -> None:
        """End the session, also one that is just being opened."""
        self._is_closed = True
        kernel, self._kernel = self._kernel, None
        if kernel:
            await kernel.close()


def verdict(
    result: CellResult, seconds: float, limits: ToolLimits
) -> tuple[str | None, str | None]:
    """The error's kind and text; (None, None) where the cell went well."""
    if result.killed == "timeout":
        return "timeout", f"stopped at the time limit of {seconds:g} s; {GONE}"
    if result.killed == "memory":
        return "limit", f"ended by the machine, as for want of memory; {GONE}"
    if result.killed == "output":
        kept = limits.python_output_bytes
        return "limit", f"ended because it printed far more than the {kept} bytes kept; {GONE}"
    if result.killed == "cpu":
        return "limit", f"ended because the session has used up its processor time; {GONE}"
    if result.killed:
        return "limit", f"ended ({result.killed}); {GONE}"
    if result.error:
        return ("limit" if "\nmemory limit: " in result.error else "python"), result.error
    return None, None


def render_cell(
    result: CellResult, error: str | None, notes: list[str], limits: ToolLimits, reply_chars: int
) -> dict[str, Any]:
    """The reply of execute_code; the longest of its texts gives way where not all fit."""
    if result.figures:
        notes = [*notes, _figures(len(result.figures))]
    texts = {"stdout": result.stdout, "value": result.value or "", "error": error or ""}
    room = reply_chars - SPARE - sum(len(note) for note in notes)
    shares = _shares({name: len(compact(text)) for name, text in texts.items()}, room)
    cut = result.truncated
    shown: dict[str, str] = {}
    for name, text in texts.items():
        shown[name], shortened = fit(text, shares[name])
        cut = cut or shortened
    if cut:
        notes = [*notes, _cut(result, limits)]
    return {
        "truncated": cut,
        "truncation_reason": "bytes" if cut else None,
        "note": " ".join(notes) or None,
        "stdout": shown["stdout"],
        "value": None if result.value is None else shown["value"],
        "error": None if error is None else shown["error"],
    }


def _cut(result: CellResult, limits: ToolLimits) -> str:
    kept = f"; of what it printed, {limits.python_output_bytes} bytes are kept"
    return (
        "Output was cut: print less, print aggregates, or page through it with output_offset and no"
        f" code (0 to {len(result.stdout)}{kept if result.truncated else ''})."
    )


def render_page(stdout: str, offset: int, reply_chars: int) -> dict[str, Any]:
    """The reply that shows what an earlier cell printed from a character on; nothing is run."""
    shown = leading(stdout[offset:], reply_chars - SPARE)
    end = offset + len(shown)
    note = f"Characters {offset} to {end} of the {len(stdout)} that the last call printed."
    left = end < len(stdout)
    return {
        "truncated": left,
        "truncation_reason": "bytes" if left else None,
        "note": f"{note} Go on with output_offset {end}." if left else note,
        "stdout": shown,
        "value": None,
        "error": None,
    }


def _figures(count: int) -> str:
    return "1 figure was drawn (PNG)." if count == 1 else f"{count} figures were drawn (PNG)."


def _shares(needs: dict[str, int], room: int) -> dict[str, int]:
    """What each text may take: the small ones all they need, the large ones the rest in equal parts."""
    shares: dict[str, int] = {}
    for left, name in enumerate(sorted(needs, key=lambda name: needs[name])):
        shares[name] = min(needs[name], room // (len(needs) - left))
        room -= shares[name]
    return shares
