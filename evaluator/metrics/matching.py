"""Many-to-many: one question finds for each ground truth the prediction that says the same (IB-05)."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from evaluator.interviewing import Interviewer, Question
from evaluator.metrics.wording import again, asked, listed
from evaluator.replying import LONGEST, Fault

Matches = tuple[int | None, ...]
"""For each ground truth the place (from 0) of the prediction that matches it; None = none does."""
_OBJECT: Final = re.compile(r"\{[^{}]*\}")


def matching_of(truths: Sequence[str], predictions: Sequence[str]) -> Question[Matches]:
    """The question. Numbers count from 1 in it."""
    parts = (
        ("The known statements:", listed(truths)),
        ("The analyst's statements:", listed(predictions)),
    )
    return Question(
        messages=asked("matching", parts),
        read=partial(read_matches, truths=len(truths), predictions=len(predictions)),
        again=lambda fault: again("again", fault),
    )


async def match(
    interviewer: Interviewer, truths: Sequence[str], predictions: Sequence[str]
) -> Matches | Fault:
    """The matches; asked once more at most. Without predictions nothing is asked. Raises UnansweredError."""
    if not predictions:
        return (None,) * len(truths)
    return (await interviewer.ask(matching_of(truths, predictions))).found


def read_matches(text: str, *, truths: int, predictions: int) -> Matches | Fault:
    """The one list of matches in a reply. -1 and 0 are no match too. Never raises."""
    if len(text) > LONGEST:
        return Fault("unreadable", "a reply without end")
    said = text.partition("</think>")[2] if text.strip().startswith("<think>") else text
    found = [pair for source in _OBJECT.findall(said) if (pair := _matches(source)) is not None]
    if not found:
        return Fault("unreadable", "no JSON object with the key 'matches'")
    if any(each != found[0] for each in found):
        return Fault("unreadable", "two differing lists of matches", again=False)
    listed_ = found[0]
    if not isinstance(listed_, list) or len(listed_) != truths:
        return Fault("unreadable", f"matches is no list with {truths} entries")
    numbers = [_number(entry) for entry in listed_]
    if any(number is None or number > predictions for number in numbers):
        return Fault("unreadable", "a match that is the number of no statement")
    return tuple(number - 1 if number else None for number in numbers)


def _matches(source: str) -> Any:
    try:
        found = json.loads(source)
    except (ValueError, RecursionError):
        return None
    return found.get("matches")


def _number(entry: Any) -> int | None:
    """0 = no match; None = no number."""
    if entry is None:
        return 0
    if isinstance(entry, str) and re.fullmatch(r"-?\d{1,6}", entry.strip()):
        entry = int(entry)
    if isinstance(entry, float) and entry.is_integer():
        entry = int(entry)
    return max(0, entry) if type(entry) is int and entry >= -1 else None
