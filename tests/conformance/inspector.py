"""The protocol's inspector from npm, on its command line: what it lists, calls and finds fault with."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from dataclasses import dataclass
from typing import Any, Final

from tests.support import node, npm

INSPECTOR: Final = npm.Package("@modelcontextprotocol/inspector", "2.12.0", "mcp-inspector")
ONE_S: Final = 90

TOOL_FAILED: Final = 5
"""Its exit code where a tool's result is an error."""
UNPORTABLE: Final = 6
"""Its exit code where a schema is one that some providers refuse."""


@dataclass(frozen=True)
class Seen:
    """One call of the inspector."""

    code: int
    envelope: dict[str, Any]
    """What it wrote: `result`, or `error`, and `schemaFindings` where it found any."""
    said: str

    @property
    def result(self) -> dict[str, Any]:
        assert self.code in (0, TOOL_FAILED), self.said
        return dict(self.envelope["result"])

    @property
    def findings(self) -> list[Any]:
        """Tools whose schemas draw a warning or an error."""
        return list(self.envelope.get("schemaFindings", []))


def inspect(*target: str, token: str | None = None) -> Seen:
    """Ask a server one thing; `target` is its address or command, and what to ask."""
    program = str(INSPECTOR.install())
    header = ["--header", f"Authorization: Bearer {token}"] if token else []
    with tempfile.TemporaryDirectory() as home:  # it keeps a catalogue of the servers it has met
        done = subprocess.run(
            [program, "--cli", *target, *header, "--format", "json"],
            env=node.environment({"HOME": home, "PATH": os.environ["PATH"]}),
            stdin=subprocess.DEVNULL,
            check=False,
            capture_output=True,
            text=True,
            timeout=ONE_S,
        )
    said = done.stdout + done.stderr
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    return Seen(done.returncode, json.loads(lines[-1]) if lines else {}, said)
