"""`ddr run`: let an agent explore a scenario's entities, or go on after a crash."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import typer

from core.errors import UsageError
from core.hints import typed
from server.cli import run_options as opt
from server.cli.options import Json, Quiet, example

if TYPE_CHECKING:
    from pathlib import Path

    from core.run import RunSpec
    from server.cli.output import Output
    from server.config import RunOptions
    from server.models import Means
    from server.settings import Settings
    from server.store import Repository

_BESIDE_RESUME = ("budget_usd", "concurrency", "timeout")
"""What may change when a run goes on: how much is spent, how fast, and how patiently."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    shown = example(
        "ddr run --scenario flights --model anthropic/claude-sonnet-4-5 --entities sample:4",
        "ddr run --scenario flights --model openai/my-model --base-url http://127.0.0.1:8000/v1",
        "ddr run --scenario flights --agent profiler",
        "ddr run --scenario flights --model openai/gpt-x --estimate --pilot 2",
        "ddr run --config bench.toml",
        "ddr run --resume last",
    )
    app.command("run", epilog=shown)(run)


def run(
    *,
    scenario: opt.Scenario = None,
    model: opt.Model = None,
    base_url: opt.BaseUrl = None,
    sampling: opt.Sampling = None,
    insight_model: opt.InsightModel = None,
    agent: opt.AgentName = None,
    entities: opt.Entities = None,
    trials: opt.Trials = None,
    concurrency: opt.Concurrency = None,
    tools: opt.Hands = None,
    limits: opt.LimitList = None,
    announce_budget: opt.AnnounceBudget = False,
    budget_usd: opt.Budget = None,
    prices: opt.Prices = None,
    prompts: opt.PromptFolder = None,
    insights: opt.Insights = None,
    final_report: opt.FinalReport = None,
    protocol: opt.Protocol = None,
    goal: opt.GoalName = None,
    endpoint_allowed: opt.EndpointAllowed = None,
    timeout: opt.Timeout = None,
    seed: opt.Seed = None,
    config: opt.Config = None,
    resume: opt.Resume = None,
    retry_errors: opt.RetryErrors = False,
    unsafe_python_without_sandbox: opt.Unsafe = False,
    estimate: opt.Estimate = False,
    pilot: opt.Pilot = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Explore entities with an agent; each turn is stored as it ends."""
    from core.trajectory import UNSAFE
    from server import settings as places
    from server.beginning import begin
    from server.build import SANDBOX
    from server.cli.output import Output
    from server.config import read_limits, read_options, read_sampling
    from server.store import open_store

    given: dict[str, Any] = {
        "scenario": scenario,
        "model": model or None,
        "base_url": base_url,
        "sampling": read_sampling(sampling) if sampling else None,
        "insight_model": insight_model,
        "agent": agent,
        "entities": entities,
        "trials": trials,
        "concurrency": concurrency,
        "tools": tools,
        "limits": read_limits(limits) if limits else None,
        "announce_budget": announce_budget or None,
        "budget_usd": budget_usd,
        "prices": prices,
        "prompts": prompts,
        "insights": insights,
        "final_report": final_report,
        "protocol": protocol,
        "goal": goal,
        "endpoint_allowed": endpoint_allowed,
        "timeout": timeout,
        "seed": seed,
    }
    out = Output(json=json, quiet=quiet)
    settings = places.load().prepare()
    with open_store(settings.store_path) as store:
        if resume is not None:
            beside = {"config": config, "estimate": estimate or None, "pilot": pilot}
            _refuse_beside_resume({**given, **beside})
            specs, means = _resumed(store, settings, resume, given)
            _same_sandbox(specs[0], unsafe_python_without_sandbox)
        else:
            if retry_errors:
                raise UsageError("--retry-errors goes with --resume")
            if pilot is not None and not estimate:
                raise UsageError("--pilot goes with --estimate")
            options = read_options(config, given)
            sandbox = UNSAFE if unsafe_python_without_sandbox else SANDBOX
            if estimate:
                _estimate(options, store, settings, out, pilot=pilot, sandbox=sandbox)
                return
            specs, means = begin(options, store, settings, sandbox=sandbox)
        carry_out(specs, store, settings, out, means=means, retry_errors=retry_errors)
        _tell(specs, store, settings.checklists, out)


def _resumed(
    store: Repository, settings: Settings, name: str, given: dict[str, Any]
) -> tuple[list[RunSpec], Means]:
    from server.beginning import go_on

    spec = store.run(name)
    if spec.outside is not None:
        again = typed(f"enrol --resume {spec.id}")
        raise UsageError(f"run {spec.id} is explored by an agent from outside; go on with: {again}")
    if given["concurrency"]:
        spec = spec.model_copy(update={"concurrency": max(1, given["concurrency"])})
    means = go_on(spec, store, settings, budget_usd=given["budget_usd"], timeout_s=given["timeout"])
    return [spec], means


def _same_sandbox(spec: RunSpec, unsafe: bool) -> None:
    """A run without a sandbox goes on only where that is said again."""
    from core.trajectory import UNSAFE

    if unsafe != (spec.sandbox == UNSAFE):
        option = "--unsafe-python-without-sandbox"
        raise UsageError(
            f"{option}: run {spec.id} was begun in a sandbox, and goes on in it"
            if unsafe
            else f"run {spec.id} was begun without a sandbox: say {option} again, or begin a new one"
        )


def _refuse_beside_resume(given: dict[str, Any]) -> None:
    beside = [
        f"--{name.replace('_', '-')}"
        for name, value in given.items()
        if value is not None and name not in _BESIDE_RESUME
    ]
    if beside:
        raise UsageError(f"--resume goes on with the run as it was begun; leave {beside[0]} away")


def _estimate(
    options: RunOptions,
    store: Repository,
    settings: Settings,
    out: Output,
    *,
    pilot: int | None,
    sandbox: str,
) -> None:
    """Nothing of the run itself is explored or stored; a pilot is a run of its own."""
    from server.beginning import begin
    from server.cli.estimating import pilot_options, tell

    specs, means = begin(options, store, settings, add=False, sandbox=sandbox)
    pilots: list[RunSpec] = []
    if pilot is not None:
        drawn = pilot_options(options, pilot, settings)
        pilots, paid = begin(drawn, store, settings, sandbox=sandbox)
        carry_out(pilots, store, settings, out, means=paid)
    tell(specs, store, means.prices, out, pilots=pilots)


def carry_out(
    specs: RunSpec | Sequence[RunSpec],
    store: Repository,
    settings: Settings,
    out: Output,
    *,
    means: Means | None = None,
    retry_errors: bool = False,
) -> None:
    """Explore what the runs lack, side by side; after Ctrl-C say what was kept."""
    from core.run import RunSpec
    from server.cli.exploring import Expedition

    listed = [specs] if isinstance(specs, RunSpec) else list(specs)
    Expedition(listed, store, settings, out, means=means, retry_errors=retry_errors).go()


def _tell(specs: Sequence[RunSpec], store: Repository, own: Path, out: Output) -> None:
    """`own` is the folder of the checklists of this home."""
    from checklists.loader import has_checklist
    from server.cli.exploring import resume_command
    from server.cli.showing import show_run
    from server.runs import progress_of, summary

    failed = 0
    for number, spec in enumerate(specs):
        if number:
            out.say()
        show_run(spec, store, out)
        state = progress_of(spec, store)
        failed += state.failed
        score = [typed(f"evaluate {spec.id}")] if has_checklist(spec.scenario_id, own) else []
        look = [*score, typed(f"show {spec.id} {spec.entity_ids[0]}")]
        again = [f"{resume_command(spec)} --retry-errors"] if state.failed else []
        out.hint("\n" + "\n".join(_steps([*again, *look])))
        if state.failed:
            out.note(f"{state.failed} of {state.wanted} ended by a fault; try again: {again[0]}")
    found = [summary(spec, store) for spec in specs]
    out.result(found[0] if len(found) == 1 else {"runs": found})
    if failed:
        raise typer.Exit(1)


def _steps(commands: Sequence[str]) -> list[str]:
    """What may be done next, the likeliest first."""
    return [f"{'next' if not place else '  or'}: {line}" for place, line in enumerate(commands)]
