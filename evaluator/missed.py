"""Items that were missed, and what the records alone say of why (DDR-28)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

from core.checklist import ChecklistItem
from core.evaluation import Label, Level, Verdict
from core.trajectory import Trajectory

FailureClass = Literal[
    "exploration breadth",
    "exploration depth",
    "superficial",
    "misinterpretation",
    "over-reasoning",
    "debug loop",
    "instruction failure",
    "summarisation miss",
]
FAILURES: Final[tuple[FailureClass, ...]] = get_args(FailureClass)
GROUPS: Final[Mapping[str, tuple[FailureClass, ...]]] = {
    "exploration": FAILURES[:2],
    "data to insight": FAILURES[2:5],
    "lost in context": FAILURES[5:],
}
"""The three groups of the paper's Fig. 8."""

UNKNOWN_FIELD: Final = "?"
"""Stands for the fields of a statement that could not be followed (tools/sql/access.py)."""
LOOP: Final = 3
"""So many failing calls in a row, or the same one so often, are a loop."""


@dataclass(frozen=True)
class Missed:
    """An item that a trajectory did not state: at no level, or not in its report."""

    item: ChecklistItem
    trajectory: Trajectory
    noted: bool
    """It was supported by the message-wise insights, and is missing in the report."""

    @property
    def subject(self) -> str:
        """By which what is said of it is stored."""
        return f"{self.trajectory.id}/{self.item.id}"


@dataclass(frozen=True)
class Computed:
    """What the records say."""

    failure: FailureClass | None
    """None = they do not say."""
    reason: str


def missed(
    items: Iterable[ChecklistItem],
    trajectories: Sequence[Trajectory],
    verdicts: Iterable[Verdict],
) -> list[Missed]:
    """What was judged and not supported, in the order of trajectories and items.

    An item that is supported in the report alone was found. Unscored ones are left out.
    """
    labels: dict[tuple[str, str, Level], Label | None] = {
        (v.trajectory_id, v.item_id, v.level): v.label for v in verdicts
    }
    listed = list(items)
    found = []
    for trajectory in trajectories:
        for item in listed:
            if item.entity_id != trajectory.entity_id or item.status != "accepted":
                continue
            message = labels.get((trajectory.id, item.id, "message"))
            report = labels.get((trajectory.id, item.id, "trajectory"))
            if report == "supported" or (message is None and report is None):
                continue
            noted = message == "supported"
            if noted and report is None:
                continue
            found.append(Missed(item, trajectory, noted))
    return found


def computed(case: Missed, needed: Collection[str] | None) -> Computed:
    """Breadth, depth, debug loop or summarisation miss, where the records show it.

    `needed`: the fields that the item's evidence reads, by the names that the tools of its entity
    record; None where that is not known.
    """
    if case.noted:
        report = case.trajectory.report
        reason = "noted on the way, and not in the report" if report else "there is no report"
        return Computed("summarisation miss", reason)
    if not needed or UNKNOWN_FIELD in needed:
        return Computed(None, "which fields it needs is not known")
    results = [result for turn in case.trajectory.turns for result in turn.tool_results]
    read = {field for result in results for field in result.accessed_fields}
    if not read and any(not result.is_error for result in results):
        return Computed(None, "where the agent looked is not recorded")
    lacking = sorted(set(needed) - read)
    if lacking:
        return _never_read(case.trajectory, lacking, unsure=UNKNOWN_FIELD in read)
    if any(set(needed) <= set(result.accessed_fields) for result in results):
        return Computed(None, "all it needs was read together")
    in_code = {f for r in results if r.name == "execute_code" for f in r.accessed_fields}
    if len(in_code & set(needed)) > 1:
        return Computed(None, "it may have been brought together in Python")
    return Computed("exploration depth", f"read, and never together: {', '.join(sorted(needed))}")


def _never_read(trajectory: Trajectory, lacking: Sequence[str], *, unsure: bool) -> Computed:
    tried = {word for text in loops(trajectory) for word in re.findall(r"\w+", text.lower())}
    for field in lacking:
        # The table and the column, without the schema that a table may have, nor a fact's value.
        place = field.partition("=")[0].lower().split(".")[-2:]
        if set(re.findall(r"\w+", " ".join(place))) <= tried:
            return Computed("debug loop", f"asked for in failing calls only: {field}")
    if unsure:
        return Computed(None, "a query could not be followed, and may have read the rest")
    return Computed("exploration breadth", f"never read: {', '.join(lacking)}")


def loops(trajectory: Trajectory) -> list[str]:
    """The arguments of the calls that failed again and again."""
    run: list[str] = []
    found: list[str] = []
    again: Counter[str] = Counter()
    for turn in trajectory.turns:
        told = {call.call_id: call.arguments for call in turn.tool_calls}
        for result in turn.tool_results:
            if not result.is_error:
                run = []
                continue
            text = told.get(result.call_id, "")
            run.append(text)
            again[" ".join(text.split())] += 1
            if len(run) == LOOP:
                found += run
            elif len(run) > LOOP:
                found.append(text)
    return [*found, *(text for text, count in again.items() if count >= LOOP)]
