"""litellm's list of prices is read as data, and never says that something is free."""

from __future__ import annotations

import subprocess
import sys

import pytest

from core.run import ModelSpec
from core.trajectory import Usage
from providers.price_list import price_list, provider_names, table_for
from providers.pricing import Price, PriceTable


def spec(provider: str, name: str, base_url: str | None = None) -> ModelSpec:
    return ModelSpec(provider=provider, name=name, base_url=base_url)


def test_the_list_is_named_by_litellms_version() -> None:
    listed = price_list()
    assert listed.hash == f"litellm-{listed.version}"
    assert len(listed.models) > 500


@pytest.mark.parametrize("provider", ["openai", "anthropic", "gemini"])
def test_the_list_has_plausible_prices_for_the_big_providers(provider: str) -> None:
    prices = [price for name, price in price_list().models.items() if name.startswith(provider)]
    assert len(prices) > 10
    # Dollars a million tokens, not a token: a slip of the unit is a factor of a million.
    assert all(0.001 < price.input < 1000 for price in prices)
    cached = [price for price in prices if price.cached is not None]
    assert cached
    assert all(price.cached <= price.input for price in cached if price.cached is not None)


def test_a_price_above_a_length_becomes_a_tier() -> None:
    tiered = [price for price in price_list().models.values() if price.tiers]
    assert tiered
    assert {tier.above % 1000 for price in tiered for tier in price.tiers} == {0}


def test_nothing_on_the_list_is_free() -> None:
    assert all(price.input > 0 and price.output > 0 for price in price_list().models.values())
    assert price_list().cost("ollama/llama3", Usage(input_tokens=1, output_tokens=1)) == (
        None,
        "no price",
    )


def test_a_table_that_is_given_outweighs_the_list() -> None:
    given = PriceTable(models={"a/b": Price(input=1, output=1)})
    assert table_for(spec("openai", "gpt-x"), given) is given
    assert table_for(spec("scripted", "file.json"), given) is given


def test_an_endpoint_of_ones_own_is_not_on_the_list() -> None:
    assert table_for(spec("openai", "gpt-x"), None) is price_list()
    assert table_for(spec("openai", "gpt-x", "http://127.0.0.1:8000/v1"), None) is None
    assert table_for(spec("scripted", "file.json"), None) is None
    assert table_for(spec("replay", "run"), None) is None


def test_every_big_provider_is_known_by_name() -> None:
    wanted = {"openai", "anthropic", "gemini", "ollama", "hosted_vllm", "openrouter", "deepseek"}
    assert wanted <= provider_names()


def test_a_sentence_is_no_provider() -> None:
    assert [name for name in provider_names() if not name or " " in name] == []


def test_prices_and_names_are_read_without_importing_litellm() -> None:
    code = (
        "import sys; from providers.price_list import price_list, provider_names;"
        "price_list(), provider_names(); print('litellm' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
