"""What `--exec` asks for: a command with places to fill, and what it is given to work with."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from core.errors import UsageError
from server.configurations import PROMPT, Client
from server.enrolment import Issued

COMMAND: Final = "{command}"
"""At the beginning: what starts the client of --write."""
PLACES: Final = ("url", "token", "config", "entity", "trial", "prompt", "here", "folder")
_PLACE: Final = re.compile("{(" + "|".join(PLACES) + ")}")
_PROXIES: Final = ("http_proxy", "all_proxy")
_LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")
_PLAIN_ENTITY: Final = re.compile(r"\w[\w.@+:-]*")


@dataclass(frozen=True)
class Order:
    """A command for every seat of a run. Made by `read_order`."""

    words: tuple[str, ...]
    client: Client | None
    """Whose configuration is written into each agent's folder."""
    here: Path
    """The folder that it was typed in."""
    is_clients_own: bool = False
    """Whether the last word is a shell's text that we wrote, so that what is filled in is quoted."""

    def has(self, place: str) -> bool:
        """Whether this is to be filled in."""
        return any(f"{{{place}}}" in word for word in self.words)

    def relative_files(self) -> list[str]:
        """Words that name files of the caller's folder, which the agent is not started in."""
        return [word for word in self.words[1:] if word[:1] != "/" and _is_file(self.here / word)]

    def refuse_odd(self, issued: Issued) -> None:
        """Raises UsageError for an entity whose id could mean something else to a shell."""
        entity_id, _ = issued.seat.keys[0]
        if self.has("entity") and not _PLAIN_ENTITY.fullmatch(entity_id):
            raise UsageError(
                f"the id {entity_id!r} cannot stand in a command in the place of {{entity}}: "
                "leave it out and read the variable DDR_ENTITY"
            )

    def command(
        self, issued: Issued, url: str, *, folder: Path, config: Path | None = None
    ) -> list[str]:
        """The words for one seat, in one pass: what is filled in is never looked at for places.

        `folder` is what it is started in. Raises UsageError as `refuse_odd` does.
        """
        self.refuse_odd(issued)
        entity_id, trial = issued.seat.keys[0]
        values = {
            "url": url,
            "token": issued.token,
            "config": "" if config is None else str(config),
            "entity": entity_id,
            "trial": str(trial),
            "prompt": PROMPT,
            "here": str(self.here),
            "folder": str(folder),
        }

        def filled(place: re.Match[str]) -> str:
            value = values[place[1]]
            return shlex.quote(value) if self.is_clients_own else value

        return [_PLACE.sub(filled, word) for word in self.words]

    def environment(
        self, given: Mapping[str, str], issued: Issued, url: str, *, folder: Path
    ) -> dict[str, str]:
        """The caller's variables with the seat's, and without ours: no way to where data are kept."""
        kept = {k: v for k, v in given.items() if not k.startswith("DDR_") and k != "OLDPWD"}
        entity_id, trial = issued.seat.keys[0]
        mine = {"DDR_URL": url, "DDR_TOKEN": issued.token, "PWD": str(folder)}
        if len(issued.seat.keys) == 1:
            mine |= {"DDR_ENTITY": entity_id, "DDR_TRIAL": str(trial)}
        return {**kept, **_past_proxies(kept, url), **mine}


def read_order(text: str, *, client: Client | None, queue: bool, here: Path) -> Order:
    """What was written behind --exec. No shell reads it unless it begins with one.

    Raises UsageError where it is no command, its program is not to be found, or a place in it
    cannot be filled.
    """
    if "\0" in text:
        raise UsageError("--exec: a command has no NUL in it")
    if text.lstrip().startswith(COMMAND):
        if client is None:
            raise UsageError(f"--exec {COMMAND} needs --write CLIENT: whose command is it?")
        _program(client.program, here)
        line = client.command + text.lstrip().removeprefix(COMMAND)
        order = Order(("sh", "-c", line), client, here, is_clients_own=True)
    else:
        order = Order(_words(text, here), client, here)
    if order.has("config") and client is None:
        raise UsageError("--exec with {config} needs --write CLIENT: whose configuration is it?")
    if queue and (order.has("entity") or order.has("trial")):
        raise UsageError(
            "--queue has one agent explore all entities: leave {entity} and {trial} out"
        )
    return order


def _past_proxies(given: Mapping[str, str], url: str) -> dict[str, str]:
    """A proxy for the web knows nothing of a server on this machine."""
    host = urlsplit(url).hostname or ""
    if host not in _LOOPBACK or not any(name.lower() in _PROXIES for name in given):
        return {}
    known = given.get("no_proxy") or given.get("NO_PROXY")
    return dict.fromkeys(("no_proxy", "NO_PROXY"), f"{known},{host}" if known else host)


def _words(text: str, here: Path) -> tuple[str, ...]:
    try:
        words = shlex.split(text)
    except ValueError as exc:
        raise UsageError(f"--exec {text!r}: {exc}") from exc
    if not words:
        raise UsageError("--exec: which command? for instance --exec 'opencode run \"{prompt}\"'")
    return (_program(words[0].replace("{here}", str(here)), here), *words[1:])


def _program(word: str, here: Path) -> str:
    if os.sep not in word:
        if shutil.which(word) is None:
            raise UsageError(
                f"--exec: there is no program {word!r}; a shell's own words and $VARIABLES need "
                "a shell: --exec \"sh -c '...'\""
            )
        return word
    # A path of the caller's folder: the agent is started in another one.
    path = here / word
    if not (_is_file(path) and os.access(path, os.X_OK)):
        raise UsageError(f"--exec: {path} is no program that can be started")
    return str(path)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # too long for a name, or no text of a path
        return False
