"""Which question comes next, what wears off, and when the questions end."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from agent.profiler.agenda import LEAST, TELLS, WINDOW, Agenda
from agent.profiler.ledger import COLUMN_DECAY, FAMILY_DECAY, Ledger, choose
from agent.profiler.probe import Finding, Probe, Theme
from agent.profiler.report import LEAST as LEAST_SURPRISE
from agent.profiler.report import MESSAGE, ROOM, message, render
from agent.profiler.sentences import Voice


def probe(
    key: str,
    prior: float = 3.0,
    family: str = "f",
    about: Sequence[str] = (),
    *,
    table: str = "",
) -> Probe:
    return Probe(
        family=family, key=key, about=tuple(about), prior=prior, why="Ask.", query="SELECT 1",
        read=lambda reply: ([], []), table=table,
    )  # fmt: skip


def finding(
    surprise: float, text: str = "It is so.", family: str = "f", about: Sequence[str] = ()
) -> Finding:
    return Finding(text, surprise, Theme.LEVEL, tuple(about), family)


def test_the_most_promising_question_comes_first_and_the_earlier_of_two_equals() -> None:
    agenda = Agenda()
    agenda.add([probe("low", 1.0), probe("first", 5.0), probe("second", 5.0)])
    assert [agenda.take().key for _ in range(3)] == ["first", "second", "low"]


def test_a_question_is_put_once() -> None:
    agenda = Agenda()
    agenda.add([probe("a"), probe("a")])
    agenda.take()
    agenda.add([probe("a")])
    assert agenda.over


def test_the_same_key_in_another_family_is_another_question() -> None:
    agenda = Agenda()
    agenda.add([probe("a"), probe("a", family="g")])
    agenda.take()
    assert not agenda.over


def test_an_empty_agenda_is_over() -> None:
    assert Agenda().over


def test_a_family_that_told_little_is_put_off() -> None:
    agenda = Agenda()
    agenda.add([probe("dull", 3.0, "dull"), probe("other", 2.5, "other")])
    for n in range(6):
        agenda.learn(probe(str(n), 3.0, "dull"), [])
    assert agenda.take().key == "other"


def test_a_column_that_told_much_is_asked_about_again() -> None:
    agenda = Agenda()
    agenda.add([probe("plain", 3.0, "a"), probe("promising", 2.9, "b", ["t.x"])])
    for n in range(4):
        agenda.learn(probe(str(n), 1.0, f"family {n}", ["t.x"]), [finding(1.9, about=["t.y"])])
    assert agenda.take().key == "promising"


def test_the_expectation_of_an_unknown_question_is_its_prior() -> None:
    assert Agenda().expected(probe("a", 4.5, about=["t.x"])) == 4.5


def silent(agenda: Agenda, times: int) -> None:
    for n in range(times):
        agenda.learn(probe(f"silent {n} {id(agenda)}"), [finding(TELLS / 2)])


def telling(agenda: Agenda, times: int) -> None:
    for n in range(times):
        agenda.learn(probe(f"told {n}"), [finding(9.0, family=f"kind {n}")])


def test_the_exploration_ends_when_too_few_of_the_last_questions_told_something() -> None:
    agenda = Agenda()
    agenda.add([probe("left")])
    telling(agenda, WINDOW)
    silent(agenda, WINDOW - LEAST)
    assert not agenda.over
    silent(agenda, 1)
    assert agenda.over


def test_it_does_not_end_before_a_whole_window_was_asked() -> None:
    agenda = Agenda()
    agenda.add([probe("left")])
    silent(agenda, WINDOW - 1)
    assert not agenda.over
    silent(agenda, 1)
    assert agenda.over


def test_a_surprise_of_a_kind_told_too_often_tells_nothing_any_more() -> None:
    agenda = Agenda()
    agenda.add([probe("left")])
    # The same middling surprise, again and again of one family and one column.
    for n in range(200):
        agenda.learn(probe(str(n)), [finding(2.0, about=["t.x"])])
        if agenda.over:
            break
    assert WINDOW <= n + 1 < 60


def test_one_finding_that_tells_is_enough_for_its_question() -> None:
    agenda = Agenda()
    agenda.add([probe("left")])
    for n in range(WINDOW):
        dull = [finding(0.1)] * 3
        agenda.learn(probe(str(n)), [*dull, finding(9.0, family=f"kind {n}")])
    assert not agenda.over


def test_tables_take_turns() -> None:
    agenda = Agenda()
    agenda.add([probe(f"a{n}", prior=5.0, table="a", family=f"a{n}") for n in range(20)])
    agenda.add([probe(f"b{n}", prior=4.4, table="b", family=f"b{n}") for n in range(20)])
    taken = "".join(agenda.take().table for _ in range(20))
    assert taken.startswith("aaaba")
    assert taken[:10].count("b") >= 3
    # Only so far: of two tables that have had their turns the one that promises more comes first.
    assert [agenda.take().table for _ in range(8)] == ["a"] * 8


def test_what_a_family_tells_of_one_table_says_nothing_of_another() -> None:
    agenda = Agenda()
    for n in range(9):
        agenda.learn(probe(str(n), table="a"), [])
    near, far = probe("near", table="a", about=("y",)), probe("far", table="b", about=("z",))
    assert agenda.expected(near) < agenda.expected(far) == far.prior


def test_news_wears_off_by_family_and_by_column() -> None:
    ledger = Ledger()
    new = finding(4.0, about=["t.x", "t.y"])
    assert ledger.news(new) == 4.0
    ledger.note(finding(9.0, about=["t.x"]))
    assert ledger.news(new) == pytest.approx(4.0 * FAMILY_DECAY * COLUMN_DECAY**0.5)


def test_another_family_about_other_columns_is_as_new_as_before() -> None:
    ledger = Ledger()
    for _ in range(20):
        ledger.note(finding(9.0, about=["t.x"]))
    assert ledger.news(finding(4.0, family="g", about=["t.z"])) == 4.0


def test_the_chosen_are_few_but_various() -> None:
    many = [finding(5.0 + n / 1000, f"Same {n}.") for n in range(50)]
    other = [finding(3.0, f"Other {n}.", family=f"kind {n}") for n in range(5)]
    chosen = choose([*many, *other], 20)
    assert len(chosen) == 20
    assert {f.text for f in other} <= {f.text for f in chosen}


def test_the_chosen_lead_with_the_greatest_surprise() -> None:
    findings = [finding(n, f"Number {n}.", family=str(n)) for n in (2.0, 9.0, 5.0)]
    assert [f.surprise for f in choose(findings, 9)] == [9.0, 5.0, 2.0]


def test_a_sentence_is_chosen_once_with_its_greatest_surprise() -> None:
    chosen = choose([finding(2.0, "Twice."), finding(7.0, "Twice."), finding(1.0, "Once.")], 9)
    assert [(f.text, f.surprise) for f in chosen] == [("Twice.", 7.0), ("Once.", 1.0)]


def test_a_message_is_its_most_telling_sentences() -> None:
    findings = [finding(n, f"Number {n:.0f}.") for n in (1.0, 4.0, 3.0, 2.0)]
    assert message(findings) == "Number 4. Number 3. Number 2."
    assert MESSAGE == 3


def test_a_turn_without_findings_has_no_message() -> None:
    assert message([]) is None


VOICE = Voice("shop", "S3")


def test_a_report_has_its_frame_and_its_themes() -> None:
    findings = [
        Finding("One.", 1.0, Theme.TIME, (), "a"),
        Finding("Nine.", 9.0, Theme.MIX, (), "b"),
        Finding("Two.", 2.0, Theme.TIME, (), "c"),
    ]
    assert render(VOICE, findings, ["# Title"]).splitlines() == [
        "# Title",
        "",
        f"## {Theme.MIX.value}",
        "",
        "- Nine.",
        "",
        f"## {Theme.TIME.value}",
        "",
        "- Two.",
        "- One.",
    ]


def test_a_report_without_findings_says_so() -> None:
    assert render(VOICE, [], ["# Title"]) == "# Title\nNothing stands out about shop S3."


def test_what_tells_next_to_nothing_stays_out_of_the_report() -> None:
    dull = Finding("Dull.", LEAST_SURPRISE / 2, Theme.TIME, (), "a")
    assert "Dull." not in render(VOICE, [dull, Finding("Nine.", 9.0, Theme.MIX)], [])


def test_a_report_has_room_for_so_many_sentences() -> None:
    findings = [finding(5.0, f"Number {n}.", family=str(n)) for n in range(ROOM + 30)]
    assert render(VOICE, findings, []).count("\n- ") == ROOM
