"""Insights that no ground truth has, and that two of three models call right all the same (IE-06)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from core.record import Record
from evaluator.interviewing import Question
from evaluator.metrics.averages import Figure, mean_of
from evaluator.metrics.scores import NOTHING_SAID, NOTHING_SCORED, SetScore, Share
from evaluator.metrics.sets import InsightSet
from evaluator.metrics.wording import again, asked, listed
from evaluator.replying import Fault, read

CORRECT: Final = 0.5
"""A prediction whose best agreement is above is correct: a rating above 5 of 10."""
JUDGES: Final = 3
AGREE: Final = 2


@dataclass(frozen=True)
class Candidate:
    """A prediction that agrees with no ground truth, by its place in its set."""

    set_key: tuple[str, int]
    place: int


class Novelty(Record):
    """Eq. 16: (M + delta C) / (N + M), the mean over sets."""

    original: Figure
    """delta = 0: the share of predictions that agree with the ground truth."""
    new: Figure
    """delta = 1: those that are novel counted too."""
    correct: int
    """M, over all sets."""
    others: int
    """N."""
    novel: int
    """C (Eq. 17): of the others, those that at least two models call novel."""
    unscored: int
    """Of the others, those on which too few models gave an answer that could be read."""


def candidates(sets: Sequence[InsightSet], scores: Sequence[SetScore]) -> Iterator[Candidate]:
    """The predictions that models are asked about."""
    for found, score in zip(sets, scores, strict=True):
        for place, best in enumerate(score.predictions or ()):
            if best.score <= CORRECT and not found.missing:
                yield Candidate(found.key, place)


def novelty_of(found: InsightSet, place: int, schema: str) -> Question[bool]:
    """The question: goal, tables, what the agent found before, and the insight; reasons first."""
    earlier = found.predictions[:place]
    parts = (
        ("The goal:", found.goal or "To find out what stands out in the data."),
        ("The tables with their columns:", schema),
        ("The analyst's earlier insights:", listed(earlier) if earlier else "(none yet)"),
        ("The insight to decide on:", found.predictions[place]),
    )
    return Question(
        messages=asked("novelty", parts),
        read=_read,
        again=lambda fault: again("again", fault),
    )


def novelty(
    sets: Sequence[InsightSet],
    scores: Sequence[SetScore],
    votes: Mapping[Candidate, Sequence[bool | None]],
) -> Novelty:
    """The figures. `votes`: what each model said of each candidate; None = nothing that could be read.

    A candidate counts as novel with two votes, as not novel where two can no longer be reached,
    else as unscored.
    """
    said = {candidate: _decided(mine) for candidate, mine in votes.items()}
    originals: list[Share] = []
    news: list[Share] = []
    for found, score in zip(sets, scores, strict=True):
        bests = score.predictions or ()
        if found.missing or not bests:
            nothing = NOTHING_SCORED if found.missing else NOTHING_SAID
            originals.append(nothing)
            news.append(nothing)
            continue
        correct = [best.score > CORRECT for best in bests]
        # Of a prediction with an unscored pair it is sure only that it is correct, if it is.
        known = [right or best.is_scored for right, best in zip(correct, bests, strict=True)]
        novel = [said.get(Candidate(found.key, place)) for place in range(len(bests))]
        originals.append(_share(correct, known))
        news.append(
            _share(
                [right or bool(new) for right, new in zip(correct, novel, strict=True)],
                [
                    right or (sure and new is not None)
                    for right, sure, new in zip(correct, known, novel, strict=True)
                ],
            )
        )
    clusters = [found.cluster for found in sets]
    mine = list(candidates(sets, scores))
    total = sum(len(s.predictions or ()) for s in scores if not s.missing)
    return Novelty(
        original=mean_of(originals, clusters),
        new=mean_of(news, clusters),
        correct=total - len(mine),
        others=len(mine),
        novel=sum(said.get(each) is True for each in mine),
        unscored=sum(said.get(each) is None for each in mine),
    )


def _share(counts: Sequence[bool], known: Sequence[bool]) -> Share:
    scored = [count for count, sure in zip(counts, known, strict=True) if sure]
    return Share(
        strict=sum(counts) / len(counts),
        scored_only=sum(scored) / len(scored) if scored else None,
        coverage=len(scored) / len(counts),
    )


def _decided(votes: Sequence[bool | None]) -> bool | None:
    yes, open_ = votes.count(True), votes.count(None)
    if yes >= AGREE:
        return True
    return False if yes + open_ < AGREE else None


def _read(text: str) -> bool | Fault:
    answer = read(text, key="novel", allowed=("yes", "no"))
    return answer if isinstance(answer, Fault) else answer.word == "yes"
