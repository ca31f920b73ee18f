"""One session's way to the data: what it asks, as requests to the pool's workers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from core.errors import ToolError
from core.protocols import QueryColumns
from databases.schema import Schema
from tools.limits import ToolLimits


@dataclass(frozen=True)
class Answer:
    """What a worker said to one request."""

    body: bytes
    truncated: bool
    fields: tuple[str, ...]
    row_count: int = 0

    @classmethod
    def read(cls, head: Mapping[str, Any], body: bytes) -> Answer:
        """Out of a message. Raises the ToolError that it may hold."""
        if (error := head.get("error")) is not None:
            raise ToolError(
                str(error), kind=str(head["kind"]), violations=tuple(head.get("violations", ()))
            )
        return cls(body, bool(head["truncated"]), tuple(head["fields"]), head.get("row_count", 0))


@dataclass(frozen=True)
class Reply:
    """A tool's answer, ready to be shown."""

    text: str
    """Compact JSON."""
    truncated: bool
    accessed_fields: tuple[str, ...]


class Asked(Protocol):
    """The pool, as a hand sees it."""

    async def ask(self, hand: SqlHand, request: Mapping[str, Any]) -> Answer:
        """Have a request answered within the hand's `sql_seconds`. Raises ToolError."""
        ...

    def leave(self, hand: SqlHand) -> None:
        """Stop everything that this session has asked."""
        ...


class SqlHand:
    """What one session may ask. Every method raises ToolError: refused, sql, timeout, limit, ..."""

    def __init__(self, pool: Asked, session: str, limits: ToolLimits) -> None:
        self._pool = pool
        self.session = session
        self.limits = limits
        # But for what is as usual: it goes with every request.
        self._told_limits = limits.model_dump_json(exclude_defaults=True)
        self._closed = False

    async def info(self, *, offset: int = 0, reply_chars: int | None = None) -> Reply:
        """The reply of get_database_info."""
        return await self._reply("info", offset=offset, reply_chars=reply_chars)

    async def describe(
        self, table: str, *, offset: int = 0, reply_chars: int | None = None
    ) -> Reply:
        """The reply of describe_table."""
        return await self._reply("describe", table=table, offset=offset, reply_chars=reply_chars)

    async def rows(
        self,
        sql: str,
        *,
        limit: int,
        offset: int = 0,
        reply_chars: int | None = None,
        remark: str | None = None,
    ) -> Reply:
        """The reply of execute_query; `remark` comes first in its note."""
        self._check_length(sql)
        return await self._reply(
            "rows", sql=sql, limit=limit, offset=offset, reply_chars=reply_chars, remark=remark
        )

    async def frame(self, sql: str) -> QueryColumns:
        """A whole result for Python, within frame_rows and frame_bytes."""
        self._check_length(sql)
        answer = await self._ask("frame", sql=sql)
        return QueryColumns(
            payload=answer.body,
            row_count=answer.row_count,
            truncated=answer.truncated,
            accessed_fields=answer.fields,
        )

    async def schema(self) -> Schema:
        """Everything that there is to know of the tables."""
        return Schema.model_validate_json((await self._ask("schema")).body)

    def close(self) -> None:
        """Stop what is in flight; whoever waits for it has an error `cancelled`. Idempotent."""
        self._closed = True
        self._pool.leave(self)

    def _check_length(self, sql: str) -> None:
        if len(sql) > (most := self.limits.sql_chars):
            raise ToolError(
                f"the query has {len(sql):,} characters; at most {most:,} are taken: write it shorter,"
                " or as several queries",
                kind="arguments",
            )

    async def _reply(self, what: str, *, reply_chars: int | None, **request: Any) -> Reply:
        most = self.limits.reply_room(reply_chars)
        answer = await self._ask(what, reply_chars=most, **request)
        return Reply(answer.body.decode(), answer.truncated, answer.fields)

    async def _ask(self, what: str, **request: Any) -> Answer:
        if self._closed:
            raise ToolError("this session is closed", kind="internal")
        return await self._pool.ask(self, {"do": what, "limits": self._told_limits, **request})
