"""What an agent from outside may do at one seat, whatever wire it comes by: each call is written down."""

from __future__ import annotations

import asyncio
import hmac
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from core.errors import DdrError, EndedError, StoreError, ToolError
from core.outside import FINISH, Caller, Key, Seat
from core.protocols import Observation, ToolSpec
from core.run import RunSpec
from core.scenario import Task
from core.trajectory import Preamble, StopReason, ToolResult, Trajectory
from server import handing_in
from server.clerk import Clerk, instructions
from server.errands import Bench, Errand, Stop
from server.figures import keep_figures
from server.revision import code_revision
from server.secret import token_hash
from server.store.callbook import ENDED, Asked, Begun, CallBook, Rules, complete, enter
from server.store.seats import Seats
from server.verbatim import verbatim
from tools.host.client import UNAVAILABLE, failed
from tools.values import compact

if TYPE_CHECKING:
    from databases.catalog import InstalledScenario
    from tools.host.client import HostTools

_LOG = logging.getLogger(__name__)

ARGUMENT_CHARS: Final = 60_000
"""Of a call's arguments as JSON; what is longer is refused and written down cut."""
NAME_CHARS: Final = 200
"""Of a tool's or method's name and of a request's id; what is longer is cut."""
TURN_ROOM: Final = 100
"""Characters that are kept free in a reply of the tools: for its turn, and for the remark that the
tools were restarted."""
STORE: Final = "store"
"""The error_kind of a call that cannot be written down. It can be repeated."""


