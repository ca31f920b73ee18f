"""Who may score: a judge that reads the calibration set rightly, asked now where nobody knows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from core.calibration import BATCH_RULE, Calibration
from core.errors import UsageError
from evaluator.asking import Criteria
from evaluator.calibration.cases import shipped
from evaluator.calibration.sitting import Watch
from server.asking import Judges
from server.candidates import QUICK, Candidate, Plan, candidates
from server.store import Repository
from server.store.calibrations import Calibrations

Tell = Callable[[str], None]


def is_calibrated(judges: Judges, *, criteria: Criteria | str) -> bool:
    """Whether `admit` would ask nothing."""
    return all(each.stored(judges.store) for each in candidates(judges, criteria))


async def admit(
    judges: Judges,
    *,
    criteria: Criteria | str,
    tell: Tell,
    watch: Watch = lambda *_: None,
) -> tuple[Calibration, ...]:
    """The calibrations by which these judges may score, one each (field case F40).

    A judge without one reads QUICK cases now. Raises UsageError for a judge that may not score,
    CheckerError where its endpoint fails.
    """
    found = []
    for each in candidates(judges, criteria):
        known = each.stored(judges.store)
        if not known:
            tell(
                f"{each.name} was never calibrated under these criteria: it reads {QUICK} cases with "
                "known labels first"
            )
            known = await each.calibrate(Plan(sample=QUICK), watch=watch)
            Calibrations(judges.store).add(known[0])
        found.append(_admitted(each, known))
    return tuple(found)


def may_batch(judges: Judges, n: int, *, criteria: Criteria | str) -> None:
    """Raises UsageError unless every judge may be asked `n` items in one call."""
    if n == 1:
        return
    refuse_too_many(n)
    for each in candidates(judges, criteria):
        known = [made for made in each.stored(judges.store, batch=n) if made.is_whole]
        if known and known[-1].may_batch:
            continue
        why = f"it was never asked {n} items in one call on the whole calibration set"
        if known and (agreed := known[-1].agreement_with_single) is not None:
            why = f"it agreed with its single calls in {agreed:.1%} of the cases"
        raise UsageError(
            f"--batch {n} is not for {each.name}: {why}. The rule: {BATCH_RULE}. "
            f"Find out: {each.command} --batch {n}"
        )


def refuse_too_many(n: int) -> None:
    """Raise UsageError where the set cannot show how a judge reads `n` items in one call."""
    most = max(len(page.cases) for page in shipped().pages)
    if not 1 <= n <= most:
        raise UsageError(
            f"--batch {n}: give 1 to {most}; no page of the calibration set has more "
            "questions, so that nobody knows how a judge reads more at a time"
        )


def changed(store: Repository, calibrations: Collection[str], served: Collection[str]) -> list[str]:
    """What to say where another model answers than the one that was calibrated (field case F43).

    `calibrations`: ids, as an evaluation keeps them; `served`: who answered it.
    """
    return [
        f"{made.judge} was calibrated when {' and '.join(made.served)} answered for it; now "
        f"{' and '.join(served)} did: calibrate it anew"
        for made in Calibrations(store).all()
        if made.id in calibrations and made.served and served and not {*made.served} & {*served}
    ]


def _admitted(judge: Candidate, known: Sequence[Calibration]) -> Calibration:
    """The one that decides: the last over the whole set, else the last; so of those with canaries."""
    last = _decisive(known)
    objections = list(last.objections)
    if canaries := [each for each in known if each.canary is not None]:
        spoken_to = _decisive(canaries)
        objections += [each for each in spoken_to.objections if each not in objections]
    if not objections:
        return last
    found_by = f"{last.n} of {last.of} cases" if last.n < last.of else f"all {last.of} cases"
    raise UsageError(
        f"{judge.name} may not score: {'; '.join(objections)}, by {found_by} with known labels. "
        f"See the figures: {judge.command}; another judge may do better. To score with it all "
        "the same, and have that said beside every score: --uncalibrated"
    )


def _decisive(known: Sequence[Calibration]) -> Calibration:
    return ([each for each in known if each.is_whole] or known)[-1]
