"""A REST application on a real socket of loopback, and the runs that tests talk about."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.routing import Mount

from checklists.loader import load
from core.access import Role
from server.desks import opened
from server.rest_app import make_rest_app
from server.runner import utc_now
from server.settings import Settings
from server.store import Repository, open_store
from server.tokens import issue

PATIENCE_S = 60.0
PROBLEM = "application/problem+json"


def facts(entity: str, count: int = 3) -> list[str]:
    """True findings about a carrier of flights, in the checklist's own words."""
    items = [item for item in load("flights").of(entity) if item.status == "accepted"]
    return [item.answer for item in items[:count]]


@contextlib.contextmanager
def served(home: Path) -> Iterator[str]:
    """The address of a worker of its own on a DDR_HOME, in a thread, mounted as `ddr serve` does it."""
    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    servers: list[uvicorn.Server] = []
    failed: list[BaseException] = []
    ready = threading.Event()

    async def work() -> None:
        settings = Settings(home)
        with open_store(settings.store_path) as store:
            async with opened(settings, store) as desks:
                app = Starlette(routes=[Mount("/api", app=make_rest_app(desks, settings))])
                config = uvicorn.Config(
                    app,
                    http="h11",
                    lifespan="off",
                    log_config=None,
                    timeout_graceful_shutdown=1,
                )
                servers.append(uvicorn.Server(config))
                ready.set()
                await servers[0]._serve([listening])

    def body() -> None:
        try:
            asyncio.run(work())
        except BaseException as exc:
            failed.append(exc)
            ready.set()
            raise

    thread = threading.Thread(target=body, name="rest", daemon=True)
    thread.start()
    assert ready.wait(PATIENCE_S) and not failed
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        servers[0].should_exit = True
        thread.join(PATIENCE_S)
        listening.close()
        assert not thread.is_alive()


@dataclass
class Api:
    """A server with a token of each role."""

    url: str
    home: Path
    store: Repository
    """Another process's view of it, so to speak."""
    secrets: dict[str, str]
    """By whose: admin, harness, other (a second harness), reader."""
    ids: dict[str, str]
    http: httpx.Client = field(init=False)

    def __post_init__(self) -> None:
        self.http = httpx.Client(base_url=f"{self.url}/api", timeout=PATIENCE_S)

    def ask(self, who: str | None, method: str, path: str, **more: Any) -> httpx.Response:
        """A request with the token of somebody, or with a token itself; None sends none."""
        secret = self.secrets.get(who, who) if who else None
        headers = {"Authorization": f"Bearer {secret}"} if secret else {}
        headers |= more.pop("headers", {})
        return self.http.request(method, path, headers=headers, **more)

    def get(self, who: str | None, path: str, **more: Any) -> Any:
        """The answer to a GET, which has to be one."""
        return fine(self.ask(who, "GET", path, **more))

    def post(self, who: str | None, path: str, body: Any = None, **more: Any) -> Any:
        """The answer to a POST, which has to be one."""
        return fine(self.ask(who, "POST", path, json=body, **more))

    def make_run(self, who: str = "harness", **body: Any) -> dict[str, Any]:
        """A fresh run over carrier 03 unless said."""
        said = {"scenario": "flights", "agent": "tester", "entities": ["03"], "tools": "sql"}
        made: dict[str, Any] = self.post(who, "/runs", {**said, **body})
        return made

    def reset(self, who: str = "harness", **body: Any) -> Episode:
        """A fresh episode about carrier 03 unless said."""
        said = {"scenario": "flights", "entity": "03", "tools": "sql"}
        return Episode(self, self.post(who, "/episodes", {**said, **body}))

    def at(self, seat: dict[str, Any]) -> Episode:
        """A seat of a run, to be stepped like an episode."""
        return Episode(self, {"episode": seat["path"], "token": seat["token"], "run": None})


@dataclass(frozen=True)
class Episode:
    """One that was begun."""

    api: Api
    told: dict[str, Any]

    @property
    def path(self) -> str:
        found: str = self.told["episode"]
        return found

    @property
    def run(self) -> str:
        found: str = self.told["run"]
        return found

    def step(self, tool: str, **arguments: Any) -> Any:
        """One call with the episode's own token."""
        body = {"tool": tool, "arguments": arguments}
        return self.api.post(self.told["token"], f"/episodes/{self.path}/step", body)

    def play(self, insights: list[str] | None = None) -> None:
        """A whole exploration: a look, a wrong query, the insights, the end."""
        self.step("get_database_info")
        assert self.step("execute_query", query="SELECT nope FROM flights")["is_error"]
        self.step("execute_query", query="SELECT count(*) FROM flights")
        for text in insights or ["Carrier 03 flies."]:
            self.step("submit_insight", text=text)
        assert self.step("finish", report=" ".join(insights or ["It flies."]))["done"]

    def reward(self, who: str = "harness") -> Any:
        return self.api.post(who, f"/episodes/{self.path}/reward")


def fine(answer: httpx.Response) -> Any:
    assert answer.status_code < 300, answer.text
    return answer.json()


def problem(answer: httpx.Response, status: int) -> dict[str, Any]:
    """What an answer says that is an error of this status."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == PROBLEM
    said: dict[str, Any] = answer.json()
    assert said["status"] == status and said["title"] and said["detail"]
    assert said["type"].startswith("urn:ddr:problem:")
    return said


def kind(answer: httpx.Response, status: int) -> str:
    """The kind of such an error."""
    found: str = problem(answer, status)["type"].removeprefix("urn:ddr:problem:")
    return found


def events(answer: httpx.Response) -> Iterator[dict[str, Any]]:
    """The server-sent events of a stream, by the rules of the HTML standard; comments are passed over."""
    fields: dict[str, str] = {}
    for line in answer.iter_lines():
        if line == "":
            if "data" in fields:
                yield {**fields, "data": json.loads(fields["data"])}
            fields = {}
        elif not line.startswith(":"):
            name, _, value = line.partition(":")
            fields[name] = value.removeprefix(" ")


def tokens_in(store: Repository) -> tuple[dict[str, str], dict[str, str]]:
    """A token for everybody: secrets and ids by whose they are."""
    roles: dict[str, Role] = {
        "admin": "admin",
        "harness": "harness",
        "other": "harness",
        "reader": "reader",
    }
    made = {who: issue(store, role, utc_now(), name=who) for who, role in roles.items()}
    secrets = {who: secret for who, (_, secret) in made.items()}
    return secrets, {who: token.id for who, (token, _) in made.items()}
