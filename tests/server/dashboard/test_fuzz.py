"""Whatever stands in an address or a form: a page, or a refusal in words, never a fault of the server."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from databases.catalog import InstalledScenario
from server.dashboard.app import make_dashboard
from server.dashboard.viewer import COOKIE
from server.settings import Settings
from server.store import open_store
from tests.server.dashboard.canaries import ENTITY, Secrets, planted
from tests.server.dashboard.conftest import ORIGIN
from tests.server.routes import Route, of_dashboard
from tests.support.flights import linked_home

ROUTES = [route for route in of_dashboard() if not route.path.endswith("/live")]
"""Without the stream, which has no end; test_leaks.py listens to it."""

texts = st.text(st.characters(codec="utf-8"), max_size=30) | st.sampled_from(
    [
        "",
        "0",
        "1",
        "-1",
        "1e9",
        "999999999999999999999",
        "../..",
        "%00",
        "'--",
        "<b>",
        "/etc/passwd",
    ]
)


class Visitors:
    """Clients of the same pages, and what is there to be asked for."""

    def __init__(self, clients: list[TestClient], secrets: Secrets) -> None:
        self.clients, self.place = clients, str(secrets.home)
        self.known = {
            "run": secrets.runs["finished"].id,
            "one": secrets.runs["finished"].id,
            "other": secrets.runs["twin"].id,
            "left": secrets.runs["finished"].id,
            "right": secrets.runs["running"].id,
            "entity": ENTITY,
            "name": "flights",
            "scenario": "flights",
            "scenario_id": "flights",
            "item_id": secrets.items[0],
            "trial": "1",
        }


@pytest.fixture(scope="module")
def visitors(
    flights_home: Path, flights: InstalledScenario, tmp_path_factory: pytest.TempPathFactory
) -> Visitors:
    home = linked_home(flights_home, tmp_path_factory.mktemp("fuzz") / "home")
    store = open_store(home / "store.sqlite3")
    secrets = planted(store, Settings(home), flights)
    app = make_dashboard(Settings(home), store)
    clients = []
    for who in (None, "reader", "admin"):
        client = TestClient(app, base_url=ORIGIN, follow_redirects=False)
        client.headers["origin"] = ORIGIN
        if who:
            client.cookies.set(COOKIE, secrets.tokens[who])
        clients.append(client)
    return Visitors(clients, secrets)


@pytest.mark.parametrize("route", ROUTES, ids=str)
@given(data=st.data())
@settings(
    max_examples=8,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_any_address_and_any_form_has_an_answer(
    route: Route, visitors: Visitors, data: st.DataObject
) -> None:
    def value(name: str) -> str:
        own = visitors.known.get(name)
        return data.draw(texts if own is None else st.just(own) | texts, label=name)

    address = route.path
    for name in route.path_names:
        said = quote(value(name), safe="")
        before, _, behind = re.sub(rf"\{{{name}(:path)?\}}", "\0", address).partition("\0")
        address = f"{before}{said}{behind}"
    query = {name: value(name) for name in route.query_names if data.draw(st.booleans())}
    form = {name: value(name) for name in route.form_names if data.draw(st.booleans())}
    for client in visitors.clients:
        cookies = dict(client.cookies)
        answer = client.request(route.method, address, params=query, data=form or None)
        assert answer.status_code < 500, (address, query, form, answer.text)
        assert visitors.place not in answer.text and "Traceback" not in answer.text
        if answer.headers.get("content-type", "").startswith("text/html"):
            assert answer.headers["content-security-policy"].startswith("default-src 'none'")
        client.cookies.clear()
        client.cookies.update(cookies)
