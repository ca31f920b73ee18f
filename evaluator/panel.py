"""Make one verdict of what several judges say, and measure how far they agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import Any, Final

from core.evaluation import Verdict, Vote
from evaluator.agreement import agreement, krippendorff
from evaluator.interviewing import summed

DISAGREE: Final = "the judges disagree"


def decided(votes: Sequence[Vote]) -> dict[str, Any]:
    """The fields of a verdict: the label that more than half of the judges gave who gave one.

    Turns, quote and reason are those of the first judge with that label; what the others cite stands
    in their votes. One judge's vote is its verdict.
    """
    if len(votes) == 1:
        return votes[0].model_dump(exclude={"judge", "call"}) | {"call": votes[0].call}
    calls = [vote.call for vote in votes if vote.call is not None]
    fields: dict[str, Any] = {
        "label": None,
        "votes": tuple(votes),
        "call": summed(calls) if calls else None,
    }
    given = Counter(vote.label for vote in votes if vote.label is not None)
    if not given:
        return {**fields, "unscored_reason": votes[0].unscored_reason}
    (label, count), *_ = given.most_common()
    if 2 * count <= given.total():
        return {**fields, "unscored_reason": DISAGREE}
    leading = [vote for vote in votes if vote.label == label]
    first = leading[0]
    return {
        **fields,
        "label": label,
        "supporting_turns": first.supporting_turns,
        "contradicting_turns": first.contradicting_turns,
        "evidence": first.evidence,
        "reason": f"({count} of {len(votes)} judges) {first.reason}".strip(),
        "chosen": first.chosen if len({vote.chosen for vote in leading}) == 1 else None,
    }


@dataclass(frozen=True)
class PanelFigures:
    """How several judges stand to one another, over the verdicts on which they voted."""

    verdicts: int
    shares: dict[str, float | None]
    """Per judge: supported verdicts / its labelled ones. None where it gave no label."""
    mean: float | None
    """Mean over verdicts of the share of labelled votes that say supported; where the judges differ,
    a verdict counts in part."""
    pairwise: dict[tuple[str, str], float | None]
    """Per pair of judges: the share of verdicts with the same label, of those that both labelled."""
    alpha: float | None
    """Krippendorff's, nominal; None where nothing varies or no two labelled the same."""
    undecided: int
    """Verdicts without a majority."""

    @property
    def agreement(self) -> float | None:
        """Mean over the pairs of judges."""
        known = [share for share in self.pairwise.values() if share is not None]
        return fmean(known) if known else None

    def as_json(self) -> dict[str, Any]:
        """For --json."""
        return {
            "verdicts": self.verdicts,
            "supported_by_judge": self.shares,
            "mean_support": self.mean,
            "agreement": self.agreement,
            "pairs": [
                {"judges": list(pair), "agreement": share} for pair, share in self.pairwise.items()
            ],
            "krippendorff_alpha": self.alpha,
            "undecided": self.undecided,
        }


def figures(verdicts: Sequence[Verdict]) -> PanelFigures | None:
    """Of those verdicts on which several judges voted; None where there are none."""
    voted = [verdict for verdict in verdicts if verdict.votes]
    if not voted:
        return None
    names = [vote.judge for vote in voted[0].votes]
    labels = [{vote.judge: vote.label for vote in verdict.votes} for verdict in voted]
    by_judge = {name: [each.get(name) for each in labels] for name in names}
    support = [_supported(list(each.values())) for each in labels]
    known = [share for share in support if share is not None]
    return PanelFigures(
        verdicts=len(voted),
        shares={name: _supported(said) for name, said in by_judge.items()},
        mean=fmean(known) if known else None,
        pairwise={
            (one, other): agreement(by_judge[one], by_judge[other])
            for one, other in combinations(names, 2)
        },
        alpha=krippendorff([list(each.values()) for each in labels]),
        undecided=sum(verdict.unscored_reason == DISAGREE for verdict in voted),
    )


def _supported(labels: Sequence[str | None]) -> float | None:
    """The share of the labels given that say supported."""
    given = [label for label in labels if label is not None]
    return fmean(label == "supported" for label in given) if given else None
