"""Run an agent's cells: its variables, the value of the last expression, its errors, its queries.

From the first cell on the agent's code shares this process, so nothing that it says is trusted
outside (tools/python/kernel.py).
"""

from __future__ import annotations

import ast
import contextlib
import linecache
import os
import pickle
import resource
import signal
import sys
import threading
import time
import traceback
import types
import warnings
from collections.abc import Iterable
from typing import Any

from .attempts import Attempts
from .channel import Channel
from .figures import take_figures
from .heap import Heap

MOST_CHARS = 60_000
"""Of a value or an error; the host cuts further."""
SWEEPS = 200


class QueryError(Exception):
    """query() could not be answered; the text says why."""


class Session:
    """The agent's variables, and the way in which its cells are run."""

    def __init__(self, channel: Channel, base_mb: int) -> None:
        """`base_mb` is the address space that the libraries take before the first cell."""
        self._channel = channel
        self._base_mb = base_mb
        self._memory_mb = 0
        self._owner = (os.getpid(), threading.get_ident())
        self._cells = 0
        self._own_module = sys.modules["__main__"]
        self._module = types.ModuleType("__main__")
        sys.modules["__main__"] = self._module
        self._module.__dict__.update(query=self.query, QueryError=QueryError, **_libraries())

    def query(self, sql: str) -> Any:
        """Run one read-only SELECT on the database; returns a pandas DataFrame."""
        if self._owner != (os.getpid(), threading.get_ident()):
            raise QueryError("query() works in the main thread of the session only")
        self._channel.send({"op": "query", "sql": str(sql)})
        reply, payload = self._channel.receive()
        if "error" in reply:
            raise QueryError(reply["error"])
        frame = _frame(pickle.loads(payload))  # noqa: S301 - from the host, which we trust
        if reply["truncated"]:
            print(f"query(): cut at {len(frame):,} rows; there are more")  # noqa: T201 - the agent reads it
        return frame

    def run(self, code: str, memory_mb: int) -> dict[str, Any]:
        """Run one cell: its last expression's value, or its error, and the figures it drew."""
        self._cells += 1
        self._bound(memory_mb)
        name = f"<cell {self._cells}>"
        linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
        value = error = None
        figures: list[str] = []
        remarks: list[str] = []
        try:
            value = self._evaluate(code, name)
        except BaseException as exc:  # noqa: BLE001 - SystemExit and KeyboardInterrupt end the cell only
            error = self._trace(exc)
        with contextlib.suppress(Exception):  # what the agent made of pyplot is its own affair
            figures, remarks = take_figures()
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        return {
            "value": value and _cut(value),
            "error": error and _cut(error),
            "figures": figures,
            "remarks": remarks,
        }

    def _bound(self, memory_mb: int) -> None:
        """The cell's own bound on memory, never above the session's."""
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        bound = min((memory_mb + self._base_mb) << 20, most)
        self._memory_mb = (bound >> 20) - self._base_mb
        resource.setrlimit(resource.RLIMIT_AS, (bound, most))

    def _evaluate(self, code: str, name: str) -> str | None:
        space = self._module.__dict__
        tree = ast.parse(code, name)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        if tree.body:
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


def prepare() -> None:
    """What every session would do at its start, done once before they are forked."""
    warnings.filterwarnings("ignore", "FigureCanvasAgg is non-interactive")
    # joblib's, of a helper that ended with its cell.
    warnings.filterwarnings("ignore", "resource_tracker: process died unexpectedly")
    _libraries()["pd"].set_option("display.width", 160, "display.max_columns", 30)


def _libraries() -> dict[str, Any]:
    """The names that a session begins with."""
    import numpy as np
    import pandas as pd

    return {"np": np, "pd": pd}


def _frame(columns: list[tuple[str, Any]] | dict[str, Any]) -> Any:
    """A DataFrame of columns in their order; two of one name stay two."""
    import pandas as pd

    pairs = list(columns.items()) if isinstance(columns, dict) else columns
    frame = pd.DataFrame({place: values for place, (_, values) in enumerate(pairs)})
    for place, values in frame.items():
        if isinstance(values.dtype, pd.CategoricalDtype):  # text, packed small for the way
            frame[place] = values.astype(values.dtype.categories.dtype)
    frame.columns = pd.Index([name for name, _ in pairs])
    return frame


def _cut(text: str) -> str:
    if len(text) > MOST_CHARS:
        text = f"{text[:MOST_CHARS]}… [clipped, {len(text)} characters in full]"
    return text.encode("utf-8", "replace").decode()


def _release_helpers() -> None:
    """joblib keeps its processes for later calls, and would complain of their sudden end."""
    pools = sys.modules.get("joblib.externals.loky.reusable_executor")
    if pool := getattr(pools, "_executor", None):
        with contextlib.suppress(Exception):
            pool.shutdown(wait=True)


def _sweep() -> None:
    """End whatever processes the cell left behind; only the session's own variables go on."""
    if os.getpid() != 1:
        return
    for _ in range(SWEEPS):
        with contextlib.suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.001)  # they are on their way


def serve(channel: Channel, base_mb: int, own: Iterable[str]) -> None:
    """Run cells until the host goes away. `own` are the places where a session may look."""
    session = Session(channel, base_mb)
    attempts = Attempts(own)
    heap = Heap()
    own_pid = os.getpid()
    channel.send({"op": "ready"})
    while True:
        message, _ = channel.receive()
        if "code" not in message:
            continue  # an answer to a question that was not ours
        done = session.run(message["code"], message["memory_mb"])
        if os.getpid() != own_pid:
            os._exit(0)  # a fork of the cell's, which fell out of its end
        _release_helpers()
        _sweep()
        heap.tidy()
        for picture in done.pop("figures"):
            channel.send({"op": "figure", "id": message["id"], "png": picture})
        channel.send({"op": "done", "id": message["id"], "attempts": attempts.take(), **done})
