"""Start `ddr` again and again in processes that need not import for seconds what is imported already.

    with Warm(home) as warm:
        pid = warm.start("run", "--resume", "last")
        os.kill(pid, signal.SIGKILL)
        warm.ended()          # (None, what it printed)

One process imports litellm and forks for each start; what it forks is a `ddr` like any other.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.e2e.processes import ROOT, Home


class Warm:
    """The process that forks, from the outside."""

    def __init__(self, home: Home) -> None:
        self._out, self._err = home.path.parent / "stdout", home.path.parent / "stderr"
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.e2e.warm", str(self._out), str(self._err)],
            cwd=ROOT,
            env=home.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        exc: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.communicate()

    def start(self, *arguments: str) -> int:
        """Begin a `ddr`, and say its pid."""
        assert self._process.stdin
        self._process.stdin.write(json.dumps(arguments) + "\n")
        self._process.stdin.flush()
        return int(self._line())

    def ended(self) -> tuple[int | None, str]:
        """Wait for its end: its exit code (None where it was killed) and what it printed."""
        status = int(self._line())
        code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else None
        return code, self._out.read_text("utf-8")

    def said(self) -> str:
        """What the last one wrote to stderr."""
        return self._err.read_text("utf-8")

    def _line(self) -> str:
        assert self._process.stdout
        line = self._process.stdout.readline()
        assert line, "the forking process has ended"
        return line


def _be_ddr(arguments: list[str], out: Path, err: Path) -> int:
    from server.cli.main import main

    for path, number in ((out, 1), (err, 2)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    try:
        return main(arguments)
    except SystemExit as exc:
        return exc.code if isinstance(exc.code, int) else 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


def _serve(out: Path, err: Path) -> None:
    import server.runner
    import server.store  # noqa: F401 - imported for those that are forked
    from providers.litellm_model import _litellm

    _litellm()
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                code = _be_ddr(json.loads(line), out, err)
            finally:
                os._exit(code)
        print(pid, flush=True)
        print(os.waitpid(pid, 0)[1], flush=True)


if __name__ == "__main__":
    _serve(Path(sys.argv[1]), Path(sys.argv[2]))
