"""What a hostile client sends through the front door, and the documented answer to each."""

from __future__ import annotations

import asyncio
import json
import socket
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.trajectory import StopReason
from tests.server.http.conftest import Enrol, Guest
from tests.support.mcp_http import ERAS, Era, answer_of, call, headers_for, request
from tests.support.serving import Server

pytestmark = pytest.mark.real

COUNT: dict[str, Any] = {"query": "SELECT count(*) AS n FROM flights"}
LEAKS = ("/tmp", "/root", "/home", "/work", 'File "', "Traceback", "sqlite", ".duckdb")


def harmless(answer: httpx.Response) -> httpx.Response:
    """An answer that tells nothing of the machine."""
    assert not [leak for leak in LEAKS if leak in answer.text], answer.text
    return answer


@pytest.mark.parametrize("era", ERAS)
def test_another_runs_token_a_guessed_path_and_no_token_are_let_in_nowhere(
    era: Era, guests: Enrol
) -> None:
    mine, other = guests(2)
    message = call("execute_query", era, **COUNT)
    stranger = harmless(mine.post(message, era, headers={"Authorization": f"Bearer {other.token}"}))
    assert stranger.status_code == 401
    assert stranger.headers["www-authenticate"] == "Bearer"
    guessed = httpx.post(
        mine.url.replace(mine.issued.seat.path, "A" * 22),
        json=message,
        headers=headers_for(mine.token, message, era),
    )
    assert (guessed.status_code, guessed.json()["detail"]) == (404, "there is nothing here")
    assert mine.calls() == other.calls() == []


@pytest.mark.parametrize("era", ERAS)
def test_five_megabytes_are_refused_and_the_next_message_is_served(era: Era, guest: Guest) -> None:
    big = call("execute_query", era, query="x" * (5 << 20))
    assert harmless(guest.post(big, era)).status_code == 413
    parts = (b"x" * 65536 for _ in range(80))
    headers = headers_for(guest.token, big, era)
    told_nothing = httpx.post(guest.url, content=parts, headers=headers, timeout=60)
    assert told_nothing.status_code == 413
    assert not guest.ask(call("execute_query", era, **COUNT), era)["result"]["isError"]
    assert len(guest.calls()) == 1


@pytest.mark.parametrize(
    ("name", "value", "status"),
    [
        ("Host", "evil.example", 421),
        ("Host", "127.0.0.1.evil.example", 421),
        ("Origin", "http://evil.example", 403),
        ("Origin", "null", 403),
        ("X-Long", "x" * 20_000, 431),
        ("Accept", "text/html", 406),
        ("Content-Type", "text/plain", 400),
    ],
)
@pytest.mark.parametrize("era", ERAS)
def test_a_bad_header_has_its_answer(
    name: str, value: str, status: int, era: Era, guest: Guest
) -> None:
    message = call("execute_query", era, **COUNT)
    answer = harmless(guest.post(message, era, headers={name: value}))
    assert answer.status_code == status, answer.text
    assert guest.calls() == []


def test_headers_without_end_are_cut_off(server: Server) -> None:
    url = httpx.URL(server.url)
    with socket.create_connection((url.host, url.port or 0), timeout=30) as raw:
        raw.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ")
        answer = b""
        try:
            for _ in range(64):
                raw.sendall(b"x" * 4096)
            answer = raw.recv(4096)
        except OSError:
            pass  # it hung up
    assert b" 200 " not in answer
    assert httpx.get(f"{server.url}/healthz").status_code == 200


BAD_BODIES: list[bytes] = [
    b"",
    b"{",
    b"[]",
    b"null",
    b'"x"',
    b"\xff\xfe\x00",
    b"[" * 100_000,
    b'{"a":' * 20_000,
    b"1" * 200_000,
    b'{"jsonrpc":"2.0","id":1}',
    b'{"jsonrpc":"1.0","id":1,"method":"tools/list"}',
    b'{"jsonrpc":"2.0","id":1,"method":7}',
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}',
    b'[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]',
]


@pytest.mark.parametrize("era", ERAS)
def test_what_is_no_message_is_refused_and_the_next_one_is_served(era: Era, guest: Guest) -> None:
    headers = headers_for(guest.token, {"method": "tools/list"}, era)
    for body in BAD_BODIES:
        answer = harmless(httpx.post(guest.url, content=body, headers=headers, timeout=60))
        assert 400 <= answer.status_code < 500, (body[:60], answer.status_code, answer.text[:200])
    assert len(guest.ask(request("tools/list", era), era)["result"]["tools"]) == 7


