"""A worker process: opens one engine, then answers a pool's requests until the pool hangs up.

Started by tools/sql/housing.py. What a request costs is spent here: the gate, the query, the record of
what it read, the text of the reply. The pool keeps the time, says `stop`, and kills who does not listen.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from core import plugins
from core.errors import DatabaseError, DdrError, ToolError
from databases.schema import Schema
from tools.limits import ToolLimits
from tools.scrub import Scrubber
from tools.sql.access import AccessLog
from tools.sql.channel import BrokenError, Channel
from tools.sql.engine import Admitted, Cursor, Engine, EngineFactory
from tools.sql.engines import ENGINES
from tools.sql.frames import pack_frame, read_frame
from tools.sql.info import database_info, describe_table
from tools.sql.listening import Listening
from tools.sql.order import Order, harden
from tools.sql.rows import read_rows, render_rows
from tools.sql.shapes import Shapes
from tools.values import clip, compact

T = TypeVar("T")
REPEAT_S = 0.05
"""An interrupt that falls between two operators is lost, so it is said again."""
HEAD_START_S = 0.0004
SWITCH_S = 0.0005
"""How soon a thread that waits for the interpreter has it; Python's own 5 ms is a whole query."""
REMEMBERED = 128
"""Statements whose verdict and fields are kept: an agent repeats itself, and so do agents."""
ERROR_CHARS, VIOLATION_CHARS, MOST_VIOLATIONS = 4000, 300, 100
Reply = tuple[dict[str, Any], bytes]


class StoppedError(Exception):
    """The pool wants no answer to this request any more."""


