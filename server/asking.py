"""The models that judge: named, allowed, priced, and what they are asked with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from core.errors import UsageError
from core.run import Limits, ModelSpec
from core.scenario import Scenario
from core.trajectory import Role
from evaluator.interviewing import Interviewer
from providers.catalog import model_name, takes_forms, wants_marks
from providers.price_list import table_for
from providers.pricing import PriceTable
from server.metering import Purse
from server.models import (
    TIMEOUT_S,
    Means,
    metered_model,
    named_model,
    refuse_endpoints,
    refuse_unpriced,
)
from server.store import Repository
from server.store.answers import Answers

CONCURRENCY: Final = 4


@dataclass(frozen=True)
class JudgeOptions:
    """What a command that asks judges is told of them."""

    judges: tuple[str, ...] = ()
    """provider/name or scripted:FILE; several make a panel."""
    base_url: str | None = None
    sampling: Mapping[str, Any] = field(default_factory=dict)
    prices: Path | None = None
    concurrency: int | None = None
    timeout_s: float = TIMEOUT_S
    endpoint_allowed: str | None = None
    budget_usd: float | None = None
    afresh: bool = False
    """Ask again what is remembered."""
    structured: bool | None = None
    """Whether replies are asked for by a JSON schema; None = where the model is known to take one."""


@dataclass(frozen=True)
class Judges:
    """The models that judge, all paid from one purse; asked only once they are asked."""

    options: JudgeOptions
    specs: tuple[ModelSpec, ...]
    means: Means
    store: Repository

    @property
    def concurrency(self) -> int:
        """Requests under way at a time."""
        return self.options.concurrency or CONCURRENCY

    @property
    def parameters(self) -> dict[str, Any]:
        """What else their replies depend on, for records; empty where nothing was said."""
        told = {
            "sampling": dict(self.options.sampling) or None,
            "base_url": self.options.base_url,
            "endpoint_allowed": self.options.endpoint_allowed,
            "structured": [model_name(spec) for spec in self.specs if self.structured(spec)]
            or None,
        }
        return {key: value for key, value in told.items() if value is not None}

    def structured(self, spec: ModelSpec) -> bool:
        """Whether one of them is asked for replies of a given form."""
        told = self.options.structured
        return takes_forms(spec) if told is None else told

    def prices(self, spec: ModelSpec) -> PriceTable | None:
        """What one of them is priced by; None = no price."""
        return table_for(spec, self.means.prices)

    def interviewers(self, role: Role) -> Iterator[Interviewer]:
        """One for each, which remembers what it was told, in this and any other process.

        A script says things in their order, whatever it is asked: what it said is not remembered.
        """
        for spec in self.specs:
            forgets = self.options.afresh or spec.provider == "scripted"
            yield Interviewer(
                metered_model(spec, self.means),
                role=role,
                parameters={"sampling": spec.sampling, "base_url": spec.base_url},
                memory=None if forgets else Answers(self.store),
                holds_to_forms=self.structured(spec),
                marks_shared=wants_marks(spec),
            )


def judges_for(options: JudgeOptions, scenario: Scenario | None, store: Repository) -> Judges:
    """The judges, before anything is spent. `scenario`: whose data they are shown, if any.

    Raises UsageError (a replay, restricted data, a budget without prices, a concurrency below 1),
    UnknownNameError, ConfigError. Keys are looked for by models.refuse_keyless, once they are needed.
    """
    if options.concurrency is not None and options.concurrency < 1:
        raise UsageError(f"--concurrency {options.concurrency}: give 1 or more")
    specs = tuple(
        named_model(name, store, base_url=options.base_url, sampling=options.sampling)
        for name in dict.fromkeys(options.judges)
    )
    if any(spec.provider == "replay" for spec in specs):
        raise UsageError(
            "a replay answers an exploration, not a judge's questions: give another --judge"
        )
    means = Means(
        prices=PriceTable.load(options.prices) if options.prices else None,
        purse=Purse(options.budget_usd),
        timeout_s=options.timeout_s,
    )
    if scenario is not None:
        refuse_endpoints(scenario, specs, options.endpoint_allowed)
    refuse_unpriced(specs, means.prices, budget_usd=options.budget_usd, limits=Limits())
    return Judges(options, specs, means, store)
