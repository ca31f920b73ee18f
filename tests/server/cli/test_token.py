"""`ddr token`: a secret is told once, kept as a hash, and worth nothing once it is taken back."""

from __future__ import annotations

import hashlib
import re
import sqlite3
from datetime import timedelta
from pathlib import Path

import pytest

from server.runner import utc_now
from server.store import open_store
from server.tokens import holder
from tests.server.cli.conftest import Ddr


def test_a_token_is_printed_once_and_kept_as_a_hash(ddr: Ddr, home: Path) -> None:
    made = ddr("token", "create", "--role", "harness", "--name", "nightly")
    secret = made.out.strip()
    assert made.code == 0 and re.fullmatch(r"ddr_[\w-]{43}", secret)
    assert secret not in made.err and secret not in ddr("token", "list").out
    assert all(
        secret.encode() not in path.read_bytes() for path in home.rglob("*") if path.is_file()
    )
    with sqlite3.connect(home / "store.sqlite3") as connection:
        (kept,) = connection.execute("SELECT token_hash FROM tokens").fetchone()
    assert kept == hashlib.sha256(secret.encode()).hexdigest()


def test_two_tokens_differ_and_are_listed_the_oldest_first(ddr: Ddr) -> None:
    first = ddr("token", "create", "--role", "admin", "--json").json
    second = ddr("token", "create", "--role", "reader", "--json").json
    assert first["token"] != second["token"] and first["id"] != second["id"]
    listed = ddr("token", "list", "--json").json["tokens"]
    assert [each["id"] for each in listed] == [first["id"], second["id"]]
    assert [each["role"] for each in listed] == ["admin", "reader"]
    assert all("token" not in each and each["state"] == "valid" for each in listed)


def test_a_revoked_token_is_nobodys_from_then_on(ddr: Ddr, home: Path) -> None:
    made = ddr("token", "create", "--role", "harness", "--json").json
    with open_store(home / "store.sqlite3") as store:
        found = holder(store, made["token"], utc_now())
        assert found is not None and found.role == "harness"
        assert ddr("token", "revoke", made["id"], "--json").json["state"] == "revoked"
        assert holder(store, made["token"], utc_now()) is None
    again = ddr("token", "revoke", made["id"], "--json").json
    listed = ddr("token", "list", "--json").json["tokens"][0]
    assert again["revoked_at"] == listed["revoked_at"]


def test_an_expired_token_is_nobodys(ddr: Ddr, home: Path) -> None:
    made = ddr("token", "create", "--role", "reader", "--expires-days", "2", "--json").json
    with open_store(home / "store.sqlite3") as store:
        assert holder(store, made["token"], utc_now() + timedelta(days=1)) is not None
        assert holder(store, made["token"], utc_now() + timedelta(days=2)) is None


@pytest.mark.parametrize("said", ["", "ddr_", "x" * 100_000, "\ud800", "ddr_é"])
def test_what_is_no_token_is_nobodys(ddr: Ddr, home: Path, said: str) -> None:
    ddr("token", "create", "--role", "admin")
    with open_store(home / "store.sqlite3") as store:
        assert holder(store, said, utc_now()) is None


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--role", "root"), "unknown role 'root'; known: admin, harness, reader"),
        (("--role", "reader", "--expires-days", "0"), "more than 0 and at most 3650 days"),
        (("--role", "reader", "--expires-days", "nan"), "more than 0 and at most 3650 days"),
        (("--role", "reader", "--name", "n" * 201), "at most 200 characters"),
    ],
)
def test_what_cannot_be_made_is_refused(ddr: Ddr, arguments: tuple[str, ...], said: str) -> None:
    refused = ddr("token", "create", *arguments)
    assert refused.code == 2 and said in refused.err
    assert ddr("token", "list", "--json").json["tokens"] == []


def test_an_unknown_token_cannot_be_revoked(ddr: Ddr) -> None:
    made = ddr("token", "create", "--role", "reader", "--json").json
    refused = ddr("token", "revoke", "t-0")
    assert refused.code == 2 and made["id"] in refused.err


def test_quiet_prints_the_secret_alone(ddr: Ddr) -> None:
    made = ddr("token", "create", "--role", "reader", "--quiet")
    assert made.err == "" and made.out.startswith("ddr_") and made.out.count("\n") == 1


def test_without_tokens_the_list_says_how_to_make_one(ddr: Ddr) -> None:
    assert "token create --role harness" in ddr("token", "list").out
