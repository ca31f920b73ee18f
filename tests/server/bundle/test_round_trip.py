"""What went into a bundle comes out of it, and nothing else: no answer, no address, no leave."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.errors import UsageError
from core.evaluation import CANNOT_TELL, Verdict
from core.labels import PersonLabel, PersonRating
from core.run import Continuation, Continued, Imported
from evaluator.judge import is_open
from server.bundle.keeping import Kept, keep_bundle
from server.bundle.manifest import MANIFEST, PARTS
from server.bundle.writing import write_bundle
from server.settings import Settings
from server.store import Repository
from server.store.judgements import Judgements
from server.store.rankings import Rankings
from tests.server.bundle.conftest import ONE, OTHER, SCRIPT, SECRET, Bundle, parts_of
from tests.server.support import START, draft, evaluation, insight, spec, turn


@pytest.fixture
def kept(bundle: Bundle, there: Repository, their_settings: Settings) -> Kept:
    return keep_bundle(bundle().path, there, their_settings)


def test_every_trajectory_comes_back_as_it_was(
    store: Repository, there: Repository, kept: Kept
) -> None:
    assert [spec.id for spec in kept.added] == [ONE, OTHER]
    for run in (ONE, OTHER):
        told = [
            each.model_copy(
                update={
                    "nudges": tuple(
                        nudge.model_copy(
                            update={
                                "call": nudge.call.model_copy(
                                    update={"model_asked": "scripted:replies.jsonl"}
                                )
                            }
                        )
                        for nudge in each.nudges
                    )
                }
            )
            for each in store.all_attempts(run)
        ]
        assert there.all_attempts(run) == told
    assert kept.records == {
        "runs": 2,
        "trajectories": 4,
        "calls": 0,
        "turns": 12,
        "nudges": 4,
        "insights": 12,
        "evaluations": 4,
        "verdicts": 12,
        "judgements": 4,
    }


def test_a_run_says_where_it_came_from_and_what_it_was_is_its_senders_word(
    store: Repository, there: Repository, kept: Kept
) -> None:
    run = there.run(ONE)
    assert run.imported == Imported(form="bundle", source="run.zip", sha256=kept.sha256)
    assert (run.is_bundled, run.origin, run.agent_class) == (True, None, "built-in")
    assert run.model is not None
    assert run.model.base_url is None
    assert run.endpoint_allowed is None
    mine = store.run(ONE)
    assert mine.model is not None
    again = {"imported": None, "model": mine.model, "endpoint_allowed": mine.endpoint_allowed}
    assert run.model_copy(update=again) == mine


def test_what_was_made_of_logs_stays_so_however_often_it_travels(
    store: Repository,
    there: Repository,
    settings: Settings,
    their_settings: Settings,
    tmp_path: Path,
) -> None:
    logs = Imported(form="jsonl", source="mine.jsonl", sha256="ab")
    store.add_run(spec("logged", imported=logs))
    first = tmp_path / "a.zip"
    write_bundle([store.run("logged")], store, settings, first, now=START, with_restricted=True)
    keep_bundle(first, there, their_settings)
    run = there.run("logged")
    assert run.agent_class == "undeclared"
    assert (run.origin, run.is_bundled) == (logs, True)
    second = tmp_path / "b.zip"
    write_bundle([run], there, their_settings, second, now=START, with_restricted=True)
    assert parts_of(second)["runs/1/run.jsonl"] == parts_of(first)["runs/1/run.jsonl"]
    assert keep_bundle(second, store, settings).known == [spec("logged", imported=logs)]


def test_no_answer_no_path_no_address_travels(bundle: Bundle) -> None:
    written = bundle()
    for name, content in parts_of(written.path).items():
        for unwanted in (SECRET, "/home/somebody", "10.0.0.7", "it is ours", "http://h"):
            assert unwanted.encode() not in content, name
    told = [each.what for each in written.manifest.left_out]
    assert f"{ONE}: 1 judgements on missed items and the checklist" in told


def test_scores_rest_on_what_is_left_of_the_verdicts(
    store: Repository, there: Repository, kept: Kept
) -> None:
    def what_counts(said: Verdict) -> tuple[object, ...]:
        found = (said.label, said.found_at_turn, said.contradicting_turns, said.gated)
        return (said.item_id, said.level, *found, said.cannot_tell, is_open(said), len(said.votes))

    for each in (f"{ONE}.e1", f"{ONE}.e1.shuffled1"):
        assert [*map(what_counts, there.verdicts(each))] == [
            *map(what_counts, store.verdicts(each))
        ]
    said = {verdict.item_id: verdict for verdict in there.verdicts(f"{ONE}.e1")}
    assert said["q3"].chosen == CANNOT_TELL
    assert said["q2"].votes[0].label == "contradicted"
    assert "left out of the bundle" in (said["q5"].unscored_reason or "")


def test_with_answers_verdicts_and_judgements_come_whole(
    bundle: Bundle, store: Repository, there: Repository, their_settings: Settings
) -> None:
    keep_bundle(bundle(with_answers=True).path, there, their_settings)
    mine, theirs = store.verdicts(f"{ONE}.e1"), there.verdicts(f"{ONE}.e1")
    assert [(v.reason, v.chosen, v.votes) for v in mine] == [
        (v.reason, v.chosen, v.votes) for v in theirs
    ]
    assert Judgements(there, "label").of_run(ONE, PersonLabel) == Judgements(store, "label").of_run(
        ONE, PersonLabel
    )


def test_judgements_come_without_their_notes(there: Repository, kept: Kept) -> None:
    ((subject, who, label),) = Judgements(there, "label").of_run(ONE, PersonLabel)
    assert (subject, who, label.label, label.note) == (f"{ONE}.01.1.1/q1", "ann", "supported", "")
    ((_, _, rating),) = Judgements(there, "rating").of_run(ONE, PersonRating)
    assert (rating.given, rating.note) == (7, "")


def test_a_ranking_travels_with_all_its_runs_or_not_at_all(
    bundle: Bundle, there: Repository, their_settings: Settings, kept: Kept
) -> None:
    (ranking,) = Rankings(there).all()
    assert (ranking.id, ranking.parameters, kept.rankings) == ("k1", {}, ["k1"])
    assert len(Rankings(there).comparisons("k1")) == 1
    left = bundle(ONE, name="one.zip").manifest.left_out
    assert {each.what for each in left} >= {"ranking k1", "ranking k2"}


def test_the_same_bundle_again_changes_nothing(
    bundle: Bundle, there: Repository, their_settings: Settings, kept: Kept
) -> None:
    before = there.run(ONE), there.all_attempts(ONE), there.verdicts(f"{ONE}.e1")
    again = keep_bundle(bundle().path, there, their_settings)
    assert (again.added, [s.id for s in again.known], again.rankings) == ([], [ONE, OTHER], [])
    assert before == (there.run(ONE), there.all_attempts(ONE), there.verdicts(f"{ONE}.e1"))


def test_its_own_bundle_is_known_where_the_run_was_explored(
    bundle: Bundle, store: Repository, settings: Settings
) -> None:
    written = bundle()
    # What came later, here, is no difference: the bundle's records are all still so.
    store.add_evaluation(evaluation(store.run(ONE), f"{ONE}.e2"))
    assert [spec.id for spec in keep_bundle(written.path, store, settings).known] == [ONE, OTHER]
    assert store.run(ONE).imported is None


def test_a_run_of_the_same_id_with_other_records_is_refused_with_the_way_out(
    bundle: Bundle, there: Repository, their_settings: Settings
) -> None:
    mine = spec(OTHER)
    there.add_run(mine)
    begun = there.start_trajectory(draft(mine))
    there.add_turn(begun.id, turn(1, "something else"))
    before = there.all_attempts(OTHER)
    with pytest.raises(UsageError, match=f"(?s)run {OTHER} is here already.*delete {OTHER}"):
        keep_bundle(bundle().path, there, their_settings)
    assert [run.id for run in there.runs()] == [OTHER]
    assert there.all_attempts(OTHER) == before


def test_one_turn_that_differs_is_found(
    bundle: Bundle, store: Repository, settings: Settings
) -> None:
    written = bundle()
    with store.driving() as driver:
        driver.execute(
            "UPDATE turns SET body = replace(body, 'turn 2', 'turn two') WHERE trajectory_id = ?",
            (f"{ONE}.02.1.1",),
        )
    with pytest.raises(UsageError, match=rf"turns {ONE}\.02\.1\.1 2 is another one here"):
        keep_bundle(written.path, store, settings)


def test_an_evaluation_of_another_run_with_its_id_is_refused(
    bundle: Bundle, there: Repository, their_settings: Settings
) -> None:
    mine = spec("mine")
    there.add_run(mine)
    there.add_evaluation(evaluation(mine, f"{ONE}.e1"))
    with pytest.raises(UsageError, match=f"evaluations {ONE}.e1 .* of another run"):
        keep_bundle(bundle().path, there, their_settings)
    assert [run.id for run in there.runs()] == ["mine"]


def test_a_run_that_goes_on_is_bundled_as_far_as_it_is(
    store: Repository,
    there: Repository,
    settings: Settings,
    their_settings: Settings,
    tmp_path: Path,
) -> None:
    run = spec("open")
    store.add_run(run)
    begun = store.start_trajectory(draft(run))
    store.add_turn(begun.id, turn(1))
    store.add_insight(insight(begun.id, 1))
    path = tmp_path / "open.zip"
    written = write_bundle([run], store, settings, path, now=START, with_restricted=True)
    assert "open: the rest of 1 trajectories" in [each.what for each in written.manifest.left_out]
    keep_bundle(path, there, their_settings)
    (head,) = there.heads("open")
    assert head.stop_reason is None


def test_the_list_names_every_file_its_code_and_its_store(bundle: Bundle) -> None:
    written = bundle()
    parts = parts_of(written.path)
    listed = json.loads(parts[MANIFEST])
    assert set(parts) - {MANIFEST} == {file["name"] for file in listed["files"]}
    assert {f"runs/2/{part}.jsonl" for part in PARTS} <= set(parts)
    assert (listed["format"], listed["version"]) == ("ddr-bundle", 1)
    assert listed["code_revision"]
    assert listed["store_schema"] >= 5
    assert written.path.stat().st_mode & 0o777 == 0o600


def test_the_same_records_make_the_same_parts(bundle: Bundle) -> None:
    first, second = bundle(name="a.zip"), bundle(name="b.zip")
    assert first.sha256 == second.sha256


def test_restricted_data_travel_only_where_that_is_said(bundle: Bundle, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--with-restricted"):
        bundle(with_restricted=False)
    assert not (tmp_path / "run.zip").exists()
    assert bundle().manifest.restricted == ("small",)


def test_a_scripted_model_is_named_without_its_folder(bundle: Bundle) -> None:
    verdicts = parts_of(bundle().path)["runs/1/verdicts.jsonl"].decode()
    assert "scripted:replies.jsonl" in verdicts
    assert SCRIPT not in verdicts


def test_a_run_that_goes_on_from_another_travels_with_it(
    store: Repository,
    there: Repository,
    settings: Settings,
    their_settings: Settings,
    tmp_path: Path,
) -> None:
    whole = Continued(entity_id="01", trial=1, trajectory_id=f"{ONE}.01.1.1")
    run = spec("further", continues=Continuation(run_id=ONE, trajectories=(whole,)))
    store.add_run(run)
    path = tmp_path / "further.zip"
    with pytest.raises(UsageError, match=f"goes on from run {ONE}: name both"):
        write_bundle([run], store, settings, path, now=START, with_restricted=True)
    both = [run, store.run(ONE)]
    write_bundle(both, store, settings, path, now=START, with_restricted=True)
    keep_bundle(path, there, their_settings)
    assert there.run("further").continues == run.continues


def test_a_run_of_this_home_is_ranked_by_nobody_elses_word(
    bundle: Bundle, store: Repository, settings: Settings, tmp_path: Path
) -> None:
    """ONE was explored here; OTHER, which is new here, comes with a ranking that says it is better."""
    path = bundle().path
    for name in ("k1", "k2"):
        with store.driving() as driver:
            driver.execute("DELETE FROM rankings WHERE id = ?", (name,))
    store.delete_run(OTHER)
    kept = keep_bundle(path, store, settings)
    assert [spec.id for spec in kept.added] == [OTHER]
    assert (kept.rankings, Rankings(store).all()) == ([], [])
    assert f"ranks {ONE}, a run of this home" in kept.notes[0]
