"""Tell how the processes of agents from outside ended: who never came, and what is to be checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from core.trajectory import StopReason

if TYPE_CHECKING:
    from core.outside import Key
    from core.trajectory import Trajectory
    from server.cli.output import Output
    from server.executing.agents import Ended

_SHOWN: Final = 3
"""Agents that never came whose last words are shown."""
_LAST_LINES: Final = 5


def show_exits(
    ended: Sequence[Ended], found: Mapping[Key, Trajectory], out: Output, *, url: str | None
) -> None:
    """What of the processes is to be known: who never came, and who failed."""
    unmet = [each for each in ended if _is_unmet(each, found)]
    for each in unmet[:_SHOWN]:
        out.say(f"\n{each.issued.label}: the agent never came to the server")
        out.say(f"  it {_how(each)}; all that it printed: {each.log}")
        for line in each.exit.tail.splitlines()[-_LAST_LINES:]:
            out.say(f"  | {line}")
    if len(unmet) > _SHOWN:
        out.say(f"\nnor did {len(unmet) - _SHOWN} more")
    if unmet:
        out.say(
            "\nto check: that it reads DDR_URL and DDR_TOKEN, or {config}; that its files are "
            "found from an empty folder ({here} is this one); that its login works from a "
            "program without a terminal"
            + ("; that the server works on this DDR_HOME" if url else "")
        )
    for each in ended:
        if each.exit.code and not _is_unmet(each, found):
            out.say(f"{each.issued.label}: it {_how(each)}; see {each.log}")


def rows_of(each: Ended, found: Mapping[Key, Trajectory]) -> list[dict[str, Any]]:
    """What is told of an agent for programs: a row for each of its keys."""
    from server.runs import stop_of

    rows = []
    for key in each.issued.seat.keys:
        mine = found.get(key)
        rows.append(
            {
                "entity": key[0],
                "trial": key[1],
                "exit_code": each.exit.code,
                "timed_out": each.exit.timed_out,
                "seconds": round(each.exit.seconds, 3),
                "turns": len(mine.turns) if mine else 0,
                "insights": sum(1 for i in mine.message_insights if i.text) if mine else 0,
                "report": mine is not None and mine.report is not None,
                "stop_reason": stop_of(mine) if mine else None,
                "log": str(each.log),
                "printed_bytes": each.exit.printed,
                "kept_bytes": each.exit.kept,
            }
        )
    return rows


def _is_unmet(each: Ended, found: Mapping[Key, Trajectory]) -> bool:
    mine = found.get(each.issued.seat.keys[0])
    return mine is not None and mine.stop_reason is StopReason.NO_CONTACT


def _how(each: Ended) -> str:
    if each.exit.code is None:
        return "could not be started"
    if each.exit.timed_out:
        return f"was ended after {each.exit.seconds:.0f} s, its time limit"
    return f"ended with exit code {each.exit.code} after {each.exit.seconds:.1f} s"
