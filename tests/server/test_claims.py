"""Attached SQL is run as an agent's own would be: read-only, bounded, and told why where it does not run."""

from __future__ import annotations

import asyncio

import pytest

from core.trajectory import Insight, Trajectory
from databases.catalog import InstalledScenario
from evaluator.attached import Claim
from server import claims
from server.claims import claims_of
from tests.evaluator.tracing.records import explored, rows
from tools.limits import ToolLimits

ROWS = 5162
"""Of carrier 01 in flights."""


def with_evidence(*told: tuple[str, tuple[str, ...]]) -> Trajectory:
    made = explored({1: rows(["n"], [ROWS]), 2: rows(["n"], [98])}, entity_id="01")
    insights = tuple(
        Insight(
            id=f"i{number}",
            trajectory_id=made.id,
            level="message",
            turn=1,
            text=text,
            author="mine",
            evidence=evidence,
        )
        for number, (text, evidence) in enumerate(told, 1)
    )
    return made.model_copy(update={"insights": insights})


def run(made: Trajectory, flights: InstalledScenario) -> list[Claim]:
    return asyncio.run(claims_of([made], flights))


def only(text: str, flights: InstalledScenario, *evidence: str) -> Claim:
    (found,) = run(with_evidence((text, evidence)), flights)
    return found


def test_nothing_is_opened_where_nothing_is_attached(
    flights: InstalledScenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "SqlPool", None)
    assert run(with_evidence(("It has 3 rows.", ())), flights) == []


def test_a_statement_may_end_in_a_semicolon_and_there_may_be_several(
    flights: InstalledScenario,
) -> None:
    count = "SELECT count(*) AS n FROM flights WHERE carrier_id = '01';"
    every = "WITH a AS (SELECT * FROM flights) SELECT count(*) FROM a"
    assert only("It has 5,162 of 336,776 rows.", flights, count, every).state == "grounded"
    assert only("It has 5,162 of 336,777 rows.", flights, count, every).state == "wrong"


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT count(*) FROM flights; DROP TABLE flights",
        "WITH a AS (SELECT 1) DELETE FROM flights",
        "SELECT nothing FROM flights",
    ],
)
def test_what_an_agent_may_not_do_its_evidence_may_not_either(
    statement: str, flights: InstalledScenario
) -> None:
    found = only("It has 5,162 rows.", flights, statement)
    assert found.state == "unsupported"
    assert found.reason.startswith("its SQL does not run: ")


def test_a_statement_without_end_is_stopped(
    flights: InstalledScenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "LIMITS", ToolLimits(sql_seconds=0.5, reply_chars=32_000))
    endless = (
        "SELECT count(*) FROM range(100000000) a, range(100000000) b WHERE a.range * b.range = 7"
    )
    found = only("It has 5,162 rows.", flights, endless)
    assert found.state == "unsupported"
    assert "time limit" in found.reason


def test_an_exploration_whose_sql_has_no_end_is_not_waited_for_again_and_again(
    flights: InstalledScenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "LIMITS", ToolLimits(sql_seconds=0.2, reply_chars=32_000))
    endless = (
        "SELECT count(*) FROM range(100000000) a, range(100000000) b WHERE a.range * b.range = 7"
    )
    found = run(with_evidence(*[("It has 5,162 rows.", (endless, endless))] * 5), flights)
    assert ["time limit" in each.reason for each in found] == [True, True, True, False, False]
    assert "took too long" in found[-1].reason


def test_sql_that_states_a_number_does_not_find_it(flights: InstalledScenario) -> None:
    assert only("It has 7,777 rows.", flights, "SELECT 7777 AS n").state is None
    both = "SELECT count(*) AS n, 7777 AS m FROM flights WHERE carrier_id = '01'"
    assert only("It has 5,162 of 7,777 rows.", flights, both).state == "grounded"


def test_a_turn_that_is_referred_to_shows_what_it_showed(flights: InstalledScenario) -> None:
    assert only("It has 5,162 rows.", flights, "turn 1").state == "grounded"
    assert only("It has 98 rows.", flights, "turn 1").state == "wrong"
    later = only("It has 98 rows.", flights, "turn 2")
    assert (later.state, later.reason) == ("unsupported", "turn 2 is none of those before it")


def test_words_prove_nothing(flights: InstalledScenario) -> None:
    found = only("It has 5,162 rows.", flights, "I counted 5,162 rows")
    assert (found.state, found.reason) == ("unsupported", "nothing is attached that can be run")
