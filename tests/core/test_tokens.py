"""Billed input, peak context and new input are three figures."""

from __future__ import annotations

from datetime import UTC, datetime

from core.tokens import billed_input, new_input, peak_context
from core.trajectory import ModelCall, Usage

PROMPTS = (3884, 7600, 11135, 11617, 12628, 13265)


def calls(*prompts: int | None) -> list[ModelCall]:
    return [
        ModelCall(
            role="agent",
            model_asked="m",
            usage=Usage(input_tokens=prompt),
            started_at=datetime(2026, 1, 1, tzinfo=UTC),
            duration_s=1.0,
        )
        for prompt in prompts
    ]


def test_six_turns_are_billed_for_the_sum_and_reach_the_last_prompt() -> None:
    """Field case F34."""
    assert billed_input(calls(*PROMPTS)) == 60129
    assert peak_context(calls(*PROMPTS)) == 13265
    assert new_input(calls(*PROMPTS)) == 13265


def test_a_prompt_that_was_cut_adds_nothing_until_it_grows_again() -> None:
    cut = calls(1000, 5000, 2000, 2600)
    assert new_input(cut) == 1000 + 4000 + 0 + 600
    assert peak_context(cut) == 5000
    assert billed_input(cut) == 10600


def test_one_unreported_prompt_leaves_all_three_unknown() -> None:
    some = calls(100, None, 300)
    assert billed_input(some) is None
    assert peak_context(some) is None
    assert new_input(some) is None


def test_no_calls_are_no_tokens() -> None:
    assert (billed_input([]), peak_context([]), new_input([])) == (0, 0, 0)
