"""One exploration that every client goes through, and what must be seen of it on both sides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tests.support.endpoint import Request, Step, call, say

ENTITY: Final = "03"
INSIGHT: Final = "Carrier 03 operated 48,110 flights in the database."
REPORT: Final = "Carrier 03 operated 48,110 flights."
MODEL: Final = "scripted-1"
FACTS_FOUND: Final = ("flights-03-flight-count",)
"""The items of the checklist that the insight and the report support."""


@dataclass(frozen=True)
class Deed:
    """One tool call of the exploration, and words that its answer must have."""

    tool: str
    arguments: dict[str, Any] = field(default_factory=dict)
    says: tuple[str, ...] = ()
    fails: bool = False


def deeds(agent: str) -> tuple[Deed, ...]:
    """The whole exploration: six turns with two bad queries, an insight twice, and one call too many."""
    counted = "SELECT count(*) AS flights FROM flights WHERE carrier_id = '03'"
    wrong, lost = "SELECT no_such_column FROM flights", "SELECT 1 FROM no_such_table"
    return (
        Deed("get_task", {"agent": agent, "model": MODEL}, ("carrier", ENTITY)),
        Deed("get_database_info", says=("flights", "carriers")),
        Deed("describe_table", {"table_name": "flights"}, ("carrier_id",)),
        Deed("execute_query", {"query": counted}, ("48110",)),
        Deed("execute_query", {"query": wrong}, ("no_such_column", "carrier_id"), fails=True),
        # A second one in a row: there is a framework that gives up on it unless it is told not to.
        Deed("execute_query", {"query": lost}, ("no_such_table", "flights"), fails=True),
        Deed("execute_code", {"code": "print(6 * 7)"}, ("42",)),
        Deed("submit_insight", {"text": INSIGHT}, ("duplicate", "false")),
        Deed("submit_insight", {"text": INSIGHT}, ("duplicate", "true")),
        Deed("finish", {"report": REPORT}, ("finished",)),
        Deed("get_database_info", says=("has ended",), fails=True),
    )


EXPLORING: Final = tuple(
    deed.tool
    for deed in deeds("")[:-1]
    if deed.tool not in {"get_task", "submit_insight", "finish"}
)
"""The tools of the turns, in order."""


class Explorer:
    """A model that does the deeds one after the other, under whatever names a client gives the tools."""

    def __init__(self, agent: str) -> None:
        self._deeds = deeds(agent)

    def __call__(self, request: Request) -> Step:
        """The next step of a conversation; how far it is stands in the conversation itself."""
        if not request.tools or request.replies >= len(self._deeds):
            return say("Done.")  # without tools: a client that wants a title
        deed = self._deeds[request.replies]
        return call(named(deed.tool, request.tools), **deed.arguments)


def named(tool: str, offered: Sequence[str]) -> str:
    """What a client calls one of our tools: clients put the server's name before it."""
    found = [name for name in offered if name == tool or name.endswith((f"_{tool}", f".{tool}"))]
    if len(found) != 1:
        raise AssertionError(f"{tool} is offered as {found or list(offered)}")
    return found[0]


def check_answers(agent: str, answers: Sequence[str]) -> None:
    """What the model was shown of each call says what it must, in the text or in the structure."""
    for deed, answer in zip(deeds(agent), answers, strict=True):
        missing = [word for word in deed.says if word not in answer]
        assert not missing, f"{deed.tool}: no {missing} in {answer[:500]!r}"
