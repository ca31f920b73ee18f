"""The smallest prefix that suffices: found by halving, kept, and never instead of a verdict."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.checklist import Checklist, ChecklistItem
from core.errors import UsageError
from core.evaluation import Verdict
from core.scenario import License
from core.trajectory import StopReason, Trajectory
from server.diffing import Side
from server.min_sufficient import Search, Sufficing, finds_of, judge_of, prefix_of
from server.store import Repository
from tests.analysis.factory import item
from tests.server.support import START, draft, evaluation, insight, spec, turn, verdict

Rule = Callable[[str, frozenset[int]], str | None]
"""(item id, turns whose insights are there) -> label."""


class RuleChecker:
    """Judges by a rule over the turns that it is shown, and remembers what it was shown."""

    name = "rule"

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.shown: list[tuple[int, ...]] = []

    async def check(
        self, items: Sequence[ChecklistItem], trajectory: Trajectory, *, evaluation_id: str
    ) -> AsyncIterator[Verdict]:
        turns = tuple(i.turn or 0 for i in trajectory.message_insights if i.text)
        self.shown.append(turns)
        for each in items:
            said = self.rule(each.id, frozenset(turns))
            yield verdict(
                trajectory.id,
                each.id,
                evaluation_id=evaluation_id,
                label=said,
                unscored_reason=None if said else "the judge's reply was no verdict",
                supporting_turns=(),
            )


def searched(turns: Sequence[int], found_at: int, suffices: Callable[[int], bool]) -> Search:
    """A search carried out, prefix by prefix."""
    said = verdict("t", "q1", supporting_turns=(found_at,))
    search = Search(item("q1"), said, turns)
    while not search.is_over:
        label = "supported" if suffices(search.turns[search.next]) else "insufficient"
        search.hear(said.model_copy(update={"label": label}))
    return search


@given(st.sets(st.integers(1, 60), min_size=1), st.data())
def test_the_smallest_prefix_is_the_one_that_trying_all_would_find(
    turns: set[int], data: st.DataObject
) -> None:
    ordered = sorted(turns)
    least = data.draw(st.sampled_from(ordered))
    found_at = data.draw(st.sampled_from(ordered))
    search = searched(ordered, found_at, lambda at: at >= least)
    assert search.turns[search.high] == least
    assert search.judged <= 2 + len(ordered).bit_length()


def test_a_discovery_that_suffices_takes_two_prefixes_and_one_at_the_first_turn_takes_one() -> None:
    assert searched(range(1, 41), 17, lambda at: at >= 17).judged == 2
    assert searched(range(1, 41), 1, lambda at: at >= 1).judged == 1
    assert searched([9], 9, lambda at: True).judged == 0


CHECKLIST = Checklist(
    id="small",
    version="1",
    scenario_id="small",
    hash="c0de",
    license=License(name="CC0-1.0"),
    items=(item("q1"), item("q2"), item("q3")),
)


@pytest.fixture
def side(store: Repository) -> Side:
    """Carrier 01 with insights at turns 1, 2, 4 and 6 of 6: q1 and q2 supported, q3 not."""
    run = spec(entity_ids=("01",))
    store.add_run(run)
    mine = store.start_trajectory(draft(run))
    for number in range(1, 7):
        store.add_turn(mine.id, turn(number))
        store.add_insight(insight(mine.id, number, "So." if number in (1, 2, 4, 6) else None))
    store.end_trajectory(mine.id, StopReason.FINISHED, ended_at=START)
    own = evaluation(run)
    store.add_evaluation(own)
    store.add_verdicts(
        [
            verdict(mine.id, "q1", supporting_turns=(2, 6)),
            verdict(mine.id, "q2", supporting_turns=(1, 6)),
            verdict(mine.id, "q3", label="insufficient", supporting_turns=()),
            verdict(mine.id, "q3", level="trajectory", supporting_turns=()),
        ]
    )
    return Side("m", run, own)


def by_turns(item_id: str, turns: frozenset[int]) -> str | None:
    """q1 needs turn 2; q2 needs two insights together, those of turns 1 and 4."""
    needed = {"q1": {2}, "q2": {1, 4}, "q3": {99}}[item_id]
    return "supported" if needed <= turns else "insufficient"


def sufficing(
    side: Side, store: Repository, rule: Rule = by_turns
) -> tuple[Sufficing, RuleChecker]:
    checker = RuleChecker(rule)
    return Sufficing(side, store, CHECKLIST, checker), checker


def test_what_suffices_is_found_for_each_supported_item_and_verdicts_stay(
    side: Side, store: Repository
) -> None:
    before = store.verdicts(side.evaluation.id)
    work, checker = sufficing(side, store)
    told = {each.item_id: each for each in anyio.run(work.find, START)}
    assert {name: each.turn for name, each in told.items()} == {"q1": 2, "q2": 4}
    assert (told["q2"].discovered_at, told["q1"].judged) == (1, 2)
    # q1 asks for 2, then 1; q2 for 1, then 2 (the middle), then 4. What is wanted at once is judged once.
    assert checker.shown == [(1, 2), (1,), (1,), (1, 2), (1, 2, 4)]
    assert store.verdicts(side.evaluation.id) == before
    assert [e.id for e in store.evaluations(side.spec.id)] == [side.evaluation.id]
    assert {(f.item_id, f.turn) for f in finds_of(list(told.values()))} == {("q1", 2), ("q2", 4)}


def test_what_was_found_is_not_judged_again(side: Side, store: Repository) -> None:
    anyio.run(sufficing(side, store)[0].find, START)
    again, checker = sufficing(side, store)
    assert len(anyio.run(again.find, START)) == 2
    assert checker.shown == []


def test_after_an_interruption_only_the_rest_is_judged(side: Side, store: Repository) -> None:
    def breaks(item_id: str, turns: frozenset[int]) -> str | None:
        if 4 in turns:
            raise UsageError("the budget is spent")
        return by_turns(item_id, turns)

    with pytest.raises(UsageError):
        anyio.run(sufficing(side, store, breaks)[0].find, START)
    rest, checker = sufficing(side, store)
    assert {name for _, name in rest.known()} == {"q1"}
    assert len(anyio.run(rest.find, START)) == 2
    assert (1, 2, 4) in checker.shown


def test_what_cannot_be_judged_again_has_no_turn_and_says_why(
    side: Side, store: Repository
) -> None:
    work, _ = sufficing(side, store, lambda item_id, turns: None)
    told = anyio.run(work.find, START)
    assert {each.turn for each in told} == {None}
    assert {each.unscored_reason for each in told} == {"the judge's reply was no verdict"}
    assert all(find.turn is None for find in finds_of(told))


def test_a_prefix_has_the_insights_up_to_its_turn_and_no_report(
    side: Side, store: Repository
) -> None:
    whole = store.trajectories(side.spec.id)[0]
    cut = prefix_of(whole, 4)
    assert [i.turn for i in cut.insights] == [1, 2, 3, 4]
    assert cut.report is None
    assert cut.turns == whole.turns


def test_judges_of_other_prompts_are_others() -> None:
    own = evaluation(spec())
    asked = own.model_copy(update={"judges_asked": ("m",), "prompt_hash": "abc"})
    assert judge_of(own) == "matching strict"
    assert judge_of(asked) == "matching m strict abc"
