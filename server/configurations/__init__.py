"""What each client is told of a seat: files in its own layout, readable by their owner alone."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

from core.errors import StoreError, UsageError
from server.addresses import is_plain

PROMPT: Final = "Call the tool get_task of ddr, and do what it says."
"""What an agent is begun with; all else it learns from the server."""
ENVIRONMENT: Final = "ddr.env"
"""Beside each configuration: the two values for whoever reads them from the environment."""

_SERVER: Final = "ddr_server.py"
_PROGRAM: Final = "explore.py"
_IN_ENVIRONMENT: Final = f"set -a; . ./{ENVIRONMENT}; set +a; python3 {_PROGRAM}"
_PLACES: Final = re.compile(r"\$(DDR_URL|DDR_TOKEN)\b")


@dataclass(frozen=True)
class Client:
    """How one client is configured. Paths are relative to the folder that it is started in."""

    name: str
    path: str
    """The file that tells it of the server."""
    command: str
    """What starts it, for a shell in that folder."""
    has_program: bool = False
    """Whether it is a library, to which a program belongs."""
    folder: str | None = None
    """What it wants to be told in place of the file: the folder that holds it."""

    @property
    def program(self) -> str:
        """What has to be on the path for the command."""
        return "python3" if self.has_program else self.command.split()[0]

    @property
    def config(self) -> str:
        """What `{config}` stands for."""
        return self.folder or self.path


def _library(name: str) -> Client:
    return Client(name, _SERVER, _IN_ENVIRONMENT, has_program=True)


CLIENTS: Final[Mapping[str, Client]] = {
    client.name: client
    for client in (
        Client("opencode", "opencode.json", f'opencode run "{PROMPT}"'),
        Client(
            "codex",
            ".codex/config.toml",
            # It reads a folder's configuration where it trusts the folder; the login stays its user's.
            "codex exec --skip-git-repo-check"
            f""" -c "projects={{'$PWD'={{trust_level='trusted'}}}}" "{PROMPT}\"""",
            folder=".codex",
        ),
        Client(
            "claude-code",
            "ddr.json",
            f'claude -p "{PROMPT}" --mcp-config ddr.json --strict-mcp-config'
            " --allowedTools mcp__ddr",
        ),
        Client(
            "gemini",
            ".gemini/settings.json",
            f'gemini -p "{PROMPT}" --approval-mode yolo --skip-trust',
        ),
        *map(
            _library,
            ("openai-agents", "langchain", "pydantic-ai", "inspect", "fastmcp", "mcp"),
        ),
    )
}


@dataclass(frozen=True)
class File:
    """One file of a configuration."""

    path: str
    """Relative, with slashes."""
    text: str


def files_of(client: Client, url: str, token: str | None) -> tuple[File, ...]:
    """The configuration of one seat; without a token its place, `$DDR_TOKEN`, is left.

    Raises UsageError for a URL that could not stand in every one of the formats as it is.
    """
    if not is_plain(url):
        raise UsageError(f"{url!r} is no plain http(s) address")
    values = {"DDR_URL": url, "DDR_TOKEN": token or "$DDR_TOKEN"}

    def filled(name: str) -> str:
        # In one pass: a value is never looked at for places.
        return _PLACES.sub(lambda place: values[place[1]], _text(name))

    found = [File(client.path, filled(client.name))]
    if client.has_program:
        # Both read the environment, so that the program can be shown to anybody.
        found = [
            File(client.path, _text(client.name)),
            File(_PROGRAM, _text(f"{client.name}.program")),
        ]
    settings = "".join(f"{name}={value}\n" for name, value in values.items() if token)
    return (*found, File(ENVIRONMENT, settings)) if token else tuple(found)


def write(client: Client, folder: Path, url: str, token: str) -> Path:
    """Write a seat's configuration into a folder (0700, files 0600); what `{config}` stands for.

    What was written there for an earlier seat is replaced. Raises UsageError where a file of
    somebody else's stands in the way, StoreError where it cannot be written.
    """
    made = files_of(client, url, token)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if (folder / ENVIRONMENT).is_symlink() or not (folder / ENVIRONMENT).is_file():
            _refuse_others(folder, made)
        _refuse_links(folder, made)
        # The mark that the folder is ours goes first, for whoever is killed in between.
        for file in reversed(made):
            _put(folder / file.path, file.text)
    except OSError as exc:
        raise StoreError(
            f"the configuration cannot be written to {folder}: {exc.strerror or exc}"
        ) from exc
    return folder / client.config


def _refuse_others(folder: Path, made: tuple[File, ...]) -> None:
    for file in made:
        if os.path.lexists(folder / file.path):
            raise UsageError(
                f"{folder / file.path} is there already and was not written by ddr: "
                "give another folder with --to"
            )


def _refuse_links(folder: Path, made: tuple[File, ...]) -> None:
    """A folder within ours that is a link would have us write into somebody else's."""
    for file in made:
        within = (folder / file.path).parent
        if within != folder and within.is_symlink():
            raise UsageError(
                f"{within} is a link, and what is written there would be written elsewhere: "
                "give another folder with --to"
            )


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Beside it, then into its place: never through a link, and never readable by others.
    beside = path.with_name(f".{secrets.token_hex(8)}.tmp")
    fd = os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        with os.fdopen(fd, "w", encoding="utf-8") as file:
            file.write(text)
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


@cache
def _text(name: str) -> str:
    return (files(__name__) / "texts" / f"{name}.txt").read_text(encoding="utf-8")
