"""Sentences of analysts, profilers and language models, each with the label that it deserves."""

from __future__ import annotations

from tests.evaluator.sentences.figures import MEANS, SHARES, SISTERS, VOLUME
from tests.evaluator.sentences.labels import Case
from tests.evaluator.sentences.manners import GUESSES, LAYOUT, STANCE, WHO
from tests.evaluator.sentences.times import CHANGES, RESTRICTED, TIMES

SECTIONS: dict[str, list[Case]] = {
    "volume": VOLUME,
    "means": MEANS,
    "sisters": SISTERS,
    "shares": SHARES,
    "times": TIMES,
    "restricted": RESTRICTED,
    "changes": CHANGES,
    "who": WHO,
    "stance": STANCE,
    "guesses": GUESSES,
    "layout": LAYOUT,
}
