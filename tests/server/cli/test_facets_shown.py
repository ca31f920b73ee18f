"""Facets as people read them: groups, contrasts with their correction, tenfold, and what is not known."""

from __future__ import annotations

import pytest

from analysis.facets import Facets, Scored, facets
from core.evaluation import LEVELS, Level
from server.cli.facets_shown import show_facets
from server.cli.output import Output
from tests.analysis.test_facets import row, scored

MODELS = [
    scored("x/small", row(0, 0, 0, 1), total_b=1.0),
    scored("x/large", row(1, 1, 0, 1), total_b=10.0),
    scored("x/secret", row(1, 1, 1, 1)),
]


def told(models: list[Scored], by: str, capsys: pytest.CaptureFixture[str]) -> str:
    found: dict[Level, Facets] = {level: facets(models, by) for level in LEVELS}
    show_facets({"flights": found}, by, Output())
    return capsys.readouterr().out


def test_sizes_are_told_with_contrasts_and_tenfold(capsys: pytest.CaptureFixture[str]) -> None:
    text = told(MODELS, "total_b", capsys)
    assert "flights, turn by turn, by total_b" in text
    assert "flights, final report, by total_b" in text
    assert "not known of x/secret" in text
    assert "x/large - x/small" in text and "+50.0" in text
    assert "p by Holm over 1" in text
    assert "tenfold total_b: +50.0 points" in text
    assert "over 2 models in 1 set alike in the rest" in text


def test_groups_are_told_without_a_slope(capsys: pytest.CaptureFixture[str]) -> None:
    text = told(MODELS, "family", capsys)
    assert "Qwen" in text and "tenfold" not in text
    assert "x/small, x/large, x/secret" in text or "x/large, x/secret, x/small" in text


def test_where_nothing_is_known_no_empty_table_is_shown(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = told([scored("x/secret", row(1, 1, 1, 1))], "total_b", capsys)
    assert "not known of x/secret" in text
    assert "mean %" not in text


def test_a_share_is_never_below_0_or_above_100(capsys: pytest.CaptureFixture[str]) -> None:
    models = [scored("x/a", {"a-1": 1.0, "b-1": 0.0}, total_b=1.0)]
    text = told(models, "total_b", capsys)
    assert "0-100" in text
