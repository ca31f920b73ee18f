"""Redundancy has known answers: by hand, and on published sets."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path

import pytest

from checklists.audit.redundancy import (
    bleu,
    cosine,
    distinct_2,
    pairs_alike,
    redundancy,
    self_bleu,
)
from tests.support.needs import needs

CAT, MAT, DOGS = "the cat sat on the mat", "the cat sat on a mat", "dogs bark"


def test_bleu_of_a_sentence_by_hand() -> None:
    # 1-grams 5 of 6 ('the' twice, once in the reference), 2-grams 3 of 5, 3-grams 2 of 4, 4-grams 1 of 3.
    by_hand = (5 / 6 * 3 / 5 * 2 / 4 * 1 / 3) ** (1 / 4)
    assert bleu(CAT.split(), [MAT.split()]) == pytest.approx(by_hand)
    assert by_hand == pytest.approx(0.537285, abs=1e-6)


def test_what_matches_nothing_is_smoothed_and_what_is_shorter_is_penalised() -> None:
    # 'a b' against 'a b c d': 2 of 2, 1 of 1, then 0.1 of 1 twice; two words for the nearest four.
    by_hand = math.exp(1 - 4 / 2) * (1 * 1 * 0.1 * 0.1) ** (1 / 4)
    assert bleu(["a", "b"], [["a", "b", "c", "d"], ["x"] * 9]) == pytest.approx(by_hand)
    assert bleu(["x", "y"], [["a", "b"]]) == 0.0
    assert bleu([], [["a"]]) == 0.0


def test_self_bleu_is_the_mean_over_texts_and_keeps_case() -> None:
    texts = [CAT, MAT, DOGS]
    words = [text.split() for text in texts]
    by_hand = (bleu(words[0], words[1:]) + bleu(words[1], [words[0], words[2]]) + 0.0) / 3
    assert self_bleu(texts) == pytest.approx(by_hand)
    assert self_bleu([CAT, CAT.upper()]) == 0.0
    assert self_bleu([CAT, CAT]) == pytest.approx(1.0)
    assert self_bleu([CAT]) is None


def test_distinct_2_counts_word_pairs_over_the_whole_set() -> None:
    assert distinct_2(["a b c", "a b d"]) == pytest.approx(3 / 4)
    assert distinct_2(["a", "b"]) is None


def test_a_cosine_by_hand() -> None:
    # Two words of idf 1 and ln(3/2) + 1, and the pair of them, of which the first alone is shared.
    rare = math.log(3 / 2) + 1
    by_hand = 1 / (1 + 2 * rare**2)
    assert cosine(["alpha beta", "alpha gamma"]) == pytest.approx(by_hand)
    assert cosine(["alpha beta", "alpha beta"]) == pytest.approx(1.0)
    assert cosine(["the of", "and but"]) is None
    assert cosine(["alpha"]) is None


def test_pairs_are_told_from_the_most_alike_on() -> None:
    texts = ["rain on monday", "sun", "rain on monday", "rain fell"]
    found = list(pairs_alike(texts, 0.2))
    assert found[0][:2] == (0, 2)
    assert found[0][2] == pytest.approx(1.0)
    assert [pair[:2] for pair in found[1:]] == [(0, 3), (2, 3)]
    assert list(pairs_alike(["rain"], 0.2)) == []


def test_sets_are_measured_apart_and_then_averaged() -> None:
    found = redundancy([["a b", "a b"], ["c d", "e f", " "], ["alone"]])
    assert (found.sets, found.texts) == (2, 4)
    assert found.distinct_2 == pytest.approx((1 / 2 + 1) / 2)
    nothing = redundancy([["alone"], []])
    assert (nothing.sets, nothing.cosine, nothing.self_bleu, nothing.distinct_2) == (
        0,
        None,
        None,
        None,
    )


@needs("test data")
def test_the_figures_of_thirty_published_sets() -> None:
    folder = Path(os.environ["DDR_TEST_DATA"]) / "insightbench"
    sets = [
        json.loads(path.read_text("utf-8"))["insight_list"] for path in folder.glob("flag-*.json")
    ]
    assert len(sets) == 30
    asked = redundancy([[each.get("question") or "" for each in one] for one in sets])
    found = redundancy([[each.get("insight") or "" for each in one] for one in sets])
    # Self-BLEU was compared once with NLTK's sentence_bleu, method 1: the same to the last digit.
    assert (asked.texts, found.texts) == (119, 128)
    assert asked.cosine == pytest.approx(0.1249, abs=0.002)
    assert asked.self_bleu == pytest.approx(0.2009, abs=0.0005)
    assert asked.distinct_2 == pytest.approx(0.8547, abs=0.0005)
    assert found.cosine == pytest.approx(0.1269, abs=0.002)
    assert found.self_bleu == pytest.approx(0.1418, abs=0.0005)
    assert found.distinct_2 == pytest.approx(0.8806, abs=0.0005)
