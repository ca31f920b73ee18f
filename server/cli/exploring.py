"""Explore with progress; say what was stored where it is broken off."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from core.errors import DdrError
from core.hints import typed
from server.cli.interrupts import interruptible
from server.cli.ticking import Telling
from server.metering import BudgetSpentError
from server.runs import competitor, progress_of, summary

if TYPE_CHECKING:
    from core.run import RunSpec
    from server.cli.output import Output, Progress
    from server.models import Means
    from server.runner import Setting
    from server.settings import Settings
    from server.store import Repository

INTERRUPTED = 130


class Expedition:
    """The runs of one invocation, one after the other."""

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
        for spec, setting in [(spec, self._setting(spec)) for spec in self._specs]:
            self._out.note(
                f"run {spec.id}: {competitor(spec)} explores {len(spec.entity_ids)} in "
                f"{spec.scenario_id}"
            )
            try:
                with self._out.progress("exploring") as progress:
                    interrupted = asyncio.run(self._explore(spec, setting, progress))
            except KeyboardInterrupt:
                interrupted = True
            except BudgetSpentError as exc:
                self._stopped(spec, str(exc))
                raise typer.Exit(1) from None
            except DdrError:
                self._out.note(self._kept(spec))
                raise
            if interrupted and not self._is_done(spec):
                self._stopped(spec, None)
                raise typer.Exit(INTERRUPTED)

    def _setting(self, spec: RunSpec) -> Setting:
        from databases.catalog import open_scenario
        from server.build import make_setting

        installed = open_scenario(spec.scenario_id, self._settings.home)
        return make_setting(spec, installed, self._store, self._settings, self._means)

    async def _explore(self, spec: RunSpec, setting: Setting, progress: Progress) -> bool:
        from server.runner import explore

        def stop() -> None:
            setting.board.stopping = True
            self._out.note("stopping when the open model calls end; Ctrl-C again drops them")

        telling = Telling(progress, setting.board)
        async with telling.ticking():
            return await interruptible(
                explore(spec, setting, retry_errors=self._retry_errors, watch=telling.watch),
                stop=stop if spec.model else None,
            )

    def _stopped(self, spec: RunSpec, why: str | None) -> None:
        if why:
            self._out.note(why)
        self._out.note(self._kept(spec))
        later = self._specs[self._specs.index(spec) + 1 :]
        for other in later:
            self._out.note(f"not begun: {competitor(other)}; explore: {resume_command(other)}")
        told = {"run": spec.id, "interrupted": why is None, "resume": resume_command(spec)}
        stored = summary(spec, self._store) if why else {}
        left = [other.id for other in later]
        self._out.result({**stored, **told, "stopped": why or "Ctrl-C", "not_begun": left})

    def _is_done(self, spec: RunSpec) -> bool:
        state = progress_of(spec, self._store)
        return state.done == state.wanted and spec is self._specs[-1]

    def _kept(self, spec: RunSpec) -> str:
        state = progress_of(spec, self._store)
        return (
            f"stopped. Stored: {state.done} of {state.wanted} explored to their end, "
            f"{state.turns} turns in all. Go on with: {resume_command(spec)}"
        )


def resume_command(spec: RunSpec) -> str:
    """What a person types to go on."""
    return typed(f"run --resume {spec.id}")
