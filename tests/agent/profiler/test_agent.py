"""The profiler as an agent: what it yields, what it finds, and that it stops by itself."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from agent.profiler import agenda
from agent.profiler.agent import NAME, ProfilerAgent
from agent.profiler.reply import QUERY
from agent.profiler.report import MESSAGE, ROOM
from core.protocols import Agent, Finish, Observation, Tools, ToolSpec
from core.run import Limits
from core.trajectory import Insight, Turn
from tests.agent.profiler.conftest import Explored
from tests.agent.profiler.exploring import Exploration, explore


@dataclass
class Watch:
    """A clock that goes on by a second at each look."""

    seconds: float = 0.0
    looks: list[float] = field(default_factory=list)

    def __call__(self) -> float:
        self.seconds += 1.0
        self.looks.append(self.seconds)
        return self.seconds


def test_the_profiler_is_an_agent() -> None:
    assert isinstance(ProfilerAgent(), Agent)
    assert ProfilerAgent.name == NAME == "profiler"


def test_turns_are_numbered_from_one_and_each_is_followed_by_its_insight(
    explored: Explored,
) -> None:
    found = explored("S3")
    assert [turn.index for turn in found.turns] == list(range(1, len(found.turns) + 1))
    assert [insight.turn for insight in found.insights] == [turn.index for turn in found.turns]
    assert found.order == (*(Turn, Insight) * len(found.turns), Finish)


def test_a_turn_is_one_tool_call_with_its_result_and_asks_no_model(explored: Explored) -> None:
    for turn in explored("S3").turns:
        (call,), (result,) = turn.tool_calls, turn.tool_results
        assert call.call_id == result.call_id
        assert call.name == result.name
        assert isinstance(json.loads(call.arguments), dict)
        assert turn.call is None
        assert turn.text.endswith(".")


def test_an_insight_is_the_profilers_own_and_at_message_level(explored: Explored) -> None:
    for insight in explored("S3").insights:
        assert insight.author == "profiler"
        assert insight.level == "message"
        assert insight.call is None
    ids = [insight.id for insight in explored("S3").insights]
    assert len(set(ids)) == len(ids)


def test_looking_at_the_schema_is_no_insight(explored: Explored) -> None:
    found = explored("S3")
    looks = {
        turn.index
        for turn in found.turns
        if turn.tool_calls[0].name in ("get_database_info", "describe_table")
    }
    assert len(looks) == 5
    assert all(insight.text is None for insight in found.insights if insight.turn in looks)


def test_an_insight_is_at_most_three_sentences_that_all_name_the_entity(
    explored: Explored,
) -> None:
    for text in explored("S3").said:
        sentences = re.split(r"(?<=\.) (?=[A-Z0-9])", text)
        assert len(sentences) <= MESSAGE == 3
        assert all(re.search(r"[Ss]hop S3\b", sentence) for sentence in sentences)


def test_a_planted_top_category_is_reported(explored: Explored) -> None:
    found = [line for line in explored("S3").bullets if "most frequent channel" in line]
    assert len(found) == 1
    assert found[0].startswith("The most frequent channel of shop S3 is phone, with 7")


def test_a_planted_trend_is_reported(explored: Explored) -> None:
    trend = re.compile(
        r"Shop S3's mean wait \(min\) is highest in May 2021 \([\d.]+\) "
        r"and lowest in January 2021 \([\d.]+\)\."
    )
    assert any(trend.search(line) for line in explored("S3").bullets)


def test_a_planted_worst_day_is_reported(explored: Explored) -> None:
    worst = re.compile(
        r"[Oo]n 2021-05-12 shop S3's mean wait \(min\) was [\d.]+, its highest day\."
    )
    assert any(worst.search(line) for line in explored("S3").bullets)


def test_planted_gaps_in_the_data_are_reported(explored: Explored) -> None:
    gaps = re.compile(r"Wait \(min\) is missing in 1\d\.\d% of shop S3's rows, against 2\.\d%.*")
    assert any(gaps.fullmatch(line) for line in explored("S3").bullets)


def test_a_planted_effect_of_a_table_keyed_by_place_day_and_hour_is_reported(
    explored: Explored,
) -> None:
    rain = re.compile(
        r"For shop S3, where rain \(mm\) of climate is above 0, the mean wait \(min\) is "
        r"([\d.]+), against ([\d.]+) otherwise\."
    )
    found = [match for line in explored("S3").bullets if (match := rain.fullmatch(line))]
    assert len(found) == 1
    assert float(found[0][1]) > 1.5 * float(found[0][2])


def test_a_planted_favourite_is_seen_through_the_join(explored: Explored) -> None:
    assert any(
        re.fullmatch(r"Of shop S3's rows \S+% have family \w+ in products, against .*", line)
        for line in explored("S3").bullets
    )


def test_what_was_planted_for_one_shop_is_not_said_of_another(explored: Explored) -> None:
    assert not any("S3" in line for line in explored("S5").report.splitlines())
    assert not any("most frequent channel of shop S5 is phone" in x for x in explored("S5").bullets)


def test_an_ordinary_entity_is_left_sooner_than_one_that_stands_out(explored: Explored) -> None:
    ordinary, special = explored("S5"), explored("S3")
    assert len(ordinary.turns) + 5 < len(special.turns)
    assert len(ordinary.bullets) < len(special.bullets)


def test_it_stops_before_it_has_asked_all_it_could(
    shop: Path, explored: Explored, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped = len(explored("S5").turns)
    monkeypatch.setattr(agenda, "LEAST", 0)
    everything = len(explore(shop, "S5", label="House 5").turns)
    assert 20 < stopped < everything


def test_the_same_database_gives_the_same_words_whatever_the_clock_says(
    shop: Path, explored: Explored
) -> None:
    again = explore(shop, "S5", label="House 5", agent=ProfilerAgent(clock=Watch()))
    first = explored("S5")
    assert again.report == first.report
    assert again.said == first.said
    assert [t.tool_calls for t in again.turns] == [t.tool_calls for t in first.turns]


def test_one_that_may_ask_so_often_goes_the_same_way_and_stops_there(
    shop: Path, explored: Explored
) -> None:
    whole = explored("S3")
    two, five = (
        explore(shop, "S3", label="House 3", agent=ProfilerAgent(most=most)) for most in (2, 5)
    )
    assert len(five.turns) == len(two.turns) + 3 < len(whole.turns)
    for cut in (two, five):
        taken = len(cut.turns)
        assert [t.tool_calls for t in cut.turns] == [t.tool_calls for t in whole.turns[:taken]]
    assert two.bullets and len(two.bullets) < len(five.bullets) < len(whole.bullets)
    unlimited = explore(shop, "S3", label="House 3", agent=ProfilerAgent(most=10_000))
    assert unlimited.report == whole.report


def test_the_report_is_grouped_and_leads_with_the_entity(explored: Explored) -> None:
    lines = explored("S3").report.splitlines()
    assert lines[0] == "# Profile of shop S3"
    assert "Shop S3 is called House 3." in lines
    assert sum(line.startswith("## ") for line in lines) >= 6
    assert len(explored("S3").bullets) <= ROOM
    assert len(set(explored("S3").bullets)) == len(explored("S3").bullets)


def test_no_query_of_the_small_shop_fails_or_is_cut(explored: Explored) -> None:
    for entity in ("S3", "S5"):
        for turn in explored(entity).turns:
            assert not turn.tool_results[0].is_error, turn.tool_results[0].text
            assert not turn.tool_results[0].truncated, turn.text


@dataclass
class DescribingTools:
    """Tools without the one that answers queries."""

    inner: Tools

    async def list(self) -> Sequence[ToolSpec]:
        return [spec for spec in await self.inner.list() if spec.name != QUERY]

    async def call(self, name: str, arguments: Mapping[str, Any]) -> Observation:
        assert name != QUERY
        return await self.inner.call(name, arguments)


def test_where_queries_are_not_on_offer_it_says_so_and_asks_nothing(shop: Path) -> None:
    found = explore(shop, "S3", wrap=DescribingTools)
    assert found.turns == ()
    assert found.report.endswith(
        "The tool execute_query is not on offer, so that nothing could be asked about shop S3."
    )


@pytest.mark.parametrize("most", [1, 25])
def test_it_hands_in_what_it_has_when_its_turns_are_used_up(shop: Path, most: int) -> None:
    found = explore(shop, "S3", limits=Limits(max_turns=most))
    assert len(found.turns) == most
    assert len(found.insights) == most
    assert "shop S3" in found.report


def test_a_report_after_a_limit_holds_the_findings_so_far(shop: Path, explored: Explored) -> None:
    found = explore(shop, "S3", label="House 3", limits=Limits(max_turns=25))
    assert found.bullets
    assert [t.tool_calls for t in found.turns] == [t.tool_calls for t in explored("S3").turns][:25]


def test_it_hands_in_what_it_has_when_its_time_is_used_up(shop: Path) -> None:
    watch = Watch()
    limits = Limits(max_seconds=30.0)
    found: Exploration = explore(shop, "S3", limits=limits, agent=ProfilerAgent(clock=watch))
    assert 3 <= len(found.turns) < 30
    assert "shop S3" in found.report