@pytest.mark.parametrize("era", ERAS)
def test_a_call_without_a_name_or_of_no_tool_breaks_nothing(era: Era, guest: Guest) -> None:
    for params in ({}, {"name": None}, {"name": ["x"]}, {"name": "x", "arguments": "y"}):
        said = guest.ask(request("tools/call", era, **params), era)
        assert "error" in said, said
    long = guest.ask(call("x" * 50_000), "legacy")
    assert long["result"]["isError"]
    assert max(len(c.name) for c in guest.calls()) <= 128
    assert not guest.ask(call("execute_query", era, **COUNT), era)["result"]["isError"]


@pytest.mark.parametrize("number", [None, {}, [], 1.5, True])
@pytest.mark.parametrize("era", ERAS)
def test_a_request_whose_number_is_none_is_refused_or_taken_for_a_notice(
    number: Any, era: Era, guest: Guest
) -> None:
    """The older era of the SDK tells a notice from a request by whether the number is one."""
    answer = harmless(guest.post({**call("execute_query", era, **COUNT), "id": number}, era))
    assert answer.status_code in ((202, 400) if era == "legacy" else (400,))
    assert guest.calls() == []


CONTROLS = "".join(map(chr, range(32))) + "\x7f\x9b\u202e\u2028\ufeff\ud800"


@pytest.mark.parametrize("era", ERAS)
def test_control_characters_everywhere_are_data(era: Era, guest: Guest) -> None:
    meta = {"client\x00": {CONTROLS: CONTROLS}}
    messages = [
        request("initialize", "legacy", clientInfo={"name": CONTROLS, "version": CONTROLS},
                protocolVersion="2025-06-18", capabilities={}),
        call("get_task", era, agent=CONTROLS, model=CONTROLS),
        call("execute_query", era, query=f"SELECT 1 -- {CONTROLS}"),
        call("describe_table", era, table_name=CONTROLS),
        call(CONTROLS, era),
        call("submit_insight", era, text=f"So {CONTROLS}.", evidence=[CONTROLS]),
        request("tools/call", era, f"id{CONTROLS}", name="get_task", arguments={}, _meta=meta),
        request(f"no/such{CONTROLS}", era),
        request("prompts/get", era, name=CONTROLS),
        request("resources/read", era, uri=f"ddr://{CONTROLS}"),
    ]  # fmt: skip
    for message in messages:
        kind: Era = "legacy" if message["method"] == "initialize" else era
        headers = headers_for(guest.token, {"method": "x"}, kind)
        if kind == "auto":
            # A header cannot say these; where it must, the protocol's own refusal is the answer.
            method = message["method"].encode("ascii", "replace").decode()
            headers["Mcp-Method"] = "".join(c for c in method if c.isprintable())
            headers["Mcp-Name"] = str(message["params"].get("name", ""))[:20]
            headers["Mcp-Name"] = "".join(c for c in headers["Mcp-Name"] if c.isalpha() or c == "_")
        answer = httpx.post(
            guest.url, content=json.dumps(message).encode(), headers=headers, timeout=60
        )
        assert answer.status_code < 500, (message, answer.text)
        harmless(answer)
    assert not guest.ask(call("execute_query", era, **COUNT), era)["result"]["isError"]
    json.dumps([c.model_dump(mode="json") for c in guest.calls()])
    assert guest.trajectory().turns


@pytest.mark.parametrize("era", ERAS)
def test_after_finish_nothing_is_taken(era: Era, guest: Guest) -> None:
    guest.ask(call("execute_query", era, **COUNT), era)
    assert not guest.ask(call("finish", era, report="All."), era)["result"]["isError"]
    for name, arguments in (
        ("execute_query", COUNT),
        ("submit_insight", {"text": "More."}),
        ("get_database_info", {}),
    ):
        refused = guest.ask(call(name, era, **arguments), era)["result"]
        assert refused["isError"]
        assert refused["structuredContent"]["kind"] == "ended"
    kept = guest.trajectory()
    assert kept.stop_reason is StopReason.FINISHED
    assert len(kept.turns) == 1
    assert [i.level for i in kept.insights] == ["trajectory"]


def test_of_more_insights_than_may_be_kept_the_first_ones_are(guests: Enrol) -> None:
    (guest,) = guests(1, calls_per_s=100_000, most_insights=20)
    guest.ask(call("execute_query", **COUNT))
    codes: dict[str, int] = {}

    async def one(client: httpx.AsyncClient, number: int) -> None:
        message = call("submit_insight", text=f"Insight {number}.")
        headers = headers_for(guest.token, message, "legacy")
        answer = await client.post(guest.url, json=message, headers=headers)
        kind = str(answer.status_code)
        if answer.status_code == 200:
            told = answer_of(answer)["result"]
            kind = told["structuredContent"].get("kind", "taken")
        codes[kind] = codes.get(kind, 0) + 1

    async def flood() -> None:
        limits = httpx.Limits(max_connections=8)
        async with httpx.AsyncClient(limits=limits, timeout=60) as client:
            await asyncio.gather(*(one(client, number) for number in range(300)))

    asyncio.run(flood())
    assert codes["taken"] == 20
    assert set(codes) <= {"taken", "limit", "busy", "429"}
    assert sum(codes.values()) == 300
    assert len([i for i in guest.trajectory().insights if i.level == "message"]) == 20


