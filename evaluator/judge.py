"""One judge's votes: items asked one by one or some together, each reply held against the insights."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby

from core.checklist import ChecklistItem
from core.errors import ProviderError
from core.evaluation import Level, Verdict, Vote
from core.trajectory import NO_USAGE, ModelCall
from evaluator.asking import Enquiry, Passages, Prompts, plain
from evaluator.citing import cite
from evaluator.forms import form_of
from evaluator.interviewing import FAILED, KEPT, Interviewer, Question, summed, why_failed
from evaluator.persevering import Endpoint
from evaluator.replying import Answer, Fault, read, read_many

Key = tuple[str, Level]
"""(item id, level)"""


@dataclass(frozen=True)
class Case:
    """One item at one level, with the insights that it is checked against."""

    item: ChecklistItem
    level: Level
    passages: Passages
    enquiry: Enquiry

    @property
    def key(self) -> Key:
        """Which it is, within its trajectory."""
        return self.item.id, self.level


Bundle = tuple[Case, ...]
"""What one call asks: cases of one kind at one level."""


@dataclass(frozen=True)
class Unheard:
    """No usable answer among several: this one is to be asked singly."""

    call: ModelCall | None
    """What several took together, where none of them carries it."""


Said = Vote | Unheard


class Judge:
    """One model, with the texts that it is asked with; several trajectories may be asked at a time."""

    def __init__(
        self,
        interviewer: Interviewer,
        prompts: Prompts,
        *,
        concurrency: int = 4,
        batch: int = 1,
        repeat: int = 0,
    ) -> None:
        """`batch`: so many items in one call; `repeat` tells repetitions apart (Question.repeat)."""
        self.name = interviewer.name
        self._interviewer, self._prompts = interviewer, prompts
        self._batch, self._repeat = batch, repeat
        self._endpoint: Endpoint[Bundle, list[Said]] = Endpoint(
            interviewer.name, concurrency=concurrency
        )

    async def votes(self, cases: Sequence[Case]) -> AsyncGenerator[tuple[Case, Vote], None]:
        """A vote on each case, as they come. Raises as Endpoint.ask does.

        What a reply to several leaves out, or says in no usable way, is asked singly after them.
        """
        singly: list[Bundle] = []
        spent: dict[Key, ModelCall] = {}
        async with aclosing(self._asked(_bundles(cases, self._batch))) as found:
            async for case, said in found:
                if isinstance(said, Vote):
                    yield case, said
                    continue
                singly.append((case,))
                if said.call is not None:
                    spent[case.key] = said.call
        async with aclosing(self._asked(singly)) as found:
            async for case, said in found:
                assert isinstance(said, Vote)  # what is asked singly has no other way
                yield case, after(said, spent.get(case.key))

    def open_questions(self, cases: Sequence[Case]) -> list[Question[list[Vote | Fault]]]:
        """What `votes` would ask for which no reply is remembered, second asks left out."""
        asked = [self._question(bundle) for bundle in _bundles(cases, self._batch)]
        return [question for question in asked if not self._interviewer.recalls(question)]

    async def _asked(self, bundles: Iterable[Bundle]) -> AsyncGenerator[tuple[Case, Said], None]:
        async with aclosing(self._endpoint.ask(bundles, self._ask, shares=_alike)) as found:
            async for bundle, said in found:
                heard = self._failed(bundle, said) if isinstance(said, ProviderError) else said
                for case, each in zip(bundle, heard, strict=True):
                    yield case, each

    async def _ask(self, bundle: Bundle) -> list[Said]:
        """What is said of each. Raises ProviderError."""
        answered = await self._interviewer.ask(self._question(bundle))
        found = answered.found
        if isinstance(found, Fault):
            # The list as a whole is of no use, or the reply to one is what there is.
            found = [found] * len(bundle)
        heard: list[Vote | None] = [None if isinstance(e, Fault) else e for e in found]
        if len(bundle) == 1 and isinstance(found[0], Fault):
            reason, text = str(found[0]), answered.text[:KEPT]
            heard = [Vote(judge=self.name, label=None, unscored_reason=reason, reason=text)]
        return _carried(heard, answered.call)

    def _failed(self, bundle: Bundle, error: ProviderError) -> list[Said]:
        """What a request's failure says of each."""
        told, call = why_failed(error)
        if error.kind == "context_length" and len(bundle) > 1:  # together; each may be short enough
            return _carried([None] * len(bundle), call)
        votes = [Vote(judge=self.name, label=None, unscored_reason=told) for _ in bundle]
        return _carried(votes, call)

    def _question(self, bundle: Bundle) -> Question[list[Vote | Fault]]:
        enquiries = [case.enquiry for case in bundle]
        together = len(bundle) > 1
        read_it = self._read_several if together else self._read_one
        return Question(
            messages=self._prompts.together(enquiries) if together else enquiries[0].messages,
            read=partial(read_it, bundle),
            again=self._prompts.again,
            repeat=self._repeat,
            form=form_of(enquiries, together=together),
            shared=0 if together else len(enquiries[0].shown),
        )

    def _read_one(self, bundle: Bundle, text: str) -> list[Vote | Fault] | Fault:
        (case,) = bundle
        asked = case.enquiry
        data = _data(case)
        vote = self._vote(case, read(text, key=asked.key, allowed=asked.labels, data=data))
        return vote if isinstance(vote, Fault) else [vote]

    def _read_several(self, bundle: Bundle, text: str) -> list[Vote | Fault] | Fault:
        asked = [case.enquiry for case in bundle]
        allowed = [each.labels for each in asked]
        found = read_many(text, key=asked[0].key, allowed=allowed, data=_data(bundle[0]))
        if isinstance(found, Fault):
            return found
        said = [self._vote(case, each) for case, each in zip(bundle, found, strict=True)]
        if all(isinstance(each, Fault) for each in said):
            return Fault("unreadable", "nothing in the list can be used")
        return said

    def _vote(self, case: Case, answer: Answer | Fault) -> Vote | Fault:
        """What an answer says of an item, if its citations hold."""
        if isinstance(answer, Fault):
            return answer
        label, is_closed = case.enquiry.labels[answer.word], case.item.kind == "closed"
        if is_closed and label == "contradicted":
            # What speaks for a wrong answer speaks against the true one.
            turns = answer.supporting_turns
            answer = replace(answer, supporting_turns=(), contradicting_turns=turns)
        cited = cite(answer, label, case.level, case.passages)
        if isinstance(cited, Fault):
            return cited
        flags = f"({'; '.join(cited.flags)}) " if cited.flags else ""
        chose = f"answered {answer.word!r}: " if is_closed else ""
        return Vote(
            judge=self.name,
            label=label,
            chosen=_as_offered(case.item, answer.word) if is_closed else None,
            supporting_turns=cited.supporting_turns,
            contradicting_turns=cited.contradicting_turns,
            evidence=cited.evidence,
            reason=f"{flags}{chose}{answer.reason}".strip()[:KEPT],
        )


