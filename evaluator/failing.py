"""Why an item was missed, as a judge proposes it and people confirm it; and how often which (DDR-28)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal

from core.record import Record
from core.trajectory import ModelCall, Trajectory
from evaluator.asking import fence, numbered
from evaluator.citing import locate
from evaluator.derivable import again
from evaluator.filling import fill, hash_of, text_of
from evaluator.interviewing import KEPT, Question
from evaluator.missed import FAILURES, Computed, FailureClass, Missed
from evaluator.one_by_one import CaseJudge
from evaluator.replying import Answer, Fault, read
from evaluator.tracelog import cut, trace

CANNOT_TELL: Final = "cannot tell"
_ROOM: Final = 50_000
_REPORT: Final = 15_000


def prompt_hash() -> str:
    """sha-256 of all that is asked with."""
    return hash_of("failure", "missed", "again")


class FailureSaid(Record):
    """What a model proposes, or a person confirms, of one missed item."""

    failure: FailureClass | None
    """None = cannot tell, or unscored."""
    turn: int | None = None
    """None where it is the report that shows it."""
    quote: str | None = None
    """Word for word of that turn, or of the report."""
    reason: str = ""
    by: Literal["model", "person"]
    unscored_reason: str | None = None
    prompt_hash: str | None = None
    call: ModelCall | None = None


class FailureJudge(CaseJudge[Missed, FailureSaid]):
    """One judge, asked about one missed item at a time."""

    async def _ask(self, case: Missed) -> FailureSaid:
        answered = await self._interviewer.ask(question(case))
        said = answered.found
        if isinstance(said, Fault):
            return self._unscored(str(said), answered.call, answered.text)
        return FailureSaid.model_validate(
            {
                "failure": None if said.word == CANNOT_TELL else said.word,
                "turn": min(said.supporting_turns, default=None),
                "quote": said.quote or None,
                "reason": said.reason[:KEPT],
                "by": "model",
                "prompt_hash": prompt_hash(),
                "call": answered.call,
            }
        )

    def _unscored(self, reason: str, call: ModelCall | None, text: str = "") -> FailureSaid:
        return FailureSaid(
            failure=None,
            by="model",
            unscored_reason=reason,
            reason=text[:KEPT],
            prompt_hash=prompt_hash(),
            call=call,
        )


def question(case: Missed) -> Question[Answer]:
    """What is asked of one missed item."""
    mine = case.trajectory
    shown = trace(mine.turns, mine.preamble, room=_ROOM, reasoning=False)
    notes = numbered([(i.turn, i.text) for i in mine.message_insights if i.text])
    report = cut(mine.report or "", _REPORT)
    asked = fill(
        "missed",
        question=case.item.question,
        answer=case.item.answer,
        fence=fence(shown),
        trace=shown,
        mark=fence(notes),
        notes=notes,
        end=fence(report),
        report=report,
    )
    return Question(
        messages=(
            {"role": "system", "content": text_of("failure")},
            {"role": "user", "content": asked},
        ),
        read=partial(_read, trajectory=mine, data=f"{shown}\n{notes}\n{report}"),
        again=again,
    )


def _read(reply: str, *, trajectory: Trajectory, data: str) -> Answer | Fault:
    answer = read(reply, key="class", allowed=(*FAILURES, CANNOT_TELL), data=data)
    if isinstance(answer, Fault) or answer.word == CANNOT_TELL:
        return answer
    turns = answer.supporting_turns
    known = {turn.index for turn in trajectory.turns}
    if unknown := [turn for turn in turns if turn not in known]:
        detail = f"turn {unknown[0]} is none of the turns that are shown"
        return Fault("invalid citation", "a turn that does not exist", detail)
    places = [text_of_turn(trajectory, turn) for turn in turns] or [trajectory.report or ""]
    if all(locate(answer.quote, place) is None for place in places):
        detail = "the quote does not stand word for word in that turn or in the report"
        return Fault("invalid citation", "a quote that is not there", detail)
    return answer


def text_of_turn(trajectory: Trajectory, index: int) -> str:
    """All that stands in one turn: what was thought, called, answered and noted."""
    turn = next(each for each in trajectory.turns if each.index == index)
    notes = [i.text for i in trajectory.message_insights if i.turn == index and i.text]
    parts = [turn.reasoning or "", turn.text]
    parts += [call.arguments for call in turn.tool_calls]
    parts += [result.text for result in turn.tool_results]
    return "\n".join([*parts, *notes])


def agreed(said: Iterable[FailureSaid]) -> FailureClass | None:
    """What most say; None where nobody says anything, or as many say another."""
    counted = Counter(each.failure for each in said if each.failure is not None).most_common(2)
    if not counted or (len(counted) > 1 and counted[0][1] == counted[1][1]):
        return None
    return counted[0][0]


@dataclass(frozen=True)
class Tallied:
    """A missed item with all that is known of why."""

    case: Missed
    computed: Computed
    proposed: tuple[tuple[str, FailureSaid], ...] = ()
    """(judge, what it says)."""
    confirmed: tuple[tuple[str, FailureSaid], ...] = ()
    """(person, what they say)."""

    def of(self, source: Source) -> FailureClass | None:
        """The class by one source; None = unknown."""
        if source == "computed":
            return self.computed.failure
        said = self.proposed if source == "proposed" else self.confirmed
        return agreed(each for _, each in said)


Source = Literal["computed", "proposed", "confirmed"]
SOURCES: Final[tuple[Source, ...]] = ("computed", "proposed", "confirmed")


def tally(found: Sequence[Tallied], source: Source) -> dict[FailureClass | None, int]:
    """How many cases of each class one source names; None counts those it does not."""
    counted = Counter(each.of(source) for each in found)
    return {name: counted[name] for name in (*FAILURES, None)}


def by_category(
    found: Sequence[Tallied], source: Source
) -> dict[str, dict[FailureClass | None, int]]:
    """The same per category of the items."""
    grouped: Mapping[str, list[Tallied]] = defaultdict(list)
    for each in found:
        grouped[each.case.item.category].append(each)
    return {name: tally(group, source) for name, group in sorted(grouped.items())}
