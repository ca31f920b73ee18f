"""Take what agents from outside hand in: who they are, each insight once, and the report that ends it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from core.errors import EndedError, ToolError
from core.outside import FINISH, GET_TASK, SUBMIT_INSIGHT, Outside, Seat
from core.run import RunSpec
from core.scenario import Task
from core.trajectory import Insight
from server import handing_in
from server.errands import Bench
from server.instructions import fitting
from server.store.callbook import ENDED, Begun
from server.store.handed_in import HandedIn
from server.store.seats import Seats

if TYPE_CHECKING:
    from databases.catalog import InstalledScenario

_HOW: Final = (
    "You are given no question. Find out what matters about this {noun}: compare it with the "
    "others, look at shares, trends and outliers, and say what you find with its figures.\n"
    "Explore with get_database_info, describe_table, execute_query (one read-only SQL statement, "
    "20 rows unless you ask for up to 200) and, where it is offered, execute_code (Python that keeps "
    "its variables; query(sql) in it gives a DataFrame). A result that is cut says so.\n"
    "Hand in each finding with submit_insight as soon as you have it. When new queries tell you "
    "nothing more, call finish with a report of all that you found: that ends it."
)


def instructions(task: Task) -> str:
    """What a client may show its model before anything else; the task comes first."""
    return fitting(task, _HOW)


class Clerk:
    """Answers get_task, submit_insight and finish at one seat. Whatever is told twice counts once."""

    def __init__(
        self,
        seat: Seat,
        spec: RunSpec,
        outside: Outside,
        installed: InstalledScenario,
        bench: Bench,
    ) -> None:
        self._seat, self._spec, self._outside = seat, spec, outside
        self._installed, self._keep, self._now = installed, bench.keep, bench.now

    async def take(self, begun: Begun, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to one of the three.

        Raises ToolError that says what is wrong, StoreError where nothing can be kept.
        """
        name = begun.call.name
        try:
            if begun.refusal is not None:
                return await self._refuse(begun, *begun.refusal)
            if name == GET_TASK:
                return await self._tell(begun, arguments)
            if name == SUBMIT_INSIGHT:
                return await self._submit(begun, arguments)
            return await self._finish(begun, arguments)
        except EndedError:  # in this moment, by another client of this seat
            return await self._refuse(begun, ENDED, "this exploration has ended")

    async def _refuse(self, begun: Begun, kind: str, text: str) -> dict[str, Any]:
        """To finish twice is no fault, where the report of the first time was kept."""
        if kind == ENDED and begun.call.name == FINISH:
            mine = begun.trajectory_id
            if await self._keep(lambda store: HandedIn(store).has_report(mine)):
                return await self._finished(begun, duplicate=True)
        raise ToolError(text, kind=kind)

    async def _tell(self, begun: Begun, arguments: Mapping[str, Any]) -> dict[str, Any]:
        names = handing_in.read_names(arguments)
        mine = begun.trajectory_id
        if reported := {f"reported_{name}": text for name, text in names.items()}:
            await self._keep(lambda store: Seats(store).amend(mine, **reported))
        task = self._installed.task(begun.key[0], self._spec.goal)
        limits, keys = self._spec.limits, self._seat.keys
        told: dict[str, Any] = {
            "task": task.text,
            "how": _HOW.format(noun=task.entity_noun),
            task.entity_noun: task.entity_id,
            "turns_used": begun.turn,
            "turns_max": limits.max_turns,
            "seconds_max": limits.max_seconds,
            "insights": await self._keep(lambda store: HandedIn(store).count(mine)),
            "insights_max": self._outside.most_insights,
        }
        if len(keys) > 1:
            told["tasks_left"] = self._left(begun)
        return told

    async def _submit(self, begun: Begun, arguments: Mapping[str, Any]) -> dict[str, Any]:
        said = handing_in.read_insight(arguments)
        turn = begun.turn if said.turn is None else said.turn
        if begun.turn == 0:
            raise ToolError("explore first: an insight belongs to a turn", kind="arguments")
        if turn > begun.turn:
            raise ToolError(f"'turn' is at most {begun.turn}, the latest one", kind="arguments")
        mine, most = begun.trajectory_id, self._outside.most_insights
        insight = Insight(
            id=f"{mine}.m{said.digest}",
            trajectory_id=mine,
            level="message",
            turn=turn,
            text=said.text,
            author=self._spec.agent,
            evidence=said.evidence,
        )
        taken = await self._keep(lambda store: HandedIn(store).insight(insight, most=most))
        if not taken.is_kept:
            raise ToolError(f"{most} insights are kept and no more are taken", kind="limit")
        return {
            "insight_id": taken.insight_id.rpartition(".")[2],
            "insights": taken.count,
            "duplicate": not taken.is_new,
        }

    async def _finish(self, begun: Begun, arguments: Mapping[str, Any]) -> dict[str, Any]:
        text, usage = handing_in.read_report(arguments)
        mine, now, limits = begun.trajectory_id, self._now(), self._spec.limits
        report = Insight(
            id=f"{mine}.report",
            trajectory_id=mine,
            level="trajectory",
            text=text,
            author=self._spec.agent,
        )
        await self._keep(
            lambda store: HandedIn(store).finish(report, usage, limits=limits, now=now)
        )
        return await self._finished(begun, duplicate=False)

    async def _finished(self, begun: Begun, *, duplicate: bool) -> dict[str, Any]:
        mine = begun.trajectory_id
        told: dict[str, Any] = {
            "status": "finished",
            "insights": await self._keep(lambda store: HandedIn(store).count(mine)),
            "duplicate": duplicate,
        }
        if len(self._seat.keys) > 1:
            left = told["tasks_left"] = self._left(begun)
            told["next"] = "call get_task for the next one" if left else "nothing is left"
        return told

    def _left(self, begun: Begun) -> int:
        return len(self._seat.keys) - 1 - self._seat.keys.index(begun.key)
