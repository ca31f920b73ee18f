"""The first page: what stands there for whom, what compares, and the paired comparison behind it."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.run import RunSpec
from databases.catalog import InstalledScenario
from server.dashboard import pairs
from server.dashboard.bars import ceiling_of, ranking_figure
from server.dashboard.forest import points
from server.settings import Settings
from server.store import Repository
from tests.server.dashboard import boards
from tests.server.dashboard.conftest import Visit, crowd

CLEVER = "openai/&lt;i&gt;clever&lt;/i&gt;"


@pytest.fixture
def settings(own_flights_home: Path) -> Settings:
    return Settings(own_flights_home)


@pytest.fixture
def runs(store: Repository, flights: InstalledScenario) -> dict[str, RunSpec]:
    """What the tests find, summed up before: nobody has to wait for it."""
    from server.standings import standings

    made = boards.contest(store, flights)
    standings(store, Settings(Path(store.path).parent))
    return made


def rows(html: str, table: int = 0) -> list[str]:
    """The rows of one of the page's tables, as text between tags."""
    body = html.split("<tbody>")[1 + table].partition("</tbody>")[0]
    return body.split("<tr>")[1:]


def test_the_best_report_stands_first_and_names_are_escaped(
    visit: Visit, runs: dict[str, RunSpec]
) -> None:
    page = visit(None).get("/").text
    found = rows(page)
    assert [row.partition('<th scope="row">')[2].partition("\n")[0].strip() for row in found] == [
        f'{name} <small class="soft">react</small></th>'
        for name in (CLEVER, "openai/better", "openai/able")
    ]
    assert "<i>clever" not in page


def test_a_row_has_both_levels_novelty_cost_and_protocol(
    visit: Visit, runs: dict[str, RunSpec]
) -> None:
    best, *_, last = rows(visit("reader").get("/").text)
    asked = len(boards.items())
    reports = sum(
        place < 0.4 * len(mine)
        for carrier in boards.CARRIERS
        for mine in [[i for i in boards.items() if i.entity_id == carrier]]
        for place in range(len(mine))
    )
    assert f'<span class="strong">{100 * reports / asked:.1f}%</span>' in last
    assert "#1" in best and "#3" in last
    # Three turns of three calls of $0.001 and $0.003 in the first and third run.
    assert "$0.0030" in last and "$0.0090" in best
    assert "default" in best and "built-in" in best
    assert "3.0" in best and "100%" in best


def test_baselines_are_lines_and_rows_beneath(visit: Visit, runs: dict[str, RunSpec]) -> None:
    page = visit(None).get("/").text
    foot = page.partition("<tfoot>")[2].partition("</tfoot>")[0]
    for words in ("no text", "generic text", "another carrier&#39;s"):
        assert words in foot
    assert page.count('class="least"') >= 3 * 2 * 2  # both levels, two widths
    assert "baseline no text: 0.0%" in page


def test_what_another_checker_judged_is_said_not_to_compare(
    visit: Visit, runs: dict[str, RunSpec]
) -> None:
    page = visit(None).get("/").text
    above, mark, below = page.partition("Not comparable with the table above")
    assert mark
    assert "checker" in below.partition("</p>")[0]
    assert "openai/apart" in below and "openai/apart" not in above


def test_nobody_is_told_of_runs_and_pairs_and_a_reader_is(
    visit: Visit, runs: dict[str, RunSpec]
) -> None:
    public, reader, admin = (visit(role).get("/").text for role in (None, "reader", "admin"))
    for run in runs.values():
        assert run.id not in public
    assert f'href="/runs/{runs["able"].id}"' in reader
    assert 'action="/compare/models"' in reader and 'action="/compare/models"' not in public
    assert runs["open"].id not in reader
    assert f"{runs['open'].id}</a>: it is not finished" in admin


def test_one_scenario_can_be_asked_for(visit: Visit, runs: dict[str, RunSpec]) -> None:
    page = visit(None).get("/?scenario=elsewhere").text
    assert "Nothing is scored for this scenario yet" in page
    assert "openai/able" in visit(None).get("/?scenario=flights").text


def test_an_empty_store_says_how_to_begin(visit: Visit) -> None:
    assert "ddr demo" in visit(None).get("/").text


