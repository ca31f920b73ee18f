"""The conversation of a stored trajectory, as it was sent: to go on from it, or to look at its prefixes."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from agent.finish import MARKER
from agent.history import History, acted, nudged, user
from core.errors import UsageError
from core.protocols import Reply
from core.trajectory import Before, Nudge, Preamble, Trajectory, Turn

_WORDINGS: Final = Path(__file__).parent / "wordings"
_PYTHON: Final = "execute_code"


def conversation(trajectory: Trajectory, *, nudge: str, turns: int | None = None) -> History:
    """What an agent was sent so far after so many turns; after all of them, nudges included, for None.

    `nudge` is the text that answered replies without a call. Exact but for what is not stored: empty
    keys of a provider's message, and of a nudged reply all beside its text and reasoning. Raises
    UsageError where no preamble is stored, or where the trajectory itself goes on from another one.
    """
    preamble = trajectory.preamble
    if preamble is None or preamble.system_prompt is None:
        raise UsageError(f"trajectory {trajectory.id} does not hold what its agent was sent")
    if preamble.before is not None:
        raise UsageError(
            f"trajectory {trajectory.id} itself goes on from {preamble.before.trajectory_id}: take that"
        )
    history = History(preamble.system_prompt, preamble.start_prompt)
    last = len(trajectory.turns) if turns is None else turns
    steps: list[Turn | Nudge] = [*trajectory.nudges, *trajectory.turns]
    for step in sorted(steps, key=_place):
        if isinstance(step, Turn):
            if step.index <= last:
                history.add(*acted(_reply(step), step.tool_calls, step.tool_results, step.told))
        elif step.after_turn < last or turns is None:
            history.add(*nudged(_reply(step), nudge, step.told))
    return history


def going_on(
    done: Trajectory, *, nudge: str, tool_schemas: tuple[dict[str, object], ...]
) -> tuple[Preamble, History]:
    """What is sent to have an agent go on that had finished. Raises UsageError as `conversation` does."""
    history = conversation(done, nudge=nudge)
    told = go_on_text(done)
    sent = done.preamble
    assert sent is not None  # conversation has looked
    preamble = Preamble(
        system_prompt=sent.system_prompt,
        start_prompt=sent.start_prompt,
        tool_schemas=tool_schemas,
        before=Before(trajectory_id=done.id, told=told),
    )
    history.add({"role": "assistant", "content": finishing_text(done)}, user(told))
    return preamble, history


def finishing_text(done: Trajectory) -> str:
    """The message that ended it, but for its own white space."""
    return f"{MARKER} {done.report or ''}".rstrip()


def go_on_text(done: Trajectory) -> str:
    """What an agent that had finished is told: neither how long nor that anything is missing."""
    used_python = any(call.name == _PYTHON for turn in done.turns for call in turn.tool_calls)
    told = _text("go_on")
    return f"{told} {_text('go_on_memory')}" if used_python else told


@cache
def _text(name: str) -> str:
    return (_WORDINGS / f"{name}.txt").read_text("utf-8").strip()


def _place(step: Turn | Nudge) -> tuple[int, int]:
    """A nudge comes behind the turn that it followed."""
    return (step.index, 0) if isinstance(step, Turn) else (step.after_turn, 1)


def _reply(step: Turn | Nudge) -> Reply:
    """The reply of a turn or a nudge, as far as it is stored."""
    if step.call is None:
        raise UsageError("a turn that was said by no model is no part of a conversation")
    said = Reply(text=step.text, reasoning=step.reasoning, raw={}, call=step.call)
    if isinstance(step, Nudge):
        return said
    return said.model_copy(update={"tool_calls": step.tool_calls, "raw": step.raw or {}})
