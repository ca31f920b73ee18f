"""Who is let in, by what, and for how long."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from server.dashboard.viewer import COOKIE
from server.runner import utc_now
from server.store import Repository
from server.store.tokens import Tokens
from server.tokens import ONCE, exchanged, holder, issue, once
from tests.server.dashboard.conftest import Visit


def test_a_one_time_link_lets_in_once(visit: Visit, store: Repository) -> None:
    secret = once(store, "admin", utc_now())
    first = visit(None).get("/enter", params={"once": secret, "back": "/scenarios"})
    assert (first.status_code, first.headers["location"]) == (303, "/scenarios")
    cookie = first.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    given = holder(store, first.cookies[COOKIE], utc_now())
    assert given is not None
    assert given.role == "admin"
    assert given.expires_at is not None
    again = visit(None).get("/enter", params={"once": secret})
    assert again.status_code == 403
    assert "set-cookie" not in again.headers


def test_a_one_time_link_opens_nothing_else_and_not_for_long(store: Repository) -> None:
    now = utc_now()
    secret = once(store, "admin", now)
    assert holder(store, secret, now) is None
    assert exchanged(store, secret, now + ONCE + timedelta(seconds=1)) is None
    _, lasting = issue(store, "admin", now)
    assert exchanged(store, lasting, now) is None
    assert holder(store, lasting, now) is not None


def test_of_many_who_follow_one_link_one_is_let_in(store: Repository) -> None:
    secret = once(store, "admin", utc_now())
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: exchanged(store, secret, utc_now()), range(8)))
    assert sum(each is not None for each in found) == 1


def test_a_token_that_is_pasted_lets_in_and_a_wrong_one_does_not(
    visit: Visit, store: Repository
) -> None:
    token, secret = issue(store, "reader", utc_now(), name="ann")
    wrong = visit(None).post("/enter", data={"token": "ddr_wrong", "back": "/"})
    assert wrong.status_code == 403
    assert "unknown, expired or revoked" in wrong.text
    client = visit(None)
    right = client.post("/enter", data={"token": f" {secret}\n", "back": "/"})
    assert right.status_code == 303
    assert "ann, reader" in client.get("/").text
    Tokens(store).revoke(token.id, utc_now())
    assert "Show a token" in client.get("/").text


@pytest.mark.parametrize(
    "back", ["//evil.example", "https://evil.example", "/\\evil", "javascript:x", "/a\r\nb"]
)
def test_nobody_is_sent_to_another_site(visit: Visit, store: Repository, back: str) -> None:
    secret = once(store, "reader", utc_now())
    answer = visit(None).get("/enter", params={"once": secret, "back": back})
    assert answer.headers["location"] == "/"


def test_leaving_forgets(visit: Visit) -> None:
    client = visit("reader")
    left = client.post("/leave")
    assert left.status_code == 303
    assert 'ddr=""' in left.headers["set-cookie"]


def test_a_form_from_nowhere_does_nothing(visit: Visit) -> None:
    client = visit("admin")
    del client.headers["origin"]
    assert client.post("/leave").status_code == 403


def test_pages_forbid_scripts_of_others_and_are_kept_by_nobody(visit: Visit) -> None:
    answer = visit("reader").get("/")
    assert answer.headers["cache-control"] == "no-store"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "<script>" not in answer.text


def test_a_style_sheet_is_kept_for_ever_under_the_name_of_its_content(visit: Visit) -> None:
    client = visit(None)
    address = client.get("/").text.partition('href="/static/')[2].partition('"')[0]
    found = client.get(f"/static/{address}")
    assert "immutable" in found.headers["cache-control"]
    other = "0" * 12 + address[12:]
    assert client.get(f"/static/{other}").status_code == 404
    assert client.get("/static/x/vendor.py").status_code == 404
