"""Find the words of a clause that speak of what the entity is compared with."""

from __future__ import annotations

from collections.abc import Sequence

from evaluator.reading import lexicon
from evaluator.reading.figures import Figure
from evaluator.reading.forms import Form
from evaluator.reading.measures import ORDINALS
from evaluator.reading.mentions import Mention

_QUANTIFIERS = frozenset(
    {"more", "less", "fewer", "greater", "higher", "lower", "longer", "shorter"}
)
AMONG = frozenset({"of", "among", "amongst", "across", "in", "within", "between"})
_ENDS = frozenset({",", ";", "—", "–", "and", "but"})

Span = tuple[int, int]
"""First and last place, both inside."""


def comparison_spans(
    forms: Sequence[Form], mentions: Sequence[Mention], figures: Sequence[Figure]
) -> list[Span]:
    """Stretches such as 'against 11.9 for the rest', 'than the 11.9 of others', 'vs. 12'.

    Their figures, periods and scopes are not the entity's. A stretch that names the entity
    itself after its figure ('below 20.0 for carrier 03') is no such stretch.
    """
    spans: list[Span] = []
    after = 0
    for i in [i for i, form in enumerate(forms) if form.compares]:
        span = _at(forms, i, mentions, figures) if i >= after else None
        if span is not None:
            spans.append(span)
            after = span[1] + 1
    spans += _among_all(forms, mentions)
    spans += _in_brackets(forms, mentions, spans)
    return spans


def _at(
    forms: Sequence[Form], i: int, mentions: Sequence[Mention], figures: Sequence[Figure]
) -> Span | None:
    text = forms[i].text
    following = forms[i + 1].text if i + 1 < len(forms) else ""
    previous = forms[i - 1].text if i else ""
    strict = False
    start = i
    if text in lexicon.COMPARISONS:
        if text == "than" and previous in ("rather", "other"):
            return None
        numeric = any(f.first == i + 1 for f in figures)
        strict = text == "than" and previous in _QUANTIFIERS and numeric
    elif following in lexicon.COMPARISONS_WITH.get(text, ()):
        pass
    elif text in lexicon.EXCEEDING:
        strict, start = True, i + 1
    else:
        return None
    end = _end(forms, i + 1, figures, stop=":" if text == "than" else "")
    if start > end:
        return None
    inside = [m for m in mentions if i < m.first <= end and m.who != "pronoun"]
    if strict:
        # 'above 20 mph it is 6.8 (all carriers: 16.9)': what brackets hold is compared by itself
        opens = next((j for j in range(i, end + 1) if forms[j].text == "("), end + 1)
        inside = [m for m in inside if m.first < opens]
    if strict and not any(m.who in ("population", "other") for m in inside):
        return None
    if strict and any(m.who == "pronoun" and i < m.first < inside[0].first for m in mentions):
        # 'with more than 20 mph its delay is 6.8 (all carriers: 16.9)': 20 is compared with nobody
        return None
    if inside and inside[0].who == "own" and not any(m.who == "population" for m in inside):
        return None
    return start, end


def _end(forms: Sequence[Form], i: int, figures: Sequence[Figure], stop: str) -> int:
    """The last place of the stretch: before a comma, 'and', or the bracket that encloses it."""
    opened = 0
    starts = {f.first for f in figures}
    for place in range(i, len(forms)):
        text = forms[place].text
        if text == "(":
            opened += 1
        elif text == ")":
            opened -= 1
            if opened < 0:
                return place - 1
        elif (text in _ENDS or text == stop) and opened == 0:
            # 'against 11.9 and 12.4 for the two others' goes on
            if text == "and" and place + 1 in starts:
                continue
            return place - 1
    return len(forms) - 1


def _among_all(forms: Sequence[Form], mentions: Sequence[Mention]) -> list[Span]:
    """'the highest of all carriers', '16.2% of the market': those who are only measured by."""
    found = []
    for mention in mentions:
        if mention.who != "population":
            continue
        for place in range(mention.first - 1, max(-1, mention.first - 5), -1):
            if forms[place].kind != "word":
                break
            if forms[place].text in AMONG:
                if _is_measure(forms[:place]):
                    found.append((place, mention.last))
                break
    return found


def _is_measure(before: Sequence[Form]) -> bool:
    if not before:
        return False
    if before[-1].text in ("%", "percent", "share", "out"):
        return True
    return any(
        (form.cue is not None and form.cue[1] == "superlative")
        or form.text in ORDINALS
        or form.suffix in ("st", "nd", "rd", "th")
        or form.stem == "rank"
        for form in before
    )


def _in_brackets(
    forms: Sequence[Form], mentions: Sequence[Mention], spans: Sequence[Span]
) -> list[Span]:
    """'(rest: 11.9)', '(market average 11.9)', 'the rest (11.9)'."""
    found = []
    for mention in mentions:
        if mention.who not in ("population", "other"):
            continue
        if any(first <= mention.first <= last for first, last in spans):
            continue
        opening = next(
            (
                i
                for i in range(mention.first - 1, max(-1, mention.first - 7), -1)
                if forms[i].text in "()"
            ),
            None,
        )
        if opening is not None and forms[opening].text == "(":
            closing = next(
                (i for i in range(mention.last, len(forms)) if forms[i].text == ")"), None
            )
            if closing is not None:
                found.append((opening + 1, closing - 1))
    return found
