"""A stored evaluation with its baselines, and the scores that follow from them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.authorship import other_authors
from core.checklist import Checklist, ChecklistItem
from core.evaluation import LEVELS, Evaluation, Level, Score, Verdict
from core.run import RunSpec
from core.scenario import Entity
from core.trajectory import Trajectory
from evaluator import baselines, scoring
from evaluator.chance import CONSTANT, Chance, chance, closed, constants, guessed
from evaluator.comparable import Difference, basis, differences
from evaluator.forced import without_forced
from evaluator.outcomes import outcomes
from evaluator.overall import Overall, columns_of, overall
from evaluator.own_words import in_own_words
from evaluator.paired import Paired, paired
from evaluator.trials import Components, Trials, components, trials_of
from server.closed_book import no_closed_book
from server.runs import competitor as whose_of
from server.spending import Spending, spent
from server.store import Repository

FACETS: tuple[scoring.Facet, ...] = ("category", "difficulty", "insight_type")


@dataclass(frozen=True)
class Judged:
    """An evaluation with its baselines, and the scores that follow from them."""

    evaluation: Evaluation
    verdicts: list[Verdict]
    scores: list[Score]
    """The agent's, then each baseline's."""
    gated: dict[str, int]
    """Per competitor: how many insights passed the checker's gate."""
    no_shuffle: str | None
    """Why there is no shuffled baseline; None where there is one."""
    unforced: list[Score]
    """The agent's scores without reports that it was asked for; empty where none was."""
    agent_class: str
    """What the agent had beside our tools (core.agent_class); only one class makes one ranking."""
    others: dict[str, int]
    """Who wrote insights that are not the agent's own, and how many."""
    in_own_words: list[Score]
    """The agent's message-wise scores without those of others; empty where all are its own."""
    reachable: list[Score] | None
    """The agent's scores over the items that evidence proves to be in its database; None where no
    item has evidence, so that nobody knows which can be found."""
    spending: Spending
    """Of judges, the baselines' included."""
    no_closed_book: str | None = None
    """Why there is no closed-book baseline; None where there is one."""
    beyond: list[Paired] = field(default_factory=list)
    """The agent minus each baseline, paired by item, for each of its scores."""
    chance: list[Chance] = field(default_factory=list)
    """Of the closed items, per level; empty where there is none."""
    overall: Overall | None = None
    """Over the agent's four scores, all of one weight; None without items."""
    groups: dict[str, dict[str, list[Score]]] = field(default_factory=dict)
    """The agent's scores by category, difficulty and type of insight."""
    trials: list[Trials] = field(default_factory=list)
    """Per level; empty where each entity was explored once."""
    varies: dict[Level, Components] = field(default_factory=dict)
    """Where an entity's share varies from; empty where nothing was repeated."""
    apart: dict[str, tuple[Difference, ...]] = field(default_factory=dict)
    """Other evaluations of the run that stand in no column with this one, and in what they differ."""

    def accuracy(self, competitor: str) -> dict[str, float | None]:
        """Item-averaged strict accuracy by level."""
        return {
            score.level: score.strict
            for score in self.scores
            if score.competitor == competitor and score.averaging == "item"
        }


def read(
    spec: RunSpec,
    store: Repository,
    checklist: Checklist,
    entities: Sequence[Entity],
    evaluation_id: str,
) -> Judged:
    """The scores of a stored evaluation, computed from its verdicts and its baselines'."""
    trajectories = store.trajectories(spec.id)
    mine = [e for e in entities if e.id in spec.entity_ids]
    found = store.evaluations(spec.id)
    own = next(e for e in found if e.id == evaluation_id)
    agent = whose_of(spec)
    verdicts = {agent: store.verdicts(own.id), **_of_baselines(own, found, store)}
    items = checklist.items
    asked = {entity.id for entity in mine}
    if any(item.entity_id in asked for item in closed(items)):
        verdicts[CONSTANT] = guessed(constants(items), items, trajectories)

    def scores(
        competitor: str, said: Sequence[Verdict], some: Sequence[ChecklistItem] = items
    ) -> list[Score]:
        return scoring.score(competitor, some, trajectories, said, mine)

    unforced: list[Score] = []
    if any(t.report_forced for t in trajectories):
        unforced = scores(agent, without_forced(trajectories, verdicts[agent]))
    then = [as_judged(each, own) for each in trajectories]
    own_words: list[Score] = []
    if others := other_authors(then):
        alone = scores(agent, in_own_words(then, verdicts[agent]))
        own_words = [score for score in alone if score.level == "message"]
    reason = baselines.no_shuffle_reason(trajectories)
    if reason is None and "shuffled_entity" not in verdicts:
        reason = "it was not asked for; judge it too with --baselines all"
    told = {name: scores(name, said) for name, said in verdicts.items()}
    args = (agent, items, trajectories, verdicts[agent], mine)
    many = spec.trials > 1
    return Judged(
        evaluation=own,
        verdicts=verdicts[agent],
        scores=[score for each in told.values() for score in each],
        gated={name: sum(v.gated for v in said) for name, said in verdicts.items()},
        no_shuffle=reason,
        unforced=unforced,
        agent_class=spec.agent_class,
        others=others,
        in_own_words=own_words,
        reachable=scoring.reachable(*args),
        spending=spent(call for said in verdicts.values() for v in said for call in v.calls),
        no_closed_book=_no_closed_book(spec, store, verdicts),
        beyond=_beyond(agent, verdicts, items, trajectories, mine),
        chance=chance(
            items,
            trajectories,
            verdicts[agent],
            mine,
            lambda some: scores(agent, verdicts[agent], some),
        ),
        overall=overall(columns_of(spec.scenario_id, told[agent], told.get(CONSTANT, ()))),
        groups={facet: scoring.breakdown(*args, by=facet) for facet in FACETS},
        trials=[trials_of(outcomes(*args[1:], level), level) for level in LEVELS] if many else [],
        varies=_varies(spec, own, found, (items, trajectories, mine), store),
        apart=_apart(spec, own, found),
    )