class Desk:
    """One seat in use by this process. Others may use the same seat: all state is the store's."""

    def __init__(
        self,
        seat: Seat,
        spec: RunSpec,
        installed: InstalledScenario,
        bench: Bench,
        open_tools: Callable[[str, str, Callable[[], bool]], HostTools],
    ) -> None:
        """`open_tools` is given a session's name, the entity, and how to ask for earlier Python."""
        if spec.outside is None:
            raise StoreError(f"run {spec.id} is none of an agent from outside")
        self.seat, self.spec = seat, spec
        self._installed, self._bench, self._open_tools = installed, bench, open_tools
        self._beside = handing_in.specs(most_insights=spec.outside.most_insights)
        self._clerk = Clerk(seat, spec, spec.outside, installed, bench)
        self._tools: dict[str, HostTools] = {}
        """By trajectory."""
        self._specs: tuple[ToolSpec, ...] | None = None
        self._prepared: set[str] = set()
        """Trajectories whose preamble is known to be kept."""
        self._preparing = asyncio.Lock()
        self._rules = Rules(
            keys=seat.keys,
            outside=spec.outside,
            limits=spec.limits,
            draft=self._draft,
            is_alive=bench.presence.is_alive,
        )
        self.used_at = bench.now()

    @property
    def is_busy(self) -> bool:
        """Whether a call of this seat is under way in this process."""
        return any(errand.path == self.seat.path for errand in self._bench.under_way)

    def admits(self, token: str) -> bool:
        """Whether this is the seat's token."""
        return hmac.compare_digest(token_hash(token), self.seat.token_hash)

    # What there is

    def task(self) -> Task:
        """What is to be explored now."""
        state = Seats(self._bench.store).at(self.seat.path)
        entity_id = (self.seat.keys[0] if state is None else state.key)[0]
        return self._installed.task(entity_id, self.spec.goal)

    def instructions(self) -> str:
        """What a client may show its model before anything else; the task comes first."""
        return instructions(self.task())

    async def specs(self) -> Sequence[ToolSpec]:
        """The tools on offer. Raises what HostTools.list does, where there can be none."""
        if self._specs is None:
            tools = await self._tools_now()
            self._specs = (*await tools.list(), *self._beside)
        return self._specs

    async def schema(self) -> str:
        """The tables as get_database_info tells of them, JSON; it is no call. Raises ToolError."""
        tools = await self._tools_now()
        seen = await tools.call("get_database_info", {"reply_chars": 32_000})
        if seen.is_error:
            raise ToolError(seen.text, kind=seen.error_kind or "unknown")
        return seen.text

    # What it may do

    async def hear(self, method: str, caller: Caller) -> None:
        """Count a message that is no call; the first one is where the exploration begins.

        Raises StoreError where it cannot be counted.
        """
        path, client, now = self.seat.path, caller.client, self._bench.now()
        self.used_at = now
        name = _plain(method)
        heard = await self._bench.keep(
            lambda store: Seats(store).hear(path, name, client, now, self._draft)
        )
        if heard is not None:
            await self._prepare(heard.trajectory_id, heard.key)

    async def call(self, name: str, arguments: Mapping[str, Any], caller: Caller) -> Observation:
        """Carry a call out, or refuse it. What is sent is on disk before this returns.

        Never raises but what cancels it: then the client has hung up, its work is stopped, and the
        call is written down as taken back.
        """
        return await self.begin(name, arguments, caller).outcome()

    def begin(self, name: str, arguments: Mapping[str, Any], caller: Caller) -> Errand:
        """The same for whoever waits in a way of its own, and says where nobody does any more."""
        now = self.used_at = self._bench.now()
        request_id = None if caller.request_id is None else _plain(caller.request_id)
        errand = Errand(self.seat.path, request_id, now)
        # A task of its own, which nothing from outside cancels: what is begun is written to its end.
        serving = asyncio.create_task(self._serve(errand, _plain(name), arguments, caller))
        errand.serving = serving
        self._bench.under_way.add(errand)
        serving.add_done_callback(lambda _: self._bench.under_way.discard(errand))
        return errand

    async def cancel(self, request_id: str) -> None:
        """A client takes a request back. Its worker, this one or another, stops the work.

        Where two clients of the seat wait for requests of the same id, nobody knows whose is meant,
        and both go on. Raises StoreError where the notice cannot be passed on.
        """
        wanted = _plain(request_id)
        path, now, presence = self.seat.path, self._bench.now(), self._bench.presence
        mine = [
            errand
            for errand in self._bench.under_way
            if (errand.path, errand.request_id) == (path, wanted)
        ]
        workers = CallBook(self._bench.store).workers_at(path, wanted)
        others = [each for each in workers if each != presence.name and presence.is_alive(each)]
        if len(mine) + len(others) > 1:
            return
        for errand in mine:
            errand.stop(Stop.TAKEN_BACK)
        if not mine:
            await self._bench.keep(lambda store: Seats(store).cancel(path, wanted, now))

    async def leave(self) -> None:
        """Let go of the tools; their sessions, with all variables, stay for whoever comes next."""
        tools, self._tools = self._tools, {}
        for each in tools.values():
            await each.leave()

    # Inside

    async def _serve(
        self, errand: Errand, name: str, arguments: Mapping[str, Any], caller: Caller
    ) -> Observation:
        bench = self._bench
        said, problem = _written(arguments)
        asked = Asked(
            name=name,
            arguments=said,
            caller=caller,
            now=errand.since,
            worker=bench.presence.name,
            explores=name not in handing_in.NAMES,
        )
        try:
            await bench.catch_up()
            begun = await self._begin(asked)
        except EndedError as exc:
            return self._not_taken(ENDED, str(exc))
        except StoreError as exc:
            _LOG.warning("a call was not taken: %s", exc)
            return self._not_taken(STORE, "this call cannot be written down; try again later")
        began = time.monotonic()
        try:
            await self._prepare(begun.trajectory_id, begun.key)
            seen = await self._answer(errand, begun, arguments, problem)
        except ToolError as exc:
            seen = failed(exc.kind, str(exc))
        except StoreError:
            _LOG.exception("what a call brought cannot be kept")
            seen = failed(STORE, "this cannot be kept now; try again later")
        except Exception:  # noqa: BLE001 - our fault, whatever it is, is never the tool's answer
            _LOG.exception("the call of %s failed", name)
            seen = failed("internal", "an internal fault of the server; your call was not at fault")
        return await self._complete(begun, seen, time.monotonic() - began)

    async def _begin(self, asked: Asked) -> Begun:
        """Raises EndedError, StoreError."""
        path, rules = self.seat.path, self._rules
        begun = await self._bench.keep_tiny(lambda driver: enter(driver, path, asked, rules))
        if begun is None:
            begun = await self._bench.keep(lambda store: CallBook(store).begin(path, asked, rules))
        return begun

    def _not_taken(self, kind: str, text: str) -> Observation:
        """The answer to a call that is in no book. A store that cannot be written to can be read."""
        seen, store = failed(kind, text), self._bench.store
        try:
            state = Seats(store).at(self.seat.path)
            mine = None if state is None else state.trajectory_id
            return _with_turn(seen, 0 if mine is None else CallBook(store).turns(mine))
        except StoreError:
            return seen

    async def _answer(
        self, errand: Errand, begun: Begun, arguments: Mapping[str, Any], problem: str | None
    ) -> Observation:
        """Raises ToolError, StoreError."""
        if begun.call.name in handing_in.NAMES:
            if begun.refusal is None and problem is not None:
                raise ToolError(problem, kind="arguments")
            told = await self._clerk.take(begun, arguments)
            if begun.call.name == FINISH:
                await self._close_tools(begun.trajectory_id)
            return Observation(text=compact(told), data=told)
        if begun.refusal is not None:
            return failed(*begun.refusal)
        if problem is not None:
            raise ToolError(problem, kind="arguments")
        seen = await errand.explore(self._explore(begun, arguments))
        if seen is None:
            return failed(*(errand.stopped or Stop.TAKEN_BACK).value)
        return seen

    async def _explore(self, begun: Begun, arguments: Mapping[str, Any]) -> Observation:
        tools = self._tools_of(begun.trajectory_id, begun.key[0])
        seen = await tools.call(begun.call.name, arguments)
        if seen.error_kind == UNAVAILABLE:
            await self._end(begun.trajectory_id, StopReason.TOOL_UNAVAILABLE, seen.text)
        return seen

    def _draft(self, key: Key) -> Trajectory:
        return self.spec.draft(key, self._bench.now(), code_revision=code_revision())

    async def _prepare(self, mine: str, key: Key) -> None:
        """What the agent is sent before its first turn is kept with its trajectory; never raises.

        Not by the first call alone: the process that served that may have been killed.
        """
        if mine in self._prepared:
            return
        async with self._preparing:
            if mine in self._prepared:
                return
            try:
                if self._bench.store.head(mine).preamble is None:
                    known = await self._sent_before(mine, key)
                    await self._bench.keep(lambda store: Seats(store).amend(mine, **known))
            except DdrError:  # the next call tries again
                _LOG.exception("what %s begins with cannot be had or kept yet", mine)
                return
            # Those of a queue's earlier ones have nobody left who would close them.
            for earlier in self._prepared & set(self._tools):
                await self._close_tools(earlier)
            self._prepared.add(mine)

    async def _sent_before(self, mine: str, key: Key) -> dict[str, Any]:
        task = self._installed.task(key[0], self.spec.goal)
        tools = self._tools_of(mine, key[0])
        specs = (*await tools.list(), *self._beside)
        preamble = Preamble(
            system_prompt=instructions(task),
            start_prompt=task.text,
            tool_schemas=tuple(spec.model_dump() for spec in specs),
        )
        return {"preamble": preamble, "sandbox": tools.sandbox_state}

    async def _tools_now(self) -> HostTools:
        state = Seats(self._bench.store).at(self.seat.path)
        if state is None or state.trajectory_id is None:
            first = self.seat.keys[0][0]
            return self._tools_of(f"{self.spec.id}.{first}", first)
        return self._tools_of(state.trajectory_id, state.key[0])

    def _tools_of(self, trajectory_id: str, entity_id: str) -> HostTools:
        tools = self._tools.get(trajectory_id)
        if tools is None:
            store, me = self._bench.store, self._bench.presence.name

            def computed() -> bool:
                return CallBook(store).made(trajectory_id, "execute_code", without=me)

            tools = self._open_tools(trajectory_id, entity_id, computed)
            self._tools[trajectory_id] = tools
        return tools

    async def _close_tools(self, trajectory_id: str) -> None:
        tools = self._tools.pop(trajectory_id, None)
        if tools is not None:
            await tools.close()

    async def _end(self, trajectory_id: str, reason: StopReason, error: str) -> None:
        now = self._bench.now()
        try:
            await self._bench.keep(
                lambda store: store.end_trajectory(trajectory_id, reason, ended_at=now, error=error)
            )
        except EndedError:
            return  # by another call

    async def _complete(self, begun: Begun, seen: Observation, duration_s: float) -> Observation:
        """Write down what is to be sent; that."""
        sent = _with_turn(seen, begun.turn)
        try:
            result = _result(begun, sent, duration_s)
            await self._bench.keep_tiny(lambda driver: complete(driver, begun, result))
            await keep_figures(self._bench.keep, begun.trajectory_id, sent)
        except StoreError:
            _LOG.exception("a call's answer cannot be written down")
            lost = failed(STORE, "the answer cannot be written down; try again later")
            sent = _with_turn(lost, begun.turn)
            self._bench.unwritten.append((begun, _result(begun, sent, duration_s)))
        return sent


