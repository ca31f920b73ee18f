"""Serve all seven tools to agents from outside: one server for every seat, whose desk each request names."""

from __future__ import annotations

import contextlib
import logging
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import anyio
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel.helper_types import ReadResourceContents
from mcp.server.mcpserver import Context
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolResult,
    GetPromptResult,
    InputRequiredResult,
    PromptMessage,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
    TextContent,
)
from mcp.types import Prompt as ListedPrompt
from mcp.types import Resource as ListedResource
from mcp.types import Tool as ListedTool

from core.errors import DdrError, ToolError
from core.outside import Caller
from server.desk import Desk
from server.http.bodies import replay
from server.mcp_app.answering import Answering
from server.mcp_app.callers import NAME_CHARS, bounded, caller_of
from server.mcp_app.plain_calls import PlainCalls, may_be_plain
from server.mcp_app.replies import (
    PROGRESS_S,
    RESULT_CHARS,
    OurServer,
    broken,
    listed,
    nowhere,
    progress,
    result,
)
from server.mcp_app.schemas import output_schema
from server.revision import version as installed

if TYPE_CHECKING:
    from pydantic import AnyUrl
    from starlette.requests import Request
    from starlette.types import ASGIApp, Receive, Scope, Send

_LOG = logging.getLogger(__name__)

SCHEMA: Final = "ddr://schema"
START: Final = "start"
DESK: Final = "ddr.desk"
"""Where a request's ASGI scope holds the desk that it was let in to."""
MOST_STREAMS: Final = 256
"""Of subscriptions/listen, in one process."""
MOST_STREAMS_PER_SEAT: Final = 8

Find = Callable[["Request | None"], Awaitable[Desk | None]]
"""The desk of a message, by the HTTP request that brought it (None over stdio)."""


@dataclass
class _Visit:
    """The message that is being served, at its desk."""

    desk: Desk
    caller: Caller
    is_call: bool = False


_VISIT: ContextVar[_Visit | None] = ContextVar("visit", default=None)


async def desk_in_scope(request: Request | None) -> Desk | None:
    """The desk that whoever let the request in has put into its scope."""
    return None if request is None else request.scope.get(DESK)


