"""Fitting a text into one reply, and saying what was left out."""

from __future__ import annotations

import pytest

from tools.rendering import fit, head_and_tail, leading
from tools.values import compact


@pytest.mark.parametrize("most", [100, 1000])
def test_a_text_cut_in_the_middle_keeps_both_ends(most: int) -> None:
    text = "first line\n" + "." * 5000 + "\nlast line"
    shown, cut = head_and_tail(text, most)
    assert cut
    assert shown.startswith("first line")
    assert len(shown) <= most
    assert f"clipped, {len(text)} characters in full" in shown
    if most == 1000:
        assert shown.endswith("last line")


def test_a_short_text_is_left_alone() -> None:
    assert head_and_tail("abc", 3) == ("abc", False)


@pytest.mark.parametrize(
    "text",
    ["x" * 9000, "\x01" * 9000, "\x01" * 3000 + "x" * 9000, "x" * 9000 + "\x01" * 3000, "ab"],
)
@pytest.mark.parametrize("room", [60, 1000, 5000])
def test_a_text_is_fitted_by_the_size_of_its_json(text: str, room: int) -> None:
    shown, cut = fit(text, room)
    assert len(compact(shown)) <= max(room, 60)
    assert cut == (len(compact(text)) > room)


@pytest.mark.parametrize(
    "text", ["x" * 9000, "\x01" * 9000, "\n" * 500 + "x" * 9000, "ü" * 400, ""]
)
@pytest.mark.parametrize("room", [60, 1000, 5000])
def test_a_texts_beginning_is_fitted_by_the_size_of_its_json(text: str, room: int) -> None:
    shown = leading(text, room)
    assert text.startswith(shown)
    assert len(compact(shown)) <= room
    longer = text[: len(shown) + 1]
    assert shown == text or len(compact(longer)) > room, "nothing more would fit"