def _of_baselines(
    own: Evaluation, found: Sequence[Evaluation], store: Repository
) -> dict[str, list[Verdict]]:
    """The verdicts of each baseline; of closed-book runs only the newest one's."""
    mine: dict[str, list[Evaluation]] = defaultdict(list)
    for each in found:
        if each.parameters.get("of") == own.id:
            mine[str(each.parameters["baseline"])].append(each)
    if books := mine.get("closed_book"):
        mine["closed_book"] = books[-1:]
    return {
        name: [verdict for each in group for verdict in store.verdicts(each.id)]
        for name, group in mine.items()
    }


def _no_closed_book(
    spec: RunSpec, store: Repository, verdicts: Mapping[str, Sequence[Verdict]]
) -> str | None:
    if "closed_book" in verdicts:
        return None
    return no_closed_book(spec, store) or "it was not judged; do it with --baselines closed-book"


def _beyond(
    agent: str,
    verdicts: Mapping[str, Sequence[Verdict]],
    items: Sequence[ChecklistItem],
    trajectories: Sequence[Trajectory],
    mine: Sequence[Entity],
) -> list[Paired]:
    """The agent against each baseline that says something, for each of its four scores."""
    found = []
    for level in LEVELS:
        results = {
            name: outcomes(items, trajectories, said, mine, level)
            for name, said in verdicts.items()
            if name != "blank"
        }
        found += [
            paired(agent, name, results[agent], theirs, level=level, averaging=averaging)
            for name, theirs in results.items()
            if name != agent
            for averaging in scoring.AVERAGINGS
        ]
    return found


def _varies(
    spec: RunSpec,
    own: Evaluation,
    found: Sequence[Evaluation],
    judged: tuple[Sequence[ChecklistItem], Sequence[Trajectory], Sequence[Entity]],
    store: Repository,
) -> dict[Level, Components]:
    """From entity, trial and judge: the evaluations that judged the same in the same way are judges."""
    items, trajectories, mine = judged
    alike = [each for each in own_evaluations(found) if _same_question(each, own)]
    if spec.trials < 2 and len(alike) < 2:
        return {}
    told: dict[Level, Components] = {}
    for level in LEVELS:
        shares = {}
        for each in alike:
            said = store.verdicts(each.id)
            for one in trajectories:
                results = outcomes(
                    items, [one], said, [e for e in mine if e.id == one.entity_id], level
                )
                known = [r.strict for r in results if r.scored]
                if known:
                    shares[one.entity_id, one.trial, each.id] = sum(known) / len(known)
        told[level] = components(shares)
    return told


def _same_question(other: Evaluation, own: Evaluation) -> bool:
    """Whether it judged the same insights by the same rules, perhaps by another judge."""

    def asked(each: Evaluation) -> tuple[object, ...]:
        what = each.parameters.get("trajectories")
        return (each.checker, each.checklist_hash, each.criteria, each.protocol, what)

    return asked(other) == asked(own)


def _apart(
    spec: RunSpec, own: Evaluation, found: Sequence[Evaluation]
) -> dict[str, tuple[Difference, ...]]:
    told = {
        each.id: differences([basis(own.id, spec, own), basis(each.id, spec, each)]).forbidding
        for each in own_evaluations(found)
        if each.id != own.id
    }
    return {name: what for name, what in told.items() if what}


def as_judged(trajectory: Trajectory, evaluation: Evaluation) -> Trajectory:
    """Without the insights that were asked for after it was judged."""
    then = (
        i for i in trajectory.insights if not i.call or i.call.started_at < evaluation.created_at
    )
    return trajectory.model_copy(update={"insights": tuple(then)})


def own_evaluations(evaluations: Sequence[Evaluation]) -> list[Evaluation]:
    """Those of the agent itself, without the baselines'."""
    return [each for each in evaluations if "baseline" not in each.parameters]