class Request:
    """One request at work."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cursor: Cursor | None = None
        self.is_stopped = False

    @contextlib.contextmanager
    def running(self, cursor: Cursor) -> Iterator[Cursor]:
        """Around a statement: `stop` reaches it, and never a cursor that is closed."""
        try:
            with self._lock:
                if self.is_stopped:
                    raise StoppedError
                self._cursor = cursor
            yield cursor
        finally:
            with self._lock:
                self._cursor = None
            cursor.close()

    def stop(self) -> None:
        """Interrupt it, now or as soon as it begins."""
        with self._lock:
            self.is_stopped = True
            if self._cursor is not None:
                self._cursor.interrupt()


class Worker:
    """Answers requests with as many threads as there are slots, and one that listens meanwhile."""

    def __init__(self, order: Order, channel: Channel) -> None:
        """Open the database. Raises DatabaseError, UnknownNameError, ConfigError."""
        self._channel = channel
        self._slots = order.slots
        self._target = order.target
        factory: EngineFactory = plugins.load("ddr.engines", order.target.dialect, ENGINES)
        self._engine: Engine = factory(order.target.location, order.engine)
        self._scrubber: Scrubber | None = None
        if factory.is_file and not order.confined:
            self._scrubber = Scrubber(Path(order.target.location))
        # The verdict on a text is the same each time where the database cannot change.
        keep = functools.lru_cache(REMEMBERED if factory.is_file else 0)
        self._admit: Callable[[str], Admitted] = keep(self._engine.admit)
        self._shapes = Shapes(
            self._engine.dialect,
            REMEMBERED if factory.is_file else 0,
            exact=bool(order.target.fact_columns),
        )
        # What it imports is here before it is asked.
        AccessLog(Schema(tables=())).fields("SELECT 1")
        self._access: AccessLog | None = None
        self._beside = ThreadPoolExecutor(order.slots, thread_name_prefix="access")
        self._listening = Listening()
        self._running: dict[int, Request] = {}
        self._answers: dict[str, Callable[[Request, dict[str, Any]], Reply]] = {
            "rows": self._rows,
            "frame": self._frame,
            "info": self._info,
            "describe": self._describe,
            "schema": self._whole_schema,
            "ping": lambda request, head: ({"alive": True}, b""),
        }

    def serve(self) -> None:
        """Answer until the pool hangs up; does not return."""
        gc.freeze()  # what is here stays: not to be looked through at each collection
        sys.setswitchinterval(SWITCH_S)
        for number in range(self._slots):
            threading.Thread(target=self._take_turns, name=f"slot-{number}", daemon=True).start()
        # Not before it is ready: to count the rows of each table may take its time.
        threading.Thread(target=self._learn, name="schema", daemon=True).start()
        self._take_turns()

    def _learn(self) -> None:
        with contextlib.suppress(Exception):  # whoever asks for it meets the same, and is told
            self._fields_of("SELECT 1")

    def _take_turns(self) -> None:
        while True:
            with self._listening:
                head, request = self._next()
            self._answer(head, request)

    def _next(self) -> tuple[dict[str, Any], Request]:
        while True:
            stopping = [one for one in list(self._running.values()) if one.is_stopped]
            try:
                head = self._channel.receive(REPEAT_S if stopping else None)
            except (EOFError, OSError, BrokenError):
                # The pool is gone, and with it whoever waits for an answer; or it says what cannot be
                # followed, and no thread may be left that listens to the rest.
                os._exit(0)
            if head is None:
                for one in stopping:
                    one.stop()
            elif head["do"] == "stop":
                if asked := self._running.get(head["id"]):
                    asked.stop()
            else:
                request = self._running[head["id"]] = Request()
                return head, request

    def _answer(self, head: dict[str, Any], request: Request) -> None:
        body = b""
        try:
            reply, body = self._answers[head["do"]](request, head)
        except ToolError as exc:
            reply = {"error": str(exc), "kind": exc.kind, "violations": exc.violations}
        except StoppedError:
            reply = {"error": "the query was stopped before its end", "kind": "cancelled"}
        except MemoryError:
            reply = {"error": TOO_MUCH, "kind": "limit"}
        except Exception:  # noqa: BLE001 - told to the server's log, never to the agent
            sys.excepthook(*sys.exc_info())
            reply = {"error": OUR_FAULT, "kind": "internal"}
        if "error" in reply:
            reply = self._scrubber.words(reply) if self._scrubber is not None else reply
            reply = _bounded(reply)
        self._running.pop(head["id"])
        try:
            self._channel.send({"id": head["id"], **reply}, body)
        except BrokenError:
            self._channel.send({"id": head["id"], "error": TOO_LONG, "kind": "limit"})

    def _statement(
        self, request: Request, sql: str, take: Callable[[Cursor], T]
    ) -> tuple[T, tuple[str, ...]]:
        """Judge it, run it on a cursor of its own, take what is wanted; and the fields that it read."""
        tables: tuple[str, ...] = ()
        try:
            admitted = self._admit(sql)
            tables = admitted.tables
            fields = self._fields(admitted.reads) if admitted.reads else tuple
            with request.running(self._engine.cursor()) as cursor:
                cursor.execute(sql)
                taken = take(cursor)
        except (DdrError, StoppedError, MemoryError):
            raise
        except Exception as exc:
            if (told := self._engine.explain(exc, tables)) is not None:
                raise told from exc
            raise
        return taken, fields()

    def _fields(self, sql: str) -> Callable[[], tuple[str, ...]]:
        """Hands back at once what gives them: known from a statement like it, or found out beside."""
        shape = self._shapes.of(sql)
        if (known := self._shapes.fields(shape)) is not None:
            return lambda: known

        # The engine lets other threads run while it works, but for its own first steps: sqlglot's
        # compiled code, once begun, would hold them up.
        def find() -> tuple[str, ...]:
            time.sleep(HEAD_START_S)
            return self._shapes.keep(shape, lambda: self._fields_of(sql))

        return self._beside.submit(find).result

    def _fields_of(self, sql: str) -> tuple[str, ...]:
        if self._access is None:
            self._access = AccessLog(
                self._schema(), self._engine.dialect, self._target.fact_columns
            )
        return self._access.fields(sql)

    def _schema(self) -> Schema:
        return self._engine.schema()

    def _rows(self, request: Request, head: dict[str, Any]) -> Reply:
        most, limits = head["reply_chars"], _limits(head["limits"])
        fetched, fields = self._statement(
            request,
            head["sql"],
            lambda cursor: read_rows(
                cursor,
                limit=head["limit"],
                offset=head["offset"],
                cell_chars=limits.cell_chars,
                most_chars=most,
            ),
        )
        data = render_rows(fetched, limits, head["remark"], reply_chars=most)
        return self._told(data, fields)

    def _frame(self, request: Request, head: dict[str, Any]) -> Reply:
        limits = _limits(head["limits"])

        def take(cursor: Cursor) -> tuple[bytes, int, bool]:
            frame, cut = read_frame(cursor, limits)
            return pack_frame(frame), len(frame), cut

        (body, rows, cut), fields = self._statement(request, head["sql"], take)
        return {"truncated": cut, "fields": fields, "row_count": rows}, body

    def _info(self, request: Request, head: dict[str, Any]) -> Reply:
        dialect = self._engine.dialect
        return self._told(
            database_info(
                self._schema(),
                dialect,
                head["offset"],
                _limits(head["limits"]),
                head["reply_chars"],
            )
        )

    def _describe(self, request: Request, head: dict[str, Any]) -> Reply:
        return self._told(
            describe_table(
                self._schema(),
                head["table"],
                head["offset"],
                _limits(head["limits"]),
                head["reply_chars"],
            )
        )

    def _whole_schema(self, request: Request, head: dict[str, Any]) -> Reply:
        return {"truncated": False, "fields": ()}, self._schema().model_dump_json().encode()

    def _told(self, data: dict[str, Any], fields: tuple[str, ...] = ()) -> Reply:
        if self._scrubber is not None:
            data = self._scrubber.rows(data)
        return {"truncated": data["truncated"], "fields": fields}, compact(data).encode()


@functools.lru_cache(REMEMBERED)
def _limits(text: str) -> ToolLimits:
    return ToolLimits.model_validate_json(text)


def _bounded(reply: dict[str, Any]) -> dict[str, Any]:
    """An error's head: what a statement holds is quoted in it, and may be megabytes."""
    seen = [clip(text, VIOLATION_CHARS)[0] for text in reply.get("violations", ())]
    return {
        **reply,
        "error": clip(reply["error"], ERROR_CHARS)[0],
        "violations": seen[:MOST_VIOLATIONS],
    }


TOO_LONG = "the record of what the query read is too long; read less in one query"
TOO_MUCH = "the query needs more memory than there is; filter or aggregate earlier"
OUR_FAULT = "an internal fault of the server; your call was not at fault"


def main(fd: int) -> None:
    """Work for whoever holds the other end of this socket."""
    channel = Channel(fd)
    first = channel.receive()
    assert first is not None
    order = Order.model_validate(first)
    harden(order)
    try:
        worker = Worker(order, channel)
    except DdrError as exc:
        channel.send({"failed": str(exc), "database": isinstance(exc, DatabaseError)})
        return
    channel.send({"ready": True})
    worker.serve()
