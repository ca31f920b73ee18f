"""Check facts against insights by rules alone: the checker without a model (EVALUATION 5)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.checklist import ChecklistItem
from core.evaluation import LEVELS, Label, Level, Verdict
from core.scenario import Entity
from core.trajectory import Trajectory
from evaluator.claims import OTHER_FIGURE, Claim, claims
from evaluator.credit import assign, families
from evaluator.facts import Fact, compile_fact
from evaluator.reading.document import Document, read
from evaluator.reading.mentions import IdAndLabel

Insights = Sequence[tuple[int | None, str]]
"""(turn, text); the turn is None at trajectory level."""

NO_SIGNALS = "no signals"
NO_SLOTS = "its signals ask for nothing but the metric"
_DIFFERING = frozenset({"differs", "gainsays"})
_GUESSES = 3
"""So many different figures for one fact are guesses, even where each is loosely put."""


@dataclass(frozen=True)
class Match:
    """What the insights of one level say of one item."""

    label: Label | None
    supporting_turns: tuple[int, ...] = ()
    contradicting_turns: tuple[int, ...] = ()
    evidence: str | None = None
    """The clause that decided it, word for word."""
    reason: str = ""
    unscored_reason: str | None = None
    gated: int = 0
    """How many clauses were about this fact at all."""


def match(
    item: ChecklistItem, insights: Insights, *, entity: Entity, others: Sequence[Entity]
) -> Match:
    """Judge one item by itself. Pure, and quick: the insights are read once for all items."""
    return match_all([item], insights, entity=entity, others=others)[0]


def match_all(
    items: Sequence[ChecklistItem],
    insights: Insights,
    *,
    entity: Entity,
    others: Sequence[Entity],
    nouns: Iterable[str] = (),
    one_a_clause: bool = False,
    quoted: bool = True,
) -> list[Match]:
    """Judge items together, so that no figure supports two facts of one metric.

    `one_a_clause`: nor does a clause, however many figures it holds. Without `quoted` the evidence is
    left out, which only a reader misses.
    """
    document = _read(
        tuple(text for _, text in insights),
        (entity.id, entity.label),
        tuple((other.id, other.label) for other in others if other.id != entity.id),
        frozenset(nouns),
    )
    turns = [turn for turn, _ in insights]
    compiled = {i.id: compile_fact(i.signals, i.answer) for i in items if i.signals is not None}
    facts = {item_id: fact for item_id, fact in compiled.items() if fact.required}
    found = {item_id: list(claims(fact, document)) for item_id, fact in facts.items()}
    if one_a_clause:
        found = {
            item_id: [
                Claim(c.clause, c.weight, c.reason, (c.clause, -1), c.value, c.skeleton)
                for c in said
            ]
            for item_id, said in found.items()
        }
    taken = _credit(facts, found)
    return [
        _match(document, turns, found[item.id], taken[item.id], quoted=quoted)
        if item.id in facts
        else Match(None, unscored_reason=NO_SLOTS if item.id in compiled else NO_SIGNALS)
        for item in items
    ]


@lru_cache(maxsize=1)
def _read(
    texts: tuple[str, ...],
    own: IdAndLabel,
    others: tuple[IdAndLabel, ...],
    nouns: frozenset[str],
) -> Document:
    return read(texts, own, others, nouns)


def _credit(
    facts: dict[str, Fact], found: dict[str, list[Claim]]
) -> dict[str, frozenset[Hashable]]:
    """Per item, the tokens that other items of its metric hold."""
    family = _families(tuple(facts), tuple(facts.values()))
    wanted: dict[str, list[Hashable]] = {}
    for item_id, said in found.items():
        if _verdict(said) == "supported":
            tokens = dict.fromkeys(c.token for c in said if c.weight == "supports")
            wanted[item_id] = [(family[item_id], token) for token in tokens]
    order = sorted(wanted, key=lambda item_id: (-_detail(facts[item_id]), item_id))
    held = assign(wanted, order)
    return {
        item_id: frozenset(
            token[1]  # type: ignore[index]
            for other, token in held.items()
            if other != item_id and family[other] == family[item_id]
        )
        for item_id in facts
    }


@lru_cache(maxsize=256)
def _families(item_ids: tuple[str, ...], facts: tuple[Fact, ...]) -> dict[str, str]:
    """The items' metrics, told once for all explorations of an entity."""
    words = [[alias.words for alias in fact.metric] for fact in facts]
    return families(dict(zip(item_ids, words, strict=True)))


def _detail(fact: Fact) -> int:
    """How much a fact asks for: the more particular fact has the first claim to a figure."""
    return len(fact.required) + len(fact.scopes)


def _verdict(said: Sequence[Claim]) -> Label:
    """The label by the claims alone: a fact that is also contradicted or guessed is not found."""
    if any(claim.weight == "contradicts" for claim in said):
        return "contradicted"
    supports = [claim for claim in said if claim.weight == "supports"]
    if not supports:
        gainsaid = any(claim.weight == "gainsays" for claim in said)
        return "contradicted" if gainsaid else "insufficient"
    return "contradicted" if _guesses(said, supports) else "supported"


