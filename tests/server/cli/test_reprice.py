"""`ddr reprice` computes costs from stored tokens, in every role, to the last digit."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.evaluation import Vote
from core.trajectory import ModelCall, Nudge, StopReason, Usage
from evaluator.interviewing import summed
from server.store import Repository, open_store
from tests.server.cli.conftest import Ddr
from tests.server.support import START, draft, evaluation, insight, spec, turn, verdict

PRICES = """
[models."openai/x"]
input = 3.0
cached = 0.3
cache_write = 3.75
output = 15.0
"""


def call(role: str, *, model: str = "openai/x", **tokens: int | None) -> ModelCall:
    usage = Usage(**{"input_tokens": 2000, "output_tokens": 0, **tokens}, cost_reason="no price")
    return ModelCall.model_validate(
        {
            "role": role,
            "model_asked": model,
            "usage": usage,
            "started_at": START,
            "duration_s": 1.0,
        }
    )


def keep(store: Repository) -> str:
    run = spec()
    store.add_run(run)
    only = store.start_trajectory(draft(run))
    # F32 b: 2000 tokens, of which 500 were read from a cache and 300 written to one.
    cached = call("agent", cached_input_tokens=500, cache_write_tokens=300)
    store.add_turn(only.id, turn(1).model_copy(update={"call": cached}))
    store.add_nudge(only.id, Nudge(after_turn=1, text="hm", call=call("agent")))
    store.add_insight(insight(only.id, 1).model_copy(update={"call": call("insight")}))
    store.end_trajectory(only.id, StopReason.FINISHED, ended_at=START)
    store.add_evaluation(evaluation(run))
    unknown = call("checker", model="other/y")
    store.add_verdicts(
        [
            verdict(only.id, "q1", call=call("checker")),
            verdict(only.id, "q2", call=unknown),
            verdict(only.id, "q3"),
        ]
    )
    return run.id


@pytest.fixture
def prices(tmp_path: Path) -> Path:
    path = tmp_path / "prices.toml"
    path.write_text(PRICES, "utf-8")
    return path


def test_every_stored_call_has_its_cost_anew(ddr: Ddr, home: Path, prices: Path) -> None:
    with open_store(home / "store.sqlite3") as store:
        run_id = keep(store)
    done = ddr("reprice", "last", "--prices", str(prices), "--json")
    assert done.code == 0, done.err
    roles = done.json["roles"]
    assert roles["agent"]["usage"]["cost_usd"] == pytest.approx(0.004875 + 0.006, abs=1e-9)
    assert roles["insight"]["usage"]["cost_usd"] == pytest.approx(0.006, abs=1e-9)
    assert roles["checker"]["usage"]["cost_usd"] is None
    assert roles["checker"]["usage"]["cost_reason"] == "no price"
    with open_store(home / "store.sqlite3") as store:
        (only,) = store.trajectories(run_id)
        verdicts = store.verdicts("e1")
    assert only.usage(None).cost_usd == pytest.approx(0.016875, abs=1e-9)
    assert {c.price_table_hash for c in only.calls} == {done.json["price_table_hash"]}
    judged = [v.call.usage.cost_usd if v.call else None for v in verdicts]
    assert judged == [pytest.approx(0.006, abs=1e-9), None, None]


def test_each_vote_of_a_panel_has_its_own_price(ddr: Ddr, home: Path, tmp_path: Path) -> None:
    one, other = call("checker"), call("checker", model="other/y")
    votes = tuple(
        Vote(judge=each.model_asked, label="supported", call=each) for each in (one, other)
    )
    with open_store(home / "store.sqlite3") as store:
        run = spec()
        store.add_run(run)
        only = store.start_trajectory(draft(run))
        store.end_trajectory(only.id, StopReason.FINISHED, ended_at=START)
        store.add_evaluation(evaluation(run))
        store.add_verdicts([verdict(only.id, votes=votes, call=summed([one, other]))])
    prices = tmp_path / "prices.toml"
    prices.write_text(PRICES + '[models."other/y"]\ninput = 1.0\noutput = 1.0\n', "utf-8")
    done = ddr("reprice", "last", "--prices", str(prices), "--json")
    assert done.json["calls"] == 2
    with open_store(home / "store.sqlite3") as store:
        (priced,) = store.verdicts("e1")
    costs = [each.usage.cost_usd for each in priced.calls]
    assert costs == [pytest.approx(0.006), pytest.approx(0.002)]
    assert priced.call is not None
    assert priced.call.usage.cost_usd == pytest.approx(0.008)


def test_a_table_that_cannot_be_read_changes_nothing(ddr: Ddr, home: Path, tmp_path: Path) -> None:
    with open_store(home / "store.sqlite3") as store:
        run_id = keep(store)
        before = [t.model_dump_json() for t in store.trajectories(run_id)]
    (tmp_path / "bad.toml").write_text("[models.x]\ninput = 1\n", "utf-8")
    done = ddr("reprice", "last", "--prices", str(tmp_path / "bad.toml"))
    assert done.code == 2
    assert "models.x.output" in done.err
    with open_store(home / "store.sqlite3") as store:
        assert [t.model_dump_json() for t in store.trajectories(run_id)] == before
