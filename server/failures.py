"""What went wrong in a run: its numbers without a source, its contradictions, why items were missed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.checklist import Checklist, ChecklistItem
from core.evaluation import Evaluation, Verdict
from core.run import RunSpec
from core.trajectory import Trajectory
from databases.installed import InstalledScenario
from evaluator.attached import Claim
from evaluator.derivable import Derivation, factual_turns
from evaluator.derivable import prompt_hash as derivation_hash
from evaluator.failing import FailureSaid, Tallied
from evaluator.failing import prompt_hash as failure_hash
from evaluator.grounding import (
    Grounding,
    Share,
    by_altered_figures,
    by_another,
    grounding_of,
    share,
    untraced_share,
)
from evaluator.missed import computed, missed
from server.following import Follower
from server.store import Repository
from server.store.judgements import Judgements


@dataclass(frozen=True)
class Grounded:
    """A run's insights with their numbers, beside what chance would find."""

    own: list[Grounding]
    another: list[Grounding]
    """The same insights by another entity's observations; empty with one entity."""
    altered: list[Grounding]
    """The same insights with every figure moved."""
    clusters: Mapping[str, str]
    untraced: Share
    """The automatic proxy of the hallucination rate."""
    untraced_right: Share | None
    """The same among insights that support an item; None without an evaluation."""
    contradicted: Share | None
    """Message-wise insights that cannot be true beside an item; None without an evaluation."""


def grounded(
    trajectories: Sequence[Trajectory],
    clusters: Mapping[str, str],
    verdicts: Sequence[Verdict] | None,
) -> Grounded:
    """Trace every number. `verdicts`: of an evaluation, where there is one."""
    own = [grounding_of(trajectory) for trajectory in trajectories]
    right: Share | None = None
    contradicted: Share | None = None
    if verdicts is not None:
        factual = factual_turns(verdicts)
        ids = {
            insight.id: factual.get((t.id, insight.turn or 0))
            for t in trajectories
            for insight in t.message_insights
            if insight.text
        }
        of = {i.id: t.entity_id for t in trajectories for i in t.message_insights}
        right = untraced_share(own, clusters, [i for i, said in ids.items() if said == "correct"])
        contradicted = share(
            [said == "incorrect" for said in ids.values()],
            [clusters.get(of[i], of[i]) for i in ids],
        )
    return Grounded(
        own=own,
        another=[by_another(one, other) for one, other in _paired(trajectories)],
        altered=[by_altered_figures(trajectory) for trajectory in trajectories],
        clusters=clusters,
        untraced=untraced_share(own, clusters),
        untraced_right=right,
        contradicted=contradicted,
    )


def _paired(trajectories: Sequence[Trajectory]) -> list[tuple[Trajectory, Trajectory]]:
    """Each with the next one of another entity."""
    pairs = []
    for place, mine in enumerate(trajectories):
        after = [*trajectories[place + 1 :], *trajectories[:place]]
        other = next((t for t in after if t.entity_id != mine.entity_id), None)
        if other is not None:
            pairs.append((mine, other))
    return pairs


@dataclass(frozen=True)
class Basis:
    """What a run's failures are told by."""

    spec: RunSpec
    trajectories: list[Trajectory]
    """The last attempt of each, of those that are scored."""
    clusters: Mapping[str, str]
    noun: str
    evaluation: Evaluation | None = None
    checklist: Checklist | None = None
    verdicts: tuple[Verdict, ...] = ()

    @property
    def items(self) -> tuple[ChecklistItem, ...]:
        """The items of its evaluation's checklist."""
        return self.checklist.items if self.checklist else ()


