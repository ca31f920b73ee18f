"""A whole server under attack over its socket: streams without end, bytes that no client sends, crowds."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from checklists.canonical import items_hash, to_json
from checklists.loader import load
from server import item_proof
from server.dashboard.queues import WAITING, Queue
from server.dashboard.refusals import RefusedError
from server.dashboard.viewer import COOKIE
from server.http.options import MOST_BODY
from server.runner import utc_now
from server.settings import Settings
from server.store import Repository, open_store
from server.store.tokens import Tokens
from server.streams import MOST, MOST_OWN
from server.tokens import issue, once
from tests.server.dashboard.conftest import Visit
from tests.server.dashboard.stories import begun, explore, modelled
from tests.support.flights import linked_home
from tests.support.serving import serving

real = pytest.mark.real


@dataclass(frozen=True)
class House:
    """A server of one worker, and its store."""

    url: str
    store: Repository
    admin: str
    running: str

    def client(self, secret: str | None = None) -> httpx.Client:
        """Somebody's browser."""
        client = httpx.Client(base_url=self.url, headers={"origin": self.url}, timeout=30)
        if secret:
            client.cookies.set(COOKIE, secret)
        return client

    def raw(self, sent: bytes) -> bytes:
        """All that is answered to these bytes, until the other end hangs up."""
        parts = urlsplit(self.url)
        with socket.create_connection((parts.hostname, parts.port), timeout=30) as line:
            line.sendall(sent)
            answer = b""
            while piece := line.recv(65536):
                answer += piece
        return answer

    @property
    def host(self) -> str:
        """As a client calls it."""
        return urlsplit(self.url).netloc


