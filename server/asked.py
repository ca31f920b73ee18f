"""What `ddr evaluate` is asked for, and the judging that comes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.checklist import Checklist
from core.errors import UsageError
from core.protocols import Checker
from core.run import Limits, ModelSpec, RunSpec
from databases.catalog import InstalledScenario
from providers.price_list import table_for
from providers.pricing import PriceTable
from server.board import Board
from server.build import LLM, make_checker
from server.evaluate import Judging
from server.judges import make_judge
from server.metering import Purse
from server.models import TIMEOUT_S, Means, named_model, refuse_endpoints, refuse_unpriced
from server.store import Repository


@dataclass(frozen=True)
class Asked:
    """The options."""

    checker: str = "matching"
    judge: str | None = None
    base_url: str | None = None
    sampling: Mapping[str, Any] = field(default_factory=dict)
    prices: Path | None = None
    criteria: str = "strict"
    concurrency: int | None = None
    timeout_s: float = TIMEOUT_S
    baselines: str | None = None
    endpoint_allowed: str | None = None
    budget_usd: float | None = None


@dataclass(frozen=True)
class Prepared:
    """A judging that is not begun."""

    judging: Judging
    board: Board
    """On which its calls are seen."""
    judge: ModelSpec | None = None
    prices: PriceTable | None = None
    """What the judge is priced by; None = no price."""


def prepare(
    asked: Asked,
    spec: RunSpec,
    checklist: Checklist,
    store: Repository,
    installed: InstalledScenario,
) -> Prepared:
    """The judging. Raises UsageError, UnknownNameError, ConfigError before anything is spent."""
    means = Means(
        prices=PriceTable.load(asked.prices) if asked.prices else None,
        purse=Purse(asked.budget_usd),
        timeout_s=asked.timeout_s,
    )
    parameters: dict[str, Any] = {}
    model: ModelSpec | None = None
    checker: Checker
    if asked.checker == LLM and asked.judge is not None:
        model = named_model(asked.judge, store, base_url=asked.base_url, sampling=asked.sampling)
        refuse_endpoints(installed.scenario, [model], asked.endpoint_allowed)
        refuse_unpriced([model], means.prices, budget_usd=asked.budget_usd, limits=Limits())
        checker = make_judge(model, means, criteria=asked.criteria, concurrency=asked.concurrency)
        parameters = {
            "sampling": dict(asked.sampling) or None,
            "base_url": asked.base_url,
            "endpoint_allowed": asked.endpoint_allowed,
        }
        parameters = {key: value for key, value in parameters.items() if value is not None}
    else:
        if asked.judge is not None and asked.checker != LLM:
            raise UsageError(f"the checker {asked.checker} asks no judge: leave --judge out")
        checker = make_checker(asked.checker, installed.entities())
    judging = Judging(
        spec, store, checklist, checker, baselines=asked.baselines, parameters=parameters
    )
    return Prepared(judging, means.board, model, table_for(model, means.prices) if model else None)
