"""Start agents from outside with progress, and tell how each one ended."""

from __future__ import annotations

import asyncio
import shlex
import signal
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import ExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from core.errors import DdrError, StoreError
from core.hints import typed
from core.wording import counted
from server.cli.interrupts import INTERRUPTED, interruptible
from server.cli.ticking import ticking

if TYPE_CHECKING:
    from core.run import RunSpec
    from server.cli.enrol import Ways
    from server.cli.output import Output
    from server.enrolment import Enrolled
    from server.executing.agents import Ended
    from server.executing.own_server import OwnServer
    from server.executing.process import Reaper
    from server.settings import Settings
    from server.store import Repository


class Executing:
    """One call of `ddr enrol --exec`."""

    def __init__(
        self, store: Repository, settings: Settings, out: Output, ways: Ways, *, queue: bool
    ) -> None:
        """Raises UsageError for a command that cannot be started."""
        from server.executing.order import read_order

        here = Path.cwd()
        self._store, self._settings, self._out, self._ways = store, settings, out, ways
        self._ended: Sequence[Ended] = ()
        self._order = read_order(ways.command or "", client=ways.client, queue=queue, here=here)
        for word in self._order.relative_files():
            out.warn(
                f"{word} is in this folder, but each agent is started in an empty one: "
                f"write {{here}}/{word}"
            )

    def begin(self, make: Callable[[], Enrolled]) -> None:
        """A new run. Where no server can be had, nothing of it is kept."""
        from server.store import RunLock

        self._check_server()
        enrolled = make()
        with RunLock(self._settings.locks, enrolled.spec.id):
            self._carry_out(enrolled, is_new=True)

    def go_on(self, spec: RunSpec, make: Callable[[], Enrolled]) -> None:
        """What a run lacks."""
        from server.store import RunLock

        self._check_server()
        with RunLock(self._settings.locks, spec.id):
            enrolled = make()
            if not enrolled.seats:
                self._out.note(f"run {spec.id} has explored all it was asked to")
            self._carry_out(enrolled, is_new=False)

    def _check_server(self) -> None:
        from server.addresses import serve_command, why_silent

        url = self._ways.url
        if url is not None and (silent := why_silent(url)) is not None:
            raise StoreError(
                f"no server answers at {url} ({silent}): start it with {serve_command(url)}, or leave "
                "--url away"
            )

    def _carry_out(self, enrolled: Enrolled, *, is_new: bool) -> None:
        from server.cli.enrolling import about
        from server.enrolment import break_off
        from server.executing.process import Reaper
        from server.runner import utc_now

        spec, interrupted = enrolled.spec, False
        with Reaper() as reaper:
            try:
                if enrolled.seats:
                    work = self._explore(enrolled, reaper, is_new=is_new)
                    interrupted = asyncio.run(interruptible(work, stop=None))
            except KeyboardInterrupt:
                interrupted = True
            except DdrError:
                if self._is_kept(spec):
                    break_off(spec, self._store, now=utc_now())
                    self._out.note(f"go on with: {self._resume(spec)}")
                raise
        if interrupted and not self._is_kept(spec):
            self._out.note("stopped before anything was begun")
            self._out.result({**about(spec), "explored": [], "interrupted": True, "resume": None})
            raise typer.Exit(INTERRUPTED)
        if interrupted:
            break_off(spec, self._store, now=utc_now())
        self._tell(spec, self._ended, interrupted=interrupted)

    def _is_kept(self, spec: RunSpec) -> bool:
        return spec.id in self._store.run_ids()

    async def _explore(self, enrolled: Enrolled, reaper: Reaper, *, is_new: bool) -> None:
        from server.executing.agents import Execution, Terms
        from server.runner import utc_now

        spec, out = enrolled.spec, self._out
        _as_ctrl_c(signal.SIGTERM, signal.SIGHUP)
        logs = self._settings.outside / spec.id
        with ExitStack() as unbegun:
            # Of a run that never began nothing is to be left.
            if is_new:
                unbegun.callback(self._store.delete_run, spec.id)
            for issued in enrolled.seats:
                self._order.refuse_odd(issued)
            try:
                logs.mkdir(mode=0o700, parents=True, exist_ok=True)
            except OSError as exc:
                raise StoreError(f"{logs} cannot be made: {exc.strerror or exc}") from exc
            async with self._server(logs, reaper) as (base, server):
                unbegun.pop_all()
                terms = Terms(self._order, base, logs, self._ways.concurrency, self._ways.limit_s)
                out.note(
                    f"run {spec.id}: {spec.agent} is started "
                    f"{counted(len(enrolled.seats), 'time')}, {terms.concurrency} at a time, "
                    f"with the server at {base}"
                )
                with out.progress("exploring") as shown:
                    state = [0, 0]

                    def watch(done: int, under_way: int) -> None:
                        state[:] = done, under_way
                        turns = counted(self._store.turns_stored(spec.id), "turn")
                        what = f"{under_way} under way | {turns}"
                        shown.update(done, len(enrolled.seats), what)

                    execution = Execution(
                        spec, self._store, terms, reaper=reaper, now=utc_now, watch=watch
                    )
                    self._ended = execution.ended
                    async with ticking(lambda: watch(*state)):
                        guard = None if server is None else server.guard()
                        await execution.go(enrolled.seats, guard)

    @asynccontextmanager
    async def _server(
        self, logs: Path, reaper: Reaper
    ) -> AsyncIterator[tuple[str, OwnServer | None]]:
        """Where the agents connect: at a server that runs, or at one of our own."""
        from server.executing.own_server import own_server

        if self._ways.url is not None:
            yield self._ways.url, None
            return
        workers = 2 if self._ways.concurrency > 2 else 1
        log = logs / "server.log"
        async with own_server(self._settings, log, reaper, workers=workers) as server:
            yield server.url, server

    # How it ended

    def _tell(self, spec: RunSpec, ended: Sequence[Ended], *, interrupted: bool) -> None:
        from checklists.loader import has_checklist
        from server.cli.enrolling import about
        from server.cli.exits import rows_of, show_exits
        from server.cli.showing import show_run
        from server.runs import progress_of

        found = {(t.entity_id, t.trial): t for t in self._store.trajectories(spec.id)}
        rows = [row for each in ended for row in rows_of(each, found)]
        show_run(spec, self._store, self._out)
        show_exits(ended, found, self._out, url=self._ways.url)
        state = progress_of(spec, self._store)
        is_whole = state.done == state.wanted
        resume = None if is_whole and not state.failed else self._resume(spec, retry=is_whole)
        has = has_checklist(spec.scenario_id, self._settings.checklists)
        steps = [resume] if resume else []
        steps += [typed(f"evaluate {spec.id}")] if has else []
        steps += [typed(f"report {spec.id}"), typed(f"show {spec.id} {spec.entity_ids[0]}")]
        lines = (f"{'  or' if place else 'next'}: {step}" for place, step in enumerate(steps))
        self._out.hint("\n" + "\n".join(lines))
        if not is_whole:
            self._out.note(
                f"stopped; {state.done} of {state.wanted} explored to their end. "
                f"Go on with: {resume}"
            )
        elif resume:
            self._out.note(f"{state.failed} of {state.wanted} came to nothing; again: {resume}")
        self._out.result(
            {**about(spec), "explored": rows, "interrupted": interrupted, "resume": resume}
        )
        if interrupted:
            raise typer.Exit(INTERRUPTED)
        if state.failed:
            raise typer.Exit(1)

    def _resume(self, spec: RunSpec, *, retry: bool = False) -> str:
        ways = self._ways
        options = " --retry" if retry else ""
        options += f" --write {ways.client.name}" if ways.client else ""
        options += f" --url {ways.url}" if ways.url else ""
        options += f" --concurrency {ways.concurrency}" if ways.concurrency > 1 else ""
        options += f" --time-limit {ways.limit_s:g}" if ways.limit_s is not None else ""
        command = shlex.quote(ways.command or "")
        return typed(f"enrol --resume {spec.id}{options} --exec {command}")


def _as_ctrl_c(*numbers: signal.Signals) -> None:
    """Have further ways of asking us to end work as that one does: agents end, folders go."""
    loop = asyncio.get_running_loop()
    for number in numbers:
        if signal.getsignal(number) is not signal.SIG_DFL:
            continue  # nohup, for one, has us go on
        with suppress(NotImplementedError, RuntimeError, ValueError):  # not in the main thread
            loop.add_signal_handler(number, signal.raise_signal, signal.SIGINT)
