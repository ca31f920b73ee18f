"""Explore with progress; say what was stored where it is broken off."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import typer

from core.errors import DdrError
from core.hints import typed
from core.trajectory import UNSAFE
from core.wording import counted, plural
from server.board import Board
from server.cli.interrupts import INTERRUPTED, STOPPING, interruptible
from server.cli.ticking import Telling, ticking
from server.metering import BudgetSpentError
from server.runs import RunProgress, competitor, progress_of, summary

if TYPE_CHECKING:
    from core.run import RunSpec
    from server.cli.output import Output, Progress
    from server.models import Means
    from server.runner import Setting
    from server.settings import Settings
    from server.store import Repository


class Expedition:
    """The runs of one invocation, side by side."""

    def __init__(
        self,
        specs: Sequence[RunSpec],
        store: Repository,
        settings: Settings,
        out: Output,
        *,
        means: Means | None,
        retry_errors: bool,
    ) -> None:
        from server.models import Means

        self._specs, self._store, self._settings, self._out = specs, store, settings, out
        self._means, self._retry_errors = means or Means(), retry_errors

    def go(self) -> None:
        """Explore; raises typer.Exit where it was stopped, by a person or by the budget."""
        settings = {spec.id: self._setting(spec) for spec in self._specs}
        specs = [spec for spec in self._specs if self._announce(spec, settings[spec.id])]
        if not specs:
            return
        several = len(self._specs) > 1
        names = [competitor(spec) if several else "exploring" for spec in specs]
        try:
            with self._out.progresses(names) as shown:
                runs = [(spec, settings[spec.id]) for spec in specs]
                interrupted = asyncio.run(self._explore(runs, shown))
        except KeyboardInterrupt:
            interrupted = True
        except BudgetSpentError as exc:
            self._stopped(str(exc))
            raise typer.Exit(1) from None
        except DdrError:
            for spec in self._specs:
                self._out.note(self._kept(spec))
            raise
        if interrupted and not all(_is_done(self._progress(spec)) for spec in self._specs):
            self._stopped(None)
            raise typer.Exit(INTERRUPTED)

    def _setting(self, spec: RunSpec) -> Setting:
        from databases.catalog import open_scenario
        from server.build import make_setting

        installed = open_scenario(spec.scenario_id, self._settings.home)
        # A board of its own: its figures are told apart, the wish to stop is shared.
        means = replace(self._means, board=Board(parent=self._means.board))
        return make_setting(spec, installed, self._store, self._settings, means)

    def _announce(self, spec: RunSpec, setting: Setting) -> bool:
        """Say what is going to be explored; False where nothing is left."""
        from server.store.attempts import to_do

        left = len(to_do(spec, self._store.heads(spec.id), retry_errors=self._retry_errors))
        wanted = len(spec.keys)
        noun = "trajectory" if spec.trials > 1 else setting.scenario.scenario.entity_noun
        who = f"run {spec.id}: {competitor(spec)}"
        if not left:
            self._out.note(f"{who} has explored all it was asked to; nothing is left to do")
        elif left < wanted:
            self._out.note(f"{who} goes on with {left} of {counted(wanted, noun)}")
        else:
            self._out.note(f"{who} explores {counted(wanted, noun)} in {spec.scenario_id}")
        if left and spec.sandbox == UNSAFE and spec.tools != "sql":
            self._out.warn("the agent's Python runs WITHOUT A SANDBOX: it may do what you may do")
        return left > 0

    async def _explore(
        self, runs: Sequence[tuple[RunSpec, Setting]], shown: Sequence[Progress]
    ) -> bool:
        from server.runner import explore_all

        def stop() -> None:
            self._means.board.stopping = True
            self._out.note(STOPPING)

        tellings = {
            spec.id: Telling(
                progress, setting.board, nouns=plural(setting.scenario.scenario.entity_noun)
            )
            for (spec, setting), progress in zip(runs, shown, strict=True)
        }

        def watch(spec: RunSpec, done: float, total: float, what: str) -> None:
            tellings[spec.id].watch(done, total, what)

        work = explore_all(runs, retry_errors=self._retry_errors, watch=watch)
        asks = any(spec.model is not None for spec, _ in runs)
        async with ticking(*(each.show for each in tellings.values())):
            return await interruptible(work, stop=stop if asks else None)

    def _stopped(self, why: str | None) -> None:
        if why:
            self._out.note(why)
        told: list[dict[str, Any]] = []
        for spec in self._specs:
            self._out.note(self._kept(spec))
            stored = summary(spec, self._store) if why else {"run": spec.id}
            resume = None if _is_done(self._progress(spec)) else resume_command(spec)
            told.append({**stored, "resume": resume})
        how = {"interrupted": why is None, "stopped": why or "Ctrl-C"}
        self._out.result({**told[0], **how} if len(told) == 1 else {"runs": told, **how})

    def _progress(self, spec: RunSpec) -> RunProgress:
        return progress_of(spec, self._store)

    def _kept(self, spec: RunSpec) -> str:
        state = self._progress(spec)
        whose = f"{competitor(spec)}: " if len(self._specs) > 1 else ""
        if _is_done(state):
            return f"{whose}complete, {counted(state.turns, 'turn')} in all"
        return (
            f"{whose}stopped. Stored: {state.done} of {state.wanted} explored to their end, "
            f"{counted(state.turns, 'turn')} in all. Go on with: {resume_command(spec)}"
        )


def _is_done(state: RunProgress) -> bool:
    return state.done == state.wanted


def resume_command(spec: RunSpec) -> str:
    """What a person types to go on."""
    return typed(f"run --resume {spec.id}")
