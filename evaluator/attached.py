"""Claims with evidence attached: whether what it gives holds the insight's numbers (EVALUATION 5.5)."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from core.trajectory import Insight
from evaluator.tracing.claimed import claims_in
from evaluator.tracing.observed import observed
from evaluator.tracing.tracing import Shown, Traced

ClaimState = Literal["grounded", "wrong", "unsupported"]
"""grounded: each number is in what the evidence gives, or one step away. wrong: the evidence gives
something, and a number is not in it. unsupported: there is no evidence that gives anything."""

_VERBS: Final = frozenset(["select", "with", "from", "values", "pivot"])
_TURN_WORDS: Final = frozenset(["turn", "turns", "step", "query", "call", "and"])
_WORD: Final = re.compile(r"[a-z]+")
_DIGITS: Final = re.compile(r"\d{1,6}")


@dataclass(frozen=True)
class Claim:
    """An insight beside what its evidence came to."""

    trajectory_id: str
    entity_id: str
    insight_id: str
    state: ClaimState | None
    """None where the insight states no number that could be compared."""
    reason: str
    numbers: tuple[Traced, ...] = ()


def queries_in(evidence: Sequence[str]) -> list[str]:
    """The SQL statements among what was attached."""
    return [text for text in evidence if _is_query(text)]


def turns_in(evidence: Sequence[str]) -> list[int]:
    """The turns that are referred to: 'turn 7', '7', 'turns 3 and 4'."""
    return [
        int(number)
        for text in evidence
        if not _is_query(text) and _names_turns(text)
        for number in _DIGITS.findall(text)
    ]


def _is_query(text: str) -> bool:
    """Whether it begins as a query does, comments and brackets before it aside."""
    rest = text.lstrip("( \t\r\n")
    while rest.startswith(("--", "/*")):
        _, _, rest = rest.partition("\n" if rest.startswith("--") else "*/")
        rest = rest.lstrip("( \t\r\n")
    word = _WORD.match(rest.lower())
    return word is not None and word[0] in _VERBS


def _names_turns(text: str) -> bool:
    """Whether it holds numbers of turns and nothing else."""
    plain = text.lower()
    marks = _WORD.sub(" ", _DIGITS.sub(" ", plain)).strip(" #,&.\t\n")
    return not marks and set(_WORD.findall(plain)) <= _TURN_WORDS


def weigh(
    insight: Insight,
    entity_id: str,
    results: Sequence[str],
    faults: Sequence[str],
    *,
    given: Collection[str] = frozenset(),
) -> Claim:
    """`results`: what the evidence gave, each as a tool's text; `faults`: why some gave nothing."""
    claims = claims_in(insight.text or "", given=given)
    ids = (insight.trajectory_id, entity_id, insight.id)
    if not claims.numbers:
        return Claim(*ids, None, "it states no number")
    if not results:
        return Claim(
            *ids, "unsupported", faults[0] if faults else "nothing is attached that can be run"
        )
    shown = Shown([observed(text, 1) for text in results])
    numbers = shown.trace(claims, until=1, own=1)
    missing = [each.number.text for each in numbers if each.state == "not found"]
    if missing:
        return Claim(*ids, "wrong", f"the evidence does not give {', '.join(missing)}", numbers)
    if not any(each.is_grounded for each in numbers):
        return Claim(*ids, None, "its numbers cannot be told from chance", numbers)
    return Claim(*ids, "grounded", "", numbers)
