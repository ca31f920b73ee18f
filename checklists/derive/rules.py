"""Which facts may stay: said in the text word for word, to be seen in the database, and told once."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from checklists.derive.facts import Dropped, Fact, Finding

ALIKE: Final = 0.8
"""TF-IDF cosine of question and answer from which two facts with the same figures are one."""
_NUMBER: Final = re.compile(r"(?<![\w.])[-+]?\d[\d,]*(?:\.\d+)?(?![\w])")
_MARKS: Final = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-"})


def why_not(
    fact: Fact, text: str, columns: Mapping[str, Collection[str]], entity_id: str
) -> Dropped | None:
    """Why a fact cannot become an item; None where it may.

    `text` is the whole document, `columns` the columns of each table.
    """
    if not fact.answerable:
        return "not answerable"
    known = {f"{table}.{column}".lower() for table, names in columns.items() for column in names}
    if not any(each.strip().strip('"').lower() in known for each in fact.seen_in):
        return "no such column"
    if not is_quoted(fact.quote, text):
        return "quote not in the text"
    said = figures(fact.answer.replace(entity_id, " "))
    if said and set(said) <= set(figures(fact.question.replace(entity_id, " "))):
        return "question gives the answer away"
    return None


def is_quoted(quote: str, text: str) -> bool:
    """Whether a quote stands in a text word for word; white space and the shape of marks do not count."""
    plain = _plain(quote)
    return bool(plain) and plain in _plain(text)


def figures(text: str) -> list[float]:
    """The numbers of a text."""
    return [float(found.replace(",", "")) for found in _NUMBER.findall(text)]


def distinct(findings: Sequence[Finding]) -> list[Finding]:
    """One entity's findings without repetition; of two that say the same the first stays.

    Two facts with other figures are never the same, however alike their words are.
    """
    if len(findings) < 2:
        return list(findings)
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = [f"{each.fact.question} {each.fact.answer}".lower() for each in findings]
    try:
        vectors = TfidfVectorizer(token_pattern=r"(?u)\w+").fit_transform(texts)  # noqa: S106 - a pattern of words
    except ValueError:  # no word at all in any
        return list(findings)
    near = (vectors @ vectors.T).toarray()
    said = [sorted(figures(each.fact.answer)) for each in findings]
    kept: list[int] = []
    for place in range(len(findings)):
        if not any(near[place, one] >= ALIKE and said[place] == said[one] for one in kept):
            kept.append(place)
    return [findings[place] for place in kept]


def _plain(text: str) -> str:
    return " ".join(text.translate(_MARKS).split())
