"""How far a run is, entity by entity: what its page shows and what a stream keeps up to date."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from analysis.keys import slug
from core.outside import Key
from core.run import RunSpec
from core.scenario import Entity
from server.standings_summary import Summary
from server.store import Repository
from server.store.glances import Glance, Taken, glances
from server.store.overview import Overview

PAGE: Final = 100
"""(entity, trial) pairs of one page."""
Tone = Literal["", "good", "bad"]


@dataclass(frozen=True)
class Line:
    """One entity and trial."""

    id: str
    """Of its row on the page."""
    entity_id: str
    label: str
    trial: int
    glance: Glance | None
    """None where nobody has begun."""
    spend: str

    @property
    def state(self) -> str:
        """Why it ended, in words, or how far it is."""
        if self.glance is None:
            return "not begun"
        return _words(self.glance.stop.value) if self.glance.stop else "under way"

    @property
    def tone(self) -> Tone:
        """Whether it ended well, or by a fault of ours."""
        stop = self.glance.stop if self.glance else None
        if stop is None:
            return ""
        return "good" if stop.self_terminated else "" if stop.scored else "bad"

    @property
    def seconds(self) -> float | None:
        """From its beginning to its end; None while it goes on."""
        if self.glance is None or self.glance.ended_at is None:
            return None
        return (self.glance.ended_at - self.glance.started_at).total_seconds()


@dataclass(frozen=True)
class Stop:
    """Why how many ended."""

    words: str
    count: int
    self_terminated: bool


@dataclass(frozen=True)
class Progress:
    """A run now."""

    run: Overview
    lines: tuple[Line, ...]
    stops: tuple[Stop, ...]
    turns: int
    insights: int | None
    """None where they were not counted: of a finished run of many entities."""
    errors: int | None
    """Of the entities shown, those that ended with an error."""
    spend: str
    first: int
    """Of the (entity, trial) pairs shown, from 1."""

    @property
    def following(self) -> int | None:
        """Where the next page begins."""
        past = self.first + PAGE
        return past if past <= self.run.wanted else None

    @property
    def previous(self) -> int | None:
        """Where the page before begins."""
        return max(1, self.first - PAGE) if self.first > 1 else None

    @property
    def state(self) -> str:
        """In a word."""
        return state_of(self.run)


def state_of(run: Overview) -> str:
    """In a word: whether it is finished, under way or to be gone on with."""
    if run.is_finished:
        return "finished"
    return "under way" if run.open else "not finished" if run.stops else "not begun"


def progress(
    run: Overview,
    store: Repository,
    entities: Mapping[str, Entity],
    *,
    first: int = 1,
    summary: Summary | None = None,
) -> Progress:
    """From the pair number `first` on. `summary`: what a finished run came to, where it is kept."""
    keys = run.spec.keys
    shown = keys[first - 1 : first - 1 + PAGE]
    is_all = summary is None or len(shown) == len(keys)
    wanted = run.spec.entity_ids if is_all else tuple(dict.fromkeys(e for e, _ in shown))
    found = glances(store, run.spec.id, wanted)
    counted = Counter(stop for stop in run.stops.values() if stop is not None)
    every = list(found.values())
    return Progress(
        run=run,
        lines=tuple(_line(key, found.get(key), run.spec, entities) for key in shown),
        stops=tuple(
            Stop(_words(stop.value), count, stop.self_terminated)
            for stop, count in counted.most_common()
        ),
        turns=sum(each.turns for each in every) if is_all or not summary else summary.turns,
        insights=sum(each.insights for each in every) if is_all else None,
        errors=sum(each.error is not None for each in every) if is_all else None,
        spend=spend_of(run.spec, _total(every))
        if is_all or not summary
        else spend_of(run.spec, taken_by(summary)),
        first=first,
    )


def taken_by(summary: Summary) -> Taken:
    """What a run took that was summed up."""
    parts = summary.spent.values()
    known = [part.known.cost_usd for part in parts if part.known.cost_usd is not None]
    calls = sum(part.calls for part in parts)
    return Taken(calls, calls - sum(part.unpriced for part in parts), sum(known) if known else None)


def spend_of(spec: RunSpec, taken: Taken) -> str:
    """In US$ and words: a sum with unknown parts is a lower bound, and says so."""
    if spec.outside is not None:
        return "not seen"
    if not taken.calls:
        return "none" if spec.model is None else "–"
    if taken.cost_usd is None:
        return "no price"
    dollars = f"${taken.cost_usd:,.4f}" if taken.cost_usd < 10 else f"${taken.cost_usd:,.2f}"
    return dollars if taken.priced == taken.calls else f"at least {dollars}"


def row_id(key: Key) -> str:
    """Of a row, on a page of one run."""
    return f"row-{slug(key[0])}-{key[1]}"


def _line(key: Key, found: Glance | None, spec: RunSpec, entities: Mapping[str, Entity]) -> Line:
    entity_id, trial = key
    known = entities.get(entity_id)
    return Line(
        id=row_id(key),
        entity_id=entity_id,
        label=known.label if known else entity_id,
        trial=trial,
        glance=found,
        spend=spend_of(spec, found.taken) if found else "–",
    )


def _total(found: Sequence[Glance]) -> Taken:
    return sum((each.taken for each in found), Taken())


def _words(stop: str) -> str:
    return stop.replace("_", " ")
