"""docs/connect.md says what `--write` writes, for the versions that are tested, and waits long enough."""

from __future__ import annotations

import ast
import importlib.metadata
import json
import re
import tomllib
from collections.abc import Callable
from typing import Any

import pytest

from server.configurations import CLIENTS, files_of
from tests.clients import page
from tests.clients.coding import AGENTS as CODING
from tests.clients.libraries import LIBRARIES
from tests.clients.page import Section
from tools.limits import ToolLimits

NAMES = sorted({*CODING, *LIBRARIES})
READ: dict[str, Callable[[str], Any]] = {
    ".json": json.loads,
    ".toml": tomllib.loads,
    ".py": ast.parse,
}


def test_the_page_has_every_client_that_is_tested_or_written_for() -> None:
    assert sorted(page.sections()) == NAMES == sorted(CLIENTS)
    assert sorted(page.tested()) == sorted(page.PACKAGES.get(name, name) for name in NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_written_for_a_client_is_what_the_page_shows(name: str) -> None:
    section, client = page.sections()[name], CLIENTS[name]
    url = "http://127.0.0.1:8910/r/x/mcp"
    written = {file.path: file.text for file in files_of(client, url, "t")}
    shown = section.http.replace("$DDR_URL", url).replace("$DDR_TOKEN", "t")
    assert written[section.file] == shown
    if section.program:
        assert written["explore.py"] == section.program
    if section.command:
        assert client.command == section.command.strip()


@pytest.mark.parametrize("name", NAMES)
def test_a_connection_is_written_in_its_language(name: str) -> None:
    section = page.sections()[name]
    read = READ[section.file[section.file.rindex(".") :]]
    assert read(section.http)
    for text in filter(None, (section.stdio, section.program)):
        ast.parse(text)


@pytest.mark.parametrize("name", NAMES)
def test_a_client_waits_longer_than_a_call_may_take(name: str) -> None:
    section = page.sections()[name]
    patience = {
        "opencode": lambda c: c["mcp"]["ddr"]["timeout"] / 1000,
        "codex": lambda c: c["mcp_servers"]["ddr"]["tool_timeout_sec"],
        "claude-code": lambda c: c["mcpServers"]["ddr"]["timeout"] / 1000,
        "gemini": lambda c: c["mcpServers"]["ddr"]["timeout"] / 1000,
    }
    if name in patience:
        read = READ[section.file[section.file.rindex(".") :]]
        seconds = patience[name](read(section.http))
    else:
        waits = (
            r"(?:session_timeout_seconds|read_timeout|read_timeout_seconds|\btimeout)\"?[=:] ?(\d+)"
        )
        seconds = max(int(found) for found in re.findall(waits, section.http))
    limits = ToolLimits()
    longest = max(limits.python_max_seconds, limits.sql_seconds)
    assert seconds >= 2 * longest


def test_the_versions_on_the_page_are_those_that_the_tests_run() -> None:
    pins: dict[str, str] = {}
    for library in LIBRARIES.values():
        if library.environment:
            lines = library.environment.pins.read_text(encoding="utf-8")
            pins.update(re.findall(r"^([\w-]+)==([\w.]+)", lines, re.MULTILINE))
    pins["mcp"] = importlib.metadata.version("mcp")
    pins["pydantic-ai"], pins["fastmcp"] = pins["pydantic-ai-slim"], pins["fastmcp-slim"]
    versions = {name: agent.package.version for name, agent in CODING.items()}
    for name in LIBRARIES:
        distribution = page.PACKAGES.get(name, name)
        versions[distribution] = pins[distribution]
    assert {name: row.version for name, row in page.tested().items()} == versions


@pytest.mark.parametrize("library", [LIBRARIES["fastmcp"], LIBRARIES["langchain"]])
def test_every_package_of_an_environment_is_pinned(library: Any) -> None:
    wanted = library.environment.pins.with_suffix(".in").read_text(encoding="utf-8").splitlines()
    pinned = library.environment.pins.read_text(encoding="utf-8").splitlines()
    assert all(re.match(r"[\w.-]+==[\w.]+( ;.*)?$", line) for line in pinned)
    for line in wanted:
        if not line.startswith("#"):
            assert re.sub(r"\[.*\]", "", line) in pinned


def test_a_page_with_two_blocks_of_one_kind_is_refused() -> None:
    twice = "Over HTTP, in `x.json`:\n\n```json\n{}\n```\n\n" * 2
    with pytest.raises(ValueError, match="two blocks"):
        page.read_section("x", twice)


def test_a_section_is_read_block_by_block() -> None:
    body = (
        "Over HTTP, in `a/b.json` of the folder:\n\n```json\n1\n```\n\n```sh\ngo\n```\n\n"
        "Over stdio:\n\n```python\n2\n```\n\nThe program:\n\n```python\n3\n```\n"
    )
    assert page.read_section("x", body) == Section("x", "1\n", "a/b.json", "2\n", "3\n", "go\n")
