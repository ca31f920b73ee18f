"""The session that runs inside the sandbox: takes cells over a socket, runs them, answers.

This file is bound into the sandbox and started there by its path, so it imports nothing of ours.
It hardens itself before it reads the first cell; from then on the agent's code shares its process,
so nothing that it says is trusted outside (tools/python/kernel.py).

Messages: four bytes of length (big-endian), then a JSON object. One that says `"bytes": n` is
followed by n raw bytes; only the host sends those.
"""

from __future__ import annotations

import ast
import contextlib
import ctypes
import io
import json
import linecache
import os
import pickle
import re
import resource
import signal
import socket
import struct
import sys
import threading
import traceback
import types
from typing import Any

LENGTH = struct.Struct(">I")
MOST_CHARS = 60_000
"""Of a value or an error; the host cuts further."""
MOST_ATTEMPTS = 20
PIECE = 1 << 16
OWN = ("/tmp", "/dev", "/site", "/python", "/lib", "/lib64", "/usr/share/zoneinfo")  # noqa: S108 - its own
# Libraries look there on their own account; nothing of the kind exists in here.
HARMLESS = re.compile(
    r"/(proc/(cpuinfo|meminfo|sys/|self/(stat|statm|status|maps|fd|cgroup)\b)|sys/"
    r"|etc/(localtime|timezone|os-release|lsb-release|mime\.types|ld\.so)"
    r"|usr/lib/(os-release|ssl|locale)|usr/share/(locale|mime)|usr/local/etc|kernel)"
)
ASKED_BY_LIBRARIES = frozenset({"uname", "lsb_release", "/sbin/ldconfig", "ldconfig", "gcc", "cc"})
TELLING = re.compile(
    r"checklist|answer|ground.?truth|mapping|secret|qa\.json|\.duckdb", re.IGNORECASE
)
PR_SET_DUMPABLE = 4


class QueryError(Exception):
    """query() could not be answered; the text says why."""


class Channel:
    """The socket to the host."""

    def __init__(self, fd: int) -> None:
        self._socket = socket.socket(fileno=fd)

    def send(self, message: dict[str, Any]) -> None:
        raw = json.dumps(message).encode()
        self._socket.sendall(LENGTH.pack(len(raw)) + raw)

    def receive(self) -> tuple[dict[str, Any], bytearray]:
        message = json.loads(self._exactly(LENGTH.unpack(self._exactly(LENGTH.size))[0]))
        return message, self._exactly(message.get("bytes", 0))

    def _exactly(self, count: int) -> bytearray:
        try:
            buffer = bytearray(count)
        except MemoryError:
            while count:  # or the next message would be looked for in the middle of this one
                count -= len(self._exactly(min(count, PIECE)))
            raise
        view = memoryview(buffer)
        got = 0
        while got < count:
            if not (read := self._socket.recv_into(view[got:])):
                os._exit(0)  # the host is gone
            got += read
        return buffer


class Printed(io.TextIOWrapper):
    """Standard output. Long text leaves in pieces, so that the host's cap meets it before memory."""

    def __init__(self, raw: io.FileIO, encoding: str, errors: str) -> None:
        super().__init__(io.BufferedWriter(raw), encoding, errors, line_buffering=True)

    def write(self, text: str) -> int:
        for start in range(0, len(text), PIECE):
            super().write(text[start : start + PIECE])
        return len(text)


