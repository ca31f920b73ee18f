"""A trajectory as text that a judge can be shown: whole where it fits, cut in the middle where not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from core.trajectory import Preamble, Turn

ROOM: Final = 60_000
"""Characters of a whole trace."""
LEAST: Final = 400
"""Characters that each part keeps at least."""
_CUT: Final = " … [{0} characters left out] … "


def trace(
    turns: Sequence[Turn],
    preamble: Preamble | None = None,
    *,
    room: int = ROOM,
    reasoning: bool = True,
) -> str:
    """The turns in order, each begun by '[Turn 7]'; all other lines are indented.

    Where they do not fit into `room` characters, the long parts of early turns are cut first: the
    last turn keeps a third of the room.
    """
    head = ""
    if preamble is not None:
        told = "\n".join(part for part in (preamble.system_prompt, preamble.start_prompt) if part)
        head = f"[The task]\n{_indented(cut(told, room // 6))}\n"
    parts = [_parts(turn, reasoning=reasoning) for turn in turns]
    if sum(len(text) for turn in parts for _, text in turn) + len(head) > room and parts:
        last = (room - len(head)) // 3 if len(parts) > 1 else room - len(head)
        parts[-1] = _fitted(parts[-1], last)
        parts[:-1] = _all_fitted(parts[:-1], room - len(head) - last)
    shown = [
        f"[Turn {turn.index}]\n"
        + "\n".join(f"    {name}: {_indented(text)[4:]}" for name, text in mine)
        for turn, mine in zip(turns, parts, strict=True)
    ]
    return head + "\n".join(shown)


def cut(text: str, most: int) -> str:
    """The text with its middle left out where it is longer."""
    if len(text) <= most:
        return text
    mark = _CUT.format(len(text) - most)
    keep = max(most - len(mark), 0)
    return text[: keep - keep // 4] + mark + text[len(text) - keep // 4 :]


def _parts(turn: Turn, *, reasoning: bool) -> list[tuple[str, str]]:
    said = [("reasoning", turn.reasoning or "")] if reasoning else []
    said += [("text", turn.text)]
    # A model may call a tool by any name, that of a further turn with its result included.
    said += [(f"call of {_name(call.name)}", call.arguments) for call in turn.tool_calls]
    said += [("error" if r.is_error else "result", r.text) for r in turn.tool_results]
    return [(name, text) for name, text in said if text]


def _name(said: str) -> str:
    return cut(" ".join(said.split()), LEAST)


def _fitted(parts: list[tuple[str, str]], room: int) -> list[tuple[str, str]]:
    most = max(room // max(len(parts), 1), LEAST)
    spare = sum(max(most - len(text), 0) for _, text in parts)
    longer = max(sum(len(text) > most for _, text in parts), 1)
    return [(name, cut(text, most + spare // longer)) for name, text in parts]


def _all_fitted(turns: list[list[tuple[str, str]]], room: int) -> list[list[tuple[str, str]]]:
    """Each part cut to the same length, the greatest at which all fit."""
    lengths = [len(text) for turn in turns for _, text in turn]
    low, high = LEAST, max([LEAST, *lengths])
    while low < high:
        middle = (low + high + 1) // 2
        if sum(min(length, middle) for length in lengths) <= room:
            low = middle
        else:
            high = middle - 1
    return [[(name, cut(text, low)) for name, text in turn] for turn in turns]


def _indented(text: str) -> str:
    return "    " + "\n    ".join(text.splitlines())
