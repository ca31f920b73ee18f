"""The Python clients: which interpreter has each, and how its blocks of the page are run."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.clients import by_hand, page
from tests.clients.coding import away
from tests.clients.conversation import Deed
from tests.support.environments import AGENTS, LANGCHAIN, Environment

RUN_S: Final = 120

PROJECT: Final = None
"""The project's own environment, which has the protocol's SDK."""


@dataclass(frozen=True)
class Library:
    """One client; `has_loop` where it comes with an agent that a model drives."""

    name: str
    environment: Environment | None
    has_loop: bool = True

    @property
    def section(self) -> page.Section:
        return page.sections()[self.name]

    def python(self) -> Path:
        """Its interpreter, installed if need be."""
        return Path(sys.executable) if self.environment is None else self.environment.install()

    def environment_of(self, home: Path) -> dict[str, str]:
        """Its Python before any other on the path, a home of its own, no way off this machine."""
        return away(home, self.python().parent)

    def explore(self, folder: Path, connection: str, variables: Mapping[str, str]) -> str:
        """Run the page's program with a connection; its stdout. Fails with its own words."""
        assert self.section.program
        self._lay(folder, connection)
        (folder / "explore.py").write_text(self.section.program, encoding="utf-8")
        return self._run(folder, "explore.py", variables)

    def do(
        self, folder: Path, connection: str, variables: Mapping[str, str], deeds: Sequence[Deed]
    ) -> list[dict[str, Any]]:
        """Make the calls one by one, without a model; what came of each."""
        self._lay(folder, connection)
        shutil.copy(by_hand.__file__, folder / "by_hand.py")
        asked = json.dumps([(deed.tool, deed.arguments) for deed in deeds])
        said = self._run(folder, "by_hand.py", variables, asked)
        seen: list[dict[str, Any]] = json.loads(said.splitlines()[-1])
        return seen

    @staticmethod
    def _lay(folder: Path, connection: str) -> None:
        (folder / "ddr_server.py").write_text(connection, encoding="utf-8")

    def _run(
        self, folder: Path, program: str, variables: Mapping[str, str], asked: str = ""
    ) -> str:
        done = subprocess.run(
            [self.python(), program],
            cwd=folder,
            env={**self.environment_of(folder), **variables},
            input=asked,
            capture_output=True,
            text=True,
            timeout=RUN_S,
            check=False,
        )
        assert done.returncode == 0, f"{self.name} failed:\n{done.stdout}\n{done.stderr}"
        return done.stdout


LIBRARIES: Final = {
    library.name: library
    for library in (
        Library("mcp", PROJECT, has_loop=False),
        Library("fastmcp", AGENTS, has_loop=False),
        Library("openai-agents", AGENTS),
        Library("pydantic-ai", AGENTS),
        Library("inspect", AGENTS),
        Library("langchain", LANGCHAIN),
    )
}
