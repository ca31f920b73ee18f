"""Check facts against insights by asking language models, one call per item and level (DDR-07)."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Container, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, Final

from core.checklist import ChecklistItem
from core.errors import CheckerError
from core.evaluation import LEVELS, Level, Verdict, Vote
from core.trajectory import Trajectory
from evaluator.asking import Criteria, Message, Passages, Prompts, Protocol
from evaluator.interviewing import ASKS, FAILED, Interviewer
from evaluator.judge import Case, Judge, Key, after, is_open
from evaluator.panel import decided
from evaluator.side_by_side import side_by_side

__all__ = ["NOTHING", "Enquired", "Key", "LLMChecker", "is_open"]

NOTHING: Final = "nothing was handed in"
NOT_ASKED: Final = f"{FAILED}the pass ended before it was asked"
NOTHING_SO_FAR: Final[Mapping[Key, Verdict]] = {}


@dataclass(frozen=True)
class Enquired:
    """A call that is still to be made."""

    judge: str
    messages: tuple[Message, ...]


@dataclass
class _Ballot:
    """The votes on one case as they come."""

    case: Case
    kept: Mapping[str, Vote]
    """By judge: what it said before. An open vote holds what asking for it took."""
    votes: dict[str, Vote] = field(default_factory=dict)

    def wants(self, judge: Judge) -> bool:
        """Whether the judge is still to be asked."""
        return judge.name not in self.kept or is_open(self.kept[judge.name])

    def cast(self, vote: Vote) -> None:
        """Take a vote."""
        before = self.kept.get(vote.judge)
        self.votes[vote.judge] = after(vote, before.call if before else None)

    def of(self, judge: Judge) -> Vote | None:
        """Its vote: the new one, or where none was wanted that of before."""
        if self.wants(judge):
            return self.votes.get(judge.name)
        return self.kept[judge.name]


class LLMChecker:
    """The checker with models. Each judge judges each item by itself, at each level by itself."""

    name = "llm"

    def __init__(
        self,
        interviewers: Sequence[Interviewer],
        *,
        criteria: Criteria | str = "strict",
        protocol: Protocol = "default",
        concurrency: int = 4,
        batch: int = 1,
        repeat: int = 0,
    ) -> None:
        """`interviewers`: a judge, or several whose majority decides; `concurrency`: requests under
        way at a time, for each judge; `batch`: so many items in one call; `repeat` tells repetitions
        apart that are to be asked anew. Raises UnknownNameError for the criteria, ValueError.
        """
        names = [each.name for each in interviewers]
        if not names or len(set(names)) < len(names):
            raise ValueError(
                f"judges must be there, and be different: {', '.join(names) or 'none'}"
            )
        if batch < 1:
            raise ValueError("a batch holds at least 1 item")
        self.prompts = Prompts(criteria, protocol)
        self.concurrency = concurrency
        self._batch = batch
        self._judges = [
            Judge(each, self.prompts, concurrency=concurrency, batch=batch, repeat=repeat)
            for each in interviewers
        ]

    @property
    def criteria(self) -> str:
        """For Evaluation.criteria."""
        return self.prompts.criteria.name

    @property
    def prompt_hash(self) -> str:
        """For Evaluation.prompt_hash: sha-256 of all prompts and criteria, whoever is asked."""
        return self.prompts.hash if self._batch == 1 else self.prompts.batch_hash

    @property
    def judges_asked(self) -> tuple[str, ...]:
        """For Evaluation.judges_asked; who answered stands in each verdict's calls."""
        return tuple(judge.name for judge in self._judges)

    @property
    def parameters(self) -> dict[str, Any]:
        """For Evaluation.parameters: what else a verdict depends on."""
        closed = "forced" if self.prompts.protocol == "ddr" else "cannot tell allowed"
        told: dict[str, Any] = {"asks": ASKS, "closed": closed}
        return told if self._batch == 1 else {**told, "batch": self._batch}

    async def check(
        self,
        items: Sequence[ChecklistItem],
        trajectory: Trajectory,
        *,
        evaluation_id: str,
        done: Container[Key] = frozenset(),
        so_far: Mapping[Key, Verdict] = NOTHING_SO_FAR,
    ) -> AsyncIterator[Verdict]:
        """One verdict per item and level, as they come. Those in `done` (item id, level) are left out.

        `so_far`: verdicts that are open (`is_open`). Only the judges that failed there are asked; the
        new verdict holds what was said and spent before, and takes the old one's place.

        Raises CheckerError where going on is useless: an endpoint refuses our key, or has failed
        three times in a row. No verdict is given then on the items that failed last, so that
        checking again with what is stored as `done` begins with them; of several judges, those that
        were heard have their votes kept in a verdict that is open.
        """
        base = {"evaluation_id": evaluation_id, "trajectory_id": trajectory.id}
        ballots: dict[Key, _Ballot] = {}
        for item, level, case in self._cases(items, trajectory, done):
            if isinstance(case, Case):
                ballots[case.key] = _Ballot(case, _kept(so_far.get(case.key), self._judges[0]))
            else:
                yield _verdict(base, item, level, case)
        ended: Exception | None = None
        try:
            async with aclosing(self._votes(list(ballots.values()))) as votes:
                async for ballot, vote in votes:
                    ballot.cast(vote)
                    if all(ballot.of(judge) for judge in self._judges):
                        yield self._decided(base, ballot)
        except Exception as exc:  # noqa: BLE001 - it is raised below, after what was heard
            ended = exc
        for ballot in ballots.values():
            if ballot.votes and not all(ballot.of(judge) for judge in self._judges):
                yield self._decided(base, ballot)
        if ended is not None:
            raise ended

    def enquiries(
        self,
        items: Sequence[ChecklistItem],
        trajectory: Trajectory,
        *,
        done: Container[Key] = frozenset(),
        so_far: Mapping[Key, Verdict] = NOTHING_SO_FAR,
    ) -> list[Enquired]:
        """The calls that `check` would make: without second asks, what is asked singly after a batch,
        and what is remembered. Nothing is asked here."""
        found: list[Enquired] = []
        cases = [case for _, _, case in self._cases(items, trajectory, done)]
        ballots = [
            _Ballot(case, _kept(so_far.get(case.key), self._judges[0]))
            for case in cases
            if isinstance(case, Case)
        ]
        for judge in self._judges:
            mine = [ballot.case for ballot in ballots if ballot.wants(judge)]
            found += [Enquired(judge.name, q.messages) for q in judge.open_questions(mine)]
        return found

    async def _votes(
        self, ballots: Sequence[_Ballot]
    ) -> AsyncGenerator[tuple[_Ballot, Vote], None]:
        """Every judge's votes, as they come. Raises what ended one judge, once the others are heard."""
        by_key = {ballot.case.key: ballot for ballot in ballots}
        wanted = [[b.case for b in ballots if b.wants(judge)] for judge in self._judges]
        each = [judge.votes(cases) for judge, cases in zip(self._judges, wanted, strict=True)]
        async with aclosing(side_by_side(each)) as votes:
            async for case, vote in votes:
                yield by_key[case.key], vote

    def _decided(self, base: Mapping[str, str], ballot: _Ballot) -> Verdict:
        votes = [
            ballot.of(judge)
            or ballot.kept.get(judge.name)
            or Vote(judge=judge.name, label=None, unscored_reason=NOT_ASKED)
            for judge in self._judges
        ]
        return _verdict(base, ballot.case.item, ballot.case.level, decided(votes))

    def _cases(
        self, items: Sequence[ChecklistItem], trajectory: Trajectory, done: Container[Key]
    ) -> Iterator[tuple[ChecklistItem, Level, Case | dict[str, Any]]]:
        for level in LEVELS:
            passages = _passages(trajectory, level)
            for item in items:
                if item.entity_id == trajectory.entity_id and (item.id, level) not in done:
                    yield item, level, self._case(item, level, passages, trajectory)

    def _case(
        self, item: ChecklistItem, level: Level, passages: Passages, trajectory: Trajectory
    ) -> Case | dict[str, Any]:
        """What to ask, or the fields of a verdict that needs no model (EVALUATION 1.2)."""
        stop = trajectory.stop_reason
        if stop is None:
            return {"label": None, "unscored_reason": "the trajectory did not end"}
        if not stop.scored:
            reason = f"{stop}: {trajectory.error}" if trajectory.error else str(stop)
            return {"label": None, "unscored_reason": reason}
        try:
            enquiry = self.prompts.enquire(item, level, passages)
        except CheckerError as exc:
            return {"label": None, "unscored_reason": str(exc)}
        if not passages:
            return {"label": "insufficient", "reason": NOTHING}
        return Case(item, level, passages, enquiry)


def _kept(verdict: Verdict | None, only: Judge) -> dict[str, Vote]:
    """What was said before, by judge; a verdict without votes is the only judge's."""
    if verdict is None:
        return {}
    if verdict.votes:
        return {vote.judge: vote for vote in verdict.votes}
    why, call = verdict.unscored_reason, verdict.call
    return {only.name: Vote(judge=only.name, label=None, unscored_reason=why, call=call)}


def _passages(trajectory: Trajectory, level: Level) -> Passages:
    if level == "trajectory":
        report = trajectory.report
        return [(None, report)] if report and report.strip() else []
    return [(i.turn, i.text) for i in trajectory.message_insights if i.text and i.text.strip()]


def _verdict(
    base: Mapping[str, str], item: ChecklistItem, level: Level, fields: Mapping[str, Any]
) -> Verdict:
    return Verdict.model_validate({**base, "item_id": item.id, "level": level, **fields})
