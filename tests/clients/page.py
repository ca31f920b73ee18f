"""What docs/connect.md tells the reader to write down for each client, block by block."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from tests.support.pages import ROOT

PAGE = ROOT / "docs" / "connect.md"
PACKAGES = {"langchain": "langchain-mcp-adapters", "inspect": "inspect-ai"}
"""Where the table names the package and the section its framework."""
_SECTION = re.compile(r"^### (\S+)\n(.*?)(?=^##|\Z)", re.MULTILINE | re.DOTALL)
_BLOCK = re.compile(r"^(?:([^\n]*):\n\n)?```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ROW = re.compile(r"^\| ([\w-]+) \| ([\d.]+) \| ([\d a-z-]+) \|", re.MULTILINE)


@dataclass(frozen=True)
class Section:
    """One client's blocks. A block is known by how the line above it begins."""

    client: str
    http: str
    """The connection, with $DDR_URL and $DDR_TOKEN in it or read from the environment."""
    file: str
    """Where the page says to write that."""
    stdio: str | None
    program: str | None
    """A Python program that uses the connection."""
    command: str | None
    """A line for the shell."""


@dataclass(frozen=True)
class Tested:
    """A row of the table at the end."""

    version: str
    protocols: tuple[str, ...]


@cache
def sections() -> dict[str, Section]:
    """Every client's section by its name."""
    said = PAGE.read_text(encoding="utf-8")
    return {name: read_section(name, body) for name, body in _SECTION.findall(said)}


def read_section(name: str, body: str) -> Section:
    found: dict[str, str] = {}
    file = ""
    for label, language, text in _BLOCK.findall(body):
        kind = "command" if language == "sh" else " ".join(label.split()[:2]).rstrip(",").lower()
        if kind in found:
            raise ValueError(f"{PAGE.name} has two blocks '{kind}' for {name}")
        found[kind] = text
        if kind == "over http":
            file = re.findall(r"`([^`]+)`", label)[0]
    return Section(
        client=name,
        http=found.pop("over http"),
        file=file,
        stdio=found.pop("over stdio", None),
        program=found.pop("the program", None),
        command=found.pop("command", None),
    )


@cache
def tested() -> dict[str, Tested]:
    """The table of what was tested, by client."""
    said = PAGE.read_text(encoding="utf-8")
    return {
        name: Tested(version, tuple(re.findall(r"\d{4}-\d\d-\d\d", protocols)))
        for name, version, protocols in _ROW.findall(said)
    }


def protocols(client: str) -> tuple[str, ...]:
    """The revisions that a client speaks by the table, newest first."""
    row = next(row for name, row in tested().items() if name in (client, PACKAGES.get(client)))
    return tuple(sorted(row.protocols, reverse=True))