def test_more_messages_than_a_seat_may_send_are_told_to_wait(guest: Guest) -> None:
    """Another seat is not disturbed by it."""

    async def one(client: httpx.AsyncClient) -> int:
        message = request("ping")
        headers = headers_for(guest.token, message, "legacy")
        return (await client.post(guest.url, json=message, headers=headers)).status_code

    async def flood() -> set[int]:
        async with httpx.AsyncClient(timeout=60, limits=httpx.Limits(max_connections=50)) as client:
            return set(await asyncio.gather(*(one(client) for _ in range(200))))

    assert asyncio.run(flood()) <= {200, 429}


LISTEN: dict[str, Any] = {"notifications": {"toolsListChanged": True}}


def test_streams_that_wait_for_news_are_bounded_for_each_seat(guest: Guest) -> None:
    message = request("subscriptions/listen", "auto", **LISTEN)
    headers = headers_for(guest.token, message, "auto")

    async def listen() -> list[str]:
        async with httpx.AsyncClient(timeout=30) as client:
            opened: list[Any] = []
            kinds = []
            try:
                for number in range(24):
                    asked = client.stream("POST", guest.url, json={**message, "id": number},
                                          headers=headers)  # fmt: skip
                    answer = await asked.__aenter__()
                    opened.append(asked)
                    kinds.append(answer.headers["content-type"].partition(";")[0])
            finally:
                for asked in opened:
                    await asked.__aexit__(None, None, None)
            return kinds

    kinds = asyncio.run(listen())
    assert kinds.count("text/event-stream") <= 16, "8 in each of two workers"
    assert kinds.count("text/event-stream") >= 8
    assert not guest.ask(call("execute_query", "auto", **COUNT), "auto")["result"]["isError"]


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=8,
)
METHODS = (
    *("initialize", "server/discover", "ping", "tools/list", "tools/call", "resources/list"),
    *("resources/read", "prompts/list", "prompts/get", "completion/complete"),
    *("logging/setLevel", "notifications/cancelled", "notifications/progress", "no/such"),
)
NAMES = ("execute_query", "get_task", "submit_insight", "describe_table", "finish_", "start")


@pytest.mark.parametrize("era", ERAS)
def test_whatever_is_sent_is_answered_and_the_server_goes_on(era: Era, guests: Enrol) -> None:
    (guest,) = guests(1, calls_per_s=100_000)
    with httpx.Client(timeout=60) as client:

        @settings(max_examples=40, suppress_health_check=list(HealthCheck))
        @given(
            method=st.sampled_from(METHODS) | st.text(max_size=10),
            number=st.integers() | st.text(max_size=8) | anything,
            name=st.sampled_from(NAMES) | anything,
            params=st.dictionaries(st.text(max_size=8), anything, max_size=3),
            arguments=st.dictionaries(
                st.sampled_from(("query", "limit", "text", "turn", "evidence", "table_name"))
                | st.text(max_size=8),
                anything,
                max_size=4,
            ),
        )
        def send(method: str, number: Any, name: Any, params: Any, arguments: Any) -> None:
            given_params = {**params, "name": name, "arguments": arguments}
            message = request(method, era, **{**given_params})
            message["id"] = number
            headers = headers_for(guest.token, {"method": "ping"}, era)
            if era == "auto":
                headers["Mcp-Method"] = "".join(c for c in method if " " < c < "\x7f")
                named = name if isinstance(name, str) else ""
                headers["Mcp-Name"] = "".join(c for c in named if " " < c < "\x7f")
            answer = client.post(guest.url, content=json.dumps(message).encode(), headers=headers)
            assert answer.status_code < 500, (message, answer.text)
            harmless(answer)

        send()
    assert not guest.ask(call("execute_query", era, **COUNT), era)["result"]["isError"]


def test_no_stranger_writes_into_the_log(server: Server) -> None:
    url, before = httpx.URL(server.url), server.log()
    upgrade = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n"
    for said in (b"no request\r\n\r\n", upgrade, b"GET /\x00 HTTP/1.1\r\n\r\n"):
        with socket.create_connection((url.host, url.port or 0), timeout=30) as raw:
            raw.sendall(said)
            assert raw.recv(4096).startswith(b"HTTP/1.1 4")
    for path in ("/r/AAAAAAAAAAAAAAAAAAAAAA/mcp", "/api/runs", "/api/%0a", "/nothing"):
        assert httpx.post(f"{server.url}{path}", json={}).status_code in (401, 404)
    assert server.log() == before


def test_none_of_it_left_a_traceback_in_the_log(server: Server) -> None:
    """The last of this module: what clients send is no fault of ours."""
    assert "Traceback" not in server.log()