class OutsideServer(OurServer):
    """An MCP server without state of its own: whatever is remembered, the desks remember."""

    def __init__(
        self,
        find: Find = desk_in_scope,
        *,
        version: str | None = None,
        images: bool = True,
        progress_s: float = PROGRESS_S,
    ) -> None:
        """`images`: figures that Python draws are sent as pictures too."""
        bus = InMemorySubscriptionBus()
        super().__init__(
            "ddr",
            title="Open-ended data research",
            version=version or installed(),
            subscriptions=bus,
            middleware=[self._attend],
            log_level="WARNING",
        )
        self._find, self._images, self._progress_s = find, images, progress_s
        self._plain_calls = PlainCalls()
        self._answering = Answering(
            self._lowlevel_server.server_info_stamp, images=images, progress_s=progress_s
        )
        self._listening = ListenHandler(bus, max_subscriptions=MOST_STREAMS)
        self._streams: Counter[str] = Counter()
        self._lowlevel_server.add_request_handler(
            "subscriptions/listen", SubscriptionsListenRequestParams, self._listen
        )

    # Transports

    @contextlib.asynccontextmanager
    async def http(self, *, stateless: bool, most_bytes: int) -> AsyncIterator[ASGIApp]:
        """This server as an ASGI app for one endpoint, while the block lasts."""
        manager = StreamableHTTPSessionManager(
            self._lowlevel_server, stateless=stateless, max_request_body_size=most_bytes
        )

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            desk = scope.get(DESK)
            if desk is not None and may_be_plain(scope["method"], scope["headers"]):
                first = await receive()
                call = self._plain_calls.read(scope["headers"], first)
                if call is not None:
                    await self._answering.answer(call, desk, receive, send)
                    return
                receive = replay(first, receive)
            if desk is not None and not stateless:
                # A session belongs to the seat that it was opened at: to others it is not there.
                seat = AccessToken(token="", client_id=desk.seat.path, scopes=[])
                scope = {**scope, "user": AuthenticatedUser(seat)}
            await manager.handle_request(scope, receive, send)

        async with manager.run():
            try:
                yield app
            finally:
                self.hang_up()

    def hang_up(self) -> None:
        """End the streams on which clients wait for news, so that nobody waits for them."""
        self._listening.close()

    # What is served

    async def list_tools(self) -> list[ListedTool]:
        """The seat's tools, with the hints that clients ask for."""
        visit = _VISIT.get()
        if visit is None:
            return []
        try:
            specs = await visit.desk.specs()
        except DdrError as exc:
            raise _refusal(exc, "the tools cannot be opened") from exc
        return [listed(spec, output_schema(spec.name), result_chars=RESULT_CHARS) for spec in specs]

    async def call_tool(
        self, name: str, arguments: Mapping[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult:
        """Call one tool. Whatever goes wrong is a result with is_error, never a protocol error."""
        visit = _VISIT.get()
        if visit is None:
            return result(nowhere(name[:NAME_CHARS]))
        visit.is_call = True
        try:
            async with progress(name[:NAME_CHARS], context, self._progress_s):
                seen = await visit.desk.call(name[:NAME_CHARS], arguments, visit.caller)
        except Exception:  # noqa: BLE001 - a broken tool must not end the session
            _LOG.exception("tool %r broke", name[:NAME_CHARS])
            seen = broken(name[:NAME_CHARS])
        return result(seen, images=self._images)

    async def list_resources(self) -> list[ListedResource]:
        """The tables, for clients that show resources."""
        if _VISIT.get() is None:
            return []
        return [
            ListedResource(
                uri=SCHEMA,
                name="schema",
                title="Database overview",
                description="The tables, as get_database_info tells of them.",
                mime_type="application/json",
            )
        ]

    async def read_resource(
        self, uri: AnyUrl | str, context: Context[Any, Any] | None = None
    ) -> Iterable[ReadResourceContents] | InputRequiredResult:
        """The tables; it is no call, and no turn."""
        visit = _VISIT.get()
        if visit is None or str(uri) != SCHEMA:
            return await super().read_resource(uri, context)
        try:
            text = await visit.desk.schema()
        except DdrError as exc:
            raise _refusal(exc, "the tables cannot be read") from exc
        return [ReadResourceContents(content=text, mime_type="application/json")]

    async def list_prompts(self) -> list[ListedPrompt]:
        """What an agent may be started with."""
        if _VISIT.get() is None:
            return []
        said = "The task and the rules, as get_task tells them."
        return [ListedPrompt(name=START, title="Start", description=said, arguments=[])]

    async def get_prompt(
        self,
        name: str,
        arguments: dict[str, Any] | None = None,
        context: Context[Any, Any] | None = None,
    ) -> GetPromptResult | InputRequiredResult:
        """The task as a user's message."""
        visit = _VISIT.get()
        if visit is None or name != START or arguments:
            raise MCPError(code=INVALID_PARAMS, message=f"there is one prompt, {START}, as it is")
        text = TextContent(type="text", text=visit.desk.instructions())
        return GetPromptResult(messages=[PromptMessage(role="user", content=text)])

    # Every message

    async def _attend(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """Find the desk of a message, write it down where it is no call, and let it be served."""
        try:
            desk = await self._find(ctx.request)
        except DdrError as exc:
            raise _refusal(exc, "this cannot be explored now") from exc
        if desk is None:
            return await call_next(ctx)
        visit = _Visit(desk, caller_of(ctx))
        token = _VISIT.set(visit)
        try:
            if ctx.method != "tools/call":
                await self._hear(visit, ctx)
            elif not isinstance((ctx.params or {}).get("name"), str):
                await self._hear(visit, ctx)  # refused as malformed, below
            served = await call_next(ctx)
        finally:
            _VISIT.reset(token)
        if ctx.method in ("initialize", "server/discover") and isinstance(served, dict):
            return {**served, "instructions": desk.instructions()}
        return served

    async def _hear(self, visit: _Visit, context: ServerRequestContext[Any, Any]) -> None:
        is_notice = context.request_id is None
        try:
            # Nobody waits for what becomes of a notice: its transport ends while we write it down.
            with anyio.CancelScope(shield=is_notice):
                await visit.desk.hear(context.method[:NAME_CHARS], visit.caller)
                if context.method == "notifications/cancelled":
                    taken_back = (context.params or {}).get("requestId")
                    if isinstance(taken_back, (str, int)):
                        await visit.desk.cancel(bounded(taken_back))
        except DdrError as exc:
            raise _refusal(exc, "nothing can be written down; try again later") from exc

    async def _listen(
        self, context: ServerRequestContext[Any, Any], params: SubscriptionsListenRequestParams
    ) -> SubscriptionsListenResult:
        visit = _VISIT.get()
        key = "" if visit is None else visit.desk.seat.path
        if self._streams[key] >= MOST_STREAMS_PER_SEAT:
            raise MCPError(
                code=INTERNAL_ERROR, message=f"at most {MOST_STREAMS_PER_SEAT} streams at a time"
            )
        self._streams[key] += 1
        try:
            return await self._listening(context, params)
        finally:
            self._streams[key] -= 1
            self._streams += Counter()  # forget those at zero


def _refusal(exc: DdrError, told: str) -> MCPError:
    """An error for the client. Only a ToolError's text is meant for it: others may name our paths."""
    _LOG.error("%s", exc, exc_info=not isinstance(exc, ToolError))
    return MCPError(code=INTERNAL_ERROR, message=str(exc) if isinstance(exc, ToolError) else told)
