"""Begin runs, or go on with one: what can be refused is refused before anything is spent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from core.errors import UsageError
from core.run import ModelSpec, RunSpec
from databases.catalog import open_scenario
from server import inputs
from server.build import SANDBOX, make_spec, sandbox_for
from server.bundle.origin import refuse_bundled
from server.config import REACT, RunOptions
from server.metering import Purse
from server.models import (
    TIMEOUT_S,
    Means,
    named_model,
    refuse_endpoints,
    refuse_keyless,
    refuse_unpriced,
)
from server.settings import Settings
from server.store import Repository

if TYPE_CHECKING:
    from providers.pricing import PriceTable


def begin(
    options: RunOptions,
    store: Repository,
    settings: Settings,
    *,
    add: bool = True,
    sandbox: str = SANDBOX,
) -> tuple[list[RunSpec], Means]:
    """One run for each model (one without, for an agent that asks none), stored if `add`.

    `sandbox` is none of the options, so that no file can turn it off unseen.
    Raises UsageError, UnknownNameError, ConfigError, ScenarioError: nothing is stored then.
    """
    from server.runner import utc_now

    if options.prompts and options.agent != REACT:
        raise UsageError(f"--prompts is for the agent {REACT}, not for {options.agent}")
    _refuse_announcing(options)
    installed = open_scenario(options.scenario, settings.home)
    named = [
        named_model(text, store, base_url=options.base_url, sampling=options.sampling)
        for text in options.model
    ]
    other = named_model(options.insight_model, store) if options.insight_model else None
    prices = _prices(options)
    asked = [*named, other] if other else named
    refuse_endpoints(installed.scenario, asked, options.endpoint_allowed)
    refuse_unpriced(asked, prices, budget_usd=options.budget_usd, limits=options.limits)
    more = _more(options, settings, prices, other)
    taken = [run.id for run in store.runs()]
    specs: list[RunSpec] = []
    models: list[ModelSpec | None] = [*named] if named else [None]
    for model in models:
        made = make_spec(
            installed,
            agent=options.agent,
            entities=options.entities,
            taken=taken,
            now=utc_now(),
            tools=options.tools,
            limits=options.limits,
            seed=options.seed,
            protocol=options.protocol,
            goal=options.goal,
            model=model,
            trials=options.trials,
            concurrency=options.concurrency,
            sandbox=sandbox,
            **more,
        )
        specs.append(made)
        taken.append(made.id)
    sandbox_for(specs[0].tools, sandbox)
    if add:
        refuse_keyless(asked)
    for spec in specs if add else ():
        store.add_run(spec)
    means = Means(prices=prices, purse=Purse(options.budget_usd), timeout_s=options.timeout)
    return specs, means


def _refuse_announcing(options: RunOptions) -> None:
    from agent.announcing import has_budget

    if not options.announce_budget:
        return
    if options.agent != REACT:
        raise UsageError(f"--announce-budget is for the agent {REACT}, not for {options.agent}")
    # Protocol ddr has a limit of its own.
    if options.protocol != "ddr" and not has_budget(options.limits):
        raise UsageError(
            "--announce-budget has nothing to tell: give a limit, as --limits max_turns=30"
        )


def _prices(options: RunOptions) -> PriceTable | None:
    from providers.pricing import PriceTable

    return PriceTable.load(options.prices) if options.prices else None


def _more(
    options: RunOptions, settings: Settings, prices: PriceTable | None, other: ModelSpec | None
) -> dict[str, Any]:
    """The fields that a run with a model has beside those of every run."""
    more: dict[str, Any] = {
        "budget_usd": options.budget_usd,
        "insight_model": other,
        "insights": options.insights,
        "final_report": options.final_report,
        "announced_budget": options.announce_budget,
        "endpoint_allowed": options.endpoint_allowed,
        "price_table_hash": inputs.keep_prices(settings, prices) if prices else None,
    }
    if options.agent == REACT:
        from agent.prompting import Prompts

        folder = options.prompts
        prompts = Prompts.from_folder(folder) if folder else Prompts.builtin()
        more["prompts_hash"] = inputs.keep_prompts(settings, prompts)
    return more


def go_on(
    spec: RunSpec,
    store: Repository,
    settings: Settings,
    *,
    budget_usd: float | None = None,
    timeout_s: float | None = None,
) -> Means:
    """What a resumed run works with: its own prices, and what is left of its budget.

    `budget_usd` is a new budget for what follows. Raises UsageError, ConfigError.
    """
    refuse_bundled(spec)
    key = spec.price_table_hash
    prices = inputs.kept_prices(settings, key) if key else None
    models = [model for model in (spec.model, spec.insight_model) if model is not None]
    if models:
        scenario = open_scenario(spec.scenario_id, settings.home).scenario
        refuse_endpoints(scenario, models, spec.endpoint_allowed)
    limit = spec.budget_usd if budget_usd is None else budget_usd
    refuse_unpriced(models, prices, budget_usd=limit, limits=spec.limits)
    refuse_keyless(models)
    spent = 0.0
    if budget_usd is None and spec.budget_usd is not None:
        spent = _spent(spec, store)
    return Means(
        prices=prices, purse=Purse(limit, spent_usd=spent), timeout_s=timeout_s or TIMEOUT_S
    )


def _spent(spec: RunSpec, store: Repository) -> float:
    """The known cost of all attempts so far."""
    return sum(call.usage.cost_usd or 0.0 for call in store.calls(spec.id))
