"""Render a run as one self-contained HTML file that a researcher can read and check."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import PurePath
from typing import TYPE_CHECKING, Final, Literal

from markupsafe import Markup

from analysis import scaling, summary
from analysis.attempts import latest_attempts
from analysis.calls import Budget
from analysis.figures import curve_figure, percent, score_figure
from analysis.highlight import highlight
from analysis.joined import Judged, join
from analysis.keys import entity_key, trajectory_key
from analysis.report_data import Proof, ReportData
from analysis.results import fair_cap
from analysis.scoreboard import Scoreboard
from analysis.statistics import median
from analysis.story import Story, tell
from core.agent_class import APART
from core.evaluation import Curve
from core.naming import without_folders
from core.run import RunSpec
from core.scenario import Entity
from core.trajectory import Sandbox, Trajectory
from core.wording import counted, plural

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["Proof", "ReportData", "render_report"]

# What a page of eight megabytes has to give, in characters before markup.
_RESULTS, _SOURCES, _PROSE = 2_600_000, 1_700_000, 700_000
_TURNS = 8_000
"""Turns of all trajectories together."""


@dataclass(frozen=True)
class EntityRow:
    """One entity in the table of entities."""

    entity: Entity
    key: str
    items: int
    stories: tuple[Story, ...]
    """Its trajectories, one per trial; empty where it was never run."""


@dataclass(frozen=True)
class Section:
    """Everything that the template asks for, besides the records themselves."""

    name: str
    noun: str
    nouns: str
    entities: tuple[EntityRow, ...]
    stories: tuple[Story, ...]
    superseded: int
    rows: tuple[Judged, ...]
    curve: Curve
    curve_figures: tuple[Markup, Markup]
    undated: float
    score_figures: tuple[Markup, Markup]
    board: Scoreboard
    groups: tuple[tuple[str, list[summary.Group]], ...]
    explored: summary.Explored
    stops: tuple[summary.Stop, ...]
    attempts: tuple[tuple[str, str, summary.Attempt], ...]
    sandboxes: tuple[Sandbox | None, ...]
    is_unsafe: bool
    """Whether the Python of any trajectory ran without a sandbox."""
    revisions: tuple[str | None, ...]
    turns: tuple[int, float, int] | None
    """Fewest, median and most turns."""
    agent_class: str
    apart: str | None
    """Why it is not ranked beside just any other; None of an agent of ours."""
    unit: str
    """What the curve is along: turn, call."""


def render_report(data: ReportData) -> str:
    """The report's HTML: no file or address beside it, no script but its own.

    All that comes from records is escaped; the page's policy forbids every request and every
    script whose hash is not that of the one it holds. The same data give the same text.
    """
    environment = _environment()
    script = _asset("story.js") + _asset("report.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    html = environment.get_template("report.html").render(
        data=data,
        view=_section(data),
        threshold=scaling.LABEL,
        style=Markup(_asset("report.css")),  # noqa: S704 - our own file
        script=Markup(script),  # noqa: S704 - our own file
        script_hash=digest,
    )
    # A half of a surrogate pair, which JSON can spell, cannot be written as UTF-8.
    return html.encode("utf-8", "replace").decode("utf-8")


def _section(data: ReportData) -> Section:
    wanted = dict.fromkeys(data.run.entity_ids)
    entities = [e for e in data.entities if e.id in wanted]
    entities.sort(key=lambda entity: list(wanted).index(entity.id))
    runs = [t for t in latest_attempts(data.trajectories) if t.entity_id in wanted]
    items = [item for entity in entities for item in data.checklist.of(entity.id)]
    rows = join(items, runs, data.verdicts)
    clusters = {entity.id: entity.cluster for entity in entities}
    # Whose turns we do not make ourselves may put any number of calls in one.
    axis: Literal["turn", "calls"] = "turn" if data.run.outside is None else "calls"
    curve = scaling.accuracy_by_turn(
        items, runs, data.verdicts, clusters=clusters, seed=data.run.seed, axis=axis
    )
    budget = _budget(runs, data.values_shown)
    table = tuple(_entity(data, entity, runs, rows, budget) for entity in entities)
    stories = tuple(story for row in table for story in row.stories)
    noun = data.scenario.entity_noun
    lasts = [max((t.index for t in run.turns), default=0) for run in runs]
    stops = scaling.ends(runs, axis)
    board = Scoreboard(data.scores, noun, plural(noun))
    name = _called(data.run)
    curve = curve.model_copy(update={"competitor": name})
    bars = board.bars(name)
    where = {story.trajectory.id: story for story in stories}
    middle = median(lasts)
    return Section(
        name=name,
        noun=noun,
        nouns=plural(noun),
        entities=table,
        stories=stories,
        superseded=len(data.trajectories) - len(latest_attempts(data.trajectories)),
        rows=tuple(rows),
        curve=curve,
        curve_figures=(
            curve_figure(curve, name="curve-wide", stops=stops),
            curve_figure(curve, name="curve-narrow", stops=stops, width=360, height=270),
        ),
        undated=scaling.undated_share(items, runs, data.verdicts),
        score_figures=(
            score_figure(bars, name="scores-wide"),
            score_figure(bars, name="scores-narrow", width=360),
        ),
        board=board,
        sandboxes=tuple(dict.fromkeys(run.sandbox for run in runs)),
        is_unsafe=any(run.sandbox is not None and run.sandbox.is_unsafe for run in runs),
        revisions=tuple(dict.fromkeys(run.code_revision for run in runs)),
        groups=(
            ("Category", summary.by_category(rows)),
            ("Difficulty", summary.by_difficulty(rows)),
            ("Type of insight", summary.by_insight_type(rows)),
        ),
        explored=summary.explored(runs),
        stops=tuple(summary.stops(runs)),
        attempts=tuple(
            (where[a.trajectory.id].key, where[a.trajectory.id].entity.label, a)
            for a in summary.attempts(runs)
            if a.trajectory.id in where
        ),
        turns=None if middle is None else (min(lasts), middle, max(lasts)),
        agent_class=data.run.agent_class,
        apart=None if data.run.outside is None else APART,
        unit="turn" if data.run.outside is None else "call",
    )


def _entity(
    data: ReportData,
    entity: Entity,
    runs: Sequence[Trajectory],
    rows: Sequence[Judged],
    budget: Budget,
) -> EntityRow:
    stories = []
    for run in runs:
        if run.entity_id == entity.id:
            own = [row for row in rows if row.trajectory is run]
            key = trajectory_key(data.scenario, run)
            stories.append(tell(run, entity, own, key, budget, met=data.contacts.get(run.id)))
    return EntityRow(
        entity=entity,
        key=entity_key(data.scenario, entity.id),
        items=len(data.checklist.of(entity.id)),
        stories=tuple(stories),
    )


def _budget(runs: Sequence[Trajectory], shown: bool) -> Budget:
    """What each text may take so that the page stays small enough to open at once."""
    turns = [turn for run in runs for turn in run.turns]
    results = [2 * len(r.text) for turn in turns for r in turn.tool_results]
    sources = [len(c.arguments) for turn in turns for c in turn.tool_calls]
    prose = [len(text) for turn in turns for text in (turn.text, turn.reasoning or "")]
    return Budget(
        source=fair_cap(sources, _SOURCES),
        result=fair_cap(results, _RESULTS),
        prose=fair_cap(prose, _PROSE),
        turns=fair_cap([len(run.turns) for run in runs], _TURNS),
        shown=shown,
    )


def _called(run: RunSpec) -> str:
    """Who explored: a script by its file's name alone, a model in full, or the agent."""
    if run.model is None:
        return run.agent
    if run.model.provider == "scripted":
        return PurePath(run.model.name).name or run.model.name
    return f"{run.model.provider}{':' if run.model.provider == 'replay' else '/'}{run.model.name}"


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("analysis", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(FILTERS)
    return made


@cache
def _asset(name: str) -> str:
    """A style sheet or script of ours, as text."""
    from importlib.resources import files

    return files("analysis").joinpath("templates", name).read_text(encoding="utf-8")


def _seconds(value: float | None) -> str:
    """A duration in the unit that suits it."""
    if value is None:
        return "–"
    if value < 1:
        return f"{1000 * value:.0f} ms"
    return f"{value:.1f} s" if value < 120 else f"{value / 60:.0f} min"


def _moment(value: datetime) -> str:
    """A moment in UTC, to the minute."""
    return f"{value.day} {value:%B %Y, %H:%M} UTC"


def _sql(source: str) -> Markup:
    return highlight(source, "sql")


FILTERS: Final = {
    "named": without_folders,
    "percent": percent,
    "seconds": _seconds,
    "moment": _moment,
    "count": counted,
    "sql": _sql,
}
"""What the templates call; pages elsewhere that share them bring these along."""