def is_open(said: Vote | Verdict) -> bool:
    """Whether a request for it failed, so that asking again may bring a label."""
    if isinstance(said, Verdict) and said.votes:
        return any(is_open(vote) for vote in said.votes)
    return said.label is None and (said.unscored_reason or "").startswith(FAILED)


def after(vote: Vote, call: ModelCall | None) -> Vote:
    """The vote, with what had been asked for it before."""
    if call is None:
        return vote
    both = summed([call, vote.call]) if vote.call else call
    return vote.model_copy(update={"call": both})


def _carried(heard: Sequence[Vote | None], call: ModelCall | None) -> list[Said]:
    """Each answer of one call with that call: the first one carries it, so that sums come out right."""
    carrier = next((at for at, vote in enumerate(heard) if vote is not None), 0)
    if call is None:
        return [Unheard(None) if vote is None else vote for vote in heard]
    free = call.model_copy(update={"usage": NO_USAGE, "duration_s": 0.0, "is_recalled": True})
    said: list[Said] = []
    for at, vote in enumerate(heard):
        if vote is None:
            said.append(Unheard(call if at == carrier else None))
        else:
            said.append(vote.model_copy(update={"call": call if at == carrier else free}))
    return said


def _bundles(cases: Sequence[Case], size: int) -> Iterator[Bundle]:
    """The cases in their order, so many together as may be, where level and kind are the same."""
    for _, alike in groupby(cases, key=lambda case: _alike((case,))):
        listed = list(alike)
        for start in range(0, len(listed), size):
            yield tuple(listed[start : start + size])


def _alike(bundle: Bundle) -> tuple[Level, str]:
    """What the prompts of one trajectory have in common: all but the item."""
    return bundle[0].level, bundle[0].item.kind


def _data(case: Case) -> str:
    return "\n".join(passage for _, passage in case.passages)


def _as_offered(item: ChecklistItem, word: str) -> str:
    """The option as the item has it; what is none of its options (CANNOT_TELL) as it is."""
    return next((option for option in item.options if plain(option) == word), word)
