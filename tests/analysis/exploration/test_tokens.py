"""New tokens by source, from a conversation whose parts are known."""

from __future__ import annotations

from analysis.exploration.tokens import new_tokens
from core.trajectory import Nudge
from tests.analysis.exploration.making import model_call, sql, turn
from tests.analysis.factory import trajectory


def test_a_conversation_by_hand() -> None:
    """Prompt 100. Turn 1 writes 20, its result is 300. Turn 2 writes 30, its result 50. A nudged reply of
    10 follows, the nudge takes 15. Turn 3 writes 40 and calls nothing."""
    turns = [
        turn(1, sql(), usage=(100, 20)),
        turn(2, sql(), usage=(100 + 20 + 300, 30)),
        turn(3, usage=(420 + 30 + 50 + 10 + 15, 40)),
    ]
    nudge = Nudge(after_turn=2, text="hm", call=model_call(2.5, 420 + 30 + 50, 10))
    found = new_tokens(trajectory(turns=turns, nudges=(nudge,)))
    assert [(t.turn, t.own, t.tools, t.prompts) for t in found] == [
        (1, 20, 300, 100),
        (2, 30, 50, 0),
        (3, 50, 0, 15),
    ]


def test_reasoning_is_written_and_not_sent_again() -> None:
    turns = [turn(1, sql(), usage=(100, 80), reasoning=60), turn(2, usage=(100 + 20 + 7, 5))]
    first, _ = new_tokens(trajectory(turns=turns))
    assert (first.own, first.tools) == (80, 7)


def test_the_last_answer_that_nobody_read_and_a_prompt_that_was_cut_are_unknown() -> None:
    turns = [
        turn(1, sql(), usage=(500, 10)),
        turn(2, sql(), usage=(200, 10)),  # the history was cut
        turn(3, sql(), usage=(260, 10)),
    ]
    found = new_tokens(trajectory(turns=turns))
    assert [t.tools for t in found] == [None, 50, None]


def test_an_agent_that_asks_no_model_has_no_tokens() -> None:
    found = new_tokens(trajectory(turns=[turn(1, sql()), turn(2)]))
    assert [(t.own, t.tools, t.prompts) for t in found] == [(None, None, None), (None, 0, None)]


def test_a_nudge_after_the_last_turn_belongs_to_none() -> None:
    nudge = Nudge(after_turn=1, text="hm", call=model_call(1.5, 120, 10))
    (found,) = new_tokens(trajectory(turns=[turn(1, sql(), usage=(100, 20))], nudges=(nudge,)))
    assert (found.own, found.tools, found.prompts) == (20, None, 100)
