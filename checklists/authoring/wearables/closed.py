"""Closed items from surveys: did a construct improve, worsen or stay almost the same (EVALUATION DDR-08b)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from core.checklist import ChecklistItem
from core.document import Document

Change = Literal["improved", "worsened", "remained almost the same"]
OPTIONS: Final[tuple[Change, ...]] = ("improved", "worsened", "remained almost the same")
PER_LABEL: Final[Mapping[Change, int]] = {
    "improved": 2,
    "worsened": 2,
    "remained almost the same": 1,
}
"""How five items are shared out where not every construct is asked: as in the official list."""
_EXACT: Final = 1e-9
"""Two scores that differ by less differ in how a float was written."""


@dataclass(frozen=True)
class Construct:
    """What a questionnaire measures."""

    scale: str
    """Its name in the surveys, without _PRE and _POST."""
    category: str
    question: str
    rise_is: Literal["better", "worse"]
    threshold: str = "threshold_other"
    """The option with the least difference that counts as a change; 0: any."""
    relative: str | None = None
    """The option with the share of the score before that counts as a change as well."""
    instead_of: str | None = None
    """The scale that is asked in its place where there is one."""


_MOOD, _STRESS, _SUPPORT = "mood and anxiety", "stress and coping", "support"
_BELONGING = "belonging"
_EMOTION, _BODY = "handling of emotions", "physical symptoms"

CONSTRUCTS: Final = (
    Construct(
        "CESD_10items",
        _MOOD,
        "Over the study, what became of the depressive symptoms of participant {entity}?",
        "worse",
        "threshold_cesd",
        "relative_cesd",
    ),
    # Shorter by one question; some years have only this one. That the same thresholds hold is assumed.
    Construct(
        "CESD_9items",
        _MOOD,
        "Over the study, what became of the depressive symptoms of participant {entity}?",
        "worse",
        "threshold_cesd",
        "relative_cesd",
        instead_of="CESD_10items",
    ),
    Construct(
        "STAIS",
        _MOOD,
        "How anxious is participant {entity} after the study, compared with before?",
        "worse",
        "threshold_stai",
    ),
    Construct(
        "PSS_10items",
        _STRESS,
        "Did the stress that participant {entity} feels become more or less?",
        "worse",
        "threshold_pss",
    ),
    Construct(
        "BRS",
        _STRESS,
        "Does participant {entity} recover from setbacks as well as before the study?",
        "better",
        "threshold_brs",
    ),
    Construct(
        "UCLA_10items",
        _BELONGING,
        "How did the loneliness of participant {entity} develop over the study?",
        "worse",
    ),
    Construct(
        "SocialFit",
        _BELONGING,
        "Does participant {entity} fit in with the people around better or worse than before?",
        "better",
        "threshold_socialfit",
    ),
    Construct(
        "2waySSS_receiving_emotional",
        _SUPPORT,
        "How did the emotional support that participant {entity} gets from others develop?",
        "better",
    ),
    Construct(
        "2waySSS_giving_emotional",
        _SUPPORT,
        "How did the emotional support that participant {entity} gives to others develop?",
        "better",
    ),
    Construct(
        "2waySSS_receiving_instrumental",
        _SUPPORT,
        "How did the practical help that participant {entity} gets from others develop?",
        "better",
    ),
    Construct(
        "2waySSS_giving_instrumental",
        _SUPPORT,
        "How did the practical help that participant {entity} gives to others develop?",
        "better",
    ),
    Construct(
        "ERQ_reappraisal",
        _EMOTION,
        "How did the ability of participant {entity} to see things in another light develop?",
        "better",
    ),
    Construct(
        "ERQ_suppression",
        _EMOTION,
        "How did the habit of participant {entity} to hold feelings back develop?",
        "worse",
    ),
    Construct(
        "MAAS_7items",
        _EMOTION,
        "How attentive to the present moment is participant {entity}, compared with before the study?",
        "better",
    ),
    Construct(
        "CHIPS",
        _BODY,
        "Over the study, what became of the bodily complaints of participant {entity}?",
        "worse",
        "threshold_chips",
    ),
)
"""Every construct that the surveys ask before and after."""


def change(
    construct: Construct,
    before: float,
    after: float,
    options: Mapping[str, bool | int | float | str],
) -> Change:
    """The label of two scores.

    Changed is what differs by at least the construct's threshold, or by the share of the score
    before where the construct has one; a difference of nothing never is.
    """
    difference = after - before
    size = abs(difference) + _EXACT
    reached = size >= float(options[construct.threshold])
    if construct.relative is not None:
        reached = reached or size >= float(options[construct.relative]) * abs(before)
    if abs(difference) <= _EXACT or not reached:
        return "remained almost the same"
    return "worsened" if (difference > 0) == (construct.rise_is == "worse") else "improved"


def closed_items(
    scenario_id: str,
    entity_id: str,
    documents: Sequence[Document],
    options: Mapping[str, bool | int | float | str],
) -> Iterator[ChecklistItem]:
    """One item for each construct that the entity's surveys ask both before and after."""
    scores: dict[str, float | str] = {}
    for document in documents:
        if document.kind == "survey":
            scores |= document.values
    for construct in CONSTRUCTS:
        before, after = _pair(scores, construct.scale)
        if before is None or after is None:
            continue
        if construct.instead_of and None not in _pair(scores, construct.instead_of):
            continue
        yield ChecklistItem(
            id=f"{scenario_id}-{entity_id}-{construct.scale}",
            entity_id=entity_id,
            question=construct.question.format(entity=entity_id),
            answer=change(construct, before, after, options),
            kind="closed",
            options=OPTIONS,
            category=construct.category,
            difficulty="hard",
            source=f"survey: {construct.scale}, before and after",
        )


def _pair(scores: Mapping[str, float | str], scale: str) -> tuple[float | None, float | None]:
    before, after = scores.get(f"{scale}_PRE"), scores.get(f"{scale}_POST")
    return (
        before if isinstance(before, float) else None,
        after if isinstance(after, float) else None,
    )


def at_most(items: Sequence[ChecklistItem], number: int) -> list[ChecklistItem]:
    """So many of one entity's items, in their order, none of the three labels crowding out another.

    Who comes first hangs on the entity, so that no construct is asked of everybody. The labels are
    taken in turn by PER_LABEL, then whatever is left.
    """
    ranked = sorted(items, key=lambda item: _lot(item.id))
    chosen: list[ChecklistItem] = []
    while len(chosen) < min(number, len(items)):
        for label, share in PER_LABEL.items():
            mine = [i for i in ranked if i.answer == label and i not in chosen]
            chosen += mine[: min(share, number - len(chosen))]
    return [item for item in items if item in chosen]


def _lot(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
