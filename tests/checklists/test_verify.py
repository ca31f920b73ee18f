"""A checklist is proved where every item holds, and fails once its fact is disordered."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from checklists.authoring.author import author
from checklists.authoring.candidates import find
from checklists.authoring.rendering import item_of
from checklists.evidence import value_of
from checklists.perturb import Perturbation, copy_of
from checklists.verify import REACH_SECONDS, Verification, holds, verify
from core.checklist import Expected
from databases.connection import open_readonly
from tests.checklists.authoring.bazaar import SUBJECT, TOP_WARE, bazaar, brief, template
from tests.checklists.small import MEAN_PRICE, checklist, item, price_of_north, small, small_file
from tools.limits import ToolLimits

COUNT_NORTH = "SELECT count(*) AS value FROM sales WHERE shop = 'north'"


def only_reason(found: Verification, check: str = "perturbation") -> str:
    """Why the one item fails a check; other checks have tests of their own."""
    (failure,) = [each for each in found.failures if each.check == check]
    return failure.reason


def test_an_item_that_holds_and_fails_when_disordered_is_proved() -> None:
    found = verify(checklist(item()), small())
    assert (found.items, found.hold, found.fail_when_perturbed) == (1, 1, 1)
    assert found.proved and found.failures == ()


@pytest.mark.parametrize(
    ("sql", "value", "perturbation"),
    [
        (MEAN_PRICE, price_of_north(), "outcome: sales(price)"),
        (MEAN_PRICE, price_of_north(), "entities: sales(shop)"),
        (COUNT_NORTH, 300.0, "entities: sales(shop)"),
        (
            "SELECT avg(price) FROM sales WHERE shop = 'north' AND month(day) = 12",
            63.2,
            "time: sales(day)",
        ),
        (
            "SELECT 100 * avg((maker = 'Ax')::INT) FROM sales JOIN goods USING (good) "
            "WHERE shop = 'north'",
            100.0,
            "join: sales(good)",
        ),
        (
            "SELECT shop FROM sales GROUP BY shop ORDER BY avg(price) DESC LIMIT 1",
            "north",
            "entities: sales(shop)",
        ),
    ],
)
def test_each_kind_of_disorder_breaks_the_facts_that_rest_on_it(
    sql: str, value: float | str, perturbation: str
) -> None:
    tolerance = 0.0 if isinstance(value, str) else 1.5
    fact = item(
        evidence_sql=sql,
        expected=Expected(value=value, tolerance=tolerance),
        perturbation=perturbation,
        signals=None,
    )
    found = verify(checklist(fact), small(), seeds=range(1, 5))
    if perturbation == "entities: sales(shop)" and isinstance(value, str):
        # One of three shops still comes out first by chance: a name alone is a weak proof.
        assert "does not fail on" in only_reason(found)
    else:
        assert found.proved, found.failures


def test_a_fact_that_disorder_cannot_touch_is_vacuous() -> None:
    vacuous = item(evidence_sql=COUNT_NORTH, expected=Expected(value=300.0))
    found = verify(checklist(vacuous), small())
    assert (found.hold, found.fail_when_perturbed) == (1, 0)
    assert (
        "does not fail on 2 of 20 copies, where 1 may be survived (seed 0: still 300.0"
        in only_reason(found)
    )


def _nearest(number: int) -> float:
    """The tolerance that lets so many of twenty perturbed values through."""
    gaps = []
    with copy_of(small()) as copy:
        for seed in range(20):
            copy.disorder(Perturbation.parse("outcome: sales(price)"), seed)
            value = value_of(copy.cursor, MEAN_PRICE)
            assert isinstance(value, float)
            gaps.append(abs(value - price_of_north()))
    gaps.sort()
    return (gaps[number - 1] + gaps[number]) / 2


@pytest.mark.parametrize(("survivors", "proved"), [(1, True), (2, False)])
def test_nineteen_of_twenty_copies_must_break_it(survivors: int, proved: bool) -> None:
    wide = item(expected=Expected(value=price_of_north(), tolerance=_nearest(survivors)))
    found = verify(checklist(wide), small())
    assert found.proved is proved
    if not proved:
        assert f"does not fail on {survivors} of 20 copies" in only_reason(found)


def test_a_query_that_finds_nothing_any_more_proves_nothing() -> None:
    null = "SELECT CASE WHEN avg(price) > 39 THEN avg(price) END FROM sales WHERE shop = 'north'"
    found = verify(checklist(item(evidence_sql=null)), small(), seeds=range(3))
    assert found.hold == 1
    assert "seed 0: no value" in only_reason(found)


def test_a_query_that_breaks_on_the_copy_proves_nothing() -> None:
    gone = "SELECT avg(price) FROM sales WHERE shop = 'north' HAVING avg(price) > 39"
    found = verify(checklist(item(evidence_sql=gone)), small(), seeds=range(3))
    assert found.hold == 1
    assert "seed 0: the evidence gives no row, not one" in only_reason(found)


def test_an_item_whose_value_is_another_does_not_hold() -> None:
    wrong = item(expected=Expected(value=12.0, tolerance=0.5))
    found = holds(checklist(wrong), small())
    assert (found.hold, found.fail_when_perturbed, found.proved) == (0, None, False)
    assert f"the evidence gives {price_of_north()}"[:30] in only_reason(found, "hold")
    assert "expected is 12.0 within 0.5" in only_reason(found, "hold")


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("SELECT avg(cost) FROM sales", "the evidence fails"),
        ("DELETE FROM sales", "is not one SELECT"),
        ("SELECT 1; SELECT 2", "is not one SELECT"),
        (None, "it has no evidence_sql or no expected value"),
    ],
)
def test_evidence_that_cannot_be_had_is_a_failure_not_a_crash(sql: str | None, told: str) -> None:
    found = verify(checklist(item(evidence_sql=sql)), small(), seeds=range(2))
    assert found.hold == 0
    assert told in found.failures[0].reason


@pytest.mark.parametrize(
    ("perturbation", "told"),
    [
        (None, "no evidence_sql, expected value or perturbation"),
        ("shuffle: sales(price)", "unknown kind of perturbation 'shuffle'"),
        ("outcome: sails(price)", "unknown table 'sails'"),
        ("outcome: sales(cost)", "unknown column of sales 'cost'"),
    ],
)
def test_a_perturbation_that_cannot_be_made_is_a_failure_of_its_items_alone(
    perturbation: str | None, told: str
) -> None:
    whole = checklist(item(), item(id="second", perturbation=perturbation))
    found = verify(whole, small(), seeds=range(2))
    assert (found.hold, found.fail_when_perturbed) == (2, 1)
    assert {failure.item_id for failure in found.failures} == {"second"}
    assert told in only_reason(found)


def test_without_seeds_the_second_half_is_not_claimed() -> None:
    assert verify(checklist(item()), small(), seeds=[]).fail_when_perturbed is None


def test_only_accepted_items_are_proved_and_counted() -> None:
    whole = checklist(
        item(), item(id="b", category="names", entity_id="south"), item(id="c", status="stale")
    )
    found = holds(whole, small())
    assert found.items == 2
    assert found.categories == {"names": 1, "prices": 1}
    assert found.by_entity == {"north": 1, "south": 1}


def test_progress_names_the_work_and_ends_at_one() -> None:
    told: list[tuple[str, float]] = []
    verify(
        checklist(item()),
        small(),
        seeds=range(3),
        progress=lambda text, share: told.append((text, share)),
    )
    shares = [share for _, share in told]
    assert shares == sorted(shares) and shares[-1] == 1.0
    assert any("evidence of 1 items" in text for text, _ in told)
    assert any("outcome" in text and "seed 2" in text for text, _ in told)


def test_verifying_changes_nothing_in_the_file(tmp_path: Path) -> None:
    path = small_file(tmp_path / "shops.duckdb")
    before = path.read_bytes()
    with open_readonly(path) as connection:
        assert verify(checklist(item()), connection, seeds=range(3)).proved
    assert path.read_bytes() == before
    assert [found.name for found in tmp_path.iterdir()] == ["shops.duckdb"]


def test_two_verifications_at_once_do_not_meet() -> None:
    connection = small()
    with copy_of(connection) as first:
        first.disorder(Perturbation.parse("outcome: sales(price)"), 0)
        disordered = value_of(first.cursor, MEAN_PRICE)
        assert verify(checklist(item()), connection, seeds=range(2)).proved
        assert value_of(first.cursor, MEAN_PRICE) == disordered


def test_the_result_is_one_object_of_plain_json() -> None:
    plain = verify(checklist(item()), small(), seeds=range(2)).model_dump(mode="json")
    assert plain == {
        "items": 1,
        "hold": 1,
        "fail_when_perturbed": 1,
        "categories": {"prices": 1},
        "by_entity": {"north": 1},
        "failures": [],
        "checks": {
            "hold": {"passed": 1, "failed": 0, "unknown": 0},
            "reach": {"passed": 1, "failed": 0, "unknown": 0},
            "fit": {"passed": 1, "failed": 0, "unknown": 0},
            "population": {"passed": 0, "failed": 0, "unknown": 1},
            "perturbation": {"passed": 1, "failed": 0, "unknown": 0},
            "resampling": {"passed": 1, "failed": 0, "unknown": 0},
            "second": {"passed": 1, "failed": 0, "unknown": 0},
        },
        "unknown": {"population: no template says what the other entities have": 1},
    }


def test_evidence_that_takes_longer_than_a_tool_waits_is_out_of_reach(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert ToolLimits().sql_seconds == REACH_SECONDS
    monkeypatch.setattr("checklists.verify.REACH_SECONDS", 0.0)
    found = holds(checklist(item()), small())
    assert found.checks["reach"].failed == 1
    assert "the evidence took 0 s, and a query of an agent has 0" in only_reason(found, "reach")


def test_a_fact_of_a_few_rows_is_another_when_rows_are_drawn_anew() -> None:
    # Which day comes first hangs on one sale.
    first_day = (
        "SELECT strftime(day, '%j') AS value FROM sales WHERE shop = 'north' "
        "GROUP BY value ORDER BY avg(price) DESC, value LIMIT 1"
    )
    day = value_of(small(), first_day)
    assert isinstance(day, str)
    chance = item(
        evidence_sql=first_day,
        expected=Expected(value=day),
        perturbation="time: sales(day)",
        signals=None,
    )
    found = verify(checklist(item(), chance.model_copy(update={"id": "chance"})), small())
    assert found.hold == 2
    assert found.checks["resampling"].passed == 1
    assert "where 1 may be (seed" in only_reason(found, "resampling")


def test_a_book_makes_the_other_entities_known() -> None:
    book = brief(template(), TOP_WARE)
    made = author(book, bazaar(), fingerprint=None, seeds=range(3)).checklist
    found = verify(made, bazaar(), book=book, seeds=range(3))
    assert found.proved, found.failures
    assert found.unknown == {}
    assert found.checks["population"].passed == len(made.items)
    alone = verify(made, bazaar(), seeds=range(3))
    assert alone.proved and alone.checks["population"].unknown == len(made.items)


def test_what_is_true_of_everyone_does_not_stand_out() -> None:
    # Stalls 4 and 5 of eight stand in the middle of all prices.
    book = brief(template())
    candidates = find(template(), SUBJECT, bazaar())
    middle = [c for c in candidates if abs(c.standing) < 0.5]
    assert [c.entity_id for c in middle] == ["s4", "s5"]
    whole = checklist(*(item_of(c, SUBJECT) for c in candidates), scenario_id="bazaar")
    found = verify(whole, bazaar(), book=book, seeds=range(2))
    failed = {f.item_id: f.reason for f in found.failures if f.check == "population"}
    assert set(failed) == {item_of(c, SUBJECT).id for c in middle}
    assert all("standard deviations from the other" in reason for reason in failed.values())


def test_an_item_of_an_older_book_is_a_stranger_to_it() -> None:
    old = checklist(item_of(find(template(), SUBJECT, bazaar())[0], SUBJECT))
    newer = brief(template(where="trades.price > 0"))
    found = verify(old, bazaar(), book=newer, seeds=range(2))
    assert found.checks["population"].unknown == 1


def test_a_closed_connection_is_an_error_not_a_verdict() -> None:
    connection = small()
    connection.close()
    with pytest.raises(duckdb.Error):
        verify(checklist(item()), connection, seeds=range(2))
