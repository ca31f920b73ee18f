"""Every item leads to the turn and the words that decided it."""

from __future__ import annotations

from analysis.joined import join
from analysis.rulings import ItemView, Rulings, rule
from core.evaluation import Verdict
from core.trajectory import Trajectory
from tests.analysis.factory import insight, item, trajectory, verdict

KEY = "carrier-01"


def _run(**texts: str) -> Trajectory:
    """A run of nine turns whose insights are given as t3='...', report='...', loose='...'."""
    said = [
        insight("t1", text, int(where[1:]) if where[1:].isdigit() else None)
        for where, text in texts.items()
    ]
    loose = [
        made.model_copy(update={"level": "message", "id": "loose"})
        for made, where in zip(said, texts, strict=True)
        if where == "loose"
    ]
    kept = [made for made, where in zip(said, texts, strict=True) if where != "loose"]
    return trajectory(turns=9, insights=(*kept, *loose))


def _rule(run: Trajectory, *verdicts: Verdict) -> Rulings:
    return rule(join([item("a")], [run], verdicts), run, KEY)


def _one(run: Trajectory, *verdicts: Verdict) -> ItemView:
    (only,) = _rule(run, *verdicts).items
    return only


def test_a_supported_item_leads_to_the_words_in_the_turn_that_holds_them() -> None:
    run = _run(t3="Delays grow.", t7="The mean is 12.5, the most.")
    made = _rule(run, verdict("a", turns=(7,), evidence="mean is 12.5"))
    ruling = made.items[0].message
    assert (ruling.tone, ruling.word) == ("supported", "found")
    assert [(link.turn, link.href) for link in ruling.links] == [
        (7, "#carrier-01/turn-7/item-a"),
    ]
    assert ruling.quote_href == "#carrier-01/turn-7/item-a"
    (span,) = made.spans["t1-7"]
    assert "The mean is 12.5, the most."[span.start : span.end] == "mean is 12.5"
    assert (span.id, span.item) == ("carrier-01/turn-7/item-a", "carrier-01/item-a")
    assert made.first[7] == [made.items[0]]


def test_of_several_supporting_turns_the_quoted_one_leads_to_the_words() -> None:
    run = _run(t3="Mean 12.5.", t5="nothing", t7="Mean 12.5 again.")
    made = _rule(run, verdict("a", turns=(7, 5), evidence="Mean 12.5"))
    hrefs = [link.href for link in made.items[0].message.links]
    # Turn 3 holds the words too, but is not what decided.
    assert hrefs == ["#carrier-01/turn-5", "#carrier-01/turn-7/item-a"]
    assert list(made.first) == [5]


def test_the_report_is_marked_as_well_as_the_insight() -> None:
    run = _run(t3="Mean 12.5.", report="In all, Mean 12.5 stands out.")
    made = _rule(
        run,
        verdict("a", turns=(3,), evidence="Mean 12.5"),
        verdict("a", level="trajectory", evidence="Mean 12.5"),
    )
    assert made.items[0].report.quote_href == "#carrier-01/report/item-a"
    assert made.items[0].report.links == ()
    assert len(made.spans["t1-3"]) == len(made.spans["t1-report"]) == 1


def test_the_last_report_that_was_handed_in_is_the_one_that_is_marked() -> None:
    first = insight("t1", "Mean 12.5.").model_copy(update={"id": "old"})
    run = trajectory(insights=(first, insight("t1", "Mean 12.5. Done.")))
    made = _rule(run, verdict("a", level="trajectory", evidence="Mean 12.5"))
    assert list(made.spans) == ["t1-report"]


def test_a_quote_that_is_not_in_the_text_marks_nothing_but_still_leads_to_the_turn() -> None:
    run = _run(t3="Mean 12.5.")
    made = _rule(run, verdict("a", turns=(3,), evidence="mean of 12.5"))
    ruling = made.items[0].message
    assert (ruling.quote, ruling.quote_href) == ("mean of 12.5", None)
    assert [link.href for link in ruling.links] == ["#carrier-01/turn-3"]
    assert not made.spans


def test_a_contradiction_leads_to_what_contradicts() -> None:
    run = _run(t4="Mean 9.0.")
    said = verdict("a", "contradicted", contradicting_turns=(4,), evidence="Mean 9.0")
    made = _rule(run, said)
    ruling = made.items[0].message
    assert (ruling.tone, ruling.quote_href) == ("contradicted", "#carrier-01/turn-4/item-a")
    assert made.spans["t1-4"][0].tone == "contradicted"
    assert not made.first


def test_support_in_an_insight_without_a_turn_leads_there_and_is_nobodys_first() -> None:
    made = _rule(_run(loose="Mean 12.5."), verdict("a", evidence="Mean 12.5"))
    ruling = made.items[0].message
    assert (ruling.links, ruling.quote_href) == ((), "#carrier-01/undated/item-a")
    assert not made.first


def test_a_turn_that_the_trajectory_does_not_have_is_not_linked() -> None:
    only = _one(_run(t3="Mean 12.5."), verdict("a", turns=(3, 44), evidence="Mean 12.5"))
    assert [link.turn for link in only.message.links] == [3]


def test_items_not_found_and_items_unscored_say_so() -> None:
    only = _one(
        _run(t3="x"),
        verdict("a", "insufficient", reason="no figure"),
        verdict("a", None, level="trajectory", unscored_reason="no signals"),
    )
    assert (only.message.word, only.message.reason) == ("not found", "no figure")
    assert (only.report.word, only.report.reason) == ("unscored", "no signals")
    assert not only.found


def test_items_are_numbered_in_the_order_of_the_checklist() -> None:
    run = _run()
    made = rule(join([item("b"), item("a")], [run], []), run, KEY)
    assert [(i.number, i.key) for i in made.items] == [
        (1, "carrier-01/item-b"),
        (2, "carrier-01/item-a"),
    ]
