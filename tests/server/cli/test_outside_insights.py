"""A model may be asked what an agent from outside saw and did not say; its words stay its own."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from core.trajectory import Trajectory
from databases.catalog import InstalledScenario
from server.store import open_store
from tests.analysis.page import parse
from tests.server.cli.conftest import Ddr
from tests.server.cli.test_run_models import script
from tests.server.outsiders import AGENT, Outsider, enrolled, explored
from tests.server.support import START
from tests.support.endpoint import Request, ScriptedEndpoint, Status, Step, Tokens, say

pytestmark = pytest.mark.real  # whole runs with models

TOLD = {
    "role": "insight",
    "text": "It has many.",
    "usage": {"input_tokens": 70, "output_tokens": 9},
}
PRICES = '[models."scripted/*"]\ninput = 2.0\noutput = 10.0\n'


@pytest.fixture
def met(built_home: Path, flights: InstalledScenario) -> Path:
    """A home with a run of every kind of ending, on flights."""
    mark = flights.scenario.fingerprint
    with open_store(built_home / "store.sqlite3") as store:
        explored(store, scenario_id="flights", scenario_fingerprint=mark)
    return built_home


def stored(home: Path) -> list[Trajectory]:
    with open_store(home / "store.sqlite3") as store:
        return store.trajectories(store.run("last").id)


def said(trajectory: Trajectory) -> list[tuple[int | None, str | None, str]]:
    return [(i.turn, i.text, i.author) for i in trajectory.message_insights]


def test_an_agents_own_insights_stay_its_own_and_the_others_bear_the_models_name(
    ddr: Ddr, met: Path, tmp_path: Path
) -> None:
    model = script(tmp_path, TOLD)
    own = list(stored(met)[0].message_insights)
    done = ddr("insights", "last", "--model", model, "--json")
    assert done.code == 0, done.err
    told = {key: done.json[key] for key in ("turns", "missing", "asked", "told", "failed", "left")}
    assert told == {"turns": 6, "missing": 4, "asked": 4, "told": 2, "failed": 0, "left": 0}
    first, second, third = stored(met)
    assert said(first) == [
        (1, "It has many.", model),
        (2, "Carrier 01 has no column nope.", AGENT),
        (3, "Carrier 01 flies 7 times.", AGENT),
        (3, "Carrier 01 is one of a kind.", AGENT),
        (4, None, model),
    ]
    assert [i for i in first.message_insights if i.author == AGENT] == own
    assert said(second) == [(1, "It has many.", model), (2, None, model)]
    assert said(third) == []
    assert second.report is None, "no report is put into its mouth"


def test_of_turns_that_were_never_answered_or_taken_back_nobody_is_asked(
    ddr: Ddr, met: Path, tmp_path: Path
) -> None:
    done = ddr("insights", "last", "--model", script(tmp_path, TOLD), "--json")
    assert done.json["calls"] == 2
    first, second, _ = stored(met)
    cancelled, unanswered = first.message_insights[-1], second.message_insights[-1]
    assert (cancelled.turn, cancelled.text, cancelled.call) == (4, None, None)
    assert (unanswered.turn, unanswered.text, unanswered.call) == (2, None, None)


def test_it_is_said_whose_words_they_are_wherever_they_are_shown(
    ddr: Ddr, met: Path, tmp_path: Path
) -> None:
    model = script(tmp_path, TOLD)
    assert (
        f"these are the words of {model}, not of {AGENT}"
        in ddr("insights", "last", "--model", model).out
    )
    assert (
        f"  * It has many.  (the words of {model}, asked later)\n" in ddr("show", "last", "01").out
    )
    assert f"2 insights are not {AGENT}'s own: {model} was asked for them later" in (
        ddr("show", "last").out.replace("\n", " ")
    )
    first = ddr("show", "last", "--json").json["trajectories"][0]
    assert (first["insights"], first["insights_by_others"]) == (4, {model: 1})
    authors = [i["author"] for i in ddr("show", "last", "01", "--json").json["insights"]]
    assert authors.count(AGENT) == 4
    assert authors.count(model) == 2


def test_scores_tell_what_is_left_of_them_in_the_agents_own_words(
    ddr: Ddr, met: Path, tmp_path: Path
) -> None:
    before = ddr("evaluate", "last", "--baselines", "none", "--json").json
    assert (before["insights_by_others"], before["in_own_words"]) == ({}, [])
    assert before["class"] == "outside with shell"
    model = script(tmp_path, TOLD)
    assert ddr("insights", "last", "--model", model).code == 0
    shown = ddr("evaluate", "last", "--baselines", "none")
    assert f"{AGENT} in its own words" in shown.out
    assert f"2 insights are not {AGENT}'s own" in shown.out
    assert "class: outside with shell; runs of different classes are not compared" in shown.out
    after = ddr("evaluate", "last", "--baselines", "none", "--json").json
    assert after["insights_by_others"] == {model: 2}
    assert {score["level"] for score in after["in_own_words"]} == {"message"}
    assert after["evaluation"] != before["evaluation"]


def test_before_a_cent_is_spent_it_is_told_what_it_would_take(
    ddr: Ddr, met: Path, tmp_path: Path
) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text(PRICES, "utf-8")
    asked = ("insights", "last", "--model", script(tmp_path, TOLD), "--prices", str(prices))
    before = stored(met)
    guess = ddr(*asked, "--estimate", "--json").json["estimate"]
    assert stored(met) == before, "nothing is asked, nothing kept"
    assert (guess["calls"], guess["not_asked"]) == (2, 2)
    assert (guess["basis"], guess["from_calls"], guess["seconds"]) == ("assumed", 0, None)
    assert guess["input_tokens"] > 100
    assert guess["cost_usd"] == pytest.approx(
        (guess["input_tokens"] * 2 + guess["output_tokens"] * 10) / 1e6, rel=0.01
    )
    shown = ddr(*asked, "--estimate").out
    assert "2 calls, about " in shown
    assert "(assumed from the length of the prompts)" in shown
    assert "2 turns without an answer: nobody is asked about them" in shown
    assert ddr(*asked).code == 0
    done = ddr(*asked, "--estimate", "--json").json["estimate"]
    assert (done["calls"], done["not_asked"], done["cost_usd"]) == (0, 0, 0)
    assert (done["basis"], done["from_calls"]) == ("measured", 2)


def test_an_estimate_goes_by_what_such_prompts_took(ddr: Ddr, met: Path, tmp_path: Path) -> None:
    model = script(tmp_path, TOLD)
    assert ddr("insights", "last", "--model", model).code == 0
    with open_store(met / "store.sqlite3") as store:
        run = store.run("last")
        again = enrolled(
            store,
            (("01", 1),),
            id="20260201-flights-zz99",
            scenario_id="flights",
            scenario_fingerprint=run.scenario_fingerprint,
            created_at=START + timedelta(days=1),
        )
        agent = Outsider(store, again)
        agent.meet()
        agent.call("get_database_info", {"tables": [{"name": "flights", "row_count": 7}]})
        agent.query()
        agent.finish()
    assert ddr("show", "last", "--json").json["run"] == again.id
    found = ddr("insights", "last", "--model", model, "--estimate", "--json").json["estimate"]
    assert (found["calls"], found["basis"], found["from_calls"]) == (2, "measured", 2)
    assert found["output_tokens"] == 2 * 9
    # The two prompts are those of the two calls that were measured, so that their tokens are too.
    assert found["input_tokens"] == pytest.approx(2 * 70, rel=0.1)
    assert found["seconds"] is not None


def test_an_estimate_needs_no_key(ddr: Ddr, met: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    asked = ("insights", "last", "--model", "openai/gpt-x")
    assert ddr(*asked, "--estimate").code == 0
    refused = ddr(*asked)
    assert refused.code == 2
    assert "OPENAI_API_KEY" in refused.err


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Callable[[Request], Step]:
    monkeypatch.setenv("OPENAI_API_KEY", "none")

    def answer(request: Request) -> Step:
        return say("NO INSIGHT" if "nope" in request.text else "It flies.", tokens=Tokens(90, 5))

    return answer


def test_over_the_wire_calls_that_overlapped_are_one_question_with_every_answer(
    ddr: Ddr,
    built_home: Path,
    flights: InstalledScenario,
    endpoint: Callable[[Request], Step],
) -> None:
    mark = flights.scenario.fingerprint
    with open_store(built_home / "store.sqlite3") as store:
        run = enrolled(store, (("01", 1),), scenario_id="flights", scenario_fingerprint=mark)
        agent = Outsider(store, run)
        agent.meet()
        one = agent.begin("execute_query", query="SELECT 'one'")
        two = agent.begin("execute_code", code="print('two')")
        agent.begin("execute_query", query="SELECT 'three'")  # is never answered
        agent.answer(one, {"columns": ["x"], "rows": [["first answer"]]})
        agent.answer(two, {"stdout": "second answer"})
        agent.finish()
    with ScriptedEndpoint(endpoint) as served:
        asked = ("--model", "openai/gpt-x", "--base-url", served.openai_url)
        done = ddr("insights", "last", *asked, "--json")
        assert done.code == 0, done.err
        (request,) = served.requests
    assert "Explore" in request.text
    for part in ("SELECT 'one'", "first answer", "print('two')", "second answer", "SELECT 'three'"):
        assert part in request.text
    assert "Answer 3 (an error): none was sent" in request.text
    (trajectory,) = stored(built_home)
    assert said(trajectory) == [(1, "It flies.", "openai/gpt-x")]
    (call,) = trajectory.calls
    assert (call.role, call.usage.input_tokens) == ("insight", 90)


def test_what_broke_off_on_the_wire_goes_on_where_it_was(
    ddr: Ddr, met: Path, endpoint: Callable[[Request], Step]
) -> None:
    down = True

    def answer(request: Request) -> Step:
        return Status(401) if down and request.number > 1 else endpoint(request)

    with ScriptedEndpoint(answer) as served:
        asked = ("--model", "openai/gpt-x", "--base-url", served.openai_url, "--concurrency", "1")
        broken = ddr("insights", "last", *asked, "--json")
        assert (broken.code, broken.json["left"]) == (1, 2)
        assert broken.json["told"] == 1
        down = False
        done = ddr("insights", "last", *asked, "--json")
        assert (done.code, done.json["missing"], done.json["left"]) == (0, 2, 0)
    first, second, _ = stored(met)
    assert [turn for turn, _, _ in said(first)] == [1, 2, 3, 3, 4]
    assert [turn for turn, _, _ in said(second)] == [1, 2]


def test_what_goes_on_is_left_for_later(
    ddr: Ddr, built_home: Path, flights: InstalledScenario, tmp_path: Path
) -> None:
    mark = flights.scenario.fingerprint
    with open_store(built_home / "store.sqlite3") as store:
        run = enrolled(store, (("01", 1),), scenario_id="flights", scenario_fingerprint=mark)
        Outsider(store, run).query()
    done = ddr("insights", "last", "--model", script(tmp_path, TOLD))
    assert done.code == 0, done.err
    assert "1 trajectory has not ended and is left for later" in done.err


def test_what_the_model_cost_can_be_computed_anew_and_no_turn_is_touched(
    ddr: Ddr, met: Path, tmp_path: Path
) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text(PRICES, "utf-8")
    assert ddr("insights", "last", "--model", script(tmp_path, TOLD)).code == 0
    before = stored(met)
    done = ddr("reprice", "last", "--prices", str(prices), "--json")
    assert done.code == 0, done.err
    assert done.json["calls"] == 2
    assert done.json["roles"]["insight"]["usage"]["cost_usd"] == pytest.approx(
        2 * (70 * 2 + 9 * 10) / 1e6
    )
    after = stored(met)
    assert [t.turns for t in after] == [t.turns for t in before]
    assert [t.reported_usage for t in after] == [t.reported_usage for t in before]
    shown = ddr("runs", "--json").json["runs"][-1]
    assert (shown["calls"], shown["turns"]) == (2, 6)


def test_no_run_of_ours_is_estimated_by_what_agents_from_outside_took(ddr: Ddr, met: Path) -> None:
    asked = (
        "run",
        "--scenario",
        "flights",
        "--agent",
        "profiler",
        "--entities",
        "01",
        "--estimate",
    )
    done = ddr(*asked, "--json")
    assert (done.code, done.json["estimates"][0]["estimate"]) == (1, None)


def test_its_report_tells_contact_class_and_whose_words_are_whose(
    ddr: Ddr, met: Path, tmp_path: Path
) -> None:
    model = script(tmp_path, TOLD)
    assert ddr("insights", "last", "--model", model).code == 0
    assert ddr("evaluate", "last", "--baselines", "none").code == 0
    out = tmp_path / "report.html"
    done = ddr("report", "last", "--out", str(out))
    assert done.code == 0, done.err
    assert "class: outside with shell; runs of different classes are not compared" in done.out
    assert ddr("report", "last", "--out", str(out), "--json").json["class"] == "outside with shell"
    page = parse(out.read_text("utf-8"))
    stages = [row.all("td")[0].words for row in page.by_id("contact-table").all("tr")[1:]]
    assert stages == ["calls", "calls", "no contact"]
    turns = page.by_id("carrier-01")
    assert [p.words for p in turns.all("p", "by")] == [
        "the words of scripted:model.jsonl, which was asked about this turn later",
        "shown by SELECT count(*) FROM flights",
    ]
    assert len(page.by_id("carrier-01/turn-3").all("details", "call")) == 2
    assert "2 insights turn by turn are by scripted:model.jsonl" in page.by_id("scores").words
