"""Fit a text into the room that a reply has, and say in it what was left out."""

from __future__ import annotations

from tools.values import compact


def head_and_tail(text: str, most: int) -> tuple[str, bool]:
    """The text cut to `most` characters in the middle, where it is longer."""
    if len(text) <= most:
        return text, False
    mark = f"\n… [clipped, {len(text)} characters in full] …\n"
    keep = max(most - len(mark), 0)
    tail = keep // 4
    return text[: keep - tail] + mark + (text[-tail:] if tail else ""), True


def fit(text: str, room: int) -> tuple[str, bool]:
    """The text cut in the middle so that its JSON takes at most `room` characters."""
    escaped = len(compact(text))
    if escaped <= room:
        return text, False
    most = max(len(text) * room // escaped - 8, 0)
    while True:
        shown, _ = head_and_tail(text, most)
        if len(compact(shown)) <= room or not most:
            return shown, True
        most = most * 3 // 4


def leading(text: str, room: int) -> str:
    """As much of the text's beginning as has a JSON of at most `room` characters."""
    shown = text[: max(room, 1)]
    while (over := len(compact(shown)) - room) > 0 and len(shown) > 1:
        # A character may take six in JSON, so that to cut all that is over would cut too much.
        shown = shown[: len(shown) - max(over // 6, 1)]
    return shown
