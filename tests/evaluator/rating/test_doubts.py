"""What may have swayed a judge is found where it was planted, and not where it was not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.ranking import Comparison, Winner
from evaluator.families import family
from evaluator.rating.doubts import effect, first_slot, length, number, own_family
from evaluator.rating.results import settle
from tests.evaluator.rating.games import compared, forfeit


def judged(weight: float, *, strength: float = 0.0, seed: int = 1) -> list[Comparison]:
    """A judge to whom e times the length counts for `weight`; A has `strength` more than B and C."""
    draw = np.random.default_rng(seed)
    found = []
    for n in range(600):
        one, other = draw.permutation(["A", "B", "C"])[:2].tolist()
        lengths = (int(draw.integers(100, 2000)), int(draw.integers(100, 2000)))
        gap = weight * math.log(lengths[0] / lengths[1])
        gap += strength * ((one == "A") - (other == "A"))
        winner: Winner = "left" if draw.random() < 1 / (1 + math.exp(-gap)) else "right"
        found.append(
            compared(
                one, other, winner, "left", entity=f"e{n % 60}", lengths=lengths, numbers=(3, 3)
            )
        )
    return found


@pytest.mark.parametrize("weight", [0.0, 1.0, -0.7])
def test_the_effect_of_length_is_found_beside_the_strengths(weight: float) -> None:
    games = settle(judged(weight, strength=1.0), both_orders=False).results
    found = effect(games, length)
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    assert found.low < weight < found.high
    assert found.high - found.low < 0.8
    share = found.more_won.value
    assert share is not None
    assert (share > 0.6) == (weight > 0.5)


def test_where_all_games_go_by_length_the_effect_has_no_bound() -> None:
    longer = [
        compared("A", "B", "left" if n % 2 else "right", "left", entity=f"e{n}",
                 lengths=(900, 100) if n % 2 else (100, 900))
        for n in range(12)
    ]  # fmt: skip
    found = effect(settle(longer, both_orders=False).results, length)
    assert found is not None
    assert (found.low, found.high, found.more_won.value) == (None, None, 1.0)
    assert found.value > 1


def test_there_is_no_effect_of_what_does_not_vary() -> None:
    games = settle(judged(1.0), both_orders=False).results
    assert effect(games, number) is None
    assert effect([], length) is None


def test_forfeits_say_nothing_of_length_or_slot() -> None:
    lost = [forfeit("A", "B", f"e{n}") for n in range(5)]
    assert effect(settle(lost, both_orders=True).results, length) is None
    assert first_slot(lost).value is None


def test_the_share_of_the_first_slot_has_an_interval() -> None:
    even = [
        compared("A", "B", "left", first, entity=f"e{n}")
        for n in range(20)
        for first in ("left", "right")
    ]
    slot = first_slot(even)
    assert (slot.value, slot.of) == (0.5, 40)
    biased = first_slot([c for c in even if c.shown_first == "left"])
    assert biased.value == 1.0
    assert biased.low is not None
    assert biased.low > 0.5


def test_wins_of_the_judges_own_family_are_counted() -> None:
    said: list[Winner] = ["left", "left", "left", "right", "tie"]
    mine, other = "openai/gpt-x", "anthropic/claude-y"
    asked = [
        compared(mine, other, winner, "left", entity=f"e{n}", judge="gpt-z")
        for n, winner in enumerate(said)
    ]
    games = settle(asked, both_orders=False).results
    found = own_family(games, family, "gpt-z")
    assert found is not None
    assert (found.count, found.of) == (3, 4)
    assert own_family(games, family, "mistral/mistral-large") is None
    assert own_family(games, family, "scripted:x.jsonl") is None


@pytest.mark.parametrize(
    ("name", "maker"),
    [
        ("openai/gpt-5-mini", "OpenAI"),
        ("openai/o3-mini", "OpenAI"),
        ("openrouter/anthropic/claude-sonnet-4.5", "Anthropic"),
        ("bedrock/us.anthropic.claude-x", "Anthropic"),
        ("gemini/gemini-2.5-pro", "Google"),
        ("hosted_vllm/Qwen3-30B-A3B", "Qwen"),
        ("ollama/llama3.1:8b", "Meta"),
        ("deepseek/deepseek-chat", "DeepSeek"),
        ("profiler", None),
        ("novation-1", None),
        ("openai/house-model", None),
    ],
)
def test_a_family_is_told_by_the_models_name(name: str, maker: str | None) -> None:
    assert family(name) == maker
