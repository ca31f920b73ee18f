"""Over thousands of rendered claims: right ones are found, spoiled ones are not."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.scenario import Entity
from tests.evaluator.facts import judge
from tests.evaluator.records import STEADY
from tests.evaluator.rendering import SPOILERS, TEMPLATES, Known, draw, fill, spoiled

NOISE = (
    "The weather was mild.",
    "Data quality looks acceptable.",
    "All queries ran without errors.",
    "Some columns hold gaps.",
    "Nobody asked for the colour of the seats.",
)

facts = st.integers(0, 2**32).map(lambda seed: draw(random.Random(seed)))


def label(known: Known, *texts: str) -> str | None:
    return judge(known.signals, *texts, own=known.own, others=known.others).label


@STEADY
@given(facts, st.data())
def test_a_rendered_fact_is_supported(known: Known, data: st.DataObject) -> None:
    template = data.draw(st.sampled_from(TEMPLATES[known.kind]))
    assert label(known, fill(template, known)) == "supported", fill(template, known)


@STEADY
@given(facts, st.data(), st.sampled_from(SPOILERS))
def test_a_sentence_with_one_slot_made_wrong_never_supports(
    known: Known, data: st.DataObject, how: str
) -> None:
    template = data.draw(st.sampled_from(TEMPLATES[known.kind]))
    text = spoiled(known, template, how)
    if text is not None:
        assert label(known, text) != "supported", (how, text)


def test_precision_and_recall_over_rendered_claims() -> None:
    found = missed = false = 0
    generator = random.Random(11)
    for _ in range(80):
        known = draw(generator)
        for template in TEMPLATES[known.kind]:
            right = label(known, fill(template, known)) == "supported"
            found, missed = found + right, missed + (not right)
            for how in SPOILERS:
                text = spoiled(known, template, how)
                false += text is not None and label(known, text) == "supported"
    assert found / (found + missed) >= 0.95, (found, missed)
    assert found / (found + false) >= 0.98, (found, false)


@STEADY
@given(facts, st.data())
def test_a_text_without_the_entity_never_supports(known: Known, data: st.DataObject) -> None:
    template = data.draw(st.sampled_from(TEMPLATES[known.kind]))
    text = fill(template, known)
    nameless = text.replace(f"{known.world.noun} {known.own.id}'s", "the")
    nameless = nameless.replace(f"{known.world.noun} {known.own.id}", "someone")
    capital = f"{known.world.noun.capitalize()} {known.own.id}"
    nameless = nameless.replace(f"{capital}'s", "The").replace(capital, "Someone")
    assert label(known, nameless) != "supported", nameless


@STEADY
@given(facts, st.data())
def test_a_text_without_the_metric_never_supports(known: Known, data: st.DataObject) -> None:
    template = data.draw(st.sampled_from(TEMPLATES[known.kind]))
    word = known.world.places[1] if known.kind == "share" else known.metric[1]
    text = fill(template, known).replace(word, "blim").replace(word.capitalize(), "Blim")
    assert label(known, text) != "supported", text


@STEADY
@given(facts, st.data(), st.randoms(use_true_random=False))
def test_the_order_of_insights_changes_no_label(
    known: Known, data: st.DataObject, shuffler: random.Random
) -> None:
    template = data.draw(st.sampled_from(TEMPLATES[known.kind]))
    how = data.draw(st.sampled_from(SPOILERS))
    texts = [fill(template, known), spoiled(known, template, how) or "Nothing.", *NOISE[:3]]
    shuffled = list(texts)
    shuffler.shuffle(shuffled)
    assert label(known, *texts) == label(known, *shuffled)


@STEADY
@given(facts, st.data(), st.lists(st.sampled_from(NOISE), max_size=4))
def test_unrelated_sentences_change_nothing(
    known: Known, data: st.DataObject, noise: list[str]
) -> None:
    template = data.draw(st.sampled_from(TEMPLATES[known.kind]))
    text = fill(template, known)
    separator = "\n\n" if "|" in text else " "
    padded = separator.join([*noise, text, *noise])
    assert label(known, padded) == label(known, text)
    assert label(known, text, *noise) == label(known, *noise, text) == label(known, text)


@STEADY
@given(facts, st.data(), st.sampled_from([1, 2]))
def test_a_figure_may_be_rounded_to_what_is_printed(
    known: Known, data: st.DataObject, digits: int
) -> None:
    template = data.draw(st.sampled_from(TEMPLATES[known.kind]))
    exact = known.value + 0.04
    coarse = f"{exact:.{digits}f}"
    text = fill(template, known).replace(str(known.value), coarse)
    assert label(known, text) == "supported", text


@pytest.mark.parametrize("kind", sorted(TEMPLATES))
def test_every_other_entitys_value_in_turn_supports_nothing(kind: str) -> None:
    generator = random.Random(5)
    tried = 0
    while tried < 20:
        known = draw(generator)
        if known.kind != kind:
            continue
        tried += 1
        others: list[Entity] = known.others
        dump = " ".join(
            fill(TEMPLATES[kind][0], Known(**{**vars(known), "own": other})) for other in others
        )
        assert label(known, dump) != "supported", dump
