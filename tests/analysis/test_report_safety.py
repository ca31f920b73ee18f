"""What must not get out of a report, and what must not get into it."""

from __future__ import annotations

import pytest

from analysis.report import render_report
from analysis.report_data import ReportData
from core.trajectory import Sandbox
from tests.analysis.factory import (
    data,
    entity,
    insight,
    item,
    make_scenario,
    score,
    trajectory,
    turn,
    verdict,
)
from tests.analysis.page import Element, parse


def _page(made: ReportData) -> Element:
    return parse(render_report(made))


@pytest.mark.parametrize(("asked", "shown"), [(None, False), (True, True), (False, False)])
def test_under_a_restricted_licence_cells_are_shown_only_when_asked_for(
    asked: bool | None, shown: bool
) -> None:
    run = trajectory(turns=[turn(1, result='{"columns":["name"],"rows":[["Eve Secret"]]}')])
    restricted = make_scenario(restricted=True)
    html = render_report(data([], [run], scenario=restricted, show_values=asked))
    assert ("Eve Secret" in html) is shown
    assert ("values that tools returned are hidden" in html) is not shown
    assert "1 row" in html


HOSTILE = "</script></style></template></pre>--><img src=x onerror=alert(1)>\"'{{7*7}}{% x %}"


def test_hostile_text_stays_text_wherever_it_stands() -> None:
    made = turn(1, HOSTILE, f'{{"columns":["{"<b>x"}"],"rows":[["<img src=x onerror=alert(1)>"]]}}')
    looked = made.tool_results[0].model_copy(
        update={"violations": (HOSTILE,), "error_kind": HOSTILE, "is_error": True, "name": HOSTILE}
    )
    first = made.model_copy(
        update={"text": HOSTILE, "reasoning": HOSTILE, "tool_results": (looked,)}
    )
    run = trajectory(
        turns=[first, turn(2, "x", HOSTILE)],
        entity=HOSTILE,
        insights=(insight("t1", HOSTILE, 1), insight("t1", HOSTILE)),
        error=HOSTILE,
        agent=HOSTILE,
        model=HOSTILE,
        code_revision=HOSTILE,
        sandbox=Sandbox(name=HOSTILE, detail=HOSTILE),
    )
    fact = item(
        HOSTILE,
        HOSTILE,
        question=HOSTILE,
        answer=HOSTILE,
        category=HOSTILE,
        source=HOSTILE,
        evidence_sql=HOSTILE,
    )
    said = [
        verdict(HOSTILE, turns=(1,), evidence=HOSTILE, reason=HOSTILE),
        verdict(HOSTILE, None, level="trajectory", unscored_reason=HOSTILE),
    ]
    scenario = make_scenario().model_copy(update={"title": HOSTILE, "entity_noun": HOSTILE})
    html = render_report(
        data(
            [fact],
            [run],
            said,
            entities=[entity(HOSTILE, HOSTILE)],
            scenario=scenario,
            scores=[score(HOSTILE, "trajectory", "item", 0.5, 2)],
            gated={HOSTILE: 3},
        )
    )
    page = parse(html)
    assert "<img" not in html
    assert len(page.all("script")) == len(page.all("style")) == 1
    assert "{{7*7}}" in page.text
    assert "49" not in page.one("header").text
    assert [m.text for m in page.all("mark")] == [HOSTILE]
    ids = {e.get("id") for e in page.walk()}
    assert {(a.get("href") or "#")[1:] for a in page.all("a")} - {""} <= ids


def test_half_a_surrogate_pair_in_a_result_does_not_spoil_the_file() -> None:
    run = trajectory(turns=[turn(1, result='{"columns":["a"],"rows":[["\\ud800 x"]]}')])
    html = render_report(data([], [run]))
    assert "? x" in html.encode("utf-8").decode("utf-8")
