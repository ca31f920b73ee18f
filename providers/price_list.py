"""Read what comes with litellm as data files (prices, provider names), without importing it."""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from core.run import ModelSpec
from providers.locality import WITHOUT_ENDPOINT
from providers.pricing import Price, PriceTable, Tier

_FIELDS = {
    "input": "input_cost_per_token",
    "output": "output_cost_per_token",
    "cached": "cache_read_input_token_cost",
    "cache_write": "cache_creation_input_token_cost",
}
_ABOVE = re.compile(r"input_cost_per_token_above_(\d+)k_tokens")
_MODES = {"chat", "responses"}


@cache
def _data(name: str) -> dict[str, Any]:
    try:
        path = Path(str(distribution("litellm").locate_file(f"litellm/{name}")))
        read: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (PackageNotFoundError, OSError, ValueError):
        return {}
    return read


@cache
def provider_names() -> frozenset[str]:
    """Every provider that litellm names; its sample entry has a sentence in place of a name."""
    named = _data("provider_endpoints_support_backup.json").get("providers", {})
    priced = _data("model_prices_and_context_window_backup.json").values()
    listed = {entry.get("litellm_provider") for entry in priced}
    return frozenset(name for name in {*named, *listed} if name and " " not in name)


@cache
def price_list() -> PriceTable:
    """litellm's own list of prices, as of its installed version.

    Left out are entries whose price one rate a token cannot say (another rate for reasoning,
    prices by ranges), and free ones: a local model costs something too, only nobody says how much.
    """
    found: dict[str, Price] = {}
    for name, entry in _data("model_prices_and_context_window_backup.json").items():
        provider = entry.get("litellm_provider")
        if provider and entry.get("mode") in _MODES and (price := _price(entry)):
            found[f"{provider}/{name.removeprefix(f'{provider}/')}"] = price
    return PriceTable(models=found, version=distribution("litellm").version, listed=True)


def _price(entry: dict[str, Any]) -> Price | None:
    base = _rates(entry, "")
    output = base.get("output")
    if not base.get("input") or not output or "tiered_pricing" in entry:
        return None
    if (
        entry.get("output_cost_per_reasoning_token", entry["output_cost_per_token"])
        != (entry["output_cost_per_token"])
    ):
        return None
    marks = [int(found[1]) for key in entry if (found := _ABOVE.fullmatch(key))]
    tiers = tuple(
        Tier(above=mark * 1000, **_rates(entry, f"_above_{mark}k_tokens")) for mark in sorted(marks)
    )
    return Price.model_validate({**base, "tiers": tiers})


def _rates(entry: dict[str, Any], suffix: str) -> dict[str, Any]:
    """Our rates (per million) of their fields (per token)."""
    named = {ours: entry.get(theirs + suffix) for ours, theirs in _FIELDS.items()}
    # 12 digits: 3e-07 a token is 0.3 a million, not 0.30000000000000004.
    return {ours: round(cost * 1e6, 12) for ours, cost in named.items() if cost is not None}


def table_for(spec: ModelSpec, given: PriceTable | None) -> PriceTable | None:
    """The prices that hold for a model: those given, else litellm's list.

    An endpoint of one's own is not what the list speaks of: with a base URL there is no price
    unless a table is given. A script and a replay cost nothing that a list could know.
    """
    if given is not None:
        return given
    if spec.base_url is not None or spec.provider in WITHOUT_ENDPOINT:
        return None
    return price_list()
