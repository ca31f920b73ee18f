"""How often the texts of a set say the same: TF-IDF cosine, Self-BLEU, Distinct-2 (EVALUATION 3.4)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

from core.record import Record

if TYPE_CHECKING:
    import numpy as np

ORDER: Final = 4
"""BLEU-4."""
EPSILON: Final = 0.1
"""What method 1 of Chen and Cherry puts in the place of no match at all."""


class Redundancy(Record):
    """Means over sets (an entity's texts are one); None where no set has two texts."""

    sets: int
    """Those with at least two texts."""
    texts: int
    cosine: float | None
    """0 to 1, the mean over all pairs of a set; higher is more redundant."""
    self_bleu: float | None
    """0 to 1; higher is more redundant."""
    distinct_2: float | None
    """Different word pairs / word pairs, 0 to 1; lower is more redundant."""


def redundancy(sets: Sequence[Sequence[str]]) -> Redundancy:
    """Each figure inside each set, then the mean over sets. Empty texts are left out."""
    kept = [[text for text in texts if text.strip()] for texts in sets]
    kept = [texts for texts in kept if len(texts) > 1]
    return Redundancy(
        sets=len(kept),
        texts=sum(map(len, kept)),
        cosine=_mean([cosine(texts) for texts in kept]),
        self_bleu=_mean([self_bleu(texts) for texts in kept]),
        distinct_2=_mean([distinct_2(texts) for texts in kept]),
    )


def cosine(texts: Sequence[str]) -> float | None:
    """The mean TF-IDF cosine over all pairs; None where no text holds a word that counts."""
    similar = _similarities(texts)
    if similar is None or len(texts) < 2:
        return None
    pairs = len(texts) * (len(texts) - 1)
    return float((similar.sum() - similar.trace()) / pairs)


def pairs_alike(texts: Sequence[str], least: float) -> Iterator[tuple[int, int, float]]:
    """The pairs (i < j) with a cosine of at least `least`, the most alike first."""
    similar = _similarities(texts) if len(texts) > 1 else None
    if similar is None:
        return
    found = [
        (i, j, min(1.0, float(similar[i, j])))
        for i in range(len(texts))
        for j in range(i + 1, len(texts))
        if similar[i, j] >= least
    ]
    yield from sorted(found, key=lambda pair: (-pair[2], pair[0], pair[1]))


def _similarities(texts: Sequence[str]) -> np.ndarray[Any, Any] | None:
    """Cosines of words and word pairs, weighted inside these texts, English stop words left out."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    try:
        vectors = TfidfVectorizer(stop_words="english", ngram_range=(1, 2)).fit_transform(texts)
    except ValueError:  # stop words alone
        return None
    # The vectors have length 1, so that their products are the cosines.
    similar: np.ndarray[Any, Any] = (vectors @ vectors.T).toarray()
    return similar


def self_bleu(texts: Sequence[str]) -> float | None:
    """The mean BLEU-4 of each text against all others; words are what white space divides."""
    if len(texts) < 2:
        return None
    words = [text.split() for text in texts]
    scores = [bleu(mine, [*words[:place], *words[place + 1 :]]) for place, mine in enumerate(words)]
    return fmean(scores)


def bleu(words: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """BLEU-4 of one sentence, smoothed by method 1 (Papineni 2002; Chen and Cherry 2014).

    Clipped n-gram precisions, their geometric mean, times the penalty for being shorter than the
    nearest reference. No common word at all is 0.
    """
    if not words or not references:
        return 0.0
    logs = 0.0
    for order in range(1, ORDER + 1):
        mine = _grams(words, order)
        most: Counter[tuple[str, ...]] = Counter()
        for reference in references:
            most |= _grams(reference, order)
        matched = sum(min(count, most[gram]) for gram, count in mine.items())
        if order == 1 and not matched:
            return 0.0
        logs += math.log((matched or EPSILON) / max(1, mine.total())) / ORDER
    nearest = min((abs(len(each) - len(words)), len(each)) for each in references)[1]
    penalty = 1.0 if len(words) > nearest else math.exp(1 - nearest / len(words))
    return penalty * math.exp(logs)


def distinct_2(texts: Sequence[str]) -> float | None:
    """Different word pairs over all word pairs of the set; None where there is none."""
    grams: Counter[tuple[str, ...]] = Counter()
    for text in texts:
        grams += _grams(text.split(), 2)
    return len(grams) / grams.total() if grams else None


def _grams(words: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[at : at + order]) for at in range(len(words) - order + 1))


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None
