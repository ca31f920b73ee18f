"""A ranking is read with accuracy, families and several judges beside it."""

from __future__ import annotations

from core.evaluation import Level
from core.ranking import SIDES, Comparison, Ranking, Winner
from core.scenario import Entity
from evaluator.rating.fitting import Method
from server.ranked import Ranked, read
from tests.evaluator.rating.games import compared
from tests.server.support import START

NAMES = {
    "r1": "openai/gpt-x",
    "r2": "anthropic/claude-y",
    "r3": "mistral/mistral-z",
    "r4": "profiler",
}
ACCURACY: dict[Level, dict[str, float | None]] = {
    "message": {"r1": 0.9, "r2": 0.7, "r3": 0.5, "r4": 0.1},
    "trajectory": {"r1": 0.1, "r2": 0.5, "r3": 0.7, "r4": None},
}


def ranking(*judges: str) -> Ranking:
    return Ranking(
        id="k1",
        scenario_id="s",
        run_ids=tuple(NAMES),
        evaluations={},
        judges_asked=judges,
        prompt_hash="f00d",
        created_at=START,
    )


def judged(judge: str, upset: int) -> list[Comparison]:
    """The earlier run is the better one, but on entity number `upset`."""
    runs = list(NAMES)
    found = []
    for n in range(6):
        winner: Winner = "right" if n == upset else "left"
        found += [
            compared(one, other, winner, first, entity=f"e{n}", judge=judge)
            for place, one in enumerate(runs)
            for other in runs[place + 1 :]
            for first in SIDES
        ]
    return found


def ranked(
    comparisons: list[Comparison],
    *judges: str,
    method: Method = "davidson",
    entities: tuple[Entity, ...] = (),
) -> Ranked:
    return read(
        ranking(*judges),
        comparisons,
        names=NAMES,
        entities=entities,
        method=method,
        accuracies=ACCURACY,
    )


def test_strength_stands_beside_accuracy_at_both_levels() -> None:
    found = ranked(judged("openai/gpt-j", 0), "openai/gpt-j")
    assert [r.competitor for r in found.scale.ratings] == list(NAMES.values())
    message, trajectory = found.correlations["message"], found.correlations["trajectory"]
    assert (message.n, message.spearman, message.kendall) == (4, 1.0, 1.0)
    assert message.rank_differences == 0
    assert (trajectory.n, trajectory.spearman, trajectory.rank_differences) == (3, -1.0, 4.0)


def test_a_judge_of_a_competitors_family_is_told_with_what_its_own_won() -> None:
    both = [*judged("openai/gpt-j", 0), *judged("cohere/command-k", 1)]
    found = ranked(both, "openai/gpt-j", "cohere/command-k")
    kin, won = found.own_family["openai/gpt-j"]
    assert kin == ("openai/gpt-x",)
    assert won is not None
    assert (won.count, won.of) == (15, 18), "of the games that this judge judged"
    assert found.own_family["cohere/command-k"] == ((), None)
    assert found.agreement == {("cohere/command-k", "openai/gpt-j"): (24, 36)}


def test_entities_of_one_cluster_are_one_to_the_intervals() -> None:
    alike = tuple(
        Entity(scenario_id="s", id=f"e{n}", label=f"e{n}", cluster_id="same") for n in range(6)
    )
    assert ranked(judged("j", 0), "j").scale.entities == 6
    apart = ranked(judged("j", 0), "j", entities=alike)
    assert apart.scale.entities == 1
    assert all(r.low is None for r in apart.scale.ratings)


def test_the_term_of_order_takes_each_order_as_a_game() -> None:
    found = ranked(judged("j", 0), "j", method="order")
    assert sum(r.wins for r in found.scale.ratings) == 72
    assert found.scale.order is not None
    assert abs(found.scale.order.value) < 1e-6
