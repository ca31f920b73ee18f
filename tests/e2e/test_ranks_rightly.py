"""The more a profiler may ask the higher it stands, and a reward knows whose report it is."""

from __future__ import annotations

import random
from pathlib import Path
from statistics import fmean

import pytest

from bench.answered import Answers
from bench.limited import Field, shares
from bench.ranks_rightly import SURE, probability_better
from core.run import Limits
from evaluator.baselines import shuffled
from evaluator.reward import Terms, score
from server.store import open_store
from tests.e2e.twins import Twin

SMALL = {"seed": "e2e", "entities": 14, "rows": 7000}
FOUND = Terms(contradiction=0.0, untraced=0.0, length=0.0)


@pytest.mark.real
def test_profilers_stand_in_the_order_of_what_they_may_ask(tmp_path: Path) -> None:
    field = Field("incidents", SMALL)
    answers: Answers = {}
    limits = (2, 5, None)
    found = [shares(field, tmp_path, m, answers=answers, tell=lambda text: None) for m in limits]
    means = [fmean(each.values()) for each in found]
    assert means == sorted(means), means
    ids, draw = sorted(found[0]), random.Random(1)
    for one, other in ((found[0], found[1]), (found[1], found[2])):
        assert probability_better(one, other, ids, draw) >= SURE, means
    assert not list(tmp_path.glob("ranked-*.sqlite3"))


@pytest.mark.real
def test_the_reward_of_anothers_report_is_about_nothing(tmp_path: Path) -> None:
    twin = Twin.built(tmp_path, "incidents", "incidents-rewarded", **SMALL)
    checklist, entities = twin.checklist(), twin.scenario.entities()
    ids = [entity.id for entity in entities[:8]]
    with open_store(tmp_path / "rewarded.sqlite3") as store:
        spec = twin.explored(store, ids, Limits())
        own = store.trajectories(spec.id)
    unmeasured = Terms(length=0.0)
    rewards = [
        score(each, checklist.items, entities=entities, terms=unmeasured).value for each in own
    ]
    shares_of = [score(each, checklist.items, entities=entities, terms=FOUND).value for each in own]
    others = [
        score(each, checklist.items, entities=entities, terms=FOUND).value
        for row in shuffled(own, entities, seed=3, derangements=2)
        for each in row
    ]
    assert None not in rewards and None not in shares_of and None not in others
    mine, theirs = fmean(x or 0.0 for x in shares_of), fmean(x or 0.0 for x in others)
    assert mine >= 0.4 and theirs <= 0.1, (mine, theirs)
    # A profiler states what it saw: tracing its numbers costs it little.
    assert fmean(x or 0.0 for x in rewards) >= mine - 0.2, (rewards, shares_of)