@pytest.fixture(scope="module")
def house(flights_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    home = linked_home(flights_home, tmp_path_factory.mktemp("attacked") / "a-secret-place")
    settings = Settings(home)
    with open_store(settings.store_path) as store:
        run = begun(store, 1)
        explore(store, run, "01")
        for number in (2, 3):
            modelled(store, number, f"gpt-{number}")
        admin = issue(store, "admin", utc_now(), name="ann")[1]
        with serving(home) as server:
            yield House(server.url, store, admin, run.id)
            log = server.log()
    assert "Traceback" not in log, log


@real
@pytest.mark.parametrize("path", ["/runs/{}/live", "/api/runs/{}/events"])
def test_a_stream_is_cut_off_once_its_token_is_revoked_and_cannot_be_taken_up_again(
    house: House, path: str
) -> None:
    token, secret = issue(house.store, "admin", utc_now(), name="soon gone")
    headers = {"authorization": f"Bearer {secret}"}
    with house.client(secret) as client:
        # Shorter than between two heartbeats, so that a stream that goes on is not waited for.
        patience = httpx.Timeout(30, read=8)
        with client.stream(
            "GET", path.format(house.running), headers=headers, timeout=patience
        ) as answer:
            assert answer.status_code == 200
            pieces = answer.iter_text()
            assert next(pieces)
            Tokens(house.store).revoke(token.id, utc_now())
            rest = "".join(pieces)  # it ends, or the client's patience does
            assert "event: over" not in rest
        again = client.get(path.format(house.running), headers=headers)
        assert again.status_code in (303, 401)


@real
def test_so_many_streams_are_open_at_a_time_and_closed_ones_make_room(house: House) -> None:
    crowd = MOST + 40
    statuses: list[int] = []
    admins = [issue(house.store, "admin", utc_now(), name=f"admin {n}")[1] for n in range(crowd)]
    ready, done = threading.Barrier(crowd + 1, timeout=60), threading.Event()
    path = f"/runs/{house.running}/live"

    def follow(number: int) -> None:
        with (
            house.client(admins[number // MOST_OWN]) as client,
            client.stream("GET", path) as answer,
        ):
            pieces = answer.iter_text()  # held: a stream that nobody holds is closed
            heard = answer.status_code == 200 and next(pieces, "")
            statuses.append(200 if heard else 503)
            ready.wait()
            done.wait(60)

    with ThreadPoolExecutor(crowd) as pool:
        waiting = [pool.submit(follow, k) for k in range(crowd)]
        try:
            ready.wait()
            assert statuses.count(200) == MOST
            with house.client() as stranger:  # pages are served all the while
                began = time.monotonic()
                assert stranger.get("/").status_code == 200
                assert time.monotonic() - began < 5
        finally:
            done.set()
        for each in waiting:
            each.result()
    until = time.monotonic() + 15
    while time.monotonic() < until:
        with house.client(house.admin) as client, client.stream("GET", path) as answer:
            if answer.status_code == 200:
                return
        time.sleep(0.5)
    pytest.fail("streams that were closed still take up the places")


@real
def test_one_reader_follows_so_many_runs_and_leaves_room_for_others(house: House) -> None:
    path = f"/runs/{house.running}/live"
    mine = issue(house.store, "admin", utc_now(), name="greedy")[1]

    def opened(stack: ExitStack, secret: str) -> httpx.Response:
        client = stack.enter_context(house.client(secret))
        answer = stack.enter_context(client.stream("GET", path))
        if answer.status_code == 200:
            held.append(answer.iter_text())
            assert next(held[-1])
        return answer

    for _ in range(2):  # what was closed makes room at once
        held: list[Iterator[str]] = []
        with ExitStack() as stack:
            own = [opened(stack, mine) for _ in range(MOST_OWN + 3)]
            assert [each.status_code for each in own] == [200] * MOST_OWN + [503] * 3
            assert "streams of yours are open here" in own[-1].read().decode()
            assert opened(stack, house.admin).status_code == 200
        time.sleep(1)


RAW = [
    b"GET /static/../server/dashboard/app.py HTTP/1.1\r\nHost: {h}\r\nConnection: close\r\n\r\n",
    b"GET //runs HTTP/1.1\r\nHost: {h}\r\nConnection: close\r\n\r\n",
    b"GET //evil.example/%2e%2e HTTP/1.1\r\nHost: {h}\r\nConnection: close\r\n\r\n",
    b"GET http://evil.example/ HTTP/1.1\r\nHost: {h}\r\nConnection: close\r\n\r\n",
    b"GET /runs/../../../etc/passwd HTTP/1.1\r\nHost: {h}\r\nConnection: close\r\n\r\n",
    b"GET /runs/%0d%0aSet-Cookie:%20x=y HTTP/1.1\r\nHost: {h}\r\nConnection: close\r\n\r\n",
    b"GET /runs/%00 HTTP/1.1\r\nHost: {h}\r\nConnection: close\r\n\r\n",
    b"GET /runs/\xff\xfe HTTP/1.1\r\nHost: {h}\r\nConnection: close\r\n\r\n",
    b"GET /" + b"a" * 40_000 + b" HTTP/1.1\r\nHost: {h}\r\nConnection: close\r\n\r\n",
    b"GET /?q=" + b"a&" * 7_000 + b" HTTP/1.1\r\nHost: {h}\r\nConnection: close\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: {h}\r\nCookie: " + b"a" * 20_000 + b"\r\nConnection: close\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: {h}\r\nCookie: ddr=\xff\xfe\r\nCookie: ddr=x\r\nConnection: close\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: {h}\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: {h}\r\nX-Forwarded-Host: evil.example\r\nConnection: close\r\n\r\n",
    b"TRACE / HTTP/1.1\r\nHost: {h}\r\nConnection: close\r\n\r\n",
    b"CONNECT evil.example:443 HTTP/1.1\r\nHost: {h}\r\nConnection: close\r\n\r\n",
    b"OPTIONS * HTTP/1.1\r\nHost: {h}\r\nConnection: close\r\n\r\n",
    b"POST /enter HTTP/1.1\r\nHost: {h}\r\nOrigin: http://127.0.0.1:1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    b"POST /enter HTTP/1.1\r\nHost: {h}\r\nOrigin: null\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    b"POST /enter HTTP/1.1\r\nHost: {h}\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\nX",
    b"POST /enter HTTP/1.1\r\nHost: {h}\r\nContent-Length: -1\r\nConnection: close\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: {h}\r\nX: a\r\n b\r\nConnection: close\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01",
]


@real
def test_no_bytes_are_too_odd_to_be_answered_calmly(house: House) -> None:
    for sent in RAW:
        answer = house.raw(sent.replace(b"{h}", house.host.encode()))
        status = int(answer[9:12])
        assert 200 <= status < 500, (sent[:60], answer[:200])
        head = answer.partition(b"\r\n\r\n")[0].lower()
        for word in (b"set-cookie", b"access-control", b"evil.example"):
            assert word not in head, sent[:60]
        for word in (
            b"a-secret-place",
            b"Traceback",
            b"root:",
            b"site-packages",
            b"from __future__",
        ):
            assert word not in answer, sent[:60]


@real
def test_a_head_request_spends_no_link_and_has_no_body(house: House) -> None:
    link = once(house.store, "reader", utc_now())
    for method in (b"HEAD", b"OPTIONS"):
        line = b"%s /enter?once=%s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n"
        answer = house.raw(line % (method, link.encode(), house.host.encode()))
        assert answer[9:12] in (b"403", b"405")
        assert b"set-cookie" not in answer.lower()
        if method == b"HEAD":
            assert answer.partition(b"\r\n\r\n")[2] == b""
    with house.client() as client:
        assert client.get("/enter", params={"once": link}).status_code == 303


@real
def test_a_form_is_bounded_before_anybody_reads_it(house: House) -> None:
    with house.client() as client:
        for body in (b"token=" + b"a" * MOST_BODY, b"a&" * (MOST_BODY // 2), b"%" * MOST_BODY):
            kind = {"content-type": "application/x-www-form-urlencoded"}
            began = time.monotonic()
            assert client.post("/enter", content=body, headers=kind).status_code in (
                400,
                403,
                413,
                422,
            )
            assert time.monotonic() - began < 5
        other = {"origin": "http://127.0.0.1:1"}
        assert client.post("/enter", data={"token": house.admin}, headers=other).status_code == 403


@real
def test_a_crowd_of_strangers_is_served_or_told_so_and_nobody_waits_long(house: House) -> None:
    paths = (
        "/",
        "/scenarios",
        "/scenarios/flights",
        "/runs",
        "/enter?once=x",
        "/?scenario=flights",
    )

    def ask(number: int) -> tuple[int, float]:
        began = time.monotonic()
        with house.client() as client:
            return client.get(paths[number % len(paths)]).status_code, time.monotonic() - began

    with ThreadPoolExecutor(60) as pool:
        told = list(pool.map(ask, range(180)))
    assert {status for status, _ in told} <= {200, 303, 403, 503}
    assert max(seconds for _, seconds in told) < 20


def test_heavy_work_is_done_one_at_a_time_and_few_wait_for_it() -> None:
    queue, go, at_work, most = Queue("Busy"), threading.Event(), [0], [0]

    def work(_: int) -> int:
        try:
            with queue.turn():
                at_work[0] += 1
                most[0] = max(most[0], at_work[0])
                go.wait(10)
                at_work[0] -= 1
                return 200
        except RefusedError as exc:
            return exc.status

    with ThreadPoolExecutor(20) as pool, ExitStack() as stack:
        stack.callback(go.set)
        waiting = [pool.submit(work, k) for k in range(20)]
        until = time.monotonic() + 10
        while sum(each.done() for each in waiting) < 20 - 1 - WAITING:
            assert time.monotonic() < until
            time.sleep(0.01)
        go.set()
        told = [each.result() for each in waiting]
    assert (told.count(200), told.count(503), most[0]) == (1 + WAITING, 19 - WAITING, 1)
    with queue.turn():  # whoever was refused holds no place
        pass


ENDS_S = 60.0
"""An end, not a speed: so long a machine with much else to do may take."""
EVIDENCE = (
    "SELECT content FROM read_text('/etc/hostname')",
    "SELECT count(*) FROM read_csv('/etc/passwd')",
    "SELECT count(*) FROM '/etc/passwd'",
    "COPY (SELECT 1) TO 'evil.csv'",
    "ATTACH 'evil.db'; SELECT 1",
    "SELECT 1; SELECT 2",
    "INSTALL httpfs",
    "PRAGMA database_list",
    "SELECT path FROM duckdb_databases() WHERE path IS NOT NULL LIMIT 1",
    "SELECT current_setting('temp_directory')",
    "SELECT getenv('HOME')",
    "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT sum(x) FROM r",
    "SELECT count(*) FROM range(100000000) a, range(100000000) b, range(100000) c WHERE a.range % 7 = b.range",
    "SELECT repeat('x', 1000000000)",
)


@pytest.mark.usefixtures("installed")
def test_the_evidence_of_a_strangers_checklist_reads_no_file_tells_no_place_and_comes_to_an_end(
    visit: Visit, settings: Settings, flights_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(item_proof, "SECONDS", 0.5)
    facts = load("flights")
    base = next(item for item in facts.items if item.evidence_sql and item.expected)
    items = tuple(
        base.model_copy(update={"id": f"evil-{k}", "evidence_sql": sql, "perturbation": None})
        for k, sql in enumerate(EVIDENCE)
    )
    made = facts.model_copy(
        update={"id": "evil", "items": items, "hash": items_hash(items), "summaries": {}}
    )
    settings.checklists.mkdir(exist_ok=True)
    (settings.checklists / "evil.json").write_text(to_json(made), "utf-8")
    client = visit("admin")
    hostname = (
        Path("/etc/hostname").read_text("utf-8").strip() if Path("/etc/hostname").exists() else "?"
    )
    for number, sql in enumerate(EVIDENCE):
        began = time.monotonic()
        answer = client.get(f"/checklists/evil/items/evil-{number}/proof")
        assert time.monotonic() - began < ENDS_S, sql
        assert answer.status_code == 200, sql
        assert len(answer.text) < 100_000, sql
        for word in (
            "flights.duckdb",
            str(flights_home),
            str(settings.home),
            f">{hostname}<",
            "root:",
        ):
            assert word not in answer.text, (sql, word)
    assert not Path("evil.csv").exists()
    assert not Path("evil.db").exists()
