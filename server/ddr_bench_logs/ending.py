"""Why a session ended, as honestly as its log tells."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from core.trajectory import StopReason
from server.ddr_bench_logs.messages import AGENT, FORCED, Message, Stats

MOST_TURNS: Final = 100
"""Where the released code stops by default (DDR-01)."""
TRIES: Final = 4
"""Messages without a call after which it asks for the summary: one, and three after nudges."""
_FAILED: Final = f"{FORCED}Error generating final summary: "
_HEAD: Final = re.compile(r"[\s*#_`]*FINISH[\s*#_`]*[:.\-]?[\s*#_`]*")
_TAIL: Final = re.compile(r"\s*[*#_`]*FINISH[*#_`]*[.!]?\s*")
BY_MISTAKE: Final = (
    "the released code took the word 'finish' in a sentence for the marker and broke off"
)
NO_END: Final = "the log has no end: the process was stopped, or failed, before it wrote one"


@dataclass(frozen=True)
class Ending:
    """The end of a session, and what it handed in."""

    reason: StopReason
    report: str | None = None
    forced: bool = False
    error: str | None = None
    is_message: bool = False
    """Whether the last message of the agent is the report, and no turn."""


def ending_of(messages: Sequence[Message], stats: Sequence[Stats | None], *, turns: int) -> Ending:
    """The ending. `stats` are those of the agent's messages, in order; None where none are known.

    The released code ends a session where 'finish' stands anywhere in a text, in any case, so that
    a sentence such as 'let me finish by ...' ends it too: such an end is no choice of the model's
    and counts as abandoned. A summary that the code asked for itself, at its limit of turns or
    after three nudges, is told by its length: it is counted without the word before it.
    """
    spoken = [message for message in messages if message.role == AGENT]
    last = messages[-1] if messages else None
    if last is None or last.role != AGENT or last.tool is not None:
        return Ending(StopReason.ABANDONED, error=NO_END)
    text = last.content
    if text.startswith(_FAILED):
        error = f"no summary: {text.removeprefix(_FAILED).strip()[:500]}"
        return Ending(_limit(messages), forced=True, error=error, is_message=True)
    if _is_forced(text, stats[len(spoken) - 1], messages, turns):
        report = _plain(text.removeprefix(FORCED))
        return Ending(_limit(messages), report or None, forced=True, is_message=True)
    if "FINISH" not in text and "finish" in text.lower():
        return Ending(StopReason.ABANDONED, text.strip(), error=BY_MISTAKE, is_message=True)
    return Ending(StopReason.FINISHED, _plain(text) or None, is_message=True)


def _is_forced(text: str, stats: Stats | None, messages: Sequence[Message], turns: int) -> bool:
    if not text.startswith(FORCED):
        return False
    if stats is not None:
        return stats.length == len(text) - len(FORCED)
    # Without statistics: only where the code would have asked.
    return turns >= MOST_TURNS or _idle(messages) >= TRIES


def _limit(messages: Sequence[Message]) -> StopReason:
    """Which limit the code met before it asked for the summary."""
    return StopReason.IDLE if _idle(messages) else StopReason.MAX_TURNS


def _idle(messages: Sequence[Message]) -> int:
    """Messages of the agent before the last one that called nothing, back to the last call."""
    count = 0
    for message in reversed(messages[:-1]):
        if message.tool is not None:
            break
        count += message.role == AGENT
    return count


def _plain(text: str) -> str:
    """A report without the marker before or behind it."""
    said = text.strip()
    while found := _HEAD.match(said):
        said = said[found.end() :].strip()
    tails = list(_TAIL.finditer(said))
    if tails and tails[-1].end() == len(said):
        return said[: tails[-1].start()].strip()
    return said
