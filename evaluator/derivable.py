"""Ask a judge whether an insight follows from its trace, and if not, whether it is true (DDR-29)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal

from core.checklist import ChecklistItem
from core.evaluation import Verdict
from core.record import Record
from core.trajectory import Insight, ModelCall, Trajectory
from evaluator.asking import fence
from evaluator.citing import locate
from evaluator.filling import fill, hash_of, text_of
from evaluator.interviewing import KEPT, Answered, Question, summed
from evaluator.one_by_one import CaseJudge
from evaluator.replying import Answer, Fault, read
from evaluator.tracelog import trace

Derivable = Literal["derivable", "not derivable", "cannot tell"]
Factual = Literal["correct", "incorrect", "cannot tell"]

DERIVABLE: Final = ("derivable", "not derivable", "cannot tell")
FACTUAL: Final = ("correct", "incorrect", "cannot tell")


def prompt_hash() -> str:
    """sha-256 of all that is asked with."""
    return hash_of("derivable", "trace", "factual", "known", "again")


class Derivation(Record):
    """What a judge says of one insight."""

    answer: Derivable | None
    """None = it could not be read or asked; unscored_reason says why."""
    turn: int | None = None
    quote: str | None = None
    """Word for word of the trace (derivable), or of the insight (not derivable)."""
    reason: str = ""
    factual: Factual | None = None
    """Of what is not derivable: whether it is true nevertheless."""
    factual_by: Literal["checker", "judge"] | None = None
    unscored_reason: str | None = None
    prompt_hash: str
    call: ModelCall | None = None

    @property
    def is_hallucination(self) -> bool | None:
        """True and not derivable (DDR-29); None where one of the two is not known."""
        if self.answer == "derivable":
            return False
        if self.answer != "not derivable" or self.factual in (None, "cannot tell"):
            return None
        return self.factual == "correct"


@dataclass(frozen=True)
class Case:
    """A message-wise insight with the trace that it must follow from."""

    trajectory: Trajectory
    insight: Insight
    noun: str
    facts: tuple[ChecklistItem, ...] = ()
    """What is known of its entity."""
    checked: Literal["correct", "incorrect"] | None = None
    """What the checker's verdicts say of it."""


def cases(
    trajectories: Iterable[Trajectory],
    items: Sequence[ChecklistItem],
    verdicts: Iterable[Verdict],
    noun: str,
) -> list[Case]:
    """Every message-wise insight with a text and a turn."""
    said = factual_turns(verdicts)
    found = []
    for trajectory in trajectories:
        facts = tuple(item for item in items if item.entity_id == trajectory.entity_id)
        for insight in trajectory.message_insights:
            if insight.text and insight.turn is not None:
                checked = said.get((trajectory.id, insight.turn))
                found.append(Case(trajectory, insight, noun, facts, checked))
    return found


def factual_turns(
    verdicts: Iterable[Verdict],
) -> dict[tuple[str, int], Literal["correct", "incorrect"]]:
    """(trajectory id, turn) whose insight states a fact of the checklist, or what cannot be beside it.

    A turn that does both is incorrect.
    """
    right: set[tuple[str, int]] = set()
    wrong: set[tuple[str, int]] = set()
    for verdict in verdicts:
        if verdict.level == "message" and verdict.label is not None:
            right.update((verdict.trajectory_id, turn) for turn in verdict.supporting_turns)
            wrong.update((verdict.trajectory_id, turn) for turn in verdict.contradicting_turns)
    return {**dict.fromkeys(right, "correct"), **dict.fromkeys(wrong, "incorrect")}


class DerivationJudge(CaseJudge[Case, Derivation]):
    """One judge, asked about one insight at a time."""

    async def _ask(self, case: Case) -> Derivation:
        first = await self._interviewer.ask(question(case))
        if isinstance(first.found, Fault):
            return self._unscored(str(first.found), first.call, first.text)
        said = first.found
        fields: dict[str, object] = {
            "answer": said.word,
            "turn": min(said.supporting_turns, default=None),
            "quote": said.quote or None,
            "reason": said.reason[:KEPT],
            "prompt_hash": prompt_hash(),
            "call": first.call,
        }
        if said.word == "not derivable":
            fields.update(await self._factual(case, first))
        return Derivation.model_validate(fields)

    async def _factual(self, case: Case, first: Answered[Answer]) -> Mapping[str, object]:
        """Whether what is not derivable is true: by the verdicts where they say it, else asked."""
        if case.checked is not None:
            return {"factual": case.checked, "factual_by": "checker"}
        if not case.facts:
            return {}
        second = await self._interviewer.ask(_factual_question(case))
        call = summed([first.call, second.call])
        if isinstance(second.found, Fault):
            return {"call": call}
        return {"factual": second.found.word, "factual_by": "judge", "call": call}

    def _unscored(self, reason: str, call: ModelCall | None, text: str = "") -> Derivation:
        return Derivation(
            answer=None,
            unscored_reason=reason,
            reason=text[:KEPT],
            prompt_hash=prompt_hash(),
            call=call,
        )


def question(case: Case) -> Question[Answer]:
    """What is asked of one insight."""
    turn = case.insight.turn or 0
    text = case.insight.text or ""
    turns = [each for each in case.trajectory.turns if each.index <= turn]
    shown = trace(turns, case.trajectory.preamble)
    asked = fill(
        "trace",
        fence=fence(shown),
        trace=shown,
        turn=str(turn),
        mark=fence(text),
        insight=text,
    )
    return Question(
        messages=(
            {"role": "system", "content": text_of("derivable")},
            {"role": "user", "content": asked},
        ),
        read=partial(_read_derivable, shown=shown, insight=text, turns=[t.index for t in turns]),
        again=again,
    )


def _read_derivable(
    reply: str, *, shown: str, insight: str, turns: Sequence[int]
) -> Answer | Fault:
    answer = read(reply, key="answer", allowed=DERIVABLE, data=f"{shown}\n{insight}")
    if isinstance(answer, Fault) or answer.word == "cannot tell":
        return answer
    if unknown := [turn for turn in answer.supporting_turns if turn not in turns]:
        return Fault(
            "invalid citation",
            "a turn that does not exist",
            f"turn {unknown[0]} is none of the turns that are shown",
        )
    where = shown if answer.word == "derivable" else insight
    if locate(answer.quote, where) is None:
        name = "trace" if answer.word == "derivable" else "insight"
        return Fault(
            "invalid citation",
            f"a quote that is not in the {name}",
            f"the quote does not stand word for word in the {name}",
        )
    return answer


def _factual_question(case: Case) -> Question[Answer]:
    facts = "\n".join(f"- {item.question} {item.answer}" for item in case.facts)
    text = case.insight.text or ""
    asked = fill("known", fence=fence(facts), facts=facts, mark=fence(text), insight=text)
    return Question(
        messages=(
            {"role": "system", "content": fill("factual", noun=case.noun)},
            {"role": "user", "content": asked},
        ),
        read=partial(_read_factual, facts=facts, insight=text),
        again=again,
    )


def _read_factual(reply: str, *, facts: str, insight: str) -> Answer | Fault:
    answer = read(reply, key="answer", allowed=FACTUAL, data=f"{facts}\n{insight}")
    if isinstance(answer, Fault) or answer.word == "cannot tell":
        return answer
    if locate(answer.quote, facts) is None:
        detail = "the quote does not stand word for word in the known facts"
        return Fault("invalid citation", "a quote that is not in the facts", detail)
    return answer


def again(fault: str) -> dict[str, str]:
    """The message that asks once more, and says what was wrong."""
    return {"role": "user", "content": fill("again", fault=fault)}