def _guesses(said: Sequence[Claim], supports: Sequence[Claim]) -> list[Claim]:
    """Other figures for the same fact: in the same words, or so many that one had to fit."""
    differing = [claim for claim in said if claim.weight in _DIFFERING]
    skeletons = {claim.skeleton for claim in supports}
    # What too little says against a fact ('one says it is 10, one says it is 12') is a guess as well.
    alike = [
        claim
        for claim in said
        if claim.skeleton in skeletons
        and (claim.weight in _DIFFERING or claim.reason == OTHER_FIGURE)
    ]
    alike = [c for c in alike if c.clause not in {s.clause for s in supports}]
    if alike:
        return alike
    values = {claim.value for claim in differing if claim.value is not None}
    return differing if len(values) >= _GUESSES else []


def _match(
    document: Document,
    turns: Sequence[int | None],
    said: Sequence[Claim],
    taken: frozenset[Hashable],
    *,
    quoted: bool,
) -> Match:
    def quote(claim: Claim) -> str | None:
        return document.quote(claim.clause) if quoted else None

    def numbers(chosen: Iterable[Claim]) -> tuple[int, ...]:
        found = {turns[document.owners[claim.clause]] for claim in chosen}
        return tuple(sorted(turn for turn in found if turn is not None))

    supports = [claim for claim in said if claim.weight == "supports"]
    against = [claim for claim in said if claim.weight == "contradicts"]
    if not against:
        soft = [claim for claim in said if claim.weight == "gainsays"]
        against = _guesses(said, supports) if supports else soft
    gated = len({claim.clause for claim in said})
    free = [claim for claim in supports if claim.token not in taken]
    if against:
        first = against[0]
        guessed = bool(supports) and first.weight != "contradicts"
        return Match(
            "contradicted",
            numbers(supports),
            numbers(against),
            quote(first),
            "several figures are stated for this one fact" if guessed else first.reason,
            gated=gated,
        )
    if free:
        first = free[0]
        return Match("supported", numbers(free), (), quote(first), first.reason, gated=gated)
    if supports:
        reason = "its figure already supports another fact of the same metric"
        return Match("insufficient", reason=reason, gated=gated)
    return Match("insufficient", reason=_why_not(said), gated=gated)


def _why_not(said: Sequence[Claim]) -> str:
    if not said:
        return "no clause names this metric, with its scope, for this entity"
    reasons = dict.fromkeys(claim.reason for claim in said)
    return f"{len({c.clause for c in said})} on the subject: {'; '.join(list(reasons)[:3])}"


class MatchingChecker:
    """The checker without a model: exact about figures, deaf to anything it cannot read."""

    name = "matching"

    def __init__(self, entities: Sequence[Entity]) -> None:
        self._entities = {entity.id: entity for entity in entities}

    async def check(
        self, items: Sequence[ChecklistItem], trajectory: Trajectory, *, evaluation_id: str
    ) -> AsyncIterator[Verdict]:
        """One verdict per item and level: first all of the messages, then all of the report.

        Items of other entities are passed over. A trajectory that ended through no fault of the
        agent, or has not ended, leaves its items unscored (EVALUATION 1.2).
        """
        mine = [item for item in items if item.entity_id == trajectory.entity_id]
        for level in LEVELS:
            for item, found in zip(mine, self._matches(mine, trajectory, level), strict=True):
                yield Verdict(
                    evaluation_id=evaluation_id,
                    item_id=item.id,
                    trajectory_id=trajectory.id,
                    level=level,
                    label=found.label,
                    supporting_turns=found.supporting_turns,
                    contradicting_turns=found.contradicting_turns,
                    evidence=found.evidence,
                    reason=found.reason,
                    unscored_reason=found.unscored_reason,
                    gated=found.gated,
                )

    def _matches(
        self, items: Sequence[ChecklistItem], trajectory: Trajectory, level: Level
    ) -> list[Match]:
        entity = self._entities.get(trajectory.entity_id)
        reason = unscored(trajectory, entity)
        if entity is None or reason is not None:
            return [Match(None, unscored_reason=reason) for _ in items]
        insights = _insights(trajectory, level)
        if not insights:
            reason = "nothing was handed in"
            return [
                Match("insufficient", reason=reason)
                if item.signals is not None
                else Match(None, unscored_reason=NO_SIGNALS)
                for item in items
            ]
        others = [other for other in self._entities.values() if other.id != entity.id]
        nouns = nouns_of(trajectory, entity)
        return match_all(items, insights, entity=entity, others=others, nouns=nouns)


def unscored(trajectory: Trajectory, entity: Entity | None) -> str | None:
    """Why none of a trajectory's items is scored; None where they are."""
    stop = trajectory.stop_reason
    if stop is None:
        return "the trajectory did not end"
    if not stop.scored:
        return f"{stop}: {trajectory.error}" if trajectory.error else str(stop)
    return f"unknown entity {trajectory.entity_id}" if entity is None else None


def _insights(trajectory: Trajectory, level: Level) -> list[tuple[int | None, str]]:
    if level == "trajectory":
        return [(None, trajectory.report)] if trajectory.report else []
    return [(i.turn, i.text) for i in trajectory.message_insights if i.text]


@lru_cache(maxsize=256)
def _nouns_in(prompt: str, own: IdAndLabel) -> frozenset[str]:
    return frozenset(read([prompt], own).names.nouns)


def nouns_of(trajectory: Trajectory, entity: Entity) -> frozenset[str]:
    """What the entity is called, from the prompt that named it: 'Explore carrier 03'."""
    preamble = trajectory.preamble
    prompt = preamble.start_prompt if preamble is not None else ""
    return _nouns_in(prompt, (entity.id, entity.label))
