"""The last look at every reply: no path of the host leaves with it."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

DATA = "/data"


class Scrubber:
    """Replaces the host's paths by neutral ones. A second wall: what would show them is refused."""

    def __init__(self, database: Path | None) -> None:
        """`database`: None where it is no file of this machine."""
        files = {database.absolute(), database.resolve()} if database else set()
        self._data = {str(path): f"{DATA}/{path.name}" for path in files}
        self._data |= {str(path.parent): DATA for path in files if len(path.parts) > 3}
        places = {
            Path(os.path.expanduser("~")): "/home",  # noqa: PTH111 - Path.home() fails without one
            Path(sys.prefix): "/python",
            Path(sys.base_prefix): "/python",
            Path(__file__).resolve().parents[1]: "/ddr",
            **{parent: DATA for path in files for parent in path.parents},
        }
        self._host = {str(path): name for path, name in places.items() if len(path.parts) > 2}
        self._host |= self._data

    def rows(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """For what came out of the database: its own path and folder only, values are sacred."""
        return {key: self._walk(value, self._data) for key, value in data.items()}

    def words(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """For errors and printed text: every folder on the way to the data and to ourselves too."""
        return {key: self._walk(value, self._host) for key, value in data.items()}

    def _walk(self, value: Any, names: Mapping[str, str]) -> Any:
        if isinstance(value, str):
            for path in sorted(names, key=len, reverse=True) if "/" in value else ():
                value = value.replace(path, names[path])
            return value
        if isinstance(value, list):
            return [self._walk(item, names) for item in value]
        if isinstance(value, dict):
            return {self._walk(k, names): self._walk(v, names) for k, v in value.items()}
        return value
