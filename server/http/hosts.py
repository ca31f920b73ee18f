"""Which names a server answers to. A page in somebody's browser may reach it by any other."""

from __future__ import annotations

import re
from collections.abc import Iterable
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from core.errors import UsageError

LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")
EVERY_ADDRESS: Final = ("0.0.0.0", "::")  # noqa: S104 - asked for by name, and guarded in allowed_for

_NAME: Final = re.compile(r"([a-z0-9_](?:[a-z0-9_.-]{0,252}[a-z0-9_])?|\[[0-9a-f:.]+\])")
_HOST: Final = re.compile(_NAME.pattern + r"(?::([0-9]{1,5}))?")
_PATTERN: Final = re.compile(_NAME.pattern + r"(?::([0-9]{1,5}|\*))?")


class AllowedHosts:
    """An explicit list; there is none that admits everything."""

    def __init__(self, patterns: Iterable[str]) -> None:
        """Each is a name (`ddr`, at any port), `ddr:*` (the same) or `ddr:8910`.

        Raises UsageError for what is no such thing.
        """
        self._any_port: set[str] = set()
        self._exact: set[tuple[str, str]] = set()
        for pattern in patterns:
            found = _PATTERN.fullmatch(pattern.lower())
            if found is None:
                raise UsageError(
                    f"{pattern!r} is no host: name one, like bench.example.org or ddr:8910; "
                    "to admit any is not offered"
                )
            name, port = found.groups()
            if port in (None, "*"):
                self._any_port.add(name)
            else:
                self._exact.add((name, port))

    def admits(self, host: str) -> bool:
        """Whether this value of a Host header is one of ours."""
        found = _HOST.fullmatch(host.lower())
        if found is None:
            return False
        name, port = found.groups()
        return name in self._any_port or (port is not None and (name, port) in self._exact)

    def admits_origin(self, origin: str) -> bool:
        """Whether a page of this origin may speak to us: only one that we are ourselves."""
        try:
            parts = urlsplit(origin)
        except ValueError:
            return False
        plain = parts.scheme in ("http", "https") and origin.lower() == (
            f"{parts.scheme}://{parts.netloc.lower()}"
        )
        return plain and self.admits(parts.netloc)


def allowed_for(host: str, more: Iterable[str]) -> tuple[str, ...]:
    """The patterns of a server that listens on `host`: loopback, its own name, and those given.

    Raises UsageError where it listens on every address and nobody said by which names.
    """
    given = tuple(more)
    if host in EVERY_ADDRESS:
        if not given:
            raise UsageError(
                f"--host {host} listens on every address: say by which names it may be called, "
                "for example --allow-host bench.example.org --allow-host 'ddr:*'"
            )
        own: tuple[str, ...] = ()
    else:
        own = (f"[{host}]" if ":" in host else host,)
    return tuple(dict.fromkeys((*LOOPBACK, *own, *given)))


def is_loopback(host: str) -> bool:
    """Whether nobody on another machine reaches what listens on this address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
