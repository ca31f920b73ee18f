"""How long somebody waits for a page, and what it takes, on a store of 192,060 turns.

The real server over HTTP on loopback. A first view is the page and every file that it names, fetched over
one connection as a browser without a cache does, with gzip. Queries are counted where they are made, in
a dashboard of this process on the same store.
"""

from __future__ import annotations

import contextlib
import re
import statistics
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bench.figures import Bench, Goal, Measured, Probe
from bench.large_store import Large, large_store
from bench.serving import serving

if TYPE_CHECKING:
    import httpx

    from core.access import Role

VISITS: Final = 15
_FILE: Final = re.compile(r'(?:href|src)="(/static/[^"]+)"')


@dataclass(frozen=True)
class View:
    """One visit with an empty cache."""

    ms: float
    kb: float
    """As it came over the wire: bodies compressed, and headers."""
    files: int
    status: int


def pages(bench: Bench) -> Mapping[str, Measured]:
    """The first view of the leaderboard, as anybody sees it, and a trajectory, as an admin does."""
    made = large_store(bench)
    with _served(made) as (url, cookie):
        bench.say("the leaderboard")
        first = _visits(url, "/", {})
        bench.say("a trajectory")
        story = _visits(url, f"/trajectories/{made.runs[0]}/{made.entity}", cookie)
    for what, views in (("the leaderboard", first), ("a trajectory", story)):
        if any(view.status != 200 for view in views):
            raise RuntimeError(f"{what} answered {views[0].status}")
    return {
        "first_page_ms": _time(first),
        "first_page_kb": Measured(
            max(view.kb for view in first), f"{first[0].files} files, the page among them"
        ),
        "trajectory_ms": _time(story),
    }


def queries(bench: Bench) -> Mapping[str, Measured]:
    """The most queries that any page makes; who it is counts among them."""
    from sqlalchemy import Engine, event
    from starlette.testclient import TestClient

    from server.dashboard.app import make_dashboard
    from server.dashboard.viewer import COOKIE
    from server.store import open_store

    made = large_store(bench)
    said: list[str] = []

    def note(_c: object, _cursor: object, statement: str, *_rest: object) -> None:
        if statement.lstrip()[:6].upper() in ("SELECT", "INSERT", "UPDATE", "DELETE", "WITH"):
            said.append(statement)

    counts: dict[str, int] = {}
    with open_store(made.settings.store_path) as store:
        secret = _token(made, "admin")
        client = TestClient(make_dashboard(made.settings, store), follow_redirects=False)
        client.cookies.set(COOKIE, secret)
        event.listen(Engine, "before_cursor_execute", note)
        try:
            for path in _paths(made):
                client.get(path)  # what is summed up once is summed up
                said.clear()
                answer = client.get(path)
                if answer.status_code != 200:
                    raise RuntimeError(f"{path} answered {answer.status_code}")
                counts[path] = len(said)
        finally:
            event.remove(Engine, "before_cursor_execute", note)
    worst = max(counts, key=lambda path: counts[path])
    told = ", ".join(f"{path} {count}" for path, count in counts.items())
    return {"queries_per_page": Measured(counts[worst], told)}


def _paths(made: Large) -> list[str]:
    """A page of each kind."""
    run, other = made.runs[:2]
    return [
        "/",
        "/scenarios",
        "/scenarios/incidents",
        "/runs",
        f"/runs/{run}",
        f"/trajectories/{run}/{made.entity}",
        "/compare",
        f"/compare?left={run}&right={other}&entity={made.entity}",
        f"/compare/models?one={run}&other={other}",
        "/compare/vote",
        "/compare/vote/incidents?by=bench",
        "/checklists",
        "/checklists/incidents",
        f"/labels/{run}?by=bench",
    ]


@contextlib.contextmanager
def _served(made: Large) -> Iterator[tuple[str, dict[str, str]]]:
    """Our server on the store, just started, and an admin's cookie."""
    from server.dashboard.viewer import COOKIE

    with serving(made.settings.home) as started:
        yield started.url, {COOKIE: _token(made, "admin")}


def _token(made: Large, role: Role) -> str:
    from server.runner import utc_now
    from server.store import open_store
    from server.tokens import issue

    with open_store(made.settings.store_path) as store:
        return issue(store, role, utc_now(), name="bench", expires_days=1)[1]


def _visits(url: str, path: str, cookies: Mapping[str, str]) -> list[View]:
    return [_visit(url, path, cookies) for _ in range(VISITS)]


def _visit(url: str, path: str, cookies: Mapping[str, str]) -> View:
    import httpx

    with httpx.Client(base_url=url, cookies=dict(cookies), timeout=60) as client:
        client.get("/healthz")  # the connection is there, as a browser's is when one clicks
        began = time.perf_counter()
        got = [client.get(path)]
        got += [client.get(name) for name in dict.fromkeys(_FILE.findall(got[0].text))]
        taken = time.perf_counter() - began
    return View(1000 * taken, sum(map(_bytes, got)) / 1024, len(got), got[0].status_code)


def _bytes(answer: httpx.Response) -> int:
    head = sum(len(name) + len(value) + 4 for name, value in answer.headers.raw)
    return head + answer.num_bytes_downloaded


def _time(views: list[View]) -> Measured:
    times = [view.ms for view in views]
    detail = (
        f"median of {len(views)}; the first after the start {times[0]:.0f}, worst {max(times):.0f}"
    )
    return Measured(statistics.median(times), detail)


PROBES = (
    Probe(
        (
            Goal("first_page_ms", 300, "ms", "lower"),
            Goal("first_page_kb", 300, "KB", "lower"),
            Goal("trajectory_ms", 300, "ms", "lower"),
        ),
        pages,
    ),
    Probe((Goal("queries_per_page", 10, "queries", "lower"),), queries),
)