class Attempts:
    """Notes attempts to look where nothing is to be seen, as far as Python's audit events tell."""

    def __init__(self) -> None:
        self._seen: dict[str, None] = {}
        sys.addaudithook(self._hear)

    def take(self) -> list[str]:
        seen, self._seen = list(self._seen), {}
        return seen

    def _hear(self, event: str, args: tuple[Any, ...]) -> None:
        if event in {"open", "os.listdir", "os.scandir", "os.chdir", "glob.glob"}:
            self._path(args[0])
        elif event in {"socket.__new__", "socket.getaddrinfo", "urllib.Request"}:
            self._note("network" if event == "socket.__new__" else f"network {args[0]}")
        elif event in {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn"}:
            program = os.fsdecode(args[0]) if isinstance(args[0], (str, bytes)) else "?"
            if program not in ASKED_BY_LIBRARIES:
                self._note(f"program {program}")

    def _path(self, named: Any) -> None:
        if not isinstance(named, (str, bytes, os.PathLike)):
            return
        path = os.path.abspath(os.fsdecode(named))  # noqa: PTH100 - pathlib would be heard again
        if path.startswith(OWN):
            if TELLING.search(path) and not path.startswith(("/site", "/python")):
                self._note(path)
        elif not HARMLESS.match(path) or TELLING.search(path):
            self._note(path)

    def _note(self, what: str) -> None:
        if len(self._seen) < MOST_ATTEMPTS:
            self._seen[f"python: {what[:200]}"] = None


class Session:
    """The agent's variables, and the way in which its cells are run."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._memory_mb = 0
        self._pandas = False
        self._owner = (os.getpid(), threading.get_ident())
        self._cells = 0
        self._own_module = sys.modules["__main__"]
        self._module = types.ModuleType("__main__")
        sys.modules["__main__"] = self._module
        self._module.__dict__.update(query=self.query, QueryError=QueryError)

    def query(self, sql: str) -> Any:
        """Run one read-only SELECT on the database; returns a pandas DataFrame."""
        if self._owner != (os.getpid(), threading.get_ident()):
            raise QueryError("query() works in the main thread of the session only")
        self._channel.send({"op": "query", "sql": str(sql)})
        reply, payload = self._channel.receive()
        if "error" in reply:
            raise QueryError(reply["error"])
        self._offer_pandas()
        import pandas as pd

        frame = pd.DataFrame(pickle.loads(payload))  # noqa: S301 - from the host, which we trust
        for name, values in frame.items():
            if isinstance(values.dtype, pd.CategoricalDtype):  # text, packed small for the way
                frame[name] = values.astype(values.dtype.categories.dtype)
        if reply["truncated"]:
            print(f"query(): cut at {len(frame):,} rows; there are more")  # noqa: T201 - the agent reads it
        return frame

    def run(self, code: str, memory_mb: int) -> dict[str, Any]:
        """Run one cell: its last expression's value, or its error."""
        self._cells += 1
        self._bound(memory_mb)
        name = f"<cell {self._cells}>"
        linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
        value = error = None
        try:
            value = self._evaluate(code, name)
        except BaseException as exc:  # noqa: BLE001 - SystemExit and KeyboardInterrupt end the cell only
            error = self._trace(exc)
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        return {"value": value and _cut(value), "error": error and _cut(error)}

    def _bound(self, memory_mb: int) -> None:
        """The cell's own bound on memory, never above the session's."""
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        bound = min(memory_mb << 20, most)
        self._memory_mb = bound >> 20
        resource.setrlimit(resource.RLIMIT_AS, (bound, most))

    def _offer_pandas(self) -> None:
        """Give the names pd and np, at their first use: pandas takes longer than all the rest."""
        if self._pandas:
            return
        import numpy as np
        import pandas as pd

        pd.set_option("display.width", 160, "display.max_columns", 30)
        for name, module in (("np", np), ("pd", pd)):
            self._module.__dict__.setdefault(name, module)
        self._pandas = True

    def _evaluate(self, code: str, name: str) -> str | None:
        space = self._module.__dict__
        tree = ast.parse(code, name)
        if not self._pandas and {"pd", "np"} & {
            node.id for node in ast.walk(tree) if isinstance(node, ast.Name)
        }:
            self._offer_pandas()
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, name, "exec"), space)  # noqa: S102 - what this process is for
        if not isinstance(last, ast.Expr):
            return None
        value = eval(compile(ast.Expression(last.value), name, "eval"), space)  # noqa: S307 - likewise
        if value is None:
            return None
        space["_"] = value
        return repr(value)

    def _trace(self, exc: BaseException) -> str:
        """The traceback, cut to the agent's own frames."""
        report = traceback.TracebackException.from_exception(exc)
        link: traceback.TracebackException | None = report
        while link:
            link.stack[:] = [frame for frame in link.stack if frame.filename.startswith("<cell")]
            link = link.__cause__ or link.__context__
        text = "".join(report.format()).rstrip()
        if isinstance(exc, MemoryError):
            text += f"\nmemory limit: the sandbox has {self._memory_mb} MB; the variables are kept"
        return text


def _cut(text: str) -> str:
    if len(text) > MOST_CHARS:
        text = f"{text[:MOST_CHARS]}… [clipped, {len(text)} characters in full]"
    return text.encode("utf-8", "replace").decode()


def _harden(limits: dict[str, int]) -> None:
    """Bounds that the process can lower but never raise again."""
    for name, most in (
        ("AS", limits["memory_mb"] << 20),
        ("CPU", limits["cpu_s"]),
        ("NPROC", limits["processes"]),
        ("FSIZE", limits["file_mb"] << 20),
        ("NOFILE", limits["files"]),
        ("CORE", 0),
        ("MEMLOCK", 0),
        ("MSGQUEUE", 0),
    ):
        resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (most, most))
    # No tracing and no reading of its memory by a process of its own user.
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def _sweep() -> None:
    """End whatever processes the cell left behind; only the session's own variables go on."""
    if os.getpid() != 1:
        return
    with contextlib.suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def main() -> None:
    """Serve cells until the host goes away."""
    channel = Channel(int(sys.argv[1]))
    limits = json.loads(sys.argv[2])
    sys.argv = [""]
    sys.path.append("/site")
    sys.stdout = sys.stderr = Printed(io.FileIO(1, "wb", closefd=False), "utf-8", "replace")
    _harden(limits)
    session = Session(channel)
    attempts = Attempts()
    channel.send({"op": "ready"})
    while True:
        message, _ = channel.receive()
        if "code" not in message:
            continue  # an answer to a question that was not ours
        done = session.run(message["code"], message["memory_mb"])
        _sweep()
        channel.send({"op": "done", "id": message["id"], "attempts": attempts.take(), **done})


if __name__ == "__main__":
    main()
