"""What is kept for the leaderboard: equal when made anew, never shown once the records have changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import event

from core.ranking import SIDES, Comparison, Ranking
from core.trajectory import Insight, ModelCall
from server import standings_kept
from server.settings import Settings
from server.standings import Standings, standings
from server.standings_kept import formula, keep_ratings, keep_summary
from server.store import Repository, open_store
from server.store.rankings import Rankings
from server.store.standings import Kept, KeptStandings
from tests.evaluator.rating.games import compared
from tests.server.judged_runs import ENTITIES, call, checklist, explore, judge, kept, model_run
from tests.server.support import START, draft, evaluation, verdict

RUN = model_run(1, "one")
OWN = f"{RUN.id}.e1"
FIRST = f"{RUN.id}.01.1.1"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(tmp_path)


@pytest.fixture
def judged(store: Repository) -> Repository:
    """One run, judged and summed up."""
    judge(store, explore(store, RUN), message={"01-a"})
    kept(store, RUN)
    return store


def ready(store: Repository, settings: Settings) -> Standings:
    """What is kept; nothing is made."""
    return standings(store, settings, patience_s=0)


def test_the_same_figures_come_again_when_all_that_was_kept_is_dropped(
    judged: Repository, settings: Settings
) -> None:
    before = ready(judged, settings)
    assert before.pending == 0 and before.boards
    KeptStandings(judged).drop()
    assert ready(judged, settings).pending == 1
    kept(judged, RUN)
    assert ready(judged, settings) == before


def reprice(store: Repository) -> None:
    def dearer(made: ModelCall) -> ModelCall:
        return made.model_copy(
            update={"usage": made.usage.model_copy(update={"cost_usd": 5.0, "cost_reason": None})}
        )

    store.reprice(RUN.id, dearer)


def late_insight(store: Repository) -> None:
    store.add_late_insight(
        Insight(
            id="any",
            trajectory_id=FIRST,
            level="message",
            turn=1,
            text="Late.",
            author="m",
            call=call("insight"),
        )
    )


CHANGES: dict[str, Callable[[Repository], object]] = {
    "a verdict is replaced": lambda store: store.replace_verdict(
        verdict(FIRST, "01-a", evaluation_id=OWN, label="insufficient", supporting_turns=())
    ),
    "a verdict comes": lambda store: store.add_verdicts(
        [verdict(FIRST, "01-z", evaluation_id=OWN)]
    ),
    "a newer evaluation comes": lambda store: judge(store, RUN, name=f"{RUN.id}.e2"),
    "who judged becomes known": lambda store: store.amend_evaluation(
        evaluation(RUN, OWN).model_copy(update={"judges_served": ("m-2026",)})
    ),
    "it is priced anew": reprice,
    "an insight comes late": late_insight,
    "an attempt is begun": lambda store: store.start_trajectory(draft(RUN, "01")),
    "the run is amended": lambda store: store.amend_run(
        RUN.model_copy(update={"endpoint_allowed": "it may"})
    ),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_nothing_is_shown_that_is_older_than_the_records(
    judged: Repository, settings: Settings, change: Callable[[Repository], object]
) -> None:
    assert ready(judged, settings).pending == 0
    change(judged)
    stale = ready(judged, settings)
    assert (stale.boards, stale.pending) == ((), 1)
    kept(judged, RUN)
    assert ready(judged, settings).pending == 0


def test_a_price_that_changed_is_shown_once_it_is_summed_up_again(
    judged: Repository, settings: Settings
) -> None:
    reprice(judged)
    kept(judged, RUN)
    (row,) = ready(judged, settings).boards[0].main.rows
    assert row.price.cost_usd == pytest.approx(10.0)


def test_what_another_process_changes_counts_as_well(
    judged: Repository, settings: Settings
) -> None:
    with open_store(judged.path) as theirs:
        CHANGES["a verdict is replaced"](theirs)
    assert ready(judged, settings).pending == 1


def test_a_deleted_run_is_gone_with_all_that_was_kept_of_it(
    judged: Repository, settings: Settings
) -> None:
    judged.delete_run(RUN.id)
    assert ready(judged, settings) == Standings(boards=(), totals=())
    with judged.glancing() as driver:
        for table in ("standings", "revisions"):
            assert driver.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)


def test_a_summary_of_records_that_changed_while_it_was_made_is_not_kept(
    judged: Repository, settings: Settings
) -> None:
    (before,) = KeptStandings(judged).runs([formula()])
    CHANGES["a verdict is replaced"](judged)
    assert not KeptStandings(judged).keep(before, formula())
    assert ready(judged, settings).pending == 1
    gone = Kept("20260131-small-none", 0, "{}")
    assert not KeptStandings(judged).keep(gone, formula())


def test_another_formula_shows_nothing_of_what_the_old_one_made(
    judged: Repository, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(standings_kept, "formula", lambda: "another")
    assert ready(judged, settings).pending == 1


def test_the_formula_is_the_code_itself() -> None:
    assert len(formula()) == 64
    assert formula() == formula()


def test_a_store_from_before_there_were_standings_is_summed_up_when_asked(
    judged: Repository, settings: Settings
) -> None:
    with judged.driving() as driver:
        driver.execute("UPDATE revisions SET revision = 0")
        driver.execute("DELETE FROM standings")
    assert ready(judged, settings).pending == 1
    kept(judged, RUN)
    assert ready(judged, settings).pending == 0


def test_what_files_decide_is_kept_until_one_of_them_changes(
    judged: Repository, settings: Settings
) -> None:
    KeptStandings(judged).drop()
    (why,) = standings(judged, settings).left_out.values()
    assert why == "not to be scored here: no checklist 'small' is here"
    # Kept for as long as the files are what they were: a visitor of the page waits once.
    assert ready(judged, settings).pending == 0
    settings.checklists.mkdir()
    (settings.checklists / "small.json").write_text("{}")
    assert ready(judged, settings).pending == 1
    (why,) = standings(judged, settings).left_out.values()
    assert "no checklist" not in why
    (settings.checklists / "small.json").unlink()
    assert ready(judged, settings).pending == 1


def test_no_path_in_a_record_is_followed_as_a_checklist(
    store: Repository, settings: Settings, tmp_path: Path
) -> None:
    named = tmp_path / "theirs.json"
    named.write_text("{}")
    judge(store, explore(store, RUN), checklist_id=str(named))
    (why,) = standings(store, settings).left_out.values()
    assert why == f"not to be scored here: no checklist {str(named)!r} is here"


def test_of_many_visitors_one_sums_up_and_the_others_are_told_that_it_is_pending(
    judged: Repository, settings: Settings
) -> None:
    KeptStandings(judged).drop()
    with standings_kept._AT_WORK:
        assert standings(judged, settings, patience_s=60).pending == 1
    assert standings(judged, settings, patience_s=60).pending == 0


def test_a_newer_evaluation_by_a_checklist_that_is_gone_lets_the_older_one_speak(
    store: Repository, settings: Settings
) -> None:
    judge(store, explore(store, RUN), message={"01-a"})
    judge(store, RUN, name=f"{RUN.id}.e2", checklist_hash="0ther")
    made = []
    for each in KeptStandings(store).runs([formula()]):
        keep_summary(RUN, store, checklist(), ENTITIES)
        made.append(each.body)
    # It would be another answer where the file comes back: nothing is kept.
    assert made == [None]
    assert ready(store, settings).pending == 1


def test_who_must_not_wait_is_answered_while_somebody_writes(
    judged: Repository, settings: Settings
) -> None:
    KeptStandings(judged).drop()
    with open_store(judged.path) as theirs, theirs.driving() as driver:
        driver.execute("UPDATE revisions SET revision = revision")
        keep_summary(RUN, judged, checklist(), ENTITIES)  # not kept, and no error
    assert ready(judged, settings).pending == 1


def test_all_is_read_by_two_queries_however_many_runs_there_are(
    store: Repository, settings: Settings
) -> None:
    for number in range(1, 8):
        run = model_run(number, f"m{number}")
        judge(store, explore(store, run))
        kept(store, run)
    asked: list[str] = []

    def note(_c: object, _cursor: object, statement: str, *_rest: object) -> None:
        if statement.startswith("SELECT"):
            asked.append(statement)

    event.listen(store._engine, "before_cursor_execute", note)
    assert len(ready(store, settings).rows()) == 7
    assert len(asked) == 2


def ranking(name: str, *runs: str) -> Ranking:
    return Ranking(
        id=name,
        scenario_id="small",
        run_ids=runs,
        evaluations={run: f"{run}.e1" for run in runs},
        judges_asked=("openai/j",),
        prompt_hash="f00d",
        created_at=START,
    )


def games(name: str, better: str, worse: str) -> list[Comparison]:
    return [
        compared(better, worse, "left", first, entity=entity).model_copy(
            update={"ranking_id": name}
        )
        for entity in ("01", "02")
        for first in SIDES
    ]


def test_novelty_is_rated_by_the_newest_ranking_and_by_what_is_added_to_it(
    store: Repository, settings: Settings
) -> None:
    runs = [model_run(number, f"m{number}") for number in (1, 2, 3)]
    for run in runs:
        judge(store, explore(store, run))
        kept(store, run)
    one, two, three = (run.id for run in runs)
    stored = Rankings(store)
    for name, better, worse in (("k1", two, one), ("k2", one, two)):
        stored.add(ranking(name, one, two))
        for game in games(name, better, worse)[:3]:
            stored.add_comparison(game)
        keep_ratings(stored.all()[-1], store, ENTITIES)
    main = ready(store, settings).boards[0].main
    assert (main.ranking_id, main.ranked) == ("k2", 2)
    novelty = {row.run_id: row.novelty for row in main.rows}
    assert novelty[three] is None
    first, second = novelty[one], novelty[two]
    assert first is not None and second is not None
    assert (first.rank, second.rank) == (1, 2)
    assert (first.wins, second.wins) == (1, 0)
    stored.add_comparison(games("k2", one, two)[3])
    assert ready(store, settings).pending == 1
    again = standings(store, settings).boards[0].main
    assert max(row.novelty.wins for row in again.rows if row.novelty) == 2
    assert ready(store, settings).public().boards[0].main.ranking_id is None
