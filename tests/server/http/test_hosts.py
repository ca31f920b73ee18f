"""Which names a server answers to, and which it never does."""

from __future__ import annotations

import pytest

from core.errors import UsageError
from server.http.hosts import LOOPBACK, AllowedHosts, allowed_for


@pytest.mark.parametrize(
    ("host", "admitted"),
    [
        ("127.0.0.1", True),
        ("127.0.0.1:8910", True),
        ("LOCALHOST:1", True),
        ("[::1]:8910", True),
        ("ddr:1", True),
        ("exact:8910", True),
        ("exact:8911", False),
        ("exact", False),
        ("evil.example", False),
        ("127.0.0.1.evil.example", False),
        ("evil.example:127.0.0.1", False),
        ("127.0.0.1:8910@evil.example", False),
        ("localhost:", False),
        ("localhost:x", False),
        ("local\u017fhost", False),
        ("", False),
        (" localhost", False),
        ("localhost\n", False),
        ("*", False),
        ("localhost,evil.example", False),
    ],
)
def test_a_host_is_one_that_was_named(host: str, admitted: bool) -> None:
    assert AllowedHosts([*LOOPBACK, "ddr:*", "exact:8910"]).admits(host) is admitted


@pytest.mark.parametrize(
    ("origin", "admitted"),
    [
        ("http://localhost:8910", True),
        ("https://localhost", True),
        ("http://evil.example", False),
        ("null", False),
        ("file://localhost", False),
        ("http://localhost.evil.example", False),
        ("http://user@localhost", False),
        ("http://localhost/path", False),
        ("http://[", False),
        ("", False),
    ],
)
def test_a_page_of_another_origin_may_not_ask(origin: str, admitted: bool) -> None:
    assert AllowedHosts(LOOPBACK).admits_origin(origin) is admitted


@pytest.mark.parametrize(
    "pattern", ["*", "", "*.example.org", "a b", "host:*:1", "http://x", "x/y"]
)
def test_no_pattern_admits_everything(pattern: str) -> None:
    with pytest.raises(UsageError, match="to admit any is not offered"):
        AllowedHosts([pattern])


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_a_server_on_every_address_has_to_be_named(host: str) -> None:
    with pytest.raises(UsageError, match="--allow-host"):
        allowed_for(host, [])
    assert allowed_for(host, ["bench.example.org"]) == (*LOOPBACK, "bench.example.org")


def test_what_a_server_listens_on_is_one_of_its_names() -> None:
    assert AllowedHosts(allowed_for("192.0.2.7", [])).admits("192.0.2.7:8910")
    assert AllowedHosts(allowed_for("2001:db8::7", [])).admits("[2001:db8::7]:8910")
    assert allowed_for("127.0.0.1", []) == LOOPBACK
