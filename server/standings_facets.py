"""A group of the leaderboard by what its models are: each row's items scored again from its verdicts."""

from __future__ import annotations

from collections.abc import Callable

from analysis.facets import Facets, Found, Scored, facets
from analysis.models import ModelTable
from core.errors import UnknownNameError, UsageError
from core.evaluation import LEVELS, Level
from evaluator.outcomes import outcomes
from server.settings import Settings
from server.standings import Group
from server.standings_files import facts_of
from server.standings_row import Row
from server.standings_summary import Facts
from server.store import Repository
from server.store.standings import explored

Watch = Callable[[float, float, str], None]


def group_facets(
    group: Group,
    attribute: str,
    models: ModelTable,
    store: Repository,
    settings: Settings,
    *,
    watch: Watch = lambda *_: None,
) -> dict[Level, Facets]:
    """Both levels by one attribute. Raises UnknownNameError for one that no model has, UsageError where
    a row's checklist is not there any more."""
    if attribute not in models.attributes():
        raise UnknownNameError("attribute of models", attribute, models.attributes())
    found: dict[Level, list[Scored]] = {level: [] for level in LEVELS}
    facts = facts_of(settings)
    for number, row in enumerate(group.rows):
        watch(number, len(group.rows), row.competitor)
        for level, scored in _scored(row, models, store, facts).items():
            found[level].append(scored)
    return {level: facets(scored, attribute) for level, scored in found.items()}


def _scored(row: Row, models: ModelTable, store: Repository, facts: Facts) -> dict[Level, Scored]:
    run_id, evaluation_id = row.run_id or "", row.evaluation_id or ""
    spec = store.run(run_id)
    evaluation = next(e for e in store.evaluations(run_id) if e.id == evaluation_id)
    told = facts(spec, evaluation)
    if isinstance(told, str):
        raise UsageError(f"{row.competitor} cannot be looked at item by item: {told}")
    checklist, entities = told
    mine = [entity for entity in entities if entity.id in spec.entity_ids]
    trajectories = explored(store, run_id).trajectories
    verdicts = store.verdicts(evaluation_id)
    return {
        level: Scored(
            row.competitor,
            models.of(row.model),
            {
                each.item_id: Found(each.scored_only, each.entity_id, each.cluster)
                for each in outcomes(checklist.items, trajectories, verdicts, mine, level)
                if each.scored_only is not None
            },
        )
        for level in LEVELS
    }
