"""Incidents: as many rows as asked for, the same for a seed, and with the trend that was asked for."""

from __future__ import annotations

import json

import pytest

from core.errors import UsageError
from databases.documents import Documents
from databases.incidents import hostile, rows
from databases.incidents.state import Plan, Teams
from databases.incidents.words import team_name
from databases.installed import InstalledScenario
from tests.databases.incidents.conftest import Make, ask, home_of

SLOPES = """
SELECT team_id, regr_slope(resolution_days, date_diff('day', DATE '2000-01-01', opened_at))
    / avg(resolution_days) AS growth FROM incidents GROUP BY team_id ORDER BY team_id
"""


def test_there_are_exactly_as_many_rows_and_teams_as_asked_for(usual: InstalledScenario) -> None:
    assert sum(table.row_count or 0 for table in usual.schema().tables) == 4000
    assert len(usual.entities()) == 8
    assert {table.name for table in usual.schema().tables} == {
        "agents", "categories", "changes", "incidents", "teams",
    }  # fmt: skip


def test_every_table_and_column_says_what_it_is(usual: InstalledScenario) -> None:
    for table in usual.schema().tables:
        assert table.comment
        for column in table.columns:
            assert column.comment, f"{table.name}.{column.name}"


def test_the_same_seed_gives_the_same_content_and_another_another(
    usual: InstalledScenario, make: Make
) -> None:
    assert make().scenario.fingerprint == usual.scenario.fingerprint
    assert make(seed="another").scenario.fingerprint != usual.scenario.fingerprint


def test_the_content_does_not_hang_on_how_many_rows_are_drawn_at_once(
    usual: InstalledScenario, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "BLOCK", 97)
    assert make().scenario.fingerprint == usual.scenario.fingerprint


def test_incidents_come_in_the_order_of_team_and_time(usual: InstalledScenario) -> None:
    late = ask(
        usual,
        "SELECT count(*) FROM (SELECT (team_id, opened_at) < lag((team_id, opened_at)) "
        "OVER (ORDER BY incident_number) AS late FROM incidents) WHERE late",
    )
    assert late == [(0,)]


def test_keys_lead_where_the_comments_say(usual: InstalledScenario) -> None:
    strays = ask(
        usual,
        "SELECT count(*) FROM incidents ANTI JOIN agents USING (agent_id, team_id) UNION ALL "
        "SELECT count(*) FROM incidents ANTI JOIN categories USING (category_id) UNION ALL "
        "SELECT count(*) FROM changes ANTI JOIN teams USING (team_id)",
    )
    assert strays == [(0,), (0,), (0,)]


def test_an_incident_that_is_open_has_neither_resolution_nor_answer(
    usual: InstalledScenario,
) -> None:
    assert ask(
        usual,
        "SELECT count(*) FROM incidents WHERE resolution_days IS NULL "
        "AND (satisfaction IS NOT NULL OR reopen_count > 0)",
    ) == [(0,)]
    ((least, most, places),) = ask(
        usual,
        "SELECT min(resolution_days), max(satisfaction), "
        "count(*) FILTER (WHERE round(resolution_days, 2) <> resolution_days) FROM incidents",
    )
    assert (least > 0, most <= 5, places) == (True, True, 0)


def test_the_time_to_resolution_grows_with_the_slope_and_not_without(make: Make) -> None:
    flat = ask(make(rows=16_000, slope=0), SLOPES)
    steep = ask(make(rows=16_000, slope=0.02), SLOPES)
    falls = ask(make(rows=16_000, slope=-0.002), SLOPES)
    assert all(abs(growth) < 0.0015 for _, growth in flat)
    assert all(growth > 0.0025 for _, growth in steep)
    assert sum(growth < 0 for _, growth in falls) >= 7