def test_what_is_not_summed_up_yet_is_counted(
    visit: Visit, store: Repository, flights: InstalledScenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    boards.contest(store, flights)
    monkeypatch.setattr("server.dashboard.leaderboard.PATIENCE_S", 0.0)
    page = visit(None).get("/").text
    assert "6 runs and rankings still being summed up" in page


def test_a_pair_is_compared_item_by_item(visit: Visit, runs: dict[str, RunSpec]) -> None:
    page = visit("reader").get(
        "/compare/models", params={"one": runs["better"].id, "other": runs["able"].id}
    )
    assert page.status_code == 200
    assert "<strong>openai/better</strong> found more" in page.text
    first = rows(page.text)[0]
    mine, theirs = (
        sum(
            place < share * size
            for size in (
                sum(i.entity_id == carrier for i in boards.items()) for carrier in boards.CARRIERS
            )
            for place in range(size)
        )
        for share in (0.6, 0.4)
    )
    assert f"{100 * (mine - theirs) / len(boards.items()):+.1f}" in first
    assert "Not comparable" not in page.text
    # Of the checklist only its categories, never an item.
    assert boards.items()[0].id not in page.text
    assert boards.items()[0].question not in page.text


def test_pairs_are_compared_one_at_a_time(
    visit: Visit, runs: dict[str, RunSpec], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = {"one": runs["better"].id, "other": runs["able"].id}
    with crowd() as busy:
        monkeypatch.setattr(pairs, "_WORK", busy)
        refused = visit("reader").get("/compare/models", params=asked)
        assert refused.status_code == 503
        assert "Busy: try again in a moment." in refused.text
    assert visit("reader").get("/compare/models", params=asked).status_code == 200


def test_a_pair_of_different_judges_is_compared_with_a_warning_and_nobody_elses_runs_are(
    visit: Visit, runs: dict[str, RunSpec]
) -> None:
    apart = {"one": runs["able"].id, "other": runs["apart"].id}
    page = visit("reader").get("/compare/models", params=apart).text
    assert "Not comparable." in page and "checker: <q" in page
    assert visit(None).get("/compare/models", params=apart).status_code == 303
    hidden = {"one": runs["able"].id, "other": runs["open"].id}
    assert visit("reader").get("/compare/models", params=hidden).status_code == 404
    unscored = visit("admin").get("/compare/models", params=hidden)
    assert unscored.status_code == 422 and "is not scored yet" in unscored.text


@pytest.mark.parametrize("asked", [{}, {"one": "able"}, {"one": "able", "other": "able"}])
def test_half_a_pair_is_refused(
    asked: dict[str, str], visit: Visit, runs: dict[str, RunSpec]
) -> None:
    params = {side: runs[name].id for side, name in asked.items()}
    assert visit("reader").get("/compare/models", params=params).status_code == 422


def test_a_checklist_that_changed_since_compares_nothing(
    visit: Visit, store: Repository, runs: dict[str, RunSpec], settings: Settings
) -> None:
    text = boards.CHECKLIST.model_dump_json().replace('"version":"1"', '"version":"2"', 1)
    settings.checklists.mkdir()
    (settings.checklists / "flights.json").write_text(text.replace("flights in", "flights at"))
    params = {"one": runs["better"].id, "other": runs["able"].id}
    answer = visit("reader").get("/compare/models", params=params)
    assert answer.status_code == 409
    assert "judge them again" in answer.text


def test_the_scale_ends_at_a_round_value_above_all() -> None:
    assert ceiling_of([]) == 0.2
    assert ceiling_of([0.05, None]) == 0.2
    assert ceiling_of([0.41]) == 0.5
    assert ceiling_of([0.97, 1.0]) == 1.0


def test_a_figure_without_a_score_says_so() -> None:
    from analysis.figures import Bar

    drawn = ranking_figure(
        [Bar("a", None), Bar("b", 0.25, 0.2, 0.3, is_least=True)],
        {"no text": 0.0, "generic text": 0.001},
        name="x",
        title="T",
        width=560,
        ceiling=0.5,
    )
    assert "not scored" in drawn
    assert "b: at least 25.0% (20.0% to 30.0%)" in drawn
    assert "no text, generic text" in drawn  # one place, one label


@pytest.mark.parametrize(
    ("value", "shown"), [(0.031, "+3.1"), (-0.031, "−3.1"), (-0.0001, "0.0"), (None, "–")]
)
def test_differences_are_percentage_points(value: float | None, shown: str) -> None:
    assert points(value) == shown
