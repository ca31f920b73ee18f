"""Calls and seats put straight into a store, without a desk."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from core.outside import Caller, Key, Outside, Seat
from core.run import Limits
from core.trajectory import ToolResult, Trajectory
from server.store import Repository
from server.store.callbook import Asked, Begun, CallBook, Rules
from server.store.seats import Seats
from tests.server.support import START, draft, spec

PATH = "the-path"
BESIDE = ("get_task", "submit_insight", "finish")


def seat(*keys: Key, path: str = PATH, run_id: str = spec().id) -> Seat:
    return Seat(
        path=path, run_id=run_id, token_hash="h", keys=keys or (("01", 1),), created_at=START
    )


def begin(key: Key) -> Trajectory:
    """A fresh trajectory of the small run."""
    return draft(spec(), *key)


class Book:
    """The small run with one seat, and a clock that goes on by a second with each call."""

    def __init__(
        self,
        store: Repository,
        *keys: Key,
        limits: Limits | None = None,
        worker: str = "me",
        dead: Sequence[str] = (),
        is_new: bool = True,
        **outside: Any,
    ) -> None:
        self.store, self.worker, self.now = store, worker, START
        self.calls = CallBook(store)
        self.rules = Rules(
            keys=keys or (("01", 1),),
            outside=Outside.model_validate(outside),
            limits=limits or Limits(),
            draft=begin,
            is_alive=lambda name: name not in dead,
        )
        if is_new:
            store.add_run(spec())
            Seats(store).add([seat(*keys)])

    def tick(self, seconds: float = 1.0) -> datetime:
        self.now += timedelta(seconds=seconds)
        return self.now

    def begin(
        self,
        name: str = "execute_query",
        *,
        after_s: float = 1.0,
        worker: str | None = None,
        caller: Caller | None = None,
        arguments: str = "{}",
    ) -> Begun:
        """A call that is under way."""
        asked = Asked(
            name=name,
            arguments=arguments,
            caller=caller or Caller(),
            now=self.tick(after_s),
            worker=worker or self.worker,
            explores=name not in BESIDE,
        )
        return self.calls.begin(PATH, asked, self.rules)

    def end(self, begun: Begun, text: str = "{}", kind: str | None = None) -> None:
        """Its answer; the refusal where it was refused."""
        if begun.refusal is not None:
            kind, text = begun.refusal
        self.calls.complete(begun, result(begun, text, kind))

    def call(self, name: str = "execute_query", **how: Any) -> Begun:
        """A call and its answer."""
        begun = self.begin(name, **how)
        self.end(begun)
        return begun

    @property
    def trajectory_id(self) -> str:
        state = Seats(self.store).at(PATH)
        assert state is not None
        assert state.trajectory_id is not None
        return state.trajectory_id


def result(begun: Begun, text: str = "{}", kind: str | None = None) -> ToolResult:
    return ToolResult(
        call_id=str(begun.call.position),
        name=begun.call.name,
        text=text,
        is_error=kind is not None,
        error_kind=kind,
        duration_s=0.5,
    )
