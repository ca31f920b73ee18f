"""Whatever the texts, redundancy keeps within its bounds and agrees with a slower, plainer count."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checklists.audit.redundancy import bleu, cosine, distinct_2, pairs_alike, self_bleu

words = st.sampled_from(["rain", "snow", "Rain", "on", "monday", "falls", "x", "9"])
sentence = st.lists(words, min_size=1, max_size=9)
texts = st.lists(sentence.map(" ".join), min_size=2, max_size=6)


def grams(said: Sequence[str], order: int) -> list[tuple[str, ...]]:
    return [tuple(said[i : i + order]) for i in range(len(said)) if i + order <= len(said)]


def plain_bleu(said: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """The same by the textbook: each n-gram of the sentence is counted off against a reference's."""
    product = 1.0
    for order in (1, 2, 3, 4):
        mine = grams(said, order)
        matched = sum(
            min(mine.count(gram), max(grams(each, order).count(gram) for each in references))
            for gram in set(mine)
        )
        if order == 1 and matched == 0:
            return 0.0
        product *= (matched if matched else 0.1) / max(1, len(mine))
    lengths = sorted(len(each) for each in references)
    nearest = min(lengths, key=lambda length: abs(length - len(said)))
    short = 1.0 if len(said) > nearest else math.exp(1 - nearest / len(said))
    return short * math.pow(product, 0.25)


@given(sentence, st.lists(sentence, min_size=1, max_size=4))
def test_bleu_is_that_of_the_textbook(said: list[str], references: list[list[str]]) -> None:
    assert bleu(said, references) == pytest.approx(plain_bleu(said, references))


@given(sentence, st.lists(sentence, min_size=1, max_size=4))
def test_another_reference_that_says_the_same_makes_it_whole(
    said: list[str], references: list[list[str]]
) -> None:
    score = bleu(said, [*references, said])
    assert 0.0 < score <= 1.0 + 1e-9
    assert len(said) < 4 or score == pytest.approx(1.0)


@given(texts)
def test_every_figure_lies_between_0_and_1(said: list[str]) -> None:
    for figure in (cosine(said), self_bleu(said), distinct_2(said)):
        assert figure is None or -1e-9 <= figure <= 1 + 1e-9


@given(texts, st.randoms(use_true_random=False))
def test_the_order_of_texts_changes_nothing(said: list[str], random: object) -> None:
    shuffled = list(said)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    for figure in (cosine, self_bleu, distinct_2):
        before, after = figure(said), figure(shuffled)
        assert (before is None) == (after is None)
        assert before is None or after == pytest.approx(before)


@given(texts)
def test_saying_everything_twice_is_more_redundant(said: list[str]) -> None:
    twice = [*said, *said]
    before, after = distinct_2(said), distinct_2(twice)
    assert before is None or after == pytest.approx(before / 2)
    assert (self_bleu(twice) or 0.0) >= (self_bleu(said) or 0.0) - 1e-9


@given(texts, st.floats(0.05, 1.0))
def test_pairs_are_those_of_the_cosine_and_each_once(said: list[str], least: float) -> None:
    found = list(pairs_alike(said, least))
    assert all(i < j and least <= value + 1e-9 for i, j, value in found)
    assert len({(i, j) for i, j, _ in found}) == len(found)
    values = [value for _, _, value in found]
    assert values == sorted(values, reverse=True)
    if cosine(said) is not None:
        everything = sum(value for _, _, value in pairs_alike(said, 0.0))
        pairs = len(said) * (len(said) - 1) / 2
        assert everything / pairs == pytest.approx(cosine(said))
