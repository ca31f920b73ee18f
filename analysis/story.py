"""Tell one trajectory: its turns, what each found, its report, and its checklist beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from analysis.calls import Budget, CallView, calls
from analysis.figures import turn_strip
from analysis.joined import Judged
from analysis.keys import below, turn_key
from analysis.prose import typeset
from analysis.quotes import Span
from analysis.rulings import ItemView, Rulings, rule
from analysis.summary import Share, errors, share
from core.authorship import other_author
from core.contact import Met
from core.scenario import Entity
from core.trajectory import Insight, Trajectory, Turn


@dataclass(frozen=True)
class InsightView:
    """One insight as told."""

    text: Markup
    """With the quotes marked."""
    by: str | None
    """Whose words, where they are not the agent's own."""
    evidence: tuple[str, ...]
    """What the agent says that shows it."""


@dataclass(frozen=True)
class TurnView:
    """One turn as told."""

    key: str
    index: int
    text: Markup
    reasoning: Markup
    calls: tuple[CallView, ...]
    insights: tuple[InsightView, ...]
    """Empty where the turn told nothing."""
    first: tuple[ItemView, ...]
    """The items that this turn was the first to support."""
    duration_s: float


@dataclass(frozen=True)
class Story:
    """One trajectory as told."""

    key: str
    entity: Entity
    trajectory: Trajectory
    turns: tuple[TurnView, ...]
    left_out: int
    """Turns that the page has no room for."""
    undated: tuple[InsightView, ...]
    """Message-wise insights that belong to no turn that is stored."""
    reports: tuple[InsightView, ...]
    items: tuple[ItemView, ...]
    message: Share
    report: Share
    errors: int
    violations: int
    seconds: float | None
    strip: Markup
    """A small picture of its turns."""
    met: Met | None
    """How far an agent from outside came; None of one of ours."""

    @property
    def stop(self) -> str:
        """Why it ended, in words."""
        reason = self.trajectory.stop_reason
        return reason.value.replace("_", " ") if reason else "not ended"

    def place(self, name: str) -> str:
        """The fragment of one of its parts."""
        return below(self.key, name)


def tell(
    trajectory: Trajectory,
    entity: Entity,
    rows: Sequence[Judged],
    key: str,
    budget: Budget,
    *,
    met: Met | None = None,
    numbers: Mapping[str, Sequence[Span]] | None = None,
    figures: Mapping[tuple[int, int], tuple[str, ...]] | None = None,
) -> Story:
    """The story of one trajectory. `rows` are its items; `key` is its fragment.

    `numbers`: by insight, the places of its numbers, where they can be asked about. `figures`: by (turn,
    number of the call in it), where the pictures are that it drew.
    """
    rulings = rule(rows, trajectory, key)
    for name, spans in (numbers or {}).items():
        rulings.spans[name] += spans
    known = {turn.index for turn in trajectory.turns}
    shown = _shown(trajectory, rulings, budget)
    drawn = figures or {}
    turns = tuple(_turn(turn, trajectory, rulings, key, budget, drawn=drawn) for turn in shown)
    loose = [i for i in trajectory.message_insights if i.turn not in known]
    reports = [i for i in trajectory.insights if i.level == "trajectory"]
    ended = trajectory.ended_at
    return Story(
        key=key,
        entity=entity,
        trajectory=trajectory,
        turns=turns,
        left_out=len(trajectory.turns) - len(turns),
        undated=_told(trajectory, loose, rulings),
        reports=_told(trajectory, reports, rulings),
        items=tuple(rulings.items),
        message=share(rows, "message"),
        report=share(rows, "trajectory"),
        errors=errors(trajectory),
        violations=sum(len(r.violations) for t in trajectory.turns for r in t.tool_results),
        seconds=(ended - trajectory.started_at).total_seconds() if ended else None,
        strip=_strip(turns),
        met=met,
    )


def _shown(trajectory: Trajectory, rulings: Rulings, budget: Budget) -> list[Turn]:
    """As many turns as there is room for, and every one that an item links to."""
    if len(trajectory.turns) <= budget.turns:
        return list(trajectory.turns)
    linked = {link.turn for item in rulings.items for link in item.message.links}
    return [
        turn
        for place, turn in enumerate(trajectory.turns)
        if 0 <= place - budget.skipped < budget.turns
        or turn.index in linked
        or turn.index in rulings.first
    ]


def _turn(
    turn: Turn,
    trajectory: Trajectory,
    rulings: Rulings,
    key: str,
    budget: Budget,
    *,
    drawn: Mapping[tuple[int, int], tuple[str, ...]],
) -> TurnView:
    own = [i for i in trajectory.message_insights if i.turn == turn.index]
    return TurnView(
        key=turn_key(key, turn.index),
        index=turn.index,
        text=typeset(_cut(turn.text, budget.prose)),
        reasoning=typeset(_cut(turn.reasoning or "", budget.prose)),
        calls=tuple(
            replace(call, figures=drawn.get((turn.index, number), ()))
            for number, call in enumerate(calls(turn, budget), 1)
        ),
        insights=_told(trajectory, own, rulings),
        first=tuple(rulings.first.get(turn.index, ())),
        duration_s=turn.duration_s,
    )


def _told(
    trajectory: Trajectory, insights: Sequence[Insight], rulings: Rulings
) -> tuple[InsightView, ...]:
    """Those that say something; insights without text say nothing."""
    return tuple(
        InsightView(
            text=typeset(insight.text, rulings.spans.get(insight.id, ())),
            by=other_author(trajectory, insight),
            evidence=insight.evidence,
        )
        for insight in insights
        if insight.text
    )


def _cut(text: str, limit: int) -> str:
    text = text.strip()
    return (
        text if len(text) <= limit else f"{text[:limit]}… ({len(text) - limit:,} more characters)"
    )


def _strip(turns: Sequence[TurnView]) -> Markup:
    tones = {}
    for turn in turns:
        if turn.first:
            tones[turn.index] = "found"
        elif any(call.is_error for call in turn.calls):
            tones[turn.index] = "error"
        elif turn.insights:
            tones[turn.index] = "told"
        else:
            tones[turn.index] = "silent"
    return turn_strip(tones)
