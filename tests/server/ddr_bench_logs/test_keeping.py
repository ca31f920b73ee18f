"""A folder of logs becomes one run in the store, whole or not at all."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from core.errors import LogError, ScenarioError, StoreError
from core.run import ModelSpec
from core.trajectory import StopReason
from databases.catalog import InstalledScenario, open_scenario
from server.ddr_bench_logs.keeping import Kept, keep_logs
from server.judged import own_evaluations
from server.store import Repository, open_store
from server.store.attempts import to_do
from tests.server.ddr_bench_logs.written import Log, usual
from tests.server.support import START


@pytest.fixture
def store(tmp_path: Path) -> Repository:
    return open_store(tmp_path / "store.sqlite3")


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    return tmp_path / "logs"


def kept(logs: Path, flights: InstalledScenario, store: Repository, **more: object) -> Kept:
    return keep_logs(logs, flights, store, now=START, **more)  # type: ignore[arg-type]


def test_sessions_of_an_entity_are_its_attempts_and_the_last_one_counts(
    logs: Path, flights: InstalledScenario, store: Repository
) -> None:
    for stamp, text in (("1", "first"), ("3", "third"), ("2", "second")):
        log = Log().call("I look.", "SELECT 1", {}, f"the {text}").finish(f"FINISH: {text}")
        log.write(logs / "company_01", f"20260131_00000{stamp}")
    told = kept(logs, flights, store)
    attempts = store.all_attempts(told.spec.id)
    assert [each.report for each in attempts] == ["first", "second", "third"]
    assert [each.attempt for each in attempts] == [1, 2, 3]
    (counting,) = store.trajectories(told.spec.id)
    assert [insight.text for insight in counting.message_insights] == ["the third"]
    assert (told.sessions, told.stop_reasons) == (3, {"finished": 1})
    assert to_do(told.spec, attempts, retry_errors=False) == []


def test_every_part_has_an_id_of_its_own_and_keeps_its_call(
    logs: Path, flights: InstalledScenario, store: Repository
) -> None:
    usual().write(logs / "01")
    told = kept(logs, flights, store, model=ModelSpec(provider="openai", name="gpt-x"))
    (only,) = store.trajectories(told.spec.id)
    ids = [insight.id for insight in only.insights]
    assert ids == [f"{only.id}.i{number}" for number in range(1, 5)]
    assert {insight.author for insight in only.insights} == {"openai/gpt-x"}
    roles = [call.role for call in only.calls]
    assert sorted(roles) == ["agent"] * 6 + ["insight"] * 3
    assert {call.model_asked for call in only.calls} == {"openai/gpt-x"}
    assert only.usage("agent").output_tokens == 6 * 7
    assert only.usage("insight").output_tokens is None
    assert [nudge.after_turn for nudge in only.nudges] == [3]
    assert only.scenario_fingerprint == flights.scenario.fingerprint
    assert own_evaluations(store.evaluations(told.spec.id)) == []


def test_a_summary_that_failed_is_kept_as_a_failed_call(
    logs: Path, flights: InstalledScenario, store: Repository
) -> None:
    Log().call("I look.", "SELECT 1", {}).forced_in_vain("no route").write(logs / "01")
    told = kept(logs, flights, store)
    (only,) = store.trajectories(told.spec.id)
    assert (only.stop_reason, only.report_forced) == (StopReason.MAX_TURNS, True)
    (failed,) = only.failed_calls
    assert (failed.role, failed.error) == ("report", "no summary: no route")
    assert told.notes == ("01 20260131_120000: no summary: no route",)


def test_whoever_has_no_log_is_told_and_belongs_to_the_run_where_all_do(
    logs: Path, flights: InstalledScenario, store: Repository
) -> None:
    usual().write(logs / "03")
    usual().write(logs / "plane_03x")
    some = kept(logs, flights, store)
    assert some.spec.entity_ids == ("03",)
    assert len(some.missing) == 15
    assert some.strangers == ("plane_03x",)
    everybody = kept(logs, flights, store, everybody=True)
    assert len(everybody.spec.entity_ids) == 16
    assert everybody.spec.id != some.spec.id
    assert everybody.as_json()["entities_without_log"] == list(everybody.missing)


@pytest.mark.parametrize(
    ("tools", "hands"),
    [
        (("execute_query", "describe_table"), "sql"),
        (("execute_code", "list_files"), "python"),
        (("execute_code", "execute_query"), "both"),
    ],
)
def test_the_hands_are_those_that_were_used(
    logs: Path, flights: InstalledScenario, store: Repository, tools: tuple[str, ...], hands: str
) -> None:
    log = Log()
    for tool in tools:
        log.call("I look.", "1", {}, tool=tool)
    log.finish("FINISH: so").write(logs / "01")
    assert kept(logs, flights, store).spec.tools == hands


def test_one_broken_session_leaves_nothing_of_any(
    logs: Path, flights: InstalledScenario, store: Repository
) -> None:
    usual().write(logs / "01")
    usual().write(logs / "02")
    (broken,) = (logs / "02").glob("session_stats*")
    broken.write_text("[]", encoding="utf-8")
    with pytest.raises(LogError, match="one object belongs here"):
        kept(logs, flights, store)
    assert store.runs() == []


def test_a_store_that_fails_on_the_way_keeps_nothing(
    logs: Path, flights: InstalledScenario, store: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual().write(logs / "01")
    usual().write(logs / "02")
    ended: list[str] = []
    before = Repository.end_trajectory

    def failing(self: Repository, trajectory_id: str, *rest: object, **more: object) -> None:
        ended.append(trajectory_id)
        if len(ended) == 2:
            raise StoreError("the disk is full")
        before(self, trajectory_id, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Repository, "end_trajectory", failing)
    with pytest.raises(StoreError, match="the disk is full"):
        kept(logs, flights, store)
    assert len(ended) == 2
    assert store.runs() == []


def test_a_scenario_that_is_not_built_is_refused_before_a_log_is_read(
    logs: Path, tmp_path: Path, store: Repository
) -> None:
    with pytest.raises(ScenarioError, match="not built"):
        kept(logs, open_scenario("flights", tmp_path / "nowhere"), store)


def test_progress_goes_from_nothing_to_all(
    logs: Path, flights: InstalledScenario, store: Repository
) -> None:
    for name in ("01", "02", "03"):
        usual().write(logs / name)
    told: list[tuple[str, float]] = []
    kept(logs, flights, store, progress=lambda what, share: told.append((what, share)))
    shares = [share for _, share in told]
    assert shares == sorted(shares)
    assert {what.split()[0] for what, _ in told} == {"reading", "keeping"}


def test_sixteen_long_sessions_are_kept_in_seconds(
    logs: Path, flights: InstalledScenario, store: Repository
) -> None:
    for number in range(1, 17):
        log = Log()
        for turn in range(60):
            log.call("I look. " * 50, f"SELECT {turn}", {"rows": ["x" * 2000]}, "It is so.")
        log.finish("FINISH: so").write(logs / f"company_{number:02}")
    began = time.process_time()
    told = kept(logs, flights, store)
    assert (told.turns, told.insights) == (960, 960)
    assert time.process_time() - began < 20
