"""Patients are sampled evenly over the number of their notes, the same for a seed; lists are read strictly."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from core.errors import ScenarioError, UsageError
from databases.patients import cohort

COUNTS = {10_000_000 + n: 1 + n % 50 for n in range(1_000)}


def test_every_part_of_the_order_by_notes_gives_as_many() -> None:
    taken = cohort.sample(COUNTS, 100, "7")
    assert len(taken) == len(set(taken)) == 100
    # 50 counts over 10 parts: each part holds five of them.
    assert Counter((COUNTS[i] - 1) // 5 for i in taken) == dict.fromkeys(range(10), 10)


def test_a_seed_is_a_sample() -> None:
    assert cohort.sample(COUNTS, 100, "7") == cohort.sample(
        dict(reversed(COUNTS.items())), 100, "7"
    )
    assert cohort.sample(COUNTS, 100, "7") != cohort.sample(COUNTS, 100, "8")


def test_where_there_are_fewer_all_are_taken() -> None:
    few = dict(list(COUNTS.items())[:7])
    assert cohort.sample(few, 100, "7") == sorted(few)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("10000032\nten\n", "line 2: 'ten' is no subject_id"),
        ("10000032\n\n10000032\n", r"line 3: 10000032 stands twice \(first on line 1\)"),
        ("\n", "names no patient"),
        ("99999999999\n", "line 1"),
    ],
)
def test_a_list_that_is_none_is_refused_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "ids"
    path.write_text(text)
    with pytest.raises(ScenarioError, match=said):
        cohort.read_ids(path)


def test_a_list_in_latin_1_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "ids"
    path.write_bytes(b"10000032\n\xe9\n")
    with pytest.raises(ScenarioError, match="line 2: not UTF-8"):
        cohort.read_ids(path)


def test_a_list_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="cannot be read"):
        cohort.read_ids(tmp_path / "none")


def test_the_size_is_the_papers_where_nothing_is_said() -> None:
    assert (cohort.size_of(""), cohort.size_of("12")) == (100, 12)
    with pytest.raises(UsageError, match="a number or a file"):
        cohort.size_of("0")
