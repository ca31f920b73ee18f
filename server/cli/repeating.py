"""`ddr calibrate RUN --repeats K`: judge a sample of a run's items again and again."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.run import RunSpec
    from server.asking import JudgeOptions
    from server.cli.output import Output
    from server.settings import Settings
    from server.store import Repository


def repeat_run(
    spec: RunSpec,
    options: JudgeOptions,
    *,
    store: Repository,
    settings: Settings,
    criteria: str,
    k: int,
    sample: str,
    checklist: str | None,
    estimate: bool,
    out: Output,
) -> None:
    """Ask each judge a sample of the run's items and levels k times; nothing but replies is kept."""
    from checklists.loader import checklist_for
    from core.errors import UsageError
    from databases.catalog import open_scenario
    from evaluator.calibration.measuring import stability
    from evaluator.calibration.sitting import Sheet, repeated
    from server.asking import judges_for
    from server.candidates import candidates
    from server.cli.agreeing import show_stability
    from server.cli.asking_judges import asked, tell_estimate
    from server.judges import criteria_of
    from server.models import refuse_keyless
    from server.sampling import sampled_sheets

    facts = checklist_for(spec.scenario_id, settings.checklists, named=checklist)
    judges = judges_for(options, open_scenario(spec.scenario_id, settings.home).scenario, store)
    sheets: list[Sheet] = sampled_sheets(store.trajectories(spec.id), facts, sample, seed=spec.seed)
    if not sheets:
        raise UsageError(
            f"run {spec.id} has nothing that a judge would be asked: nothing was "
            "handed in that counts, or the checklist has no item on it"
        )
    named = candidates(judges, criteria_of(criteria))
    if estimate:
        tell_estimate(
            named,
            lambda each: [(each.checker(repeat=n), sheets) for n in range(k)],
            judges,
            out,
            run=spec.id,
        )
        return
    refuse_keyless(judges.specs)
    steady = {}
    for each in named:
        checkers = [each.checker(repeat=n) for n in range(k)]
        rows = asked(
            lambda telling, checkers=checkers: repeated(checkers, sheets, watch=telling.watch),  # type: ignore[misc]
            judges,
            out,
            doing=f"asking {each.name}",
        )
        made = stability([[verdict.label for verdict in row] for row in rows.values()])
        out.say(f"{each.name} on {spec.id}")
        show_stability(made, out)
        steady[each.name] = made.model_dump(mode="json")
    out.result({"run": spec.id, "stability": steady})
