"""The figures of agreement are those of the textbooks."""

from __future__ import annotations

import pytest
from sklearn.metrics import cohen_kappa_score

from checklists.review.agreement import Ratings, agreement, cohens_kappa, krippendorffs_alpha


def ratings(*rows: str) -> Ratings:
    """One row per reviewer, one letter per item; a dot is a gap."""
    return [
        {f"r{n}": row[place] for n, row in enumerate(rows) if row[place] != "."}
        for place in range(len(rows[0]))
    ]


def test_alpha_is_the_one_that_krippendorff_prints_for_two_reviewers_and_two_names() -> None:
    two = ratings("0100000010", "1110010000")
    assert krippendorffs_alpha(two) == pytest.approx(0.095, abs=0.0005)


def test_alpha_is_the_one_that_krippendorff_prints_for_four_reviewers_with_gaps() -> None:
    four = ratings("123321412...", "1233224125.3", ".3332342251.", "12332441251.")
    assert krippendorffs_alpha(four) == pytest.approx(0.743, abs=0.0005)


def test_kappa_is_that_of_the_textbook_and_of_another_library() -> None:
    pairs = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
    assert cohens_kappa(pairs) == pytest.approx(0.4)
    left, right = zip(*pairs, strict=True)
    assert cohens_kappa(pairs) == pytest.approx(cohen_kappa_score(left, right))


def test_what_is_not_defined_is_none() -> None:
    assert agreement([]).share is None
    same = agreement(ratings("aaa", "aaa"))
    assert (same.share, same.kappa, same.alpha) == (1.0, None, None)
    alone = agreement(ratings("ab", ".."))
    assert (alone.items, alone.share, alone.kappa, alone.alpha) == (0, None, None, None)


def test_kappa_is_for_two_and_gaps_are_left_out() -> None:
    three = agreement(ratings("aab", "aab", ".ab"))
    assert (three.reviewers, three.items, three.share) == (("r0", "r1", "r2"), 3, 1.0)
    assert (three.kappa, three.alpha) == (None, 1.0)
    two = agreement(ratings("aab.", "abba"))
    assert two.items == 3
    assert two.share == pytest.approx(2 / 3)
    assert two.kappa == pytest.approx(cohen_kappa_score(list("aab"), list("abb")))
