"""`ddr bench matching` has the figures and goals that were promised; its claims are what they say."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from bench import registry
from bench.claims import Rendering, codes_of
from bench.paraphrased import FILES, FOLDER, Ground, judged

GOALS = {
    "precision": (0.98, "higher"),
    "recall": (0.95, "higher"),
    "paraphrase_precision": (0.95, "higher"),
    "paraphrase_recall": (0.6, "higher"),
    "contradicted_called_supported": (0.01, "lower"),
    "reward_ms": (5, "lower"),
}
FLIGHTS = Ground("flights")
CODES = codes_of(list(FLIGHTS.items.values()))


def claims(item_id: str) -> dict[str, str]:
    item = FLIGHTS.items[item_id]
    rendering = Rendering(item, "carrier", ["16"], CODES[item.source])
    return {claim.manner: claim.text for claim in rendering.claims()}


def test_the_goals_are_those_that_were_promised() -> None:
    goals = [goal for probe in registry.probes("matching") for goal in probe.goals]
    assert {goal.name: (goal.goal, goal.better) for goal in goals} == GOALS


def test_a_claim_is_the_answer_with_one_slot_changed() -> None:
    made = claims("flights-01-highest-month-departure")
    assert (
        made["exact"]
        == "Carrier 01's mean departure delay is highest in July 2016, at 44.5 minutes."
    )
    assert made["rounded"].endswith("in July 2016, at about 44 minutes.")
    assert made["wrong direction"] == made["exact"].replace("highest", "lowest")
    assert made["wrong period"] == made["exact"].replace("July", "October")
    assert made["wrong statistic"] == made["exact"].replace("mean", "median")
    assert made["wrong entity"] == made["exact"].replace("01", "16", 1)
    assert made["wrong figure"].endswith("at 62.0 minutes.")
    assert "44.5" not in made["without a figure"]


@pytest.mark.parametrize(
    ("item_id", "manner", "words"),
    [
        ("flights-03-mean-arrival-delay", "wrong side", "higher than over all carriers"),
        ("flights-03-mean-arrival-delay", "in brackets", "(all carriers: 6.9 minutes)"),
        ("flights-01-frost-arrival-delay", "wrong scope", "is above 32"),
        ("flights-02-top-manufacturer", "wrong scope", "71.6%"),
    ],
)
def test_what_is_made_wrong_is_another_thing_in_the_data(
    item_id: str, manner: str, words: str
) -> None:
    made = claims(item_id)
    assert words in made[manner] and made[manner] != made["exact"]


def test_every_fact_has_true_and_false_claims() -> None:
    for item in FLIGHTS.items.values():
        made = Counter(
            claim.is_true
            for claim in Rendering(item, "carrier", ["16"], CODES[item.source]).claims()
        )
        assert made[True] >= 3 and made[False] >= 3, item.id


def test_half_of_at_least_200_paraphrases_are_false_by_one_slot_and_each_has_its_fact() -> None:
    pairs = {name: json.loads((FOLDER / f"{name}.json").read_text()) for name in FILES}
    assert sum(2 * len(found) for found in pairs.values()) >= 200
    for name, found in pairs.items():
        ground = Ground(name)
        assert len({pair["fact"] for pair in found}) == len(found)
        assert all(pair["fact"] in ground.items for pair in found)
        assert all(pair["true"] != pair["false"] for pair in found)


def test_paraphrases_are_told_apart() -> None:
    """The bench has the figures; here only that neither side goes to seed."""
    found = Counter((each.is_true, each.label == "supported") for each in judged(FLIGHTS))
    assert found[True, True] >= 40 and found[False, True] <= 1
