"""`ddr curves --min-sufficient`: have prefixes judged again, or say what that would take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from core.wording import counted

if TYPE_CHECKING:
    from core.sufficiency import Sufficiency
    from server.asking import JudgeOptions
    from server.cli.output import Output
    from server.cli.ticking import Telling
    from server.diffing import Side
    from server.min_sufficient import Sufficing
    from server.settings import Settings
    from server.store import Repository


def sufficient(
    side: Side,
    options: JudgeOptions,
    store: Repository,
    settings: Settings,
    out: Output,
    *,
    checklist: str | None,
) -> list[Sufficiency]:
    """By which turn the insights of a run suffice; what was found before is not judged again."""
    from server.cli import asking_judges
    from server.models import refuse_keyless
    from server.runner import utc_now
    from server.store import RunLock

    sufficing, judges = _prepared(side, options, store, settings, checklist)
    refuse_keyless(judges.specs)

    async def work(telling: Telling) -> list[Sufficiency]:
        return await sufficing.find(utc_now(), telling.watch)

    return asking_judges.asked(
        work,
        judges,
        out,
        doing="judging prefixes",
        kept="What was found is kept",
        told={"run": side.spec.id},
        lock=RunLock(settings.locks, side.spec.id),
    )


def tell_estimate(
    sides: Sequence[Side],
    options: JudgeOptions,
    store: Repository,
    settings: Settings,
    out: Output,
    *,
    checklist: str | None,
) -> None:
    """What judges would still take, where each discovery suffices and the turn before does not."""
    from server.cli.estimating import say_calls
    from server.judge_estimate import estimate_judging

    told: dict[str, Any] = {}
    for side in sides:
        sufficing, judges = _prepared(side, options, store, settings, checklist)
        asked = sufficing.enquiries()
        if not judges.specs:
            out.say(f"{side.name}: rules judge its prefixes, free of charge")
            told[side.spec.id] = {}
            continue
        alike = [call for v in store.verdicts(side.evaluation.id) for call in v.calls]
        for spec, name in zip(judges.specs, side.evaluation.judges_asked, strict=True):
            found = estimate_judging(
                [each.messages for each in asked if each.judge == name],
                [call for call in alike if call.model_asked == name and not call.is_recalled],
                judge=name,
                prices=judges.prices(spec),
                concurrency=judges.concurrency,
            )
            say_calls(name, found, "judge", out)
            told.setdefault(side.spec.id, {})[name] = found.model_dump(mode="json")
    out.result({"estimates": told})


def show_moved(found: Sequence[Sufficiency], name: str, out: Output) -> None:
    """How the turns that suffice lie to the turns of discovery."""
    known = [each for each in found if each.turn is not None and each.discovered_at is not None]
    later = sum((each.turn or 0) > (each.discovered_at or 0) for each in known)
    earlier = sum((each.turn or 0) < (each.discovered_at or 0) for each in known)
    out.say(
        f"{name}: of {counted(len(found), 'supported item')} the insights suffice at the discovery for "
        f"{len(known) - later - earlier}, only later for {later}, earlier for {earlier}"
    )
    if failed := [each for each in found if each.turn is None]:
        out.say(f"not judged again: {len(failed)}, as in: {failed[0].unscored_reason}")


def as_json(found: Sequence[Sufficiency]) -> list[dict[str, Any]]:
    """For --json, without the calls."""
    return [each.model_dump(mode="json", exclude={"calls", "evaluation_id"}) for each in found]


def _prepared(
    side: Side,
    options: JudgeOptions,
    store: Repository,
    settings: Settings,
    checklist: str | None,
) -> tuple[Sufficing, Any]:
    from databases.catalog import open_scenario
    from server.curves import facts_of
    from server.min_sufficient import Sufficing
    from server.sufficing import same_checker

    installed = open_scenario(side.spec.scenario_id, settings.home)
    again = same_checker(side.evaluation, options, store, installed)
    return Sufficing(side, store, facts_of(side, settings, checklist), again.checker), again.judges
