"""The tools of one session over one database: offered, checked, called, and never raising at an agent."""

from __future__ import annotations

import functools
import json
import logging
import time
from collections.abc import Mapping, Sequence
from typing import Any

from core.errors import SandboxError, ToolError, UnknownNameError
from core.protocols import Observation, SandboxFactory, ToolSpec
from core.scenario import ToolName
from core.trajectory import Sandbox
from tools.limits import ToolLimits
from tools.python.sandbox import OFF, state_of
from tools.python.session import GONE, PythonSession, render_cell, render_page, verdict
from tools.rendering import fit
from tools.scrub import Scrubber
from tools.specs import arguments_of, check_arguments, spec_of
from tools.sql.hand import Reply
from tools.sql.pool import SqlPool
from tools.threads import in_thread
from tools.values import compact

SPARE = 200
_KNOWN: tuple[ToolName, ...] = (
    "get_database_info",
    "describe_table",
    "execute_query",
    "execute_code",
)
_log = logging.getLogger(__name__)


class ToolSet:
    """What one agent may do to one database. Implements core.protocols.Tools."""

    def __init__(
        self,
        pool: SqlPool,
        *,
        names: Sequence[ToolName],
        sandbox: SandboxFactory | None,
        limits: ToolLimits | None = None,
        session: str,
    ) -> None:
        """`pool`: started, and closed by whoever started it; its limits hold where none are given.

        Raises UnknownNameError.
        """
        for name in names:
            if name not in _KNOWN:
                raise UnknownNameError("tool", name, _KNOWN)
        self._names = tuple(dict.fromkeys(names))
        self._limits = limits or pool.limits
        self._arguments = {name: arguments_of(name, self._limits) for name in self._names}
        self._sandbox = sandbox
        self._sql = pool.hand(session, self._limits)
        self._scrubber = Scrubber(pool.database)
        self._engine = pool.target.dialect
        self._python: PythonSession | None = None
        if sandbox:
            self._python = PythonSession(sandbox, self._sql.frame, self._limits, session)
        self._printed = ""
        """All that is kept of what the last cell printed."""
        self._closed = False

    @functools.cached_property
    def sandbox_state(self) -> Sandbox:
        """How Python is held, or why it is not on offer. Asks the machine at the first time."""
        if "execute_code" not in self._names:
            return Sandbox(name=OFF, detail="the tools of this run leave Python out")
        if self._sandbox is None:
            return Sandbox(name=OFF, detail="no sandbox was chosen for this run")
        return state_of(self._sandbox)

    async def list(self) -> Sequence[ToolSpec]:
        """The tools on offer; execute_code only where a sandbox holds it."""
        return [spec_of(name, self._limits, self._engine) for name in await self._offered()]

    async def call(self, name: str, arguments: Mapping[str, Any]) -> Observation:
        """Call one. A failed call is an Observation with is_error, never an exception."""
        seen = await self.tell(name, arguments)
        if seen.data is not None:
            return seen
        return seen.model_copy(update={"data": json.loads(seen.text)})

    async def tell(self, name: str, arguments: Mapping[str, Any]) -> Observation:
        """The same for whoever sends it on: where `data` is None, it is what the text says as JSON."""
        started = time.monotonic()
        try:
            seen = await self._dispatch(name, arguments)
        except ToolError as exc:
            seen = self._failure(exc.kind, str(exc), exc.violations)
        except SandboxError as exc:
            seen = self._failure("sandbox", f"Python cannot be used: {exc}")
        except Exception:  # noqa: BLE001 - our fault, whatever it is, is never the tool's output
            _log.exception("the tool %s failed", name)
            seen = self._failure(
                "internal", "an internal fault of the server; your call was not at fault"
            )
        return seen.model_copy(update={"duration_s": time.monotonic() - started})

    async def close(self) -> None:
        """End the Python session and the queries that still run."""
        self._closed = True
        self._sql.close()
        if self._python:
            await self._python.close()

    async def _offered(self) -> tuple[ToolName, ...]:
        if "execute_code" not in self._names:
            return self._names
        if "sandbox_state" not in self.__dict__:  # the first time, it starts a sandbox to see
            await in_thread(lambda: self.sandbox_state, name="sandbox-state")
        if self.sandbox_state.name != OFF:
            return self._names
        return tuple(name for name in self._names if name != "execute_code")

    async def _dispatch(self, name: str, arguments: Mapping[str, Any]) -> Observation:
        if self._closed:
            raise ToolError("this session is closed", kind="internal")
        tool = next((known for known in await self._offered() if known == name), None)
        if tool is None:
            raise ToolError(await self._unknown(name), kind="unknown_tool")
        given = check_arguments(self._arguments[tool], arguments, tool)
        if tool == "execute_query":
            return await self._query(**given)
        if tool == "execute_code":
            return await self._code(**given)
        if tool == "get_database_info":
            return _shown(await self._sql.info(**given))
        return _shown(await self._sql.describe(given.pop("table_name"), **given))

    async def _unknown(self, name: str) -> str:
        offered = ", ".join(await self._offered()) or "none"
        if name in self._names:  # only Python can be named and not offered
            return f"{name} is off: {self.sandbox_state.detail}; tools: {offered}"
        return f"there is no tool {name!r}; tools: {offered}"

    async def _query(
        self,
        query: str,
        limit: int | None = None,
        offset: int = 0,
        reply_chars: int | None = None,
    ) -> Observation:
        limits = self._limits
        asked = limits.default_rows if limit is None else limit
        remark = None
        if asked > limits.max_rows:
            remark = f"limit {asked} was lowered to {limits.max_rows}."
        if offset > limits.max_offset:
            raise ToolError(f"'offset' must be at most {limits.max_offset}", kind="arguments")
        reply = await self._sql.rows(
            query,
            limit=min(asked, limits.max_rows),
            offset=offset,
            reply_chars=reply_chars,
            remark=remark,
        )
        return _shown(reply)

    async def _code(
        self,
        code: str | None = None,
        timeout: float | None = None,
        reset: bool = False,
        output_offset: int | None = None,
        reply_chars: int | None = None,
    ) -> Observation:
        limits = self._limits
        most = limits.reply_room(reply_chars)
        if code is None:
            if output_offset is None:
                raise ToolError("execute_code needs 'code': Python to run", kind="arguments")
            return _shown_data(render_page(self._printed, output_offset, most))
        if output_offset is not None:
            raise ToolError("'output_offset' stands alone, without 'code'", kind="arguments")
        seconds = limits.python_seconds if timeout is None else timeout
        notes = []
        if seconds > limits.python_max_seconds:
            notes.append(f"timeout {seconds:g} was lowered to {limits.python_max_seconds:g}.")
            seconds = limits.python_max_seconds
        assert self._python is not None  # or the tool were not on offer
        result = await self._python.run(code, seconds, reset=reset)
        result = result.model_copy(update=self._scrubber.words({"stdout": result.stdout}))
        self._printed = result.stdout
        if result.state_lost:
            notes.append(f"Python was restarted before this call: {GONE.partition(';')[0]}.")
        kind, error = verdict(result, seconds, limits)
        data = self._scrubber.words(render_cell(result, error, notes, limits, most))
        return _shown_data(
            data,
            is_error=kind is not None,
            error_kind=kind,
            accessed_fields=result.accessed_fields,
            violations=result.violations,
            images=result.figures,
        )

    def _failure(self, kind: str, text: str, violations: tuple[str, ...] = ()) -> Observation:
        said, cut = fit(text, self._limits.reply_room(None) - SPARE)
        data = self._scrubber.words({"error": said, "kind": kind})
        return Observation(
            text=compact(data),
            data=data,
            is_error=True,
            error_kind=kind,
            truncated=cut,
            violations=violations,
        )


def _shown(reply: Reply) -> Observation:
    return Observation(
        text=reply.text,
        truncated=reply.truncated,
        accessed_fields=reply.accessed_fields,
    )


def _shown_data(data: dict[str, Any], **more: Any) -> Observation:
    return Observation(text=compact(data), data=data, truncated=data["truncated"], **more)