def basis_of(
    spec: RunSpec,
    store: Repository,
    installed: InstalledScenario,
    checklist: Checklist | None,
) -> Basis:
    """The run with its newest evaluation by this checklist; without one where there is none."""
    trajectories = [
        t for t in store.trajectories(spec.id) if t.stop_reason is not None and t.stop_reason.scored
    ]
    evaluation = None
    if checklist is not None:
        same = [
            each
            for each in store.evaluations(spec.id)
            if each.checklist_hash == checklist.hash and "baseline" not in each.parameters
        ]
        evaluation = same[-1] if same else None
    return Basis(
        spec=spec,
        trajectories=trajectories,
        clusters={entity.id: entity.cluster for entity in installed.entities()},
        noun=installed.scenario.entity_noun,
        evaluation=evaluation,
        checklist=checklist if evaluation else None,
        verdicts=tuple(store.verdicts(evaluation.id)) if evaluation else (),
    )


def tallied(basis: Basis, store: Repository, installed: InstalledScenario) -> list[Tallied]:
    """Every missed item with all that is known of why; [] without an evaluation."""
    cases = missed(basis.items, basis.trajectories, basis.verdicts)
    needed = needed_fields({case.item.id: case.item for case in cases}, installed)
    proposed: dict[str, list[tuple[str, FailureSaid]]] = {}
    confirmed: dict[str, list[tuple[str, FailureSaid]]] = {}
    for subject, who, said in Judgements(store, "failure").of_run(basis.spec.id, FailureSaid):
        if said.by == "person":
            confirmed.setdefault(subject, []).append((who, said))
        elif said.prompt_hash == failure_hash():
            proposed.setdefault(subject, []).append((who, said))
    return [
        Tallied(
            case=case,
            computed=computed(case, needed.get(case.item.id)),
            proposed=tuple(proposed.get(case.subject, ())),
            confirmed=tuple(confirmed.get(case.subject, ())),
        )
        for case in cases
    ]


def needed_fields(
    items: Mapping[str, ChecklistItem], installed: InstalledScenario
) -> dict[str, frozenset[str]]:
    """Per item with evidence, the fields that its SQL reads ('?' among them: not to be followed).

    By the names that the tools of its entity record.
    """
    if not any(item.evidence_sql for item in items.values()):
        return {}
    follower = Follower(installed)
    return {
        name: frozenset(follower.fields(item.entity_id, item.evidence_sql))
        for name, item in items.items()
        if item.evidence_sql
    }


def derivations(basis: Basis, store: Repository) -> dict[str, dict[str, Derivation]]:
    """Per judge, what it said of which insight under today's prompts."""
    found: dict[str, dict[str, Derivation]] = {}
    for subject, who, said in Judgements(store, "hallucination").of_run(basis.spec.id, Derivation):
        if said.prompt_hash == derivation_hash():
            found.setdefault(who, {})[subject] = said
    return found


@dataclass(frozen=True)
class Rate:
    """The judged hallucination rate of one judge, with what it is out of."""

    judge: str
    rate: Share
    """True and not derivable, of the insights of which both are known."""
    not_derivable: Share
    """Not derivable, true or not, of those that were told apart."""
    unknown: int
    """Cannot tell, unread, or not derivable and nobody knows whether true."""


def rate_of(judge: str, said: Mapping[str, Derivation], basis: Basis) -> Rate:
    """The rate, its interval clustered by entity."""
    of = {i.id: t.entity_id for t in basis.trajectories for i in t.insights}
    mine = {name: each for name, each in said.items() if name in of}

    def shared(hits: Mapping[str, bool]) -> Share:
        return share(list(hits.values()), [basis.clusters.get(of[n], of[n]) for n in hits])

    known = {n: each.is_hallucination for n, each in mine.items()}
    told = {n: each.answer for n, each in mine.items()}
    return Rate(
        judge=judge,
        rate=shared({n: value for n, value in known.items() if value is not None}),
        not_derivable=shared(
            {
                n: a == "not derivable"
                for n, a in told.items()
                if a in ("derivable", "not derivable")
            }
        ),
        unknown=sum(value is None for value in known.values()),
    )


def claim_share(claims: Sequence[Claim], clusters: Mapping[str, str], state: str) -> Share:
    """The share of insights with this state, of those that have one."""
    known = [claim for claim in claims if claim.state is not None]
    return share(
        [claim.state == state for claim in known],
        [clusters.get(claim.entity_id, claim.entity_id) for claim in known],
    )
