"""Nothing that the profiler says is false: an oracle recomputes every number in every sentence."""

from __future__ import annotations

import re

import pytest

from tests.agent.profiler import oracle_inside, oracle_levels
from tests.agent.profiler.conftest import Explored
from tests.agent.profiler.oracle import CHECKS, Oracle
from tests.agent.profiler.worlds import Row

pytestmark = pytest.mark.real  # whole explorations

READERS = (oracle_inside, oracle_levels)
"""Imported so that their patterns are known."""


def sentences(explored: Explored, entity: str) -> list[str]:
    """All that was said of an entity, in turns and in the report, each sentence once."""
    found = explored(entity)
    said = [s for text in found.said for s in re.split(r"(?<=\.) (?=[A-Z0-9])", text)]
    return sorted({*said, *found.bullets})


@pytest.mark.parametrize("entity", ["S3", "S5", "S7"])
def test_every_sentence_is_true(
    explored: Explored, shop_tables: dict[str, list[Row]], entity: str
) -> None:
    oracle = Oracle(shop_tables, entity)
    said = sentences(explored, entity)
    assert len(said) >= 30
    for sentence in said:
        oracle.check(sentence)


def test_the_oracle_meets_most_of_its_kinds_of_sentence(explored: Explored) -> None:
    said = [s for entity in ("S3", "S5", "S7") for s in sentences(explored, entity)]
    plain = [s.removesuffix(".").removeprefix("Leaving small groups out, ") for s in said]
    heads = [s[:1].upper() + s[1:] for s in plain]
    met = [pattern for pattern, _ in CHECKS if any(pattern.fullmatch(s) for s in heads)]
    assert len(met) >= 0.75 * len(CHECKS)


@pytest.mark.parametrize(
    ("true", "false"),
    [
        (r"with (\d)", r"with 1\1"),
        (r"phone", r"web"),
        (r"\((\d+)\)", r"(9\1)"),
    ],
)
def test_the_oracle_refuses_a_changed_sentence(
    explored: Explored, shop_tables: dict[str, list[Row]], true: str, false: str
) -> None:
    oracle = Oracle(shop_tables, "S3")
    (line,) = [x for x in explored("S3").bullets if "most frequent channel" in x]
    oracle.check(line)
    with pytest.raises(AssertionError):
        oracle.check(re.sub(true, false, line))


def test_the_oracle_refuses_a_sentence_that_it_cannot_read(
    shop_tables: dict[str, list[Row]],
) -> None:
    with pytest.raises(AssertionError, match="nobody can check"):
        Oracle(shop_tables, "S3").check("Shop S3 is doing rather well.")


def test_another_shops_sentences_are_false_of_this_one(
    explored: Explored, shop_tables: dict[str, list[Row]]
) -> None:
    oracle = Oracle(shop_tables, "S1")
    wrong = 0
    said = [line.replace("S3", "S1") for line in explored("S3").bullets]
    for line in said:
        try:
            oracle.check(line)
        except (AssertionError, KeyError):
            wrong += 1
    assert wrong > 0.85 * len(said)


@pytest.mark.parametrize("entity", ["S3", "S5", "S7"])
def test_a_sentence_has_at_most_four_numbers(explored: Explored, entity: str) -> None:
    for sentence in sentences(explored, entity):
        bare = re.sub(rf"{entity}\b|\b[PS]\d+\b|90th|\d{{4}}-\d\d-\d\d", "", sentence)
        numbers = re.findall(r"\d[\d,.]*", re.sub(r"(?<=[a-z] )\d{4}\b", "", bare))
        assert len(numbers) <= 4, sentence


@pytest.mark.parametrize("entity", ["S3", "S5", "S7"])
def test_all_and_none_are_said_only_where_it_is_all_or_none(
    explored: Explored, shop_tables: dict[str, list[Row]], entity: str
) -> None:
    oracle = Oracle(shop_tables, entity)
    for sentence in sentences(explored, entity):
        if re.search(r"\b(0|100)%", sentence):
            oracle.check(sentence)
