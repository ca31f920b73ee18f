"""Tell one trajectory: its turns, what each found, its report, and its checklist beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from analysis.calls import Budget, CallView, calls
from analysis.figures import turn_strip
from analysis.joined import Judged
from analysis.keys import turn_key
from analysis.prose import typeset
from analysis.rulings import ItemView, Rulings, rule
from analysis.summary import Share, errors, share
from core.scenario import Entity
from core.trajectory import Insight, Trajectory, Turn


@dataclass(frozen=True)
class TurnView:
    """One turn as told."""

    key: str
    index: int
    text: Markup
    reasoning: Markup
    calls: tuple[CallView, ...]
    insights: tuple[Markup, ...]
    """With the quotes marked; empty where the turn told nothing."""
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
    undated: tuple[Markup, ...]
    """Message-wise insights that belong to no turn that is stored."""
    reports: tuple[Markup, ...]
    items: tuple[ItemView, ...]
    message: Share
    report: Share
    errors: int
    violations: int
    seconds: float | None
    strip: Markup
    """A small picture of its turns."""

    @property
    def stop(self) -> str:
        """Why it ended, in words."""
        reason = self.trajectory.stop_reason
        return reason.value.replace("_", " ") if reason else "not ended"


def tell(
    trajectory: Trajectory, entity: Entity, rows: Sequence[Judged], key: str, budget: Budget
) -> Story:
    """The story of one trajectory. `rows` are its items; `key` is its fragment."""
    rulings = rule(rows, trajectory, key)
    known = {turn.index for turn in trajectory.turns}
    turns = tuple(_turn(turn, trajectory, rulings, key, budget) for turn in trajectory.turns)
    loose = [i for i in trajectory.message_insights if i.turn not in known]
    reports = [i for i in trajectory.insights if i.level == "trajectory"]
    ended = trajectory.ended_at
    return Story(
        key=key,
        entity=entity,
        trajectory=trajectory,
        turns=turns,
        undated=_marked(loose, rulings),
        reports=_marked(reports, rulings),
        items=tuple(rulings.items),
        message=share(rows, "message"),
        report=share(rows, "trajectory"),
        errors=errors(trajectory),
        violations=sum(len(r.violations) for t in trajectory.turns for r in t.tool_results),
        seconds=(ended - trajectory.started_at).total_seconds() if ended else None,
        strip=_strip(turns),
    )


def _turn(
    turn: Turn, trajectory: Trajectory, rulings: Rulings, key: str, budget: Budget
) -> TurnView:
    own = [i for i in trajectory.message_insights if i.turn == turn.index]
    return TurnView(
        key=turn_key(key, turn.index),
        index=turn.index,
        text=typeset(_cut(turn.text, budget.prose)),
        reasoning=typeset(_cut(turn.reasoning or "", budget.prose)),
        calls=tuple(calls(turn, budget)),
        insights=_marked(own, rulings),
        first=tuple(rulings.first.get(turn.index, ())),
        duration_s=turn.duration_s,
    )


def _marked(insights: Sequence[Insight], rulings: Rulings) -> tuple[Markup, ...]:
    """The texts with their quotes marked; insights without text say nothing."""
    return tuple(typeset(i.text, rulings.spans.get(i.id, ())) for i in insights if i.text)


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
