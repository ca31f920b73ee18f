"""`ddr checklists audit`: what a checklist is worth, before anybody is scored by it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.errors import UnknownNameError
from core.hints import typed
from core.wording import counted
from server.cli.checklist_proving import ChecklistName
from server.cli.options import Json, Quiet, example

if TYPE_CHECKING:
    from checklists.audit.audit import Audit
    from checklists.audit.balance import Balance, Guess
    from checklists.audit.redundancy import Redundancy
    from server.cli.output import Output

_SHOWN = 3
"""Findings of one check that are told; --json has all."""


def add(group: typer.Typer) -> None:
    """Add the command."""
    group.command("audit", epilog=example("ddr checklists audit ddr-bench-wearables"))(audit)


def audit(
    checklist: ChecklistName,
    *,
    alike: Annotated[
        float,
        typer.Option(
            min=0.0,
            max=1.0,
            help="From which cosine two answers are the same (E5).",
            metavar="COSINE",
        ),
    ] = 0.5,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Look for faults in a checklist, and tell what guessing would score on it.

    Where the scenario is built, its database tells whether questions and evidence speak of things
    that are there. Nothing is changed.
    """
    from checklists.audit import audit as auditing
    from checklists.loader import load
    from databases.catalog import open_scenario
    from server import settings as places
    from server.cli.output import Output
    from server.lexicons import lexicons_of

    out = Output(json=json, quiet=quiet)
    settings = places.load()
    mine = load(checklist, settings.checklists)
    try:
        installed = open_scenario(mine.scenario_id, settings.home)
    except UnknownNameError:
        installed = None
    with out.progress("auditing") as progress:
        lexicons = None
        if installed is not None:
            lexicons = lexicons_of(
                installed, lambda what, share: progress.update(share / 2, 1, what)
            )
        found = auditing.audit(
            mine,
            entities=installed.entities() if installed and lexicons else (),
            lexicons=lexicons,
            alike=alike,
            progress=lambda what, share: progress.update(0.5 + share / 2, 1, what),
        )
    _tell(found, out, mine.scenario_id)
    out.result(
        {
            **found.model_dump(mode="json", exclude={"findings"}),
            "counts": dict(auditing.findings_by_check(found)),
            "reachable_share": found.reach.share,
            "baselines": _baselines(found.balance),
            "findings": [finding.model_dump(mode="json") for finding in found.findings],
        }
    )


def _tell(found: Audit, out: Output, scenario_id: str) -> None:
    from checklists.audit.audit import findings_by_check
    from checklists.audit.findings import CHECKS

    least, mean, most = found.per_entity or (0, 0.0, 0)
    out.say(
        f"checklist {found.checklist_id}: {counted(found.items, 'item')} about "
        f"{counted(found.entities, 'entity')}, {least} to {most} each ({mean:.1f} on average)"
    )
    if found.not_looked_at:
        listed = ", ".join(found.not_looked_at)
        out.say(f"  {scenario_id} is not built here: {listed} were not looked at")
        out.hint(f"  build it: {typed(f'scenarios build {scenario_id}')}")
    rows = [[check, str(n), CHECKS[check]] for check, n in findings_by_check(found).items()]  # type: ignore[index]
    out.say()
    out.table(["check", ">found", "what"], rows)
    for check in CHECKS:
        mine = [finding for finding in found.findings if finding.check == check]
        for finding in mine[:_SHOWN]:
            where = ", ".join(finding.item_ids) or f"the goal of {finding.entity_id}"
            out.say(f"  {check} {where}: {finding.text}")
        if len(mine) > _SHOWN:
            out.say(f"  {check}: and {len(mine) - _SHOWN} more; --json has them all")
    if found.balance:
        _tell_balance(found.balance, out)
    out.say()
    rows = [
        [name, str(each.sets), str(each.texts), *figures(each)]
        for name, each in (("questions", found.questions), ("answers", found.answers))
    ]
    out.table(
        ["redundancy", ">sets", ">texts", ">TF-IDF cosine", ">Self-BLEU", ">Distinct-2"], rows
    )
    reach = found.reach
    share = "-" if reach.share is None else f"{reach.share:.1%}"
    out.say(
        f"\n{reach.with_path} of {reach.items} items have evidence in the database ({share} reachable)"
    )


def _tell_balance(found: Balance, out: Output) -> None:
    out.say(f"\nclosed items: {found.items}")
    rows = [[answer, str(n), f"{n / found.items:.1%}"] for answer, n in found.answers.items()]
    out.table(["answer", ">items", ">share"], rows)
    out.say()
    named = {
        f"always {found.constant_answer!r}": found.constant,
        "commonest answer of the construct, entity left out": found.per_construct,
        "the same, entity not left out": found.per_construct_in_sample,
    }
    rows = [[name, f"{g.right}/{g.items}", f"{g.accuracy:.1%}"] for name, g in named.items()]
    out.table(["guessing", ">right", ">accuracy"], rows)


def _baselines(found: Balance | None) -> dict[str, Any] | None:
    if found is None:
        return None

    def told(guess: Guess) -> dict[str, Any]:
        return {**guess.model_dump(mode="json"), "accuracy": guess.accuracy}

    return {
        "constant": {**told(found.constant), "answer": found.constant_answer},
        "per_construct": told(found.per_construct),
        "per_construct_in_sample": told(found.per_construct_in_sample),
    }


def figures(each: Redundancy) -> list[str]:
    """Cosine, Self-BLEU and Distinct-2, as they are shown."""
    values = (each.cosine, each.self_bleu, each.distinct_2)
    return ["-" if value is None else f"{value:.4f}" for value in values]
