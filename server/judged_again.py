"""Judge another run exactly as a stored evaluation judged its own: same checker, judges and rules."""

from __future__ import annotations

from pathlib import Path

from checklists.loader import load
from core.checklist import Checklist
from core.errors import ChecklistError
from core.evaluation import LEVELS, Evaluation
from core.hints import typed
from core.run import RunSpec
from evaluator.asking import CRITERIA, Criteria
from evaluator.llm import is_open
from server.asking import JudgeOptions
from server.competitors import set_of
from server.evaluation_asked import Asked
from server.judged import own_evaluations
from server.models import TIMEOUT_S
from server.store import Repository


def asked_again(
    like: Evaluation,
    *,
    prices: Path | None = None,
    budget_usd: float | None = None,
    endpoint_allowed: str | None = None,
    timeout_s: float | None = None,
) -> Asked:
    """The options by which it was asked for. What is paid and how may be others; baselines are left out."""
    told = like.parameters
    structured = set(told.get("structured") or ())
    names = like.judges_asked
    alike = len(structured & set(names)) in (0, len(names))
    judging = JudgeOptions(
        judges=names,
        base_url=told.get("base_url"),
        sampling=dict(told.get("sampling") or {}),
        prices=prices,
        endpoint_allowed=endpoint_allowed or told.get("endpoint_allowed"),
        budget_usd=budget_usd,
        timeout_s=timeout_s or TIMEOUT_S,
        # Where some were asked by a form and some not, each is by what is known of it, as it was then.
        structured=bool(structured) if names and alike else None,
    )
    text = told.get("criteria_text")
    is_ours = like.criteria in CRITERIA or text is None
    return Asked(
        checker=like.checker,
        judging=judging,
        criteria=like.criteria if is_ours else Criteria(like.criteria, str(text)),
        protocol=like.protocol,
        batch=int(told.get("batch", 1)),
        baselines="none",
        uncalibrated="uncalibrated" in told,
    )


def judged_alike(run: RunSpec, like: Evaluation, store: Repository) -> Evaluation | None:
    """The newest evaluation of another run that asked the same in the same way."""
    found = own_evaluations(store.evaluations(run.id))
    return next((each for each in reversed(found) if _question(each) == _question(like)), None)


def is_whole(evaluation: Evaluation, run: RunSpec, checklist: Checklist, store: Repository) -> bool:
    """Whether it has a verdict on each item of each trajectory that the run holds now."""
    trajectories = store.trajectories(run.id)
    if evaluation.parameters.get("trajectories") != set_of(trajectories):
        return False
    verdicts = store.verdicts(evaluation.id)
    said = {(v.trajectory_id, v.item_id, v.level) for v in verdicts if not is_open(v)}
    return all(
        (each.id, item.id, level) in said
        for each in trajectories
        for item in checklist.of(each.entity_id)
        for level in LEVELS
    )


def checklist_of(evaluation: Evaluation, own: Path) -> Checklist:
    """What it was judged by; `own` is the folder of this home's checklists. Raises ChecklistError
    where that is another one now."""
    found = load(evaluation.checklist_id, own)
    if found.hash != evaluation.checklist_hash:
        raise ChecklistError(
            f"the checklist {found.id} is not the one that {evaluation.id} was judged by: judge again, "
            f"{typed(f'evaluate {evaluation.run_id}')}"
        )
    return found


def _question(evaluation: Evaluation) -> tuple[object, ...]:
    told = evaluation.parameters
    ways = tuple(repr(told.get(name)) for name in ("sampling", "structured", "batch"))
    return (
        evaluation.checker,
        evaluation.judges_asked,
        evaluation.prompt_hash,
        evaluation.criteria,
        evaluation.protocol,
        evaluation.checklist_hash,
        *ways,
    )
