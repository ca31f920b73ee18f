"""`ddr rank`: real questions over HTTP, both orders, forfeits, resume after a kill, and what is told."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.ranking import Comparison
from core.run import ModelSpec
from core.trajectory import StopReason
from databases.catalog import InstalledScenario
from server.store import Repository, open_store
from server.store.rankings import Rankings, key_of
from tests.server.cli.conftest import Ddr, Done
from tests.server.support import START, draft, insight, spec, turn
from tests.support.endpoint import Request, ScriptedEndpoint, Status, Step, say

pytestmark = pytest.mark.real  # whole runs, judged

CARRIERS = ("01", "02", "03", "04", "05", "06")
RUNS = ("20260131-flights-aa", "20260131-flights-bb", "20260131-flights-cc")
WORTH = {RUNS[0]: "deep", RUNS[1]: "fair", RUNS[2]: "thin"}


def text_of(run_id: str, carrier: str, number: int) -> str:
    return f"A {WORTH[run_id]} thing, number {number}, of {carrier}; seen by model-{run_id[-2:]}."


@pytest.fixture
def three(built_home: Path, flights: InstalledScenario, ddr: Ddr) -> Path:
    """Three evaluated runs over six carriers; the third has nothing of carrier 06, nor has the
    second of 05 and 06; carrier 01 broke down for the third."""
    with open_store(built_home / "store.sqlite3") as store:
        for run_id in RUNS:
            model = ModelSpec(provider="openai", name=f"model-{run_id[-2:]}")
            run = spec(
                run_id,
                scenario_id="flights",
                scenario_fingerprint=flights.scenario.fingerprint,
                entity_ids=CARRIERS,
                agent="react",
                model=model,
            )
            store.add_run(run)
            for carrier in CARRIERS:
                explore(store, run_id, carrier, model.name)
    for run_id in RUNS:
        done = ddr("evaluate", run_id, "--baselines", "none", "--json")
        assert done.code == 0, done.err
    return built_home


def explore(store: Repository, run_id: str, carrier: str, model: str) -> None:
    mine = store.start_trajectory(draft(store.run(run_id), carrier, model=model))
    silent = (run_id, carrier) in {(RUNS[2], "06"), (RUNS[1], "06"), (RUNS[1], "05")}
    for number in (1, 2):
        store.add_turn(mine.id, turn(number))
        text = None if silent else text_of(run_id, carrier, number)
        store.add_insight(insight(mine.id, number, text))
    broken = (run_id, carrier) == (RUNS[2], "01")
    why = StopReason.PROVIDER_ERROR if broken else StopReason.FINISHED
    store.end_trajectory(mine.id, why, ended_at=START)


def sets_of(request: Request) -> tuple[str, str]:
    """The two sets as the judge is shown them."""
    parts = re.split(r"^=====.*=====$", request.text, flags=re.MULTILINE)
    return parts[1], parts[3]


def fair(request: Request) -> Step:
    """Prefers what is deep to what is fair to what is thin."""
    order = ("thin", "fair", "deep")
    worth = [max(n for n, word in enumerate(order) if word in each) for each in sets_of(request)]
    winner = "tie" if worth[0] == worth[1] else ("first" if worth[0] > worth[1] else "second")
    return say(json.dumps({"reason": "as planted", "winner": winner}))


def always(winner: str) -> Callable[[Request], Step]:
    return lambda _: say(json.dumps({"reason": "", "winner": winner}))


def ranked(
    ddr: Ddr, script: Callable[[Request], Step], *options: str
) -> tuple[Done, list[Request]]:
    with ScriptedEndpoint(script) as endpoint:
        done = ddr("rank", *RUNS, "--judge", "openai/judge", "--base-url", endpoint.openai_url,
                   "--json", *options)  # fmt: skip
        return done, list(endpoint.requests)


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")


def stored(home: Path, ranking: str = "k1") -> list[Comparison]:
    with open_store(home / "store.sqlite3") as store:
        return Rankings(store).comparisons(ranking)


def by_name(told: Any) -> dict[str, Any]:
    return {each["competitor"].removeprefix("openai/model-"): each for each in told["ratings"]}


def test_the_useful_run_comes_out_first(ddr: Ddr, three: Path) -> None:
    done, requests = ranked(ddr, fair)
    assert done.code == 0, done.err
    told = done.json
    ratings = by_name(told)
    assert [ratings[name]["rank"] for name in ("aa", "bb", "cc")] == [1, 2, 3]
    # aa-bb on 4 carriers, aa-cc on 4, bb-cc on 3, both orders each; the rest is forfeits.
    assert len(requests) == 2 * (4 + 4 + 3) == told["comparisons"]
    assert (ratings["aa"]["forfeits_won"], ratings["bb"]["forfeits_lost"]) == (3, 3)
    assert (ratings["cc"]["forfeits_won"], ratings["cc"]["forfeits_lost"]) == (1, 1)
    assert told["both_empty"] == 1
    assert told["left_out"] == {"provider_error": 1}
    assert told["flip_rate"] == 0
    assert told["first_slot"]["value"] == 0.5
    assert ratings["aa"]["note"] == "no losses: unbounded above"
    assert told["prior"]
    assert told["accuracy"]["message"]["n"] == 3
    assert told["judges_asked"] == ["openai/judge"]


def test_nobody_is_shown_whose_insights_they_are(ddr: Ddr, three: Path) -> None:
    _, requests = ranked(ddr, fair)
    for request in requests:
        assert "[name]" in request.text
        assert not re.search(r"model-(aa|bb|cc)", request.text)
        assert "20260131" not in request.text
        assert "[Turn" not in request.text


def test_f45_a_judge_of_the_first_slot_ranks_nobody(ddr: Ddr, three: Path) -> None:
    done, _ = ranked(ddr, always("first"))
    told = done.json
    assert told["flip_rate"] == 1.0
    assert told["first_slot"]["value"] == 1.0
    games = [c for c in stored(three) if not c.is_forfeit]
    assert {c.winner for c in games} == {"left", "right"}
    wins = sum(each["wins"] for each in told["ratings"])
    assert wins == sum(each["forfeits_won"] for each in told["ratings"]), "all else are ties"


def test_what_cannot_be_read_is_missing_and_counted(ddr: Ddr, three: Path) -> None:
    def garbled(request: Request) -> Step:
        return say("I like both.") if "of 02" in request.text else fair(request)

    done, requests = ranked(ddr, garbled)
    assert done.code == 0, done.err
    reason = "unreadable: no JSON object with the key 'winner'"
    assert done.json["unscored"] == {reason: 6}
    assert done.json["pairs_in_both_orders"] == 11 - 3
    assert len(requests) == 22 + 6, "each of them was asked for once more"
    again, none = ranked(ddr, fair)
    assert (again.json["unscored"], none) == ({reason: 6}, [])


def test_another_method_asks_nobody_anew(ddr: Ddr, three: Path) -> None:
    first, _ = ranked(ddr, fair)
    for method in ("half-win", "order"):
        done, requests = ranked(ddr, fair, "--method", method)
        assert requests == []
        assert done.json["ranking"] == first.json["ranking"] == "k1"
        assert done.json["method"] == method
    assert done.json["order"]["value"] == pytest.approx(0, abs=1e-6)
    afresh, requests = ranked(ddr, fair, "--afresh")
    assert (afresh.json["ranking"], len(requests)) == ("k2", 22)


def test_protocol_ddr_asks_one_random_order_and_counts_half_wins(ddr: Ddr, three: Path) -> None:
    done, requests = ranked(ddr, fair, "--protocol", "ddr")
    told = done.json
    assert (told["protocol"], told["method"], len(requests)) == ("ddr", "half-win", 11)
    assert told["flip_rate"] is None
    shown = {c.shown_first for c in stored(three) if not c.is_forfeit}
    assert shown == {"left", "right"}
    wrong, _ = ranked(ddr, fair, "--protocol", "ddr", "--method", "davidson")
    assert (wrong.code, "rates by half wins" in wrong.err) == (2, True)


def test_two_judges_are_told_apart_and_their_agreement_is(ddr: Ddr, three: Path) -> None:
    def both(request: Request) -> Step:
        return always("first")(request) if request.model == "other" else fair(request)

    done, requests = ranked(ddr, both, "--judge", "openai/other")
    told = done.json
    assert len(requests) == 44
    assert told["judges_asked"] == ["openai/judge", "openai/other"]
    (pair,) = told["agreement"]
    assert (pair["alike"], pair["of"]) == (0, 11)
    assert told["flip_rate"] == 0.5


def test_adaptive_asks_each_pair_once_where_a_quarter_is_less(ddr: Ddr, three: Path) -> None:
    done, requests = ranked(ddr, fair, "--pairs", "adaptive")
    assert done.code == 0, done.err
    assert len(requests) == 2 * 3
    again, none = ranked(ddr, fair, "--pairs", "adaptive")
    assert none == []
    assert again.json["ratings"] == done.json["ratings"]


def test_length_matched_sets_are_cut_to_whole_insights(ddr: Ddr, three: Path) -> None:
    with open_store(three / "store.sqlite3") as store:
        run = store.run(RUNS[0])
        trajectory = next(t for t in store.trajectories(run.id) if t.entity_id == "02")
        for number in range(3, 9):
            late = insight(trajectory.id, 1, text_of(RUNS[0], "02", number))
            store.add_late_insight(late)
    changed, _ = ranked(ddr, fair)
    assert changed.code == 2
    assert "has changed since" in changed.err
    assert ddr("evaluate", RUNS[0], "--baselines", "none").code == 0
    done, _ = ranked(ddr, fair, "--length-matched")
    assert done.code == 0, done.err
    mine = [c for c in stored(three) if c.entity_id == "02" and c.left == RUNS[0]]
    assert {(c.left_insights, c.right_insights) for c in mine} == {(2, 2)}
    whole, _ = ranked(ddr, fair)
    assert whole.json["ranking"] == "k2"
    mine = [c for c in stored(three, "k2") if c.entity_id == "02" and c.left == RUNS[0]]
    assert {(c.left_insights, c.right_insights) for c in mine} == {(8, 2)}


def test_a_judge_that_fails_for_good_leaves_what_was_said(ddr: Ddr, three: Path) -> None:
    def dies(request: Request) -> Step:
        return fair(request) if request.number <= 5 else Status(401)

    broken, _ = ranked(ddr, dies, "--concurrency", "1")
    assert broken.code == 1
    assert "The comparisons so far are kept; the same command goes on" in broken.err
    before = [c for c in stored(three) if not c.is_forfeit]
    assert len(before) == 5
    done, requests = ranked(ddr, fair)
    assert (done.code, len(requests)) == (0, 22 - 5)
    assert all(each in stored(three) for each in before)


def test_killed_and_resumed_no_pair_is_asked_twice(ddr: Ddr, three: Path) -> None:
    def slow(request: Request) -> Step:
        return say(fair(request).text, latency_s=0.15)  # type: ignore[union-attr]

    with ScriptedEndpoint(slow) as endpoint:
        command = ("rank", *RUNS, "--judge", "openai/judge", "--base-url", endpoint.openai_url,
                   "--concurrency", "2", "--json")  # fmt: skip
        work = subprocess.Popen(
            [sys.executable, "-m", "server.cli.main", *command],
            env={**os.environ, "DDR_HOME": str(three)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=Path(__file__).parents[3],
        )
        end = time.monotonic() + 60
        while len(endpoint.requests) < 7 and time.monotonic() < end:
            time.sleep(0.01)
        work.send_signal(signal.SIGKILL)
        work.wait()
        before = [c for c in stored(three) if not c.is_forfeit]
        assert 0 < len(before) < 22
        assert ddr(*command).code == 0
        asked = [request.messages[-1].text for request in endpoint.requests]
    assert len(set(asked)) == 22
    assert len(asked) - 22 <= 2, "at most what was under way at the kill"
    after = stored(three)
    assert all(each in after for each in before)
    assert len({key_of(each) for each in after}) == len(after) == 22 + 4


def test_what_is_not_comparable_is_refused_unless_it_is_wanted(
    ddr: Ddr, three: Path, tmp_path: Path
) -> None:
    script = tmp_path / "judge.jsonl"
    no = {"label": "insufficient", "supporting_turns": [], "contradicting_turns": [], "quote": ""}
    script.write_text(json.dumps({"text": json.dumps(no), "repeat": True}), "utf-8")
    other = ddr(
        "evaluate", RUNS[1], "--judge", f"scripted:{script}", "--baselines", "none", "--json"
    )
    assert other.code in (0, 1), other.err
    refused, requests = ranked(ddr, fair)
    assert (refused.code, requests) == (2, [])
    assert "checker" in refused.err
    assert "--although-different" in refused.err
    named, _ = ranked(ddr, fair, "--evaluation", f"{RUNS[1]}.e1")
    assert named.code == 0, named.err
    wanted, _ = ranked(ddr, fair, "--although-different")
    assert wanted.code == 0, wanted.err
    assert any("checker" in each for each in wanted.json["although"])


def test_a_deleted_run_takes_its_rankings_along(ddr: Ddr, three: Path) -> None:
    ranked(ddr, fair)
    with ScriptedEndpoint(fair) as endpoint:
        two = ("rank", *RUNS[:2], "--judge", "openai/judge", "--base-url", endpoint.openai_url)
        assert ddr(*two, "--json").json["ranking"] == "k2"
    assert ddr("delete", RUNS[2], "--yes").code == 0
    with open_store(three / "store.sqlite3") as store:
        assert [k.id for k in Rankings(store).all()] == ["k2"]
        assert Rankings(store).comparisons("k1") == []
        assert Rankings(store).comparisons("k2")


def test_an_estimate_asks_nobody(ddr: Ddr, three: Path, tmp_path: Path) -> None:
    estimate, requests = ranked(ddr, fair, "--estimate")
    assert (estimate.code, requests) == (0, [])
    found = estimate.json["estimates"]["openai/judge"]
    assert (found["calls"], found["basis"]) == (22, "assumed")
    assert stored(three) == []
    ranked(ddr, fair)
    after, _ = ranked(ddr, fair, "--estimate")
    assert after.json["estimates"]["openai/judge"]["calls"] == 0


def test_the_table_tells_all_that_may_have_swayed_it(ddr: Ddr, three: Path) -> None:
    with ScriptedEndpoint(fair) as endpoint:
        done = ddr("rank", *RUNS, "--judge", "openai/gpt-judge", "--base-url", endpoint.openai_url)
    assert done.code == 0, done.err
    for told in (
        "ranking k1: usefulness of novel insights on",
        "beats next",
        "flip rate 0.00: of 11 pairs in both orders",
        "shown first won 11/22",
        "prior: a ridge of 0.01",
        "no losses: unbounded above",
        "1 pair left out: neither had anything novel",
        "1 trajectory left out: provider_error",
        "strength and message-wise accuracy",
    ):
        assert told in done.out, told


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((RUNS[0], "--judge", "openai/x"), "two runs at least"),
        ((RUNS[0], RUNS[0], "--judge", "openai/x"), "two runs at least"),
        (RUNS, "give --judge"),
        ((*RUNS, "--judge", "openai/x", "--method", "elo"), "known: davidson, half-win, order"),
        ((*RUNS, "--judge", "openai/x", "--pairs", "some"), "known: adaptive, all"),
        ((*RUNS, "--judge", "openai/x", "--evaluation", "e9"), "no evaluation 'e9'"),
        ((*RUNS, "--judge", "openai/x", "--concurrency", "0"), "give 1 or more"),
        ((*RUNS, "--judge", "openai/x", "--protocol", "dd"), "did you mean 'ddr'?"),
    ],
)
def test_what_cannot_be_ranked_is_refused(
    ddr: Ddr, three: Path, options: tuple[str, ...], said: str
) -> None:
    done = ddr("rank", *options)
    assert done.code == 2, done.out
    assert said in done.err


def test_a_run_without_an_evaluation_says_what_to_do(
    ddr: Ddr, three: Path, flights: InstalledScenario
) -> None:
    with open_store(three / "store.sqlite3") as store:
        store.add_run(
            spec(
                "20260131-flights-dd",
                scenario_id="flights",
                scenario_fingerprint=flights.scenario.fingerprint,
            )
        )
    done = ddr("rank", RUNS[0], "20260131-flights-dd", "--judge", "openai/x")
    assert done.code == 2
    assert "evaluate 20260131-flights-dd" in done.err


def test_people_who_voted_blind_are_held_against_the_judge_and_move_no_rating(
    ddr: Ddr, three: Path
) -> None:
    before, _ = ranked(ddr, fair)
    with open_store(three / "store.sqlite3") as store:
        ranking = Rankings(store).all()[0]
        pair = (RUNS[0], RUNS[1]) if RUNS[0] < RUNS[1] else (RUNS[1], RUNS[0])
        theirs = ranking.model_copy(
            update={
                "id": "people-1",
                "by": "people",
                "run_ids": pair,
                "evaluations": {run: ranking.evaluations[run] for run in pair},
                "judges_asked": (),
                "orders": "one",
            }
        )
        Rankings(store).add(theirs)
        asked = next(
            each
            for each in Rankings(store).comparisons(ranking.id)
            if (each.left, each.right) == pair and not each.is_forfeit
        )
        said = asked.model_copy(
            update={"ranking_id": theirs.id, "judge": "ann", "call": None, "reason": ""}
        )
        Rankings(store).add_comparison(said)
    after, requests = ranked(ddr, fair)
    assert after.code == 0, after.err
    assert requests == []
    assert after.json["ranking"] == "k1"
    assert after.json["ratings"] == before.json["ratings"]
    assert after.json["people"] == {"ann (person)": 1}
    assert after.json["agreement"] == [
        {"judges": ["ann (person)", "openai/judge"], "alike": 1, "of": 1}
    ]
