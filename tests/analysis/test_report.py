"""The report is one safe file in which every claim leads to its proof."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import re
from functools import cache

import pytest

from analysis.report import render_report
from analysis.report_data import ReportData
from core.evaluation import Score
from core.run import ModelSpec
from core.trajectory import Sandbox, StopReason, Trajectory
from tests.analysis.factory import (
    data,
    entity,
    insight,
    item,
    make_scenario,
    realistic,
    score,
    trajectory,
    turn,
    verdict,
)
from tests.analysis.page import Element, parse


@cache
def _whole() -> tuple[ReportData, str, Element]:
    """A run of sixteen entities by twenty turns, and its page."""
    made = realistic(16, 20)
    html = render_report(made)
    return made, html, parse(html)


def _page(made: ReportData) -> Element:
    return parse(render_report(made))


def test_each_supported_item_leads_to_a_marked_passage_that_holds_its_quote_word_for_word() -> None:
    made, _, page = _whole()
    by_id = {e.get("id"): e for e in page.walk() if e.get("id")}
    cards = {e.get("id"): e for e in page.all("section", "item")}
    seen = 0
    for said in made.verdicts:
        if said.label != "supported" or not said.evidence:
            continue
        entity_id = said.trajectory_id.removeprefix("t")
        key = f"carrier-{entity_id}/item-{said.item_id}"
        place = f"turn-{said.found_at_turn}" if said.level == "message" else "report"
        target = f"carrier-{entity_id}/{place}/item-{said.item_id}"
        assert f"#{target}" in [a.get("href") for a in cards[key].all("a")]
        marked = by_id[target]
        assert marked.tag == "mark"
        assert marked.get("data-item") == key
        pieces = [m.text for m in marked.above("article").all("mark") if m.get("data-item") == key]
        assert "".join(pieces) == said.evidence
        assert marked.above("article").get("id") == f"carrier-{entity_id}/{place}"
        seen += 1
    assert seen > 50


def test_every_link_inside_the_page_has_its_target_and_no_id_is_given_twice() -> None:
    _, _, page = _whole()
    ids = [e.get("id") for e in page.walk() if e.get("id")]
    assert len(ids) == len(set(ids))
    links = [a.get("href") or "" for a in page.all("a")]
    assert all(link.startswith("#") for link in links)
    # The three of the picker are pointed at a trajectory by the script.
    assert {link[1:] for link in links if link != "#"} <= set(ids)
    assert len([link for link in links if link == "#"]) == 3


def test_an_item_shows_its_question_answer_kind_label_and_proof() -> None:
    made, _, page = _whole()
    fact = made.checklist.items[0]
    card = page.by_id(f"carrier-{fact.entity_id}/item-{fact.id}")
    assert fact.difficulty is not None
    for text in (fact.question, fact.answer, fact.category, fact.difficulty, fact.source):
        assert text in card.text
    assert card.one("pre", "source").text == fact.evidence_sql
    assert "expected 12.5 ± 0.1" in card.words
    words = [w.text for w in card.all("b", "word")]
    assert len(words) == 2
    assert set(words) <= {"found", "contradicted", "not found", "unscored"}


def test_the_page_asks_for_nothing_beside_itself() -> None:
    _, html, page = _whole()
    asking = {"src", "srcset", "href", "action", "formaction", "data", "poster", "background"}
    asked = {
        (n, (v or "")[:1]) for e in page.walk() for n, v in e.attributes.items() if n in asking
    }
    assert asked == {("href", "#")}
    assert "@import" not in html
    assert "url(" not in html
    assert not {e.tag for e in page.walk()} & {"link", "img", "iframe", "object", "embed", "base"}
    addresses = set(re.findall(r"https?://[^\s\"'<]+", html))
    assert addresses <= {"http://www.w3.org/2000/svg"}


def test_the_policy_allows_the_pages_own_script_and_no_other() -> None:
    _, _, page = _whole()
    policy = next(
        m.get("content") or ""
        for m in page.all("meta")
        if m.get("http-equiv") == "Content-Security-Policy"
    )
    (script,) = page.all("script")
    digest = base64.b64encode(hashlib.sha256(script.text.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'")
    assert not [name for e in page.walk() for name in e.attributes if name.lower().startswith("on")]


def test_the_same_records_give_the_same_file() -> None:
    assert render_report(realistic(2, 8)) == render_report(realistic(2, 8))


def test_sixteen_trajectories_of_eighty_turns_stay_below_eight_megabytes_and_start_closed() -> None:
    made = realistic(16, 80)
    html = render_report(made)
    assert len(html.encode()) < 8_000_000
    assert len(re.findall(r'<details class="trajectory" id="carrier-\d\d">', html)) == 16
    assert not re.search(r"<details[^>]* open", html)


_WIDE = json.dumps({"columns": [*"abcd"], "rows": [[k, k / 7, f"x{k}", None] for k in range(500)]})


@pytest.mark.real
@pytest.mark.parametrize(
    ("result", "said"),
    [
        ("word " * 2000, r"[\d,]+ more characters that this page leaves out"),
        (_WIDE, r"\d+ rows more that this page leaves out"),
    ],
    ids=["text", "table"],
)
def test_ten_kilobytes_on_every_turn_are_cut_and_say_so(result: str, said: str) -> None:
    sql = "SELECT a, b FROM t WHERE x = 'y' AND z > 10 " * 40
    runs = [
        trajectory(f"t{n}", f"{n:02d}", [turn(k, sql, result) for k in range(1, 81)])
        for n in range(16)
    ]
    html = render_report(data([], runs))
    assert len(html.encode()) < 8_000_000
    assert re.search(said, html)
    assert re.search(r"\d+ more characters</p>", html)


# --- what is said of the run


def test_the_header_says_what_was_run_on_what_and_how() -> None:
    made, _, page = _whole()
    words = page.one("header").words
    assert "What profiler found in" in words
    for part in (
        made.scenario.title,
        "16 carriers",
        "2 March 2026, 09:00 UTC",
        "fingerprint ffffffffffff",
        "Checklist flights 1.0.0 cccccccccccc",
        "Protocol default",
        "Sandbox bubblewrap",
        "Code 30875ea",
    ):
        assert part in words
    about = page.by_id("about").words
    assert made.run.scenario_fingerprint in about
    assert made.checklist.hash in about
    assert "no limit on turns" in about
    n = len(made.checklist.items)
    assert f"{n} of {n} items hold on the database; {n} of {n} no longer do" in about
    assert "shuffled entity 371" in about


def test_the_score_table_says_what_each_figure_is_out_of_beside_the_baselines() -> None:
    made, _, page = _whole()
    rows = page.by_id("score-table").one("tbody").all("tr")
    assert len(rows) == 4
    first = next(s for s in made.scores if s.competitor == "profiler")
    words = rows[0].words
    assert f"{100 * (first.strict or 0):.1f}%" in words
    assert f"of {first.items} items in 16 carriers" in words
    assert f"{100 * (first.low or 0):.1f} to {100 * (first.high or 0):.1f}%" in words
    assert [c.text for c in rows[0].all("td", "soft")] == ["4.0%", "0.0%", "0.0%"]
    assert "How to read it." in page.by_id("scores").words


@pytest.mark.parametrize(
    ("provider", "name", "called"),
    [
        ("scripted", "/home/eve/scripts/s.jsonl", "s.jsonl"),
        ("scripted", "s.jsonl", "s.jsonl"),
        ("openrouter", "maker/model-1", "openrouter/maker/model-1"),
        ("replay", "r0", "replay:r0"),
    ],
)
def test_a_script_is_called_by_its_base_name_and_a_model_by_its_full_name(
    provider: str, name: str, called: str
) -> None:
    made = data(
        [item("a")],
        [trajectory(model=f"{provider}:{name}")],
        [verdict("a", turns=(1,))],
        scores=[score(f"{provider}:{name}", "trajectory", "item", 0.5, 10)],
    )
    model = ModelSpec(provider=provider, name=name)
    page = _page(dataclasses.replace(made, run=made.run.model_copy(update={"model": model})))
    assert page.one("h1").words.startswith(f"What {called} found in ")
    assert page.all("title")[0].text.startswith(f"{called} on ")
    assert page.by_id("score-table").all("th", "mid")[0].text == called
    assert page.by_id("by-turn").all("desc")[0].text.startswith(f"{called}: ")
    assert f", {called}: " in page.by_id("scores").all("desc")[0].text
    assert f" with {called}" in page.by_id("about").words
    assert f" with {called}, " in page.one("p", "colophon").words


def test_a_judge_that_is_a_script_is_named_without_its_folders() -> None:
    made = data([item("a")], [trajectory()], [verdict("a", turns=(1,))])
    assert made.evaluation is not None
    judged = {"judges_asked": ("scripted:/home/eve/judge.jsonl",), "judges_served": ("m/n:free",)}
    for served in (("m/n:free",), ()):
        asked = made.evaluation.model_copy(update={**judged, "judges_served": served})
        words = _page(dataclasses.replace(made, evaluation=asked)).by_id("about").words
        assert f"judge {served[0] if served else 'scripted:judge.jsonl'}" in words
        assert "/home/eve" not in words


def test_a_bar_without_a_headline_is_drawn_as_a_lower_bound() -> None:
    page = _page(data([item("a")], [trajectory()], scores=[_low_coverage()]))
    scores = page.by_id("scores")
    assert all("at least 20.0%" in drawn.text for drawn in scores.all("desc"))
    assert "\N{GREATER-THAN OR EQUAL TO} 20.0%" in scores.words
    assert "is a lower bound" in scores.one("figcaption").words
    whole = _whole()[2].by_id("scores")
    assert "at least" not in whole.one("figure").text
    assert "lower bound" not in whole.words


def test_a_missing_headline_says_why_once_and_under_the_table() -> None:
    low = _low_coverage()
    same = low.model_copy(update={"averaging": "sample"})
    page = _page(data([item("a")], [trajectory()], scores=[low, same]))
    assert "unscored: no signals (4)" not in page.by_id("score-table").words
    assert "not run" in page.by_id("score-table").words  # the baselines
    assert page.by_id("scores").one("p", "note").words == (
        "No headline. Final report (trajectory-wise): "
        "coverage 0.600 is below 0.95; unscored: no signals (4)."
    )
    assert not _whole()[2].by_id("scores").all("p", "note")


def _low_coverage(reason: str = "coverage 0.600 is below 0.95; unscored: no signals (4)") -> Score:
    made = score("profiler", "trajectory", "item", 0.2, 10)
    return made.model_copy(
        update={
            "headline": None,
            "headline_reason": reason,
            "coverage": 0.6,
            "insufficient": 3,
            "unscored": 4,
        }
    )


def test_the_lead_says_first_that_there_is_no_headline_and_gives_only_a_lower_bound() -> None:
    page = _page(data([item("a")], [trajectory()], scores=[_low_coverage()]))
    words = page.one("p", "lead").words
    assert words.startswith(
        "There is no headline score: 4 of 10 items were not judged "
        "(coverage 0.600 is below 0.95; unscored: no signals (4))."
    )
    assert "state at least 2 of 10 facts" in words
    assert words.count("20.0%") == words.count("at least 20.0%") == 1
    assert "interval" not in words


def test_the_lead_takes_no_missing_headline_beside_it_for_a_whole_score() -> None:
    whole = score("profiler", "trajectory", "item", 0.5, 10)
    beside = _low_coverage().model_copy(update={"level": "message"})
    shuffled = _low_coverage().model_copy(update={"competitor": "shuffled_entity"})
    page = _page(data([item("a")], [trajectory()], scores=[whole, beside, shuffled]))
    words = page.one("p", "lead").words
    assert words.startswith("Nobody asked it a question.")
    assert "insights turn by turn state at least 20.0%" in words
    assert "names exchanged, states at least 20.0%" in words


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("nothing was scored; unscored: not judged (2)", "scored; unscored: not judged (2)."),
        ("there are no items", "scored: there are no items."),
    ],
)
def test_a_run_of_which_nothing_was_scored_says_so_once(reason: str, told: str) -> None:
    none = _low_coverage(reason).model_copy(update={"strict": None, "low": None, "high": None})
    words = _page(data([item("a")], [trajectory()], scores=[none])).one("p", "lead").words
    assert words == f"There is no headline score. Nothing was {told}"


def test_the_curve_stands_as_a_post_hoc_threshold_with_its_undated_share_beside_it() -> None:
    items = [item("a"), item("b")]
    run = trajectory(turns=9)
    said = [verdict("a", turns=(3,)), verdict("b")]
    section = _page(data(items, [run], said)).by_id("by-turn")
    assert "post-hoc threshold" in section.words
    assert "A further 50.0% is supported without a turn (undated)" in section.words
    assert section.all("desc")[0].text == "profiler: 50.0% by turn 5, 50.0% by turn 9"


def _explored(*runs: Trajectory) -> str:
    return _page(data([item("a")], runs)).one("dl", "tiles").all("dd")[0].words


def test_a_carrier_whose_trajectory_ended_by_a_fault_is_failed_and_not_explored() -> None:
    fault = trajectory(stop_reason=StopReason.PROVIDER_ERROR)
    assert _explored(fault) == "0 of 1, 1 failed"
    assert _explored(fault, trajectory("t2", trial=2)) == "1 of 1"
    assert (
        _explored(trajectory(stop_reason=StopReason.MAX_TURNS), trajectory("u", "02")) == "2 of 2"
    )
    assert _explored(fault, trajectory("u", "02", stop_reason=None)) == (
        "0 of 2, 1 failed, 1 not ended"
    )


def test_categories_difficulties_and_stop_reasons_are_counted() -> None:
    items = [item("a", category="fleet"), item("b", category="season", difficulty="hard")]
    runs = [trajectory(stop_reason=StopReason.MAX_TURNS)]
    page = _page(data(items, runs, [verdict("a", turns=(1,)), verdict("b", "insufficient")]))
    rows = [row for row in page.by_id("by-kind").all("tr") if row.all("td")]
    kinds = {row.one("th").text: [cell.words for cell in row.all("td")] for row in rows}
    assert kinds["fleet"] == ["100%", "1/1", "unscored", "0/1 1 unscored"]
    assert kinds["hard"] == ["0%", "0/1", "unscored", "0/1 1 unscored"]
    stopping = page.by_id("stopping")
    (row,) = stopping.one("tbody").all("tr")
    assert [cell.words for cell in (row.one("th"), *row.all("td"))] == [
        "max turns",
        "1",
        "from outside",
    ]
    assert "Self-terminated: 0% (0 of 1)" in stopping.words


def test_attempts_to_look_are_flagged_and_lead_to_their_turn() -> None:
    made = turn(2)
    looked = made.tool_results[0].model_copy(update={"violations": ("read_text('../qa.json')",)})
    run = trajectory(turns=[turn(1), made.model_copy(update={"tool_results": (looked,)})])
    page = _page(data([item("a")], [run]))
    section = page.by_id("looking")
    assert "read_text('../qa.json')" in section.words
    assert section.one("a").get("href") == "#carrier-01/turn-2"
    assert "Attempt to look:" in page.by_id("carrier-01/turn-2").words
    quiet = _page(data([item("a")], [trajectory()])).by_id("looking")
    assert "None." in quiet.words


def test_a_turn_tells_its_query_result_error_and_cut() -> None:
    body = '{"columns":["id","n"],"rows":[["A1",3],["A2",null]]}'
    good, bad = turn(1, "SELECT id, n FROM t", body), turn(2, "SELEC", "syntax error at SELEC")
    cut = good.tool_results[0].model_copy(update={"truncated": True})
    broken = bad.tool_results[0].model_copy(update={"is_error": True, "error_kind": "sql"})
    run = trajectory(
        turns=[
            good.model_copy(update={"tool_results": (cut,)}),
            bad.model_copy(update={"tool_results": (broken,)}),
        ]
    )
    page = _page(data([item("a")], [run]))
    first, second = page.by_id("carrier-01/turn-1"), page.by_id("carrier-01/turn-2")
    assert first.one("pre", "source").text == "SELECT id, n FROM t"
    table = first.one("table", "result")
    assert [c.text for c in table.all("td")] == ["A1", "3", "A2", "null"]
    assert "The tool cut its answer, and told the agent so." in first.words
    assert "error: sql" in second.words
    assert "syntax error at SELEC" in second.text


def test_a_single_long_row_is_shown_as_names_and_values() -> None:
    names = ",".join(f'"c{n}"' for n in range(9))
    run = trajectory(
        turns=[turn(1, result=f'{{"columns":[{names}],"rows":[[0,1,2,3,4,5,6,7,null]]}}')]
    )
    table = _page(data([item("a")], [run])).one("table", "result")
    rows = [(r.one("th").text, r.one("td").text) for r in table.all("tr")]
    assert rows == [*((f"c{n}", str(n)) for n in range(8)), ("c8", "null")]


def test_items_that_were_not_found_or_not_scored_say_so() -> None:
    said = [
        verdict("a", "insufficient"),
        verdict("b", None, unscored_reason="no signals"),
    ]
    page = _page(data([item("a"), item("b")], [trajectory()], said))
    assert "not found" in page.by_id("carrier-01/item-a").words
    assert "Unscored: no signals" in page.by_id("carrier-01/item-b").words
    assert not page.by_id("carrier-01/item-a").all("a")


def test_a_superseded_attempt_is_counted_and_not_shown() -> None:
    old = trajectory("old", stop_reason=None, insights=(insight("old", "of the old one", 1),))
    page = _page(data([item("a")], [old, trajectory("new", attempt=2)]))
    assert len(page.all("details", "trajectory")) == 1
    assert "of the old one" not in page.text
    assert "1 earlier attempt broke off and was replaced" in page.words


# --- what may be missing


def test_a_run_that_was_not_evaluated_is_told_and_names_the_command() -> None:
    page = _page(data([item("a")], [trajectory()], evaluation=None))
    assert "has not been evaluated yet" in page.one("header").words
    assert "ddr evaluate r1" in page.one("header").words
    assert "No scores are stored" in page.by_id("scores").words
    assert page.all("details", "trajectory")


def test_a_run_without_a_trajectory_is_a_page_that_says_so() -> None:
    page = _page(data([item("a")], []))
    assert "never run: its items are unscored" in page.by_id("entities").words
    assert "No trajectory is stored." in page.by_id("stopping").words
    assert page.by_id("carrier-01").tag == "th"


def test_entities_that_were_not_part_of_the_run_are_left_out() -> None:
    made = data(
        [item("a"), item("b", "02")],
        [trajectory()],
        entities=[entity("01", "One"), entity("02", "Two")],
    )
    only = dataclasses.replace(made, run=made.run.model_copy(update={"entity_ids": ("01",)}))
    words = _page(only).words
    assert "One" in words
    assert "Two" not in words


def test_trials_of_one_entity_have_pages_of_their_own() -> None:
    page = _page(data([item("a")], [trajectory(), trajectory("t2", trial=2)]))
    assert page.by_id("carrier-01").tag == "details"
    assert page.by_id("carrier-01/trial-2").tag == "details"


def test_each_trajectory_whose_python_no_sandbox_held_says_so_and_so_does_the_head() -> None:
    held = trajectory("t1", "03")
    free = trajectory("t2", "05", sandbox=Sandbox(name="unsafe-none", detail="unsafe: no sandbox"))
    page = _page(data([item("a")], [held, free]))
    assert "Python without a sandbox." in page.one("header").words
    told = [one for one in page.all("details", "trajectory") if "without a sandbox" in one.words]
    assert [one.all("b")[0].text for one in told] == ["05"]
    assert "without a sandbox" not in _page(data([item("a")], [held])).text


def test_a_sandbox_that_was_off_is_said_with_the_reason() -> None:
    run = trajectory(sandbox=Sandbox(name="off", detail="no user namespaces"))
    assert "Sandbox off (no user namespaces)" in _page(data([], [run])).one("header").words


def test_another_database_or_checklist_than_that_of_the_run_is_said() -> None:
    made = data([item("a")], [trajectory()], scenario=make_scenario())
    other = dataclasses.replace(
        made,
        scenario=made.scenario.model_copy(update={"fingerprint": "9" * 64}),
        checklist=made.checklist.model_copy(update={"hash": "8" * 64}),
    )
    about = _page(other).by_id("about").words
    assert "The database installed now has another: 999" in about
    assert "The evaluation used another: 1.0.0, ccc" in about
