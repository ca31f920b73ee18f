"""The gate, spoken to without a socket: what it lets through, and what it says to the rest."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from server.http import bodies
from server.http.gate import MOST_HEADERS, Gate
from server.http.hosts import LOOPBACK, AllowedHosts
from server.http.options import MOST_BODY

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

BASE = "http://localhost"


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Say how many bytes came."""
    size, more = 0, scope["method"] == "POST"
    while more:
        message = await receive()
        size += len(message.get("body", b""))
        more = message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(size).encode()})


async def broken(scope: Scope, receive: Receive, send: Send) -> None:
    raise RuntimeError("/home/secret/place")


async def broken_midway(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    raise RuntimeError("/home/secret/place")


ROUTES: Mapping[str, ASGIApp] = {"/r": echo, "/broken": broken, "/midway": broken_midway}


def ask(method: str, path: str, **request: Any) -> httpx.Response:
    async def asking() -> httpx.Response:
        gate = Gate(AllowedHosts(LOOPBACK), ROUTES)
        transport = httpx.ASGITransport(gate, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url=BASE) as client:
            return await client.request(method, path, **request)

    return asyncio.run(asking())


def problem(answer: httpx.Response) -> str:
    """What an error says; all have one form."""
    assert answer.headers["content-type"] == "application/problem+json"
    said = answer.json()
    assert set(said) == {"type", "title", "status", "detail"}
    assert said["status"] == answer.status_code
    return str(said["detail"])


def test_it_is_healthy_and_says_no_more() -> None:
    answer = ask("GET", "/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
    assert ask("HEAD", "/healthz").status_code == 200
    assert ask("POST", "/healthz").status_code == 405


@pytest.mark.parametrize("path", ["/healthz", "/r/x/mcp", "/nothing"])
def test_another_host_is_refused_before_anything_else(path: str) -> None:
    answer = ask("POST", path, headers={"host": "evil.example"})
    assert answer.status_code == 421
    assert "evil" not in problem(answer)


def test_two_hosts_are_none() -> None:
    headers = [(b"host", b"localhost"), (b"host", b"localhost")]
    assert ask("GET", "/healthz", headers=headers).status_code == 421


@pytest.mark.parametrize("origin", ["http://evil.example", "null", ""])
def test_a_page_of_another_origin_is_refused(origin: str) -> None:
    answer = ask("POST", "/r/x/mcp", headers={"origin": origin})
    assert answer.status_code == 403
    problem(answer)
    assert ask("POST", "/r/x/mcp", headers={"origin": "http://localhost:3000"}).status_code == 200


def test_a_body_of_the_limit_comes_through_and_one_byte_more_does_not() -> None:
    assert ask("POST", "/r/x/mcp", content=b"x" * MOST_BODY).text == str(MOST_BODY)
    assert ask("POST", "/r/x/mcp", content=b"x" * (MOST_BODY + 1)).status_code == 413


def chunks(count: int, size: int = 64 << 10) -> Callable[[], AsyncIterator[bytes]]:
    async def body() -> AsyncIterator[bytes]:
        for _ in range(count):
            yield b"x" * size

    return body


def test_a_body_whose_length_nobody_told_is_counted() -> None:
    assert ask("POST", "/r/x/mcp", content=chunks(4)()).text == str(MOST_BODY)
    answer = ask("POST", "/r/x/mcp", content=chunks(5)())
    assert answer.status_code == 413
    assert str(MOST_BODY) in problem(answer)


def test_a_body_that_does_not_end_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "BODY_S", 0.05)

    async def slow() -> AsyncIterator[bytes]:
        yield b"x"
        await asyncio.sleep(30)

    assert ask("POST", "/r/x/mcp", content=slow()).status_code == 408


def test_headers_are_bounded() -> None:
    assert ask("GET", "/r/x", headers={"x": "y" * MOST_HEADERS}).status_code == 431


@pytest.mark.parametrize(
    "path", ["/", "", "/nothing", "/r/%00/mcp", "/r/%0a", "/r/%1b[2J", "//r/x", "/R/x"]
)
def test_what_is_not_there_is_answered_with_the_same_words_always(path: str) -> None:
    answer = ask("POST", path)
    assert answer.status_code == 404
    assert answer.content == ask("GET", "/elsewhere").content


def test_a_fault_of_ours_shows_nothing_of_itself(caplog: pytest.LogCaptureFixture) -> None:
    answer = ask("GET", "/broken")
    assert answer.status_code == 500
    assert problem(answer) == "this went wrong on our side"
    assert "/home/secret/place" in caplog.text, "who runs the server is told"


def test_a_fault_midway_breaks_the_answer_off() -> None:
    """Nothing is appended to half an answer."""
    assert "secret" not in ask("GET", "/midway").text


def test_every_error_is_json() -> None:
    assert json.loads(ask("GET", "/nothing").content)["title"] == "Not Found"
