"""The HTTP side of a scripted endpoint: a loop of its own in a thread, raw enough to break things."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from types import ModuleType, TracebackType
from typing import Any, Self

from tests.support.endpoint import anthropic_wire, gemini_wire, openai_wire, responses_wire
from tests.support.endpoint.script import (
    Api,
    ContextLength,
    Hang,
    Malformed,
    Request,
    Reset,
    Say,
    Script,
    Status,
    Step,
)

_WIRES: dict[Api, ModuleType] = {
    "openai": openai_wire,
    "responses": responses_wire,
    "anthropic": anthropic_wire,
    "gemini": gemini_wire,
}
_PHRASES = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found"}


class ScriptedEndpoint:
    """A model's endpoint that answers by a script (the package's docstring tells how)."""

    def __init__(
        self,
        script: Script,
        *,
        latency_s: float = 0.0,
        repeat_last: bool = False,
        context_tokens: int | None = None,
    ) -> None:
        self._script = script if callable(script) else list(script)
        self._latency_s = latency_s
        self._repeat_last = repeat_last
        self._context_tokens = context_tokens
        self._requests: list[Request] = []
        self._strays: list[str] = []
        self._faults: list[Exception] = []
        self._open = 0
        self.peak = 0
        """The most requests that waited for an answer at one time."""
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), daemon=True)

    # What a test asks it

    @property
    def url(self) -> str:
        """The root, without a path."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def openai_url(self) -> str:
        """Base URL for OpenAI's format: with /v1."""
        return f"{self.url}/v1"

    @property
    def anthropic_url(self) -> str:
        """Base URL for Anthropic's format."""
        return self.url

    @property
    def gemini_url(self) -> str:
        """Base URL for Gemini's format: with /v1beta."""
        return f"{self.url}/v1beta"

    @property
    def requests(self) -> tuple[Request, ...]:
        """All that was asked so far, faulty answers included."""
        return tuple(self._requests)

    @property
    def strays(self) -> tuple[str, ...]:
        """'GET /path' of requests that no wire format knows; they got a 404."""
        return tuple(self._strays)

    # Life

    def __enter__(self) -> Self:
        self._thread.start()
        if not self._ready.wait(30):
            raise RuntimeError("the scripted endpoint did not start")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        exc: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._loop.call_soon_threadsafe(self._done.set)
        self._thread.join(30)
        if kind is None and self._faults:
            raise self._faults[0]

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        exc: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await asyncio.to_thread(self.__exit__, kind, exc, trace)

    async def _run(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._done = asyncio.Event()
        self._talks: set[asyncio.Task[None]] = set()
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0, limit=2**26)
        self._port = int(server.sockets[0].getsockname()[1])
        self._ready.set()
        await self._done.wait()
        server.close()
        for talk in self._talks:
            talk.cancel()
        await asyncio.gather(*self._talks, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        talk = asyncio.current_task()
        if talk is None:
            raise AssertionError("a connection is served in a task")
        self._talks.add(talk)
        try:
            while await self._exchange(reader, writer):
                pass
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client has gone, or the endpoint is closed
        finally:
            self._talks.discard(talk)
            writer.close()

    # One request and its answer

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Read one request and answer it; whether the connection still stands."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.split("\r\n")
        method, path, _ = first.split(" ", 2)
        pairs = (line.partition(":") for line in lines if line)
        headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        api = _api(path)
        if method != "POST" or api is None:
            self._strays.append(f"{method} {path}")
            return await _send(writer, 404, {"error": {"message": f"no such path: {path}"}})
        request = self._read(api, path, headers, json.loads(body))
        self._open += 1
        self.peak = max(self.peak, self._open)
        try:
            return await self._answer(request, reader, writer)
        finally:
            self._open -= 1

    def _read(self, api: Api, path: str, headers: dict[str, str], body: Any) -> Request:
        named = body.get("model") or path.rpartition("/models/")[2].partition(":")[0]
        request = Request(
            number=len(self._requests) + 1,
            api=api,
            path=path,
            headers=headers,
            body=body,
            model=named,
            messages=tuple(_WIRES[api].messages(body)),
            tools=() if _forbids_calls(body) else tuple(_WIRES[api].tools(body)),
            stream="stream" in path if api == "gemini" else bool(body.get("stream")),
            at=time.monotonic(),
        )
        self._requests.append(request)
        return request

    def _step(self, request: Request) -> Step:
        if self._context_tokens is not None and len(request.text) > 4 * self._context_tokens:
            return ContextLength()
        try:
            if callable(self._script):
                return self._script(request)
            place = request.number - 1
            if self._repeat_last:
                place = min(place, len(self._script) - 1)
            if place < len(self._script):
                return self._script[place]
            raise AssertionError(f"the script has ended, and request {request.number} came")
        except Exception as exc:  # noqa: BLE001 - a test's script may raise anything; the test gets it
            self._faults.append(exc)
            return Status(400, text=f"the script has ended or failed: {exc}")

    async def _answer(
        self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        step = self._step(request)
        wire = _WIRES[request.api]
        await asyncio.sleep(self._latency_s if step.latency_s is None else step.latency_s)
        if isinstance(step, Hang):
            await reader.read(1)  # until the client goes, or the endpoint is closed
            return False
        if isinstance(step, Reset):
            if step.mid_body:
                whole = json.dumps(wire.reply(Say("cut off"), request)).encode()
                writer.write(_head(200, len(whole), {}) + whole[: len(whole) // 2])
                await writer.drain()
                await asyncio.sleep(0.05)  # a reset overtakes what the client has not read yet
            _reset(writer)
            return False
        if isinstance(step, Malformed):
            return await _send(writer, 200, step.body)
        if isinstance(step, Say):
            if request.stream:
                return await _stream(writer, wire.stream(step, request))
            return await _send(writer, 200, wire.reply(step, request))
        code, body = wire.error(step)
        if isinstance(step, Status) and step.error is not None:
            body = {"error": dict(step.error)}
        told = step.retry_after if isinstance(step, Status) else None
        return await _send(writer, code, body, {"retry-after": told} if told else {})


def _api(path: str) -> Api | None:
    plain = path.partition("?")[0]
    if plain.endswith("/chat/completions"):
        return "openai"
    if plain.endswith("/responses"):
        return "responses"
    if plain.endswith("/messages"):
        return "anthropic"
    if plain.endswith((":generateContent", ":streamGenerateContent")):
        return "gemini"
    return None


def _forbids_calls(body: Mapping[str, Any]) -> bool:
    """Whether the request offers its tools only for the history's sake."""
    return body.get("tool_choice") in ("none", {"type": "none"})


def _head(code: int, size: int | None, more: Mapping[str, str], kind: str = "json") -> bytes:
    mime = "application/json" if kind == "json" else "text/event-stream"
    lines = [f"HTTP/1.1 {code} {_PHRASES.get(code, 'Scripted')}", f"content-type: {mime}"]
    lines.append("connection: close" if size is None else f"content-length: {size}")
    lines += [f"{name}: {value}" for name, value in more.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


async def _send(
    writer: asyncio.StreamWriter, code: int, body: Any, more: Mapping[str, str] | None = None
) -> bool:
    whole = (body if isinstance(body, str) else json.dumps(body)).encode()
    writer.write(_head(code, len(whole), more or {}) + whole)
    await writer.drain()
    return True


async def _stream(writer: asyncio.StreamWriter, events: Iterator[str]) -> bool:
    writer.write(_head(200, None, {}, kind="events"))
    for event in events:
        writer.write(event.encode())
        await writer.drain()
    return False


def _reset(writer: asyncio.StreamWriter) -> None:
    """Close with a TCP reset instead of an end."""
    held: Any = writer.get_extra_info("socket")
    with suppress(OSError):
        held.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
