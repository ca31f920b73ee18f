"""Hold a checker's citations against the insights: turns that exist, a quote that is really there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from core.evaluation import Label, Level
from evaluator.asking import Passages
from evaluator.replying import Answer, Fault

NO_TURN: Final = "no turn is cited"
NO_QUOTE: Final = "nothing is quoted"

_ALIKE: Final = str.maketrans("‘’‚‛“”„‟«»‐‑‒–—−", '\'\'\'\'""""""------')
"""Marks that a model writes for one another; one character each, so that places stay the same."""
_UNSEEN: Final = frozenset("*`\u200b\u200c\u200d\u2060\ufeff\u00ad")
"""Emphasis, and what has no width: it is often lost in a quote."""
_EDGES: Final = " \"'.…"
_OUR_MARK: Final = re.compile(r"^\W*\[(?:turn \d+|no turn)\]\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Cited:
    """What a verdict may rest on."""

    supporting_turns: tuple[int, ...] = ()
    contradicting_turns: tuple[int, ...] = ()
    evidence: str | None = None
    """Word for word a part of one insight."""
    flags: tuple[str, ...] = ()
    """What is missing and is no fault."""


def cite(answer: Answer, label: Label, level: Level, passages: Passages) -> Cited | Fault:
    """The citations of an answer, if they can be true (field case F44).

    At message level every turn that is listed must be among `passages`, whatever the label; a
    report has no turns, so there they are passed over. A quote must stand in an insight of the
    turns that the label rests on, white space and emphasis aside. A label without turns or without
    a quote is kept, and flagged. `insufficient` rests on nothing.
    """
    supporting, contradicting = answer.supporting_turns, answer.contradicting_turns
    if level == "trajectory":
        supporting = contradicting = ()
    shown = {turn for turn, _ in passages if turn is not None}
    if unknown := [turn for turn in (*supporting, *contradicting) if turn not in shown]:
        detail = f"turn {unknown[0]} is none of the turns that are shown"
        return Fault("invalid citation", "a turn that does not exist", detail)
    if label == "insufficient":
        return Cited()
    basis, others = supporting, contradicting
    if label == "contradicted":
        basis, others = others, basis
    if others and not basis:
        detail = f"the label is {label}, and all turns that are listed say the opposite"
        return Fault("invalid citation", "turns that say the opposite of the label", detail)
    flags = (NO_TURN,) if level == "message" and not basis else ()
    if not _plain(answer.quote).strip(_EDGES):
        return Cited(supporting, contradicting, flags=(*flags, NO_QUOTE))
    for turn, text in passages:
        evidence = locate(answer.quote, text) if not basis or turn in basis else None
        if evidence is not None:
            return Cited(supporting, contradicting, evidence, flags)
    detail = "the quote does not stand word for word in an insight of the turns that decide"
    return Fault("invalid citation", "a quote that is not in the insights", detail)


def locate(quote: str, text: str) -> str | None:
    """The part of `text` that is quoted, exactly as it stands there; None where it does not.

    White space, emphasis and the shape of dashes and quotation marks do not matter; neither do our
    own mark of the turn, and quotation marks or dots around the whole.
    """
    if (exact := quote.strip()) and exact in text:
        return exact  # as a rule; the look at every character takes its time
    places = _places(text)
    flat = "".join(char for char, _ in places)
    bare = _OUR_MARK.sub("", quote)
    for wanted in (_plain(quote), _plain(bare), _plain(bare.strip(_EDGES)).strip(_EDGES)):
        start = flat.find(wanted) if wanted else -1
        if start >= 0:
            return text[places[start][1] : places[start + len(wanted) - 1][1] + 1]
    return None


def _plain(text: str) -> str:
    return "".join(char for char, _ in _places(text)).strip()


def _places(text: str) -> list[tuple[str, int]]:
    """The text with its unimportant differences taken out: each character and where it stood."""
    kept: list[tuple[str, int]] = []
    for place, char in enumerate(text.translate(_ALIKE)):
        if char in _UNSEEN:
            continue
        if not char.isspace():
            kept.append((char, place))
        elif kept and kept[-1][0] != " ":
            kept.append((" ", place))
    return kept
