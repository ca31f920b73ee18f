"""Each entity gets a balanced set: every category, no theme twice, plain facts in the majority."""

from __future__ import annotations

import random
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from checklists.authoring.candidates import Candidate
from checklists.authoring.selection import MAX_PASSERS, choose, eligible
from tests.checklists.authoring.bazaar import candidate, template

CATEGORIES = ("prices", "wares", "days")


def pool(entity_id: str = "s1", each: int = 6) -> list[Candidate]:
    """Per category some candidates, every other one plain, later ones standing out more."""
    return [
        candidate(
            entity_id=entity_id,
            template=template(
                name=f"{category}-{i}", theme=f"{category}-{i}", category=category, plain=i % 2 == 0
            ),
            standing=0.5 + i / 4,
        )
        for category in CATEGORIES
        for i in range(each)
    ]


def names(chosen: list[Candidate]) -> list[str]:
    return [c.template.name for c in chosen]


def test_a_candidate_with_a_fault_or_that_many_share_or_that_stands_nowhere_is_left_out() -> None:
    good = candidate()
    others = tuple(f"s{k}" for k in range(2, 3 + MAX_PASSERS))
    bad = [candidate(fault="few rows"), candidate(passers=others), candidate(standing=-0.2)]
    assert eligible([good, *bad]) == [good]
    assert eligible([candidate(passers=others[:-1])]) != []


def test_every_category_is_covered_before_one_is_covered_twice() -> None:
    for wanted in range(1, 10):
        chosen = choose(pool(), {"s1": wanted}, CATEGORIES)
        counts = Counter(c.template.category for c in chosen)
        assert len(chosen) == wanted
        assert max(counts.values()) - min(counts[c] for c in CATEGORIES) <= 1


def test_what_stands_out_most_is_taken_first() -> None:
    chosen = choose(pool(), {"s1": 3}, CATEGORIES)
    assert names(chosen) == ["prices-4", "wares-4", "days-5"]


def test_most_of_what_is_chosen_is_within_plain_reach() -> None:
    chosen = choose(pool(each=10), {"s1": 15}, CATEGORIES)
    plain = sum(c.template.plain for c in chosen) / len(chosen)
    assert 0.55 <= plain <= 0.7


def test_no_theme_is_asked_for_twice_of_one_entity() -> None:
    same = [
        candidate(
            template=template(name=f"n{i}", theme="one", category="prices"), standing=float(i)
        )
        for i in range(1, 4)
    ]
    assert names(choose(same, {"s1": 3}, CATEGORIES)) == ["n3"]


def test_a_template_that_others_were_given_is_less_wanted() -> None:
    def two(entity_id: str) -> list[Candidate]:
        return [
            candidate(entity_id=entity_id, template=template(name=n, theme=n), standing=z)
            for n, z in (("a", 1.0), ("b", 0.9))
        ]

    chosen = choose([*two("s1"), *two("s2")], {"s1": 1, "s2": 1}, ("prices",))
    assert names(chosen) == ["a", "b"]


def test_a_fact_that_anothers_figure_would_pass_for_is_less_wanted() -> None:
    shared = candidate(template=template(name="shared", theme="t"), standing=1.2, passers=("s2",))
    alone = candidate(template=template(name="alone", theme="t"), standing=0.9)
    assert names(choose([shared, alone], {"s1": 1}, ("prices",))) == ["alone"]


def test_an_entity_with_too_few_candidates_gets_what_there_is() -> None:
    assert len(choose(pool(each=1), {"s1": 9}, CATEGORIES)) == 3
    assert choose([], {"s1": 9}, CATEGORIES) == []


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**16), st.integers(1, 12))
def test_the_order_in_which_candidates_come_does_not_matter(seed: int, wanted: int) -> None:
    whole = [*pool("s1"), *pool("s2")]
    mixed = list(whole)
    random.Random(seed).shuffle(mixed)
    want = {"s1": wanted, "s2": wanted}
    assert choose(mixed, want, CATEGORIES) == choose(whole, want, CATEGORIES)
