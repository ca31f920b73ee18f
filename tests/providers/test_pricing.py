"""What tokens cost, to 1e-9, and every reason why there is no figure."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import ConfigError
from core.trajectory import ModelCall, Usage
from providers.pricing import Price, PriceTable, Tier, priced, reprice


def table(**prices: float) -> PriceTable:
    return PriceTable(models={"maker/model": Price.model_validate(prices)})


def cost(prices: PriceTable, **tokens: int) -> float:
    figure, reason = prices.cost("maker/model", Usage(**tokens))
    assert reason is None
    assert figure is not None
    return figure


CLAUDE = table(input=3, cache_write=3.75, cached=0.30, output=15)


# The figures of field case F32


def test_a_cache_write_is_not_paid_twice() -> None:
    """F32 a: net input 3, cache write 12304, output 550; counted twice it would be 0.091311."""
    spent = cost(
        CLAUDE,
        input_tokens=3 + 12304,
        cache_write_tokens=12304,
        cached_input_tokens=0,
        output_tokens=550,
    )
    assert spent == pytest.approx(0.054399, abs=1e-9)


def test_cached_and_written_tokens_are_part_of_the_input() -> None:
    """F32 b: a bug made 0.005775 of it."""
    spent = cost(
        CLAUDE,
        input_tokens=2000,
        cached_input_tokens=500,
        cache_write_tokens=300,
        output_tokens=0,
    )
    assert spent == pytest.approx(0.004875, abs=1e-9)


def test_a_long_cached_prompt_costs_by_the_table_without_tiers() -> None:
    """F32 c, without the tier that real lists have above 200,000 tokens."""
    flat = table(input=1.25, cached=0.625, output=10)
    spent = cost(flat, input_tokens=262960, cached_input_tokens=257955, output_tokens=1744)
    assert spent == pytest.approx(0.184918125, abs=1e-9)


def test_a_long_prompt_is_priced_at_its_tier_all_of_it() -> None:
    price = Price(
        input=1.25,
        cached=0.625,
        output=10,
        tiers=(Tier(above=200_000, input=2.5, cached=1.25, output=15),),
    )
    tiered = PriceTable(models={"maker/model": price})
    spent = cost(tiered, input_tokens=262960, cached_input_tokens=257955, output_tokens=1744)
    by_hand = (5005 * 2.5 + 257955 * 1.25 + 1744 * 15) / 1e6
    assert spent == pytest.approx(by_hand, abs=1e-9)


def test_reasoning_is_paid_as_output_and_once() -> None:
    """F32 d: candidates 2060 and thoughts 1939 are an output of 3999."""
    prices = table(input=1, output=10)
    spent = cost(prices, input_tokens=7477, output_tokens=3999, reasoning_tokens=1939)
    assert spent == pytest.approx((7477 * 1 + 3999 * 10) / 1e6, abs=1e-9)


# Tiers


@pytest.mark.parametrize(
    ("tokens", "rate"), [(1, 1.0), (100, 1.0), (101, 2.0), (1000, 2.0), (1001, 5.0), (9999, 5.0)]
)
def test_a_tier_begins_above_its_mark_whatever_order_they_are_written_in(
    tokens: int, rate: float
) -> None:
    tiers = (Tier(above=1000, input=5), Tier(above=100, input=2))
    prices = PriceTable(models={"maker/model": Price(input=1, output=0, tiers=tiers)})
    spent = cost(prices, input_tokens=tokens, output_tokens=7)
    assert spent == pytest.approx(tokens * rate / 1e6, abs=1e-12)


def test_what_a_tier_does_not_name_stays_as_it_is() -> None:
    price = Price(input=1, output=8, cached=0.5, tiers=(Tier(above=10, input=2),))
    rates = price.rates(11)
    assert (rates.input, rates.output, rates.cached, rates.cache_write) == (2, 8, 0.5, None)


# No figure, and why


def test_an_unpriced_model_costs_null_and_says_why() -> None:
    """F33: never 0.00."""
    usage = Usage(input_tokens=10_000, output_tokens=10)
    assert CLAUDE.cost("hosted_vllm/foo", usage) == (None, "no price")
    assert priced(usage, "hosted_vllm/foo", CLAUDE).cost_usd is None
    without = priced(usage, "hosted_vllm/foo", None)
    assert (without.cost_usd, without.cost_reason) == (None, "no price")


@pytest.mark.parametrize("usage", [Usage(), Usage(input_tokens=5), Usage(output_tokens=5)])
def test_unreported_tokens_have_no_cost(usage: Usage) -> None:
    assert CLAUDE.cost("maker/model", usage) == (None, "tokens not reported")


def test_figures_that_contradict_one_another_have_no_cost() -> None:
    usage = Usage(input_tokens=10, cached_input_tokens=11, output_tokens=1)
    figure, reason = CLAUDE.cost("maker/model", usage)
    assert figure is None
    assert reason == "more cached tokens reported than input tokens"


def test_a_table_without_cache_prices_takes_the_input_price() -> None:
    plain = table(input=3, output=15)
    tokens = {"input_tokens": 100, "output_tokens": 0}
    assert cost(plain, **tokens, cached_input_tokens=60) == cost(plain, **tokens)


def test_a_cache_price_of_nothing_is_a_price() -> None:
    free = table(input=3, cached=0, output=15)
    assert cost(free, input_tokens=100, cached_input_tokens=100, output_tokens=0) == 0


@settings(deadline=None)
@given(
    new=st.integers(0, 10**6),
    cached=st.integers(0, 10**6),
    written=st.integers(0, 10**6),
    output=st.integers(0, 10**6),
)
def test_a_cost_is_the_sum_of_its_four_parts(
    new: int, cached: int, written: int, output: int
) -> None:
    spent = cost(
        CLAUDE,
        input_tokens=new + cached + written,
        cached_input_tokens=cached,
        cache_write_tokens=written,
        output_tokens=output,
    )
    parts = (new * 3 + cached * 0.30 + written * 3.75 + output * 15) / 1e6
    assert spent == pytest.approx(parts, abs=1e-9)


# Names


def test_a_models_own_price_outweighs_its_providers() -> None:
    prices = PriceTable(
        models={"maker/*": Price(input=1, output=1), "maker/big": Price(input=9, output=9)}
    )
    own, others = prices.price("maker/big"), prices.price("maker/small")
    assert own is not None
    assert others is not None
    assert (own.input, others.input) == (9, 1)
    assert prices.price("other/big") is None


def test_a_plug_in_named_by_its_place_can_be_priced_by_its_provider() -> None:
    prices = PriceTable(models={"mine.models:Model/*": Price(input=1, output=1)})
    assert prices.price("mine.models:Model/org/name:free") is not None
    assert prices.price("mine.models:Other/name") is None


def test_a_script_can_be_priced_by_its_provider() -> None:
    prices = PriceTable(models={"scripted/*": Price(input=1, output=1)})
    assert prices.price("scripted:a/path/of/replies.json") is not None


# Files and hashes


TOML = """
version = "2026-01"
[models."maker/model"]
input = 3
output = 15.0
cached = 0.3
cache_write = 3.75
tiers = [{ above = 200000, input = 6 }]
"""


def test_a_table_reads_the_same_from_toml_and_json(tmp_path: Path) -> None:
    (tmp_path / "prices.toml").write_text(TOML)
    rates = {"input": 3.0, "output": 15, "cached": 0.3, "cache_write": 3.75}
    tiers = [{"above": 200000, "input": 6.0}]
    body = {"models": {"maker/model": {**rates, "tiers": tiers}}}
    (tmp_path / "prices.json").write_text(json.dumps(body))
    one, other = (PriceTable.load(tmp_path / f"prices.{kind}") for kind in ("toml", "json"))
    assert one.models == other.models
    assert one.hash == other.hash
    assert len(one.hash) == 64


def test_another_price_is_another_hash_and_another_order_is_not() -> None:
    first, second = Price(input=1, output=2), Price(input=3, output=4)
    table = PriceTable(models={"a/x": first, "b/y": second})
    turned = PriceTable(models={"b/y": second, "a/x": first}, version="another name")
    dearer = PriceTable(models={"a/x": first, "b/y": Price(input=3, output=4.000001)})
    assert table.hash == turned.hash
    assert table.hash != dearer.hash


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[models.'a/b']\ninput = 1", "models.a/b.output: Field required"),
        ("[models.'a/b']\ninput = -1\noutput = 1", "models.a/b.input"),
        ("[models.'a/b']\ninput = 1\noutput = 1\nouptut = 2", "models.a/b.ouptut"),
        ("[models.'a/b']\ninput = nan\noutput = 1", "models.a/b.input"),
        ("[prices.'a/b']\ninput = 1", "models: Field required"),
        ("listed = true\n[models]", "unknown key 'listed'"),
        ("[models", "not TOML"),
    ],
)
def test_a_faulty_table_is_an_error_that_names_file_and_key(
    tmp_path: Path, text: str, said: str
) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        PriceTable.load(path)
    assert str(path) in str(caught.value)
    assert said in str(caught.value)


@pytest.mark.parametrize(("text", "said"), [("[]", "must be a table"), ("{", "not JSON")])
def test_a_json_table_must_be_an_object(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "prices.json"
    path.write_text(text)
    with pytest.raises(ConfigError, match=said):
        PriceTable.load(path)


def test_a_missing_table_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.toml cannot be read"):
        PriceTable.load(tmp_path / "none.toml")


# Reprice


def stored(**fields: object) -> ModelCall:
    return ModelCall.model_validate(
        {
            "role": "agent",
            "model_asked": "maker/model",
            "usage": Usage(input_tokens=1000, output_tokens=100, cost_usd=9.0),
            "price_table_hash": "old",
            "started_at": datetime(2026, 1, 1, tzinfo=UTC),
            "duration_s": 2.5,
            **fields,
        }
    )


def test_repricing_changes_cost_and_hash_and_nothing_else() -> None:
    before = stored(finish_reason="stop", model_served="other")
    after = reprice(before, CLAUDE)
    assert after.usage.cost_usd == pytest.approx((1000 * 3 + 100 * 15) / 1e6, abs=1e-9)
    assert after.price_table_hash == CLAUDE.hash
    untouched = {"usage", "price_table_hash"}
    assert after.model_dump(exclude=untouched) == before.model_dump(exclude=untouched)
    assert after.usage.input_tokens == 1000


def test_repricing_without_a_price_forgets_the_old_cost() -> None:
    after = reprice(stored(model_asked="maker/unknown"), CLAUDE)
    assert (after.usage.cost_usd, after.usage.cost_reason) == (None, "no price")


def test_repricing_finds_a_price_for_what_had_none() -> None:
    usage = Usage(input_tokens=10, output_tokens=10, cost_reason="no price")
    after = reprice(stored(usage=usage), CLAUDE)
    assert after.usage.cost_usd is not None
    assert after.usage.cost_reason is None
