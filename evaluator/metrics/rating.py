"""G-Eval and LLaMA-3-Eval: a model rates how well a statement agrees with a known one (IB-06, IE-05)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from evaluator.interviewing import Interviewer, Question
from evaluator.metrics.chances import HIGHEST, LOWEST, RATING, parted
from evaluator.metrics.wording import again, asked
from evaluator.replying import Fault

TEMPERATURE: Final = 0


@dataclass(frozen=True)
class Pair:
    """A prediction with the ground truth that it is held against."""

    truth: str
    prediction: str


@dataclass(frozen=True)
class Rated:
    """What a model thinks of a pair."""

    said: int
    """1 to 10."""
    expected: float
    """1 to 10: the mean over what it might have said, by its chances; `said` where none were told."""
    has_chances: bool

    @property
    def score(self) -> float:
        """0.1 to 1."""
        return self.expected / HIGHEST


def rating_of(pair: Pair) -> Question[Rated]:
    """The question. The prompt holds no digit, so that no rating can be copied from it."""
    parts = (("The known statement:", pair.truth), ("The analyst's statement:", pair.prediction))
    return Question(
        messages=asked("rating", parts),
        read=read_rating,
        again=lambda fault: again("rating_again", fault),
    )


async def rate(interviewer: Interviewer, pair: Pair) -> Rated | Fault:
    """One rating; asked once more at most. Raises UnansweredError."""
    return (await interviewer.ask(rating_of(pair))).found


def read_rating(text: str) -> Rated | Fault:
    """The one rating in a reply. Two that differ are none. Never raises."""
    said, chances = parted(text)
    if said.strip().startswith("<think>"):
        said = said.partition("</think>")[2]
    numbers = {int(found[1][:4]) for found in RATING.finditer(said)}
    if not numbers:
        return Fault("unreadable", "no whole number between <rating> and </rating>")
    if len(numbers) > 1:
        # Asked again, a judge that wavers would only be pressed to choose.
        return Fault("unreadable", "two differing ratings", again=False)
    number = numbers.pop()
    if not LOWEST <= number <= HIGHEST:
        return Fault("unreadable", "a rating off the scale")
    if not chances:
        return Rated(number, float(number), has_chances=False)
    return Rated(number, sum(n * p for n, p in chances.items()), has_chances=True)
