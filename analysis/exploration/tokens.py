"""New tokens of each turn by where they come from: the model itself, tool results, prompts and nudges.

What a conversation re-sends is not new. What the model writes is reported; what else joins the prompt
is the growth from one call to the next without the part that the model wrote. Between a turn with
tool results and the next call that is the results, with the few tokens that frame them; after a nudge
or a turn without a call it is a prompt. The prompt of the first call is all prompt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.trajectory import ModelCall, Trajectory


@dataclass(frozen=True)
class NewTokens:
    """What one turn added, tokens; None = not reported, or not to be told."""

    turn: int
    own: int | None
    """Written by the model, reasoning included; a nudged reply is counted with the turn after it."""
    tools: int | None
    """Of its tool results; None where no later call shows what they came to."""
    prompts: int | None
    """Of the system prompt, the start prompt and the tool schemas before the first turn, and of nudges
    before it."""


@dataclass(frozen=True)
class _Said:
    """One reply of the model, in its place in the conversation."""

    turn: int
    """That it belongs to: a nudged reply to the turn after it."""
    call: ModelCall | None
    has_results: bool


def new_tokens(trajectory: Trajectory) -> list[NewTokens]:
    """One for each turn, in order. Calls of role `agent` alone; another agent's are all None."""
    said = _conversation(trajectory)
    turns = sorted(turn.index for turn in trajectory.turns)
    own: dict[int, list[int | None]] = {turn: [] for turn in turns}
    tools: dict[int, list[int | None]] = {turn: [] for turn in turns}
    prompts: dict[int, list[int | None]] = {turn: [] for turn in turns}
    for place, now in enumerate(said):
        if now.turn not in own:  # nudged after the last turn: of no turn
            continue
        own[now.turn].append(now.call.usage.output_tokens if now.call else None)
        if place == 0:
            prompts[now.turn].append(now.call.usage.input_tokens if now.call else None)
            continue
        before = said[place - 1]
        if before.has_results:
            tools[before.turn].append(_grown(before.call, now.call))
        else:
            prompts[now.turn].append(_grown(before.call, now.call))
    return [
        NewTokens(
            turn=turn,
            own=_sum(own[turn], nothing=None),
            tools=_sum(tools[turn], nothing=None if _has_results(said, turn) else 0),
            prompts=_sum(prompts[turn], nothing=0 if _is_known(said, turn) else None),
        )
        for turn in turns
    ]


def _conversation(trajectory: Trajectory) -> list[_Said]:
    found: list[_Said] = []
    turns = sorted(trajectory.turns, key=lambda turn: turn.index)
    last = turns[-1].index if turns else 0

    def nudged(after: int) -> None:
        found.extend(
            _Said(after + 1, nudge.call, has_results=False)
            for nudge in trajectory.nudges
            if nudge.after_turn == after
        )

    nudged(0)
    for turn in turns:
        call = turn.call if turn.call and turn.call.role == "agent" else None
        found.append(_Said(turn.index, call, has_results=bool(turn.tool_results)))
        if turn.index < last:
            nudged(turn.index)
    return found


def _grown(before: ModelCall | None, now: ModelCall | None) -> int | None:
    """What joined the prompt beside the earlier reply; None where the prompt was cut, or is unknown."""
    if before is None or now is None:
        return None
    old, new, written = (
        before.usage.input_tokens,
        now.usage.input_tokens,
        before.usage.output_tokens,
    )
    if old is None or new is None or written is None or new < old:
        return None
    # Most endpoints drop reasoning from what is sent again.
    sent_again = written - (before.usage.reasoning_tokens or 0)
    return max(new - old - max(sent_again, 0), 0)


def _sum(parts: Sequence[int | None], *, nothing: int | None) -> int | None:
    known = [part for part in parts if part is not None]
    if not parts:
        return nothing
    return sum(known) if len(known) == len(parts) else None


def _has_results(said: Sequence[_Said], turn: int) -> bool:
    return any(each.has_results for each in said if each.turn == turn)


def _is_known(said: Sequence[_Said], turn: int) -> bool:
    return all(each.call is not None for each in said if each.turn == turn)
