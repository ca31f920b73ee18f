"""Ask a real server everything that can be asked, as somebody, and keep what it answers."""

from __future__ import annotations

import contextlib
import itertools
import re
from dataclasses import dataclass, field
from html import unescape
from typing import Any, Final
from urllib.parse import quote, urlencode, urljoin, urlsplit

import httpx

from server.dashboard.viewer import COOKIE
from tests.server.dashboard.canaries import ENTITY, Secrets
from tests.server.routes import Route

STREAM_S: Final = 1.0
"""After so long a silence nothing more is listened to."""
MOST_LINKS: Final = 120


@dataclass
class Heard:
    """All that one of them was answered."""

    texts: dict[str, str] = field(default_factory=dict)
    """By what was asked."""
    kinds: set[str] = field(default_factory=set)
    """Media types."""
    unanswered: list[str] = field(default_factory=list)

    def where(self, word: str) -> list[str]:
        """The requests whose answers hold the word."""
        return [asked for asked, text in self.texts.items() if word in text]


@dataclass(frozen=True)
class House:
    """A server, with what is hidden in its store."""

    url: str
    secrets: Secrets

    def values(self, route: Route, name: str) -> list[str]:
        """What stands for a parameter of a route."""
        runs = [run.id for run in self.secrets.runs.values()]
        known: dict[str, list[str]] = {
            "run": runs,
            "one": runs,
            "other": runs,
            "left": runs,
            "right": runs,
            "entity": [ENTITY],
            "path": [self.secrets.seat],
            "scenario": ["flights", "patients"],
            "scenario_id": ["flights", "patients"],
            "item_id": list(self.secrets.items[:2]),
            "evaluation": [self.secrets.evaluation],
            "client": ["mcp"],
            "axis": ["turn"],
            "level": ["message"],
            "part": ["page", "sources", "figure"],
            "trial": ["1"],
            "attempt": ["1"],
            "first": ["1"],
            "first_turn": ["1"],
            "turns": ["9"],
            "place": ["1"],
            "number": ["1"],
            "limit": ["9"],
            "at": ["1"],
            "by": ["ann"],
            "back": ["/"],
            "once": ["nothing"],
            "told": ["said"],
            "since": ["x"],
            "q": ["Canary"],
            "status": ["accepted"],
            "difficulty": ["easy"],
            "category": ["punctuality"],
            "baselines": ["none"],
            "after": ["0", "zzzz"],
            "digest": ["0"],
            "name": _names(route),
        }
        assert name in known, (
            f"what is the parameter {name} of {route} asked with? say it in values()"
        )
        return known[name]

    def addresses(self, route: Route) -> list[str]:
        """A route with every id, without and with its query."""
        pieces = [[(n, v) for v in self.values(route, n)] for n in route.path_names]
        paths = [_filled(route.path, dict(each)) for each in itertools.product(*pieces)]
        queries = [""]
        if route.query_names:
            lists = [self.values(route, name) for name in route.query_names]
            longest = max(map(len, lists))
            turned = [[each[k % len(each)] for each in lists] for k in range(longest)]
            queries += [urlencode(list(zip(route.query_names, row, strict=True))) for row in turned]
            for pair in (("one", "other"), ("left", "right")):
                if set(pair) <= set(route.query_names):
                    first, *others = self.values(route, pair[0])
                    for both in (
                        (x, y) for each in others for x, y in ((first, each), (each, first))
                    ):
                        asked = [*zip(pair, both, strict=True), ("entity", ENTITY), ("trial", "1")]
                        queries.append(urlencode([p for p in asked if p[0] in route.query_names]))
        return [f"{path}?{query}" if query else path for path in paths for query in queries]


def _names(route: Route) -> list[str]:
    if route.path.startswith("/static"):
        return ["dashboard.css"]
    return ["points", "heat", "turns"] if "/looks" in route.path else ["flights"]


def _filled(path: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        path = re.sub(rf"\{{{name}(?::path)?\}}", quote(value, safe=""), path)
    assert "{" not in path, path
    return path


def client_of(house: House, who: str) -> httpx.Client:
    """Somebody's, with a token as a page has it and as a program has it."""
    client = httpx.Client(base_url=house.url, headers={"origin": house.url}, timeout=60)
    if token := house.secrets.tokens.get(who):
        client.cookies.set(COOKIE, token)
        client.headers["authorization"] = f"Bearer {token}"
    return client


def ask(client: httpx.Client, method: str, address: str, heard: Heard) -> None:
    """Keep the answer; what was asked before is not asked again."""
    asked = f"{method} {address}"
    if asked in heard.texts:
        return
    body: dict[str, Any] = {"json": {}} if "/api/" in address and method == "POST" else {}
    text = ""
    # A stream that has told all that it knows is silent.
    patience = httpx.Timeout(
        60, read=STREAM_S if "/live" in address or "/events" in address else 60
    )
    with client.stream(method, address, timeout=patience, **body) as answer:
        kind = answer.headers.get("content-type", "").partition(";")[0]
        heard.kinds.add(kind)
        if answer.status_code >= 500:
            heard.unanswered.append(f"{asked}: {answer.status_code}")
        if kind == "text/event-stream":
            text = _overheard(answer)
        else:
            answer.read()
            text = answer.text
        heard.texts[asked] = "\n".join([text, unescape(text), str(answer.headers)])


def _overheard(answer: httpx.Response) -> str:
    """What a stream says at first; one of a run that goes on has no end."""
    text = ""
    with contextlib.suppress(httpx.ReadTimeout):
        for piece in answer.iter_text():
            text += piece
            if "event: over" in text:
                break
    return text


def follow(client: httpx.Client, heard: Heard) -> None:
    """Every link, script, style sheet and picture of the pages, and those of the pages behind them."""
    waiting = list(heard.texts)
    seen = set(waiting)
    most = len(seen) + MOST_LINKS
    while waiting:
        asked = waiting.pop()
        base = asked.partition(" ")[2]
        for link in re.findall(r"""(?:href|src)=["']?([^"'\s>]+)""", heard.texts[asked]):
            parts = urlsplit(urljoin(base, unescape(link)))
            if parts.scheme or parts.netloc or not parts.path.startswith("/"):
                continue
            address = f"{parts.path}?{parts.query}" if parts.query else parts.path
            if f"GET {address}" not in seen and len(seen) < most:
                seen.add(f"GET {address}")
                ask(client, "GET", address, heard)
                waiting.append(f"GET {address}")