def test_without_intensity_no_team_is_apart_from_another(make: Make) -> None:
    plain = make(rows=16_000, intensity=0)
    growth = [growth for _, growth in ask(plain, SLOPES)]
    assert all(abs(each) < 0.0015 for each in growth)
    means = [
        mean
        for (mean,) in ask(plain, "SELECT avg(resolution_days) FROM incidents GROUP BY team_id")
    ]
    assert max(means) / min(means) < 1.15
    notes = [n for n in Documents(home_of(plain), "incidents").all() if n.kind == "review"]
    assert {note.text for note in notes} == {
        "Nothing set this team apart this year: work came and went as everywhere."
    }


def test_the_notes_say_what_the_rows_hold(usual: InstalledScenario) -> None:
    secrets = json.loads((home_of(usual) / "secrets" / "incidents.json").read_text())
    documents = Documents(home_of(usual), "incidents")
    for team, count in ask(usual, "SELECT team_id, count(*) FROM incidents GROUP BY team_id"):
        kinds = [note.kind for note in documents.of(team)]
        assert sorted(kinds) == ["note"] * 4 + ["review"]
        (review,) = [note for note in documents.of(team) if note.kind == "review"]
        busy = f"{team}-{'ABCDEFGHIJ'[secrets[team]['busy_agent']]}"
        assert f"Agent {busy} carried" in review.text
        share = secrets[team]["busy_share_pm"]
        whole = (share + (1000 - share) / secrets[team]["agents"]) / 1000
        ((handled,),) = ask(usual, f"SELECT count(*) FROM incidents WHERE agent_id = '{busy}'")
        assert abs(handled / count - whole) < 0.15
        assert review.values["growth_per_day"] == secrets[team]["slope_micro"] / 1e6


def test_what_is_planted_stands_in_the_rows_and_on_record(make: Make) -> None:
    trapped = make(hostile=True)
    assert trapped.scenario.id == "incidents-hostile"
    documents = [
        d for d in Documents(home_of(trapped), trapped.scenario.id).all() if d.kind == "planted"
    ]
    assert len(documents) == 8 * hostile.PER_TEAM
    assert {d.values["form"] for d in documents} == {"instruction", "claim"}
    assert len({d.values["marker"] for d in documents}) == len(documents)
    for document in documents:
        found = ask(
            trapped,
            f"SELECT team_id, summary FROM incidents WHERE incident_number = {document.values['incident_number']}",
        )
        assert found == [(document.entity_id, document.text)]
        assert str(document.values["marker"]) in document.text
    means = dict(
        ask(trapped, "SELECT team_id, avg(resolution_days) FROM incidents GROUP BY team_id")
    )
    assert all(float(d.values["false_days"]) > 3 * means[d.entity_id] for d in documents)


def test_what_is_planted_changes_nothing_else(usual: InstalledScenario, make: Make) -> None:
    other = make(hostile=True)
    query = "SELECT sum(hash(incident_number, opened_at, resolution_days)) FROM incidents"
    assert ask(usual, query) == ask(other, query)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"entities": 0}, "--entities is from 1 to 100,000, not 0"),
        ({"rows": 100}, "--rows is at least 60 for each of the 8 teams: 480, not 100"),
        ({"intensity": 1.5}, "intensity= is from 0 to 1, not 1.5"),
        ({"slope": 2}, "slope= is from -1 to 1, not 2"),
        ({"synthetic": False}, "leave --synthetic on"),
    ],
)
def test_options_out_of_bounds_are_refused_with_the_way_out(
    make: Make, options: dict[str, object], said: str
) -> None:
    with pytest.raises(UsageError, match=said.replace("(", r"\(")):
        make(**options)


def test_the_fewest_rows_are_enough_for_one_team(make: Make) -> None:
    tiny = make(entities=1, rows=60)
    assert sum(table.row_count or 0 for table in tiny.schema().tables) == 60


def test_teams_never_share_a_name() -> None:
    names = [team_name(number) for number in range(1000)]
    assert len(set(names)) == 1000
    plan = Plan("s", teams=200, rows=20_000, slope=0.02, intensity=1, hostile=False)
    assert len(set(Teams(plan).names)) == 200
