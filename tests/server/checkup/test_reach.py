"""The doctor on the port and on keys: what is taken and by whom, what is set, and no value ever."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from providers.catalog import missing_keys, parse_model
from server.checkup import reach
from server.cli.main import build_app
from server.http import HOST, PORT

SECRET = "sk-5ecret-value"


@pytest.fixture
def taken() -> Iterator[int]:
    """A port on which somebody listens who says nothing."""
    with socket.socket() as listening:
        listening.bind((HOST, 0))
        listening.listen()
        yield listening.getsockname()[1]


@pytest.fixture(params=["ours", "a page", "another's health"])
def answering(request: pytest.FixtureRequest) -> Iterator[tuple[str, int]]:
    """A port on which a server of that kind answers."""
    kind = request.param
    said = {
        "ours": b'{"status": "ok"}',
        "a page": b"<html>hello</html>",
        "another's health": b'["UP"]',
    }[kind]

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, *_: object) -> None:
            return

    with HTTPServer((HOST, 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield kind, server.server_port
        server.shutdown()
        thread.join()


def test_it_is_the_port_that_a_server_takes_unasked() -> None:
    serve = typer.main.get_command(build_app()).commands["serve"]  # type: ignore[attr-defined]
    unasked = {parameter.name: parameter.default for parameter in serve.params}
    assert (unasked["host"], unasked["port"]) == (HOST, PORT)


def test_a_free_port_is_told_to_be_free() -> None:
    with socket.socket() as passing:
        passing.bind((HOST, 0))
        number = passing.getsockname()[1]
    found = reach.port(number=number)
    assert (found.name, found.ok) == (f"port {number}", True)
    assert found.detail == f"127.0.0.1:{number} is free"


def test_a_port_that_is_taken_is_told_with_the_command_for_another(
    taken: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reach, "_ANSWER_S", 0.05)
    found = reach.port(number=taken)
    assert not found.ok
    assert not found.needed
    assert f"127.0.0.1:{taken} is taken" in found.detail
    assert found.remedy == f"ddr serve --http --port {taken + 1}"


def test_our_own_server_on_the_port_is_no_fault_and_another_one_is(
    answering: tuple[str, int],
) -> None:
    kind, number = answering
    found = reach.port(number=number)
    assert found.ok is (kind == "ours")
    assert ("ddr serves" in found.detail) is (kind == "ours")


def test_keys_are_told_by_name_and_never_by_value() -> None:
    found = reach.keys({"OPENAI_API_KEY": SECRET, "HOME": "/root", "XAI_API_KEY": SECRET})
    assert found.ok
    assert found.detail.startswith("set: OPENAI_API_KEY, XAI_API_KEY; not set: ANTHROPIC_API_KEY")
    assert SECRET not in json.dumps(found.as_dict())


def test_no_key_at_all_is_told_with_what_works_without_one() -> None:
    for environ in ({}, {"OPENAI_API_KEY": ""}, {"OPENAI_API_KEY": "  "}):
        found = reach.keys(environ)
        assert not found.ok
        assert not found.needed
        assert "ANTHROPIC_API_KEY" in found.detail
        assert "--agent profiler" in (found.remedy or "")


def test_either_variable_of_a_provider_is_enough() -> None:
    found = reach.keys({"GOOGLE_API_KEY": SECRET})
    assert found.ok
    assert "GEMINI_API_KEY" not in found.detail


@pytest.mark.parametrize("value", [f'"{SECRET}"', f"'{SECRET}'", f"{SECRET}\n", f" {SECRET}"])
def test_a_key_with_blanks_or_quotation_marks_around_it_is_told(value: str) -> None:
    found = reach.keys({"ANTHROPIC_API_KEY": value, "OPENAI_API_KEY": SECRET})
    assert not found.ok
    assert found.detail.startswith("ANTHROPIC_API_KEY: ")
    assert SECRET not in json.dumps(found.as_dict())


@given(st.sampled_from([n for names in reach.KEYS.values() for n in names]), st.text(min_size=1))
def test_whatever_a_key_holds_the_answer_does_not_depend_on_it(name: str, value: str) -> None:
    alike = {reach.keys({name: value}), reach.keys({name: f"{value.strip().strip(chr(34))}x"})}
    details = {found.detail for found in alike}
    allowed = {reach.keys({name: given}).detail for given in ("x", " x", "")}
    assert details <= allowed


@pytest.mark.real
@pytest.mark.parametrize("provider", reach.KEYS)
def test_the_variables_are_those_that_the_providers_library_asks_for(
    provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for names in reach.KEYS.values():
        for name in names:
            monkeypatch.delenv(name, raising=False)
    wanted = missing_keys(parse_model(f"{provider}/some-model"))
    clouds = {"azure", "bedrock", "vertex_ai"}
    assert bool(wanted) is (provider not in clouds), "only clouds have credentials elsewhere"
    assert not wanted or set(wanted) & set(reach.KEYS[provider])


def test_node_is_said_not_to_be_needed() -> None:
    found = reach.node()
    assert found.ok
    assert "not needed" in found.detail


def test_charts_that_were_not_brought_are_told_with_the_command_that_brings_them(
    tmp_path: Path,
) -> None:
    assert reach.charts().ok
    missing = reach.charts(tmp_path)
    assert not missing.ok
    assert not missing.needed
    assert missing.remedy is not None
    assert missing.remedy.endswith("-m server.dashboard.vendor")
