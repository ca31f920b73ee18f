"""Rankings are kept with each comparison as it comes, and go with the runs that they name."""

from __future__ import annotations

import pytest

from core.errors import StoreError
from core.ranking import Ranking
from server.store import Repository
from server.store.rankings import Rankings, key_of
from tests.evaluator.rating.games import compared, forfeit
from tests.server.support import START, spec


def ranking(name: str, *runs: str) -> Ranking:
    return Ranking(
        id=name,
        scenario_id="small",
        run_ids=runs,
        evaluations={run: f"{run}.e1" for run in runs},
        judges_asked=("openai/x",),
        prompt_hash="f00d",
        created_at=START,
    )


def test_a_ranking_comes_back_as_it_was_kept(store: Repository) -> None:
    kept = Rankings(store)
    kept.add(ranking("k1", "a", "b"))
    kept.add(ranking("k2", "a", "c"))
    served = ranking("k1", "a", "b").model_copy(update={"judges_served": ("x-1",)})
    kept.amend(served)
    assert kept.all() == [served, ranking("k2", "a", "c")]
    with pytest.raises(StoreError, match="k1 is stored already"):
        kept.add(ranking("k1", "a", "b"))
    with pytest.raises(StoreError, match="no ranking k9"):
        kept.amend(ranking("k9", "a", "b"))


def test_a_pair_is_kept_once_for_each_order_and_judge(store: Repository) -> None:
    kept = Rankings(store)
    kept.add(ranking("k", "a", "b"))
    one = compared("a", "b", "left", "left")
    different = [
        one,
        compared("a", "b", "tie", "right"),
        compared("a", "b", "left", "left", judge="other"),
        compared("a", "b", "left", "left", entity="e1"),
        one.model_copy(update={"trial": 2}),
        forfeit("a", "b", "e7"),
    ]
    for each in different:
        kept.add_comparison(each)
    found = kept.comparisons("k")
    assert sorted(map(key_of, found)) == sorted(map(key_of, different))
    assert one in found
    with pytest.raises(StoreError, match="was compared in this order by this judge"):
        kept.add_comparison(one.model_copy(update={"winner": "tie"}))
    assert kept.comparisons("k") == found


def test_a_deleted_run_takes_along_the_rankings_that_name_it_and_no_other(
    store: Repository,
) -> None:
    kept = Rankings(store)
    for run in ("a", "a1", "b"):
        store.add_run(spec(run))
    kept.add(ranking("k1", "a", "b"))
    kept.add(ranking("k2", "a1", "b"))
    for name in ("k1", "k2"):
        kept.add_comparison(compared("x", "y", "left", "left").model_copy(
            update={"ranking_id": name}))  # fmt: skip
    store.delete_run("a")
    assert [each.id for each in kept.all()] == ["k2"]
    assert kept.comparisons("k1") == []
    assert len(kept.comparisons("k2")) == 1