def _plain(name: str) -> str:
    """A name of a client's as it can be kept: short, and without halves of surrogate pairs."""
    return name[:NAME_CHARS].encode("utf-8", "replace").decode()


def _written(arguments: Mapping[str, Any]) -> tuple[str, str | None]:
    """The arguments as JSON, and what stands against carrying them out."""
    try:
        text = verbatim(arguments)
    except (TypeError, ValueError):
        return "", "the arguments cannot be written as JSON"
    if len(text) <= ARGUMENT_CHARS:
        return text, None
    problem = f"arguments have at most {ARGUMENT_CHARS} characters as JSON, these {len(text)}"
    return text[:ARGUMENT_CHARS], problem


def _with_turn(seen: Observation, turn: int) -> Observation:
    """The answer with the turn that it belongs to in front."""
    data = {"turn": turn, **(seen.data or {})}
    rest = seen.text[1:] if seen.data and compact(seen.data) == seen.text else None
    text = compact(data) if rest is None else f'{{"turn":{turn},{rest}'
    return seen.model_copy(update={"data": data, "text": text})


def _result(begun: Begun, sent: Observation, duration_s: float) -> ToolResult:
    return ToolResult(
        call_id=str(begun.call.position),
        name=begun.call.name,
        text=sent.text,
        is_error=sent.is_error,
        error_kind=sent.error_kind,
        truncated=sent.truncated,
        accessed_fields=sent.accessed_fields,
        violations=sent.violations,
        duration_s=duration_s,
    )
