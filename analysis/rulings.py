"""Say what became of a checklist item: its label, and the turn and quote that decided it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from analysis.joined import Judged
from analysis.keys import below, item_key, quote_key, turn_key
from analysis.quotes import Span, locate
from core.checklist import ChecklistItem
from core.evaluation import LEVELS, Level, Verdict
from core.trajectory import Insight, Trajectory

WORDS = {
    "supported": "found",
    "contradicted": "contradicted",
    "insufficient": "not found",
    "unscored": "unscored",
}


@dataclass(frozen=True)
class TurnLink:
    """A link to a turn that decided an item; to the very words where they stand there."""

    turn: int
    href: str


@dataclass(frozen=True)
class Ruling:
    """What the checker said of an item at one level."""

    tone: str
    """supported, contradicted, insufficient or unscored."""
    links: tuple[TurnLink, ...] = ()
    """The turns that decided it, the first of them the discovery; none at report level."""
    quote: str | None = None
    quote_href: str | None = None
    """None where the text does not hold the quote word for word: nothing is marked then."""
    reason: str = ""

    @property
    def word(self) -> str:
        """The tone in a reader's words."""
        return WORDS[self.tone]


@dataclass(frozen=True)
class ItemView:
    """One checklist item beside a trajectory."""

    key: str
    number: int
    """From 1, in the order of the checklist."""
    item: ChecklistItem
    message: Ruling
    report: Ruling

    @property
    def found(self) -> bool:
        """Whether either level supports it."""
        return "supported" in (self.message.tone, self.report.tone)


@dataclass
class Rulings:
    """All items of one trajectory, and the spans that its texts are marked with."""

    items: list[ItemView] = field(default_factory=list)
    spans: dict[str, list[Span]] = field(default_factory=lambda: defaultdict(list))
    """By insight id."""
    first: dict[int, list[ItemView]] = field(default_factory=lambda: defaultdict(list))
    """By turn: the items that it was the first to support."""


def rule(rows: Sequence[Judged], trajectory: Trajectory, key: str) -> Rulings:
    """What became of each of a trajectory's items. `key` is the trajectory's fragment."""
    made = Rulings()
    for number, row in enumerate(rows, 1):
        message, report = (_ruling(row, level, trajectory, key, made.spans) for level in LEVELS)
        item = ItemView(item_key(key, row.item.id), number, row.item, message, report)
        made.items.append(item)
        if row.message and (turn := row.message.found_at_turn):
            made.first[turn].append(item)
    return made


def insight_place(trajectory: Trajectory, insight: Insight, key: str) -> str:
    """The fragment of the place where an insight is shown."""
    if insight.level == "trajectory":
        return below(key, "report")
    known = {turn.index for turn in trajectory.turns}
    return turn_key(key, insight.turn) if insight.turn in known else below(key, "undated")


def _ruling(
    row: Judged,
    level: Level,
    trajectory: Trajectory,
    key: str,
    spans: dict[str, list[Span]],
) -> Ruling:
    verdict = row.verdict(level)
    if verdict is None or verdict.label is None:
        return Ruling("unscored", reason=row.unscored_reason(level) or "")
    turns = _deciding(verdict) if level == "message" else ()
    quoted, fragment = None, None
    for insight in _candidates(trajectory, level, turns):
        if place := locate(insight.text or "", verdict.evidence):
            fragment = quote_key(insight_place(trajectory, insight, key), row.item.id)
            own = item_key(key, row.item.id)
            spans[insight.id].append(Span(*place, own, fragment, verdict.label))
            quoted = insight.turn
            break
    known = {turn.index for turn in trajectory.turns}
    links = tuple(
        TurnLink(t, f"#{fragment}" if t == quoted else f"#{turn_key(key, t)}")
        for t in turns
        if t in known
    )
    return Ruling(
        verdict.label,
        links=links,
        quote=verdict.evidence or None,
        quote_href=f"#{fragment}" if fragment else None,
        reason=verdict.reason,
    )


def _deciding(verdict: Verdict) -> tuple[int, ...]:
    """The turns that speak for the label, in order."""
    if verdict.label == "supported":
        return tuple(sorted(set(verdict.supporting_turns)))
    return tuple(sorted(set(verdict.contradicting_turns)))


def _candidates(trajectory: Trajectory, level: Level, turns: Sequence[int]) -> list[Insight]:
    """The insights that may hold the quote, the likeliest first: deciding turns, then all.

    At report level the last one handed in comes first: it is the one that was judged.
    """
    own = [i for i in trajectory.insights if i.level == level and i.text]
    if level == "trajectory":
        return own[::-1]
    return sorted(own, key=lambda i: (i.turn not in turns, i.turn or 0))
