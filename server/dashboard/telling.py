"""Trajectories told for somebody: what they may see of each, read in as few statements as that takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from analysis.calls import Budget
from analysis.joined import Judged, join
from analysis.results import fair_cap
from analysis.story import Story, tell
from analysis.summary import Group, Share, by_category, share
from core.checklist import Checklist
from core.errors import DdrError
from core.evaluation import Evaluation
from core.run import RunSpec
from core.scenario import Entity
from core.trajectory import Trajectory
from core.wording import plural
from server.dashboard.progress import spend_of
from server.dashboard.refusals import RefusedError
from server.dashboard.runs import entities_of, may_see_values
from server.dashboard.shelf import taken as checklist_taken
from server.dashboard.sources import number_spans
from server.dashboard.viewer import Place, Viewer
from server.judged import own_evaluations
from server.runs import competitor
from server.spending import spent
from server.store.closeups import Closeup, Wanted, closeups, evaluations_of, verdicts_on
from server.store.figures import Figures
from server.store.glances import Taken

TURNS: Final = 200
"""Turns of one page."""
_RESULTS, _SOURCES, _PROSE = 600_000, 300_000, 300_000
"""Characters of one trajectory on a page, before markup."""


@dataclass(frozen=True)
class Told:
    """One trajectory, told for somebody."""

    spec: RunSpec
    entity: Entity
    noun: str
    story: Story
    rows: Sequence[Judged]
    """Its items with what was said of them. For admins alone, but for counts."""
    why_not: str | None
    """Why there are no items."""
    evaluation_id: str | None
    attempts: int
    spend: str
    name: str
    shows_items: bool
    """Whether the checklist's text is for whoever looks."""
    shows_values: bool
    """Whether what the tools answered is."""

    @property
    def nouns(self) -> str:
        """What entities are called."""
        return plural(self.noun)

    @property
    def found(self) -> tuple[Share, Share]:
        """Items found turn by turn, and in the report."""
        return share(self.rows, "message"), share(self.rows, "trajectory")

    @property
    def groups(self) -> list[Group]:
        """How many items of each category were found: counts alone, which tell no answer."""
        return by_category(self.rows)


def told(
    here: Place,
    who: Viewer,
    wanted: Sequence[tuple[RunSpec, Wanted]],
    *,
    keys: Sequence[str] = ("",),
    first: int = 1,
    most: int = TURNS,
    is_alone: bool = True,
) -> list[Told]:
    """Each trajectory, of runs that they may look at; `keys` tell their fragments apart.

    `first`, `most`: the turns that are shown. `is_alone`: on a page of its own, where its numbers can be
    asked about and its figures are shown. Raises RefusedError where one is not there.
    """
    found = [_there(each) for each in closeups(here.store, [want for _, want in wanted])]
    evaluations = evaluations_of(here.store, [spec.id for spec, _ in wanted])
    judged = [_judged(evaluations.get(spec.id, []), here) for spec, _ in wanted]
    said = verdicts_on(
        here.store,
        [
            (each.evaluation.id, close.trajectory.id)
            for close, each in zip(found, judged, strict=True)
            if each.evaluation is not None
        ],
    )
    shown = []
    for (spec, _), close, facts, key in zip(wanted, found, judged, keys, strict=True):
        run = close.trajectory
        entities, noun = entities_of(spec.scenario_id, here)
        items = facts.checklist.of(run.entity_id) if facts.checklist else ()
        rows = join(items, [run], said.get(run.id, ()))
        values = may_see_values(who, spec.scenario_id, here)
        plain = Entity(scenario_id=spec.scenario_id, id=run.entity_id, label=run.entity_id)
        story = tell(
            run,
            entities.get(run.entity_id, plain),
            rows if who.is_admin else (),
            key,
            _budget(run, first, most, shown=values),
            numbers=number_spans(run, key, _shown(run, rows, first, most))
            if values and is_alone
            else None,
            figures=_figures(here, run) if values and is_alone else None,
        )
        shown.append(
            Told(
                spec=spec,
                entity=story.entity,
                noun=noun,
                story=story,
                rows=rows,
                why_not=facts.why_not,
                evaluation_id=facts.evaluation.id if facts.evaluation else None,
                attempts=close.attempts,
                spend=_spend(spec, run),
                name=competitor(spec),
                shows_items=who.is_admin,
                shows_values=values,
            )
        )
    return shown


@dataclass(frozen=True)
class _Facts:
    checklist: Checklist | None = None
    evaluation: Evaluation | None = None
    why_not: str | None = None


def _judged(evaluations: Sequence[Evaluation], here: Place) -> _Facts:
    """The last evaluation, where its checklist still lies here as it was."""
    own = own_evaluations(evaluations)
    if not own:
        return _Facts(why_not="this run is not evaluated yet")
    last = own[-1]
    try:
        checklist = checklist_taken(last.checklist_id, here.settings)
    except DdrError:
        return _Facts(why_not=f"the checklist {last.checklist_id} is not here any more")
    if checklist.hash != last.checklist_hash:
        return _Facts(why_not=f"the checklist has changed since evaluation {last.id}: judge again")
    return _Facts(checklist, last)


def _there(found: Closeup | None) -> Closeup:
    if found is None:
        raise RefusedError(404, "Nobody has begun this entity in this trial of the run.")
    return found


def _figures(here: Place, run: Trajectory) -> dict[tuple[int, int], tuple[str, ...]]:
    """By call, the addresses of what it drew."""
    query = f"?part=figure&trial={run.trial}&attempt={run.attempt}"
    return {
        call: tuple(f"{query}&place={place}&number={number}" for place, number in drawn)
        for call, drawn in Figures(here.store).of(run).items()
    }


def _shown(
    trajectory: Trajectory, rows: Sequence[Judged], first: int, most: int
) -> frozenset[int | None]:
    """The turns that may stand on the page; None for the report."""
    own = (turn.index for turn in trajectory.turns[first - 1 : first - 1 + most])
    said = [row.message for row in rows if row.message]
    linked = (t for v in said for t in (*v.supporting_turns, *v.contradicting_turns))
    return frozenset({None, *own, *linked})


def _budget(trajectory: Trajectory, first: int, most: int, *, shown: bool) -> Budget:
    """What each text of the turns that are shown may take."""
    turns = trajectory.turns[first - 1 : first - 1 + most]
    return Budget(
        source=fair_cap([len(c.arguments) for t in turns for c in t.tool_calls], _SOURCES),
        result=fair_cap([2 * len(r.text) for t in turns for r in t.tool_results], _RESULTS),
        prose=fair_cap([len(x) for t in turns for x in (t.text, t.reasoning or "")], _PROSE),
        turns=most,
        skipped=first - 1,
        shown=shown,
    )


def _spend(spec: RunSpec, trajectory: Trajectory) -> str:
    found = spent(trajectory.calls)
    return spend_of(spec, Taken(found.calls, found.calls - found.unpriced, found.known.cost_usd))
