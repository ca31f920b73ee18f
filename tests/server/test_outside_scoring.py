"""What an agent from outside hands in is scored post hoc by the table that holds for all."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence

import pytest

from checklists.loader import checklist_for
from core.checklist import Checklist, ChecklistItem
from core.errors import UsageError
from core.evaluation import Score, Verdict
from core.protocols import Checker
from core.run import RunSpec
from core.trajectory import StopReason
from databases.catalog import InstalledScenario
from evaluator.llm import LLMChecker
from evaluator.matching import MatchingChecker
from providers.scripted import ScriptedModel
from server.attendance import close_run
from server.evaluate import Judging
from server.judged import Judged
from server.runs import competitor
from server.store import Repository
from tests.evaluator.llm.judges import checker_of
from tests.server.outsiders import AGENT, Outsider, enrolled
from tests.server.support import START


class Course:
    """Flights, its checklist, and a store in which agents from outside explore it."""

    def __init__(self, store: Repository, flights: InstalledScenario) -> None:
        self.store, self.flights = store, flights
        self.entities = flights.entities()
        self.checklist: Checklist = checklist_for("flights")

    def enrol(self, *keys: tuple[str, int], queue: bool = False) -> RunSpec:
        mark = self.flights.scenario.fingerprint
        return enrolled(
            self.store, keys, queue=queue, scenario_id="flights", scenario_fingerprint=mark
        )

    def items(self, entity_id: str) -> Sequence[ChecklistItem]:
        return self.checklist.of(entity_id)

    def judge(
        self, run: RunSpec, checker: Checker | None = None, baselines: str = "none"
    ) -> Judged:
        judging = Judging(
            run,
            self.store,
            self.checklist,
            checker or MatchingChecker(self.entities),
            baselines=baselines,
        )
        return asyncio.run(judging.judge(self.entities, START))

    def explore(self, run: RunSpec, seat: int, *facts: str, report: str = "All in all.") -> None:
        """One trajectory to its end: a query, then what was found."""
        agent = Outsider(self.store, run, seat)
        agent.meet()
        agent.query()
        for fact in facts:
            agent.insight(fact)
        agent.finish(report)


@pytest.fixture
def course(store: Repository, flights: InstalledScenario) -> Course:
    return Course(store, flights)


def scored(judged: Judged, level: str = "message", whose: str = AGENT) -> Score:
    found = (
        s for s in judged.scores if (s.level, s.averaging, s.competitor) == (level, "item", whose)
    )
    return next(found)


def by_item(judged: Judged, level: str = "message") -> dict[str, Verdict]:
    return {v.item_id: v for v in judged.verdicts if v.level == level}


def test_its_rows_bear_the_name_that_it_was_enrolled_under(course: Course) -> None:
    run = course.enrol(("01", 1))
    agent = Outsider(course.store, run)
    agent.meet(agent="gpt-x", model="openai/gpt-x")
    agent.query()
    agent.finish()
    assert competitor(run) == AGENT
    judged = course.judge(run)
    assert {score.competitor for score in judged.scores} == {AGENT}
    assert judged.agent_class == "outside with shell"


def test_several_insights_of_one_turn_and_one_of_an_earlier_turn_are_found_at_their_turns(
    course: Course,
) -> None:
    run = course.enrol(("01", 1))
    first, second, third = course.items("01")[:3]
    agent = Outsider(course.store, run)
    agent.meet()
    agent.call("get_database_info")
    agent.query()
    agent.query()
    agent.insight(f"{first.answer}")
    agent.insight(f"{second.answer}")
    agent.insight(f"{third.answer}", turn=2)
    agent.query()
    agent.finish(f"In short: {first.answer}")
    judged = course.judge(run)
    found = by_item(judged)
    assert [found[i.id].label for i in (first, second, third)] == ["supported"] * 3
    assert [found[i.id].found_at_turn for i in (first, second, third)] == [3, 3, 2]
    (trajectory,) = course.store.trajectories(run.id)
    known = {turn.index for turn in trajectory.turns}
    for verdict in judged.verdicts:
        assert set(verdict.supporting_turns) | set(verdict.contradicting_turns) <= known
    assert by_item(judged, "trajectory")[first.id].label == "supported"
    assert scored(judged, "trajectory").supported == 1


def test_the_table_of_what_counts_as_what(course: Course) -> None:
    run = course.enrol(*((f"{n:02d}", 1) for n in range(1, 9)))
    course.explore(run, 0, course.items("01")[0].answer)
    Outsider(course.store, run, 1).hear("initialize", "tools/list")  # looks in, and is silent
    silent = Outsider(course.store, run, 2)
    silent.meet()
    silent.query()
    part = Outsider(course.store, run, 3)
    part.meet()
    part.query()
    part.insight(course.items("04")[0].answer)  # then it is gone
    broken = Outsider(course.store, run, 4)
    broken.query()
    broken.insight(course.items("05")[0].answer)
    course.store.end_trajectory(
        broken.trajectory_id, StopReason.TOOL_UNAVAILABLE, ended_at=START, error="no host"
    )
    late = Outsider(course.store, run, 5, max_turns=1)
    late.meet()
    late.query()
    late.query()  # refused
    late.finish(course.items("06")[0].answer)
    ours = frozenset((f"{n:02d}", 1) for n in range(1, 8))
    close_run(run, course.store, silent.tick(3600), keys=ours)
    Outsider(course.store, run, 7).query()  # still under way
    stops = {t.entity_id: t.stop_reason for t in course.store.trajectories(run.id)}
    assert stops == {
        "01": StopReason.FINISHED,
        "02": StopReason.ABANDONED,
        "03": StopReason.ABANDONED,
        "04": StopReason.ABANDONED,
        "05": StopReason.TOOL_UNAVAILABLE,
        "06": StopReason.MAX_TURNS,
        "07": StopReason.NO_CONTACT,
        "08": None,
    }
    judged = course.judge(run)
    verdicts = by_item(judged)

    def labels(entity_id: str) -> set[str | None]:
        return {verdicts[item.id].label for item in course.items(entity_id)}

    def reasons(entity_id: str) -> set[str | None]:
        return {verdicts[item.id].unscored_reason for item in course.items(entity_id)}

    assert labels("01") == {"supported", "insufficient"}
    assert labels("02") == labels("03") == {"insufficient"}, "contact, and nothing handed in: 0"
    assert verdicts[course.items("02")[0].id].reason == "nothing was handed in"
    assert labels("04") == {"supported", "insufficient"}, "what it handed in before it left counts"
    assert labels("05") == labels("07") == {None}
    assert reasons("05") == {"tool_unavailable: no host"}
    assert reasons("07") == {"no_contact"}
    assert not any(item.id in verdicts for item in course.items("08")), "it may hand in more"
    assert labels("06") == {"insufficient"}
    reports = by_item(judged, "trajectory")
    assert reports[course.items("06")[0].id].label == "supported", "its forced report counts"
    assert scored(judged).unscored == sum(len(course.items(e)) for e in ("05", "07", "08"))
    assert scored(judged).headline is None
    for reason in ("no_contact", "tool_unavailable: no host", "the trajectory did not end"):
        assert reason in (scored(judged).headline_reason or "")


def test_where_nobody_has_ended_there_is_nothing_to_judge_yet(course: Course) -> None:
    run = course.enrol(("01", 1))
    for _ in range(2):
        with pytest.raises(UsageError, match=f"no trajectory of {AGENT} has ended yet"):
            course.judge(run)
        Outsider(course.store, run).query()


def test_an_entity_that_nobody_was_let_in_to_stays_in_the_denominator(course: Course) -> None:
    run = course.enrol(("01", 1), ("02", 1))
    course.explore(run, 0, course.items("01")[0].answer)
    whole = scored(course.judge(run))
    assert whole.items == len(course.items("01")) + len(course.items("02"))
    assert whole.unscored == len(course.items("02"))
    assert whole.strict == pytest.approx(1 / whole.items)


def test_trials_are_averaged_inside_an_item(course: Course) -> None:
    run = course.enrol(("01", 1), ("01", 2))
    course.explore(run, 0, course.items("01")[0].answer)
    course.explore(run, 1)
    found = scored(course.judge(run))
    assert found.items == len(course.items("01"))
    assert found.strict == pytest.approx(0.5 / found.items)


def test_what_one_connection_took_in_a_queue_is_scored_entity_by_entity(course: Course) -> None:
    run = course.enrol(("01", 1), ("02", 1), queue=True)
    agent = Outsider(course.store, run)
    for entity_id in ("01", "02"):
        agent.meet()
        agent.query()
        agent.insight(course.items(entity_id)[0].answer)
        agent.finish()
    found = scored(course.judge(run))
    assert (found.supported, found.unscored, found.entities) == (2, 0, 2)


def test_a_retried_exploration_counts_and_the_earlier_one_does_not(course: Course) -> None:
    run = course.enrol(("01", 1), ("01", 1))  # two seats, one after the other
    Outsider(course.store, run, 0).hear("initialize")
    course.store.end_trajectory(f"{run.id}.01.1.1", StopReason.CANCELLED, ended_at=START)
    course.explore(run, 1, course.items("01")[0].answer)
    assert scored(course.judge(run)).supported == 1


def test_the_baselines_stand_beside_it(course: Course) -> None:
    run = course.enrol(("01", 1), ("02", 1), ("03", 1))
    for seat, entity_id in enumerate(("01", "02")):
        facts = [item.answer for item in course.items(entity_id)]
        course.explore(run, seat, *facts, report=" ".join(facts))
    close_run(run, course.store, START)
    judged = course.judge(run, baselines="all")
    own = scored(judged)
    assert own.supported > 20
    for name in ("blank", "generic", "shuffled_entity"):
        theirs = scored(judged, whose=name)
        assert (theirs.items, theirs.unscored) == (own.items, own.unscored), name
        assert theirs.supported <= 1, name
    assert judged.gated["shuffled_entity"] > 0, "so that its 0 proves something"
    assert judged.no_shuffle is None


@pytest.mark.parametrize("name", ["blank", "generic", "shuffled_entity", "Generic"])
def test_an_agent_with_a_baselines_name_is_not_counted_together_with_it(
    course: Course, name: str
) -> None:
    run = course.enrol(("01", 1), ("02", 1)).model_copy(update={"agent": name})
    course.store.amend_run(run)
    for seat, entity_id in enumerate(("01", "02")):
        course.explore(run, seat, course.items(entity_id)[0].answer)
    judged = course.judge(run, baselines="all")
    assert scored(judged, whose=f"{name} (agent)").supported == 2
    assert scored(judged, whose=name.casefold()).supported == 0


def judge_that_says(**reply: object) -> LLMChecker:
    text = json.dumps({"reason": "so", **reply})
    return checker_of(ScriptedModel([{"text": text, "repeat": True}]), concurrency=1)


def test_a_judge_may_quote_any_insight_of_a_turn(course: Course) -> None:
    run = course.enrol(("01", 1))
    agent = Outsider(course.store, run)
    agent.meet()
    agent.query()
    agent.query()
    agent.insight("Carrier 01 is punctual.")
    agent.insight("Carrier 01 is small.")
    agent.finish("Carrier 01 is small.")
    quote = "Carrier 01 is small."
    judge = judge_that_says(label="supported", supporting_turns=[2], quote=quote)
    judged = course.judge(run, judge)
    assert {v.label for v in judged.verdicts} == {"supported"}
    assert {v.found_at_turn for v in by_item(judged).values()} == {2}
    assert {v.evidence for v in judged.verdicts} == {"Carrier 01 is small."}


def test_what_a_judge_would_be_asked_are_the_items_of_those_who_handed_something_in(
    course: Course,
) -> None:
    run = course.enrol(("01", 1), ("02", 1), ("03", 1), ("04", 1))
    course.explore(run, 0, "Carrier 01 is small.")
    part = Outsider(course.store, run, 1)
    part.query()
    part.insight("Carrier 02 is small.")
    Outsider(course.store, run, 2).hear("initialize")
    close_run(run, course.store, START)
    judge = judge_that_says(label="insufficient")
    judging = Judging(run, course.store, course.checklist, judge, baselines="none")
    asked = judging.enquiries(course.entities)
    assert len(asked) == 2 * len(course.items("01")) + len(course.items("02"))


@pytest.mark.parametrize("turn", [0, 1, 3])
def test_a_turn_that_no_insight_belongs_to_cannot_be_cited(course: Course, turn: int) -> None:
    run = course.enrol(("01", 1))
    agent = Outsider(course.store, run)
    agent.meet()
    agent.query()
    agent.query()
    agent.insight("Carrier 01 is small.")
    agent.query()
    agent.finish("Carrier 01 is small.")
    quote = "Carrier 01 is small."
    judge = judge_that_says(label="supported", supporting_turns=[turn], quote=quote)
    judged = course.judge(run, judge)
    assert {v.unscored_reason for v in by_item(judged).values()} == {
        "invalid citation: a turn that does not exist"
    }


def test_insights_of_others_make_scores_of_their_own_beside_the_agents_words(
    course: Course,
) -> None:
    run = course.enrol(("01", 1))
    mine, theirs = course.items("01")[:2]
    agent = Outsider(course.store, run)
    agent.meet()
    agent.query()
    agent.query()
    agent.insight(mine.answer, turn=1)
    agent.finish()
    (before,) = course.store.trajectories(run.id)
    assert course.judge(run).in_own_words == []
    course.store.add_late_insight(
        before.message_insights[0].model_copy(
            update={"turn": 2, "text": theirs.answer, "author": "openai/x", "prompt_hash": "c0de"}
        )
    )
    judged = course.judge(run)
    assert judged.others == {"openai/x": 1}
    assert scored(judged).supported == 2
    assert [(s.level, s.averaging, s.supported) for s in judged.in_own_words] == [
        ("message", "item", 1),
        ("message", "sample", 1),
    ]
