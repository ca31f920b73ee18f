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
