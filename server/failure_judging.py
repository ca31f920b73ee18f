"""Have judges propose why items were missed, or say whether insights can be derived; each word is kept."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import aclosing
from typing import Literal, TypeVar

from evaluator import derivable, failing
from evaluator.derivable import Case, Derivation, DerivationJudge
from evaluator.failing import FailureJudge, FailureSaid
from evaluator.interviewing import FAILED, Question
from evaluator.missed import Missed
from evaluator.one_by_one import CaseJudge
from evaluator.replying import Answer
from providers.catalog import model_name
from server.asking import Judges
from server.calls_estimate import CHARACTERS, CallsEstimate, estimate_calls
from server.failures import Basis
from server.judge_estimate import REPLY
from server.store import Repository
from server.store.judgements import Judgements

Watch = Callable[[float, float, str], None]
Kind = Literal["failure", "hallucination"]
Subject = TypeVar("Subject", bound=Missed | Case)
Said = TypeVar("Said", FailureSaid, Derivation)


def drawn(subjects: Sequence[Subject], sample: int | None) -> list[Subject]:
    """At most so many, chosen by their names alone, so that a larger sample holds a smaller one."""
    if sample is None or sample >= len(subjects):
        return list(subjects)
    order = sorted(
        range(len(subjects)),
        key=lambda i: hashlib.sha256(name_of(subjects[i]).encode()).digest(),
    )
    return [subjects[i] for i in sorted(order[:sample])]


def name_of(subject: Missed | Case) -> str:
    """By which what is said of it is stored."""
    return subject.subject if isinstance(subject, Missed) else subject.insight.id


def open_cases(
    subjects: Sequence[Subject],
    judge: str,
    kind: Kind,
    basis: Basis,
    store: Repository,
    *,
    afresh: bool,
) -> list[Subject]:
    """Those of which this judge has not spoken under today's prompts; a failed request is no word."""
    if afresh:
        return list(subjects)
    kept = _stored(kind, basis.spec.id, store)
    today = failing.prompt_hash() if kind == "failure" else derivable.prompt_hash()
    done = {
        subject
        for subject, who, said in kept
        if who == judge
        and said.prompt_hash == today
        and not (said.unscored_reason or "").startswith(FAILED)
    }
    return [each for each in subjects if name_of(each) not in done]


async def ask_failures(
    judges: Judges,
    cases: Sequence[Missed],
    basis: Basis,
    store: Repository,
    watch: Watch,
) -> None:
    """Each judge on each case that is open. Raises CheckerError, BudgetSpentError, StoreError."""
    await _ask("failure", FailureJudge, cases, judges=judges, basis=basis, store=store, watch=watch)


async def ask_derivations(
    judges: Judges,
    cases: Sequence[Case],
    basis: Basis,
    store: Repository,
    watch: Watch,
) -> None:
    """Each judge on each insight that is open. Raises as ask_failures does."""
    await _ask(
        "hallucination",
        DerivationJudge,
        cases,
        judges=judges,
        basis=basis,
        store=store,
        watch=watch,
    )


async def _ask(
    kind: Kind,
    make: Callable[..., CaseJudge[Subject, Said]],
    subjects: Sequence[Subject],
    *,
    judges: Judges,
    basis: Basis,
    store: Repository,
    watch: Watch,
) -> None:
    kept = Judgements(store, kind)
    for interviewer in judges.interviewers("judge"):
        name = interviewer.name
        todo = open_cases(subjects, name, kind, basis, store, afresh=judges.options.afresh)
        done = 0
        async with aclosing(make(interviewer, concurrency=judges.concurrency).judge(todo)) as found:
            async for subject, said in found:
                kept.say(basis.spec.id, name_of(subject), name, said)
                done += 1
                watch(done, len(todo), _told(subject))


def _told(subject: Missed | Case) -> str:
    what = subject.item.id if isinstance(subject, Missed) else f"turn {subject.insight.turn}"
    return f"{what} of {subject.trajectory.entity_id}"


def estimates(
    judges: Judges,
    kind: Kind,
    subjects: Sequence[Missed | Case],
    basis: Basis,
    store: Repository,
) -> list[tuple[str, CallsEstimate]]:
    """Per judge, what its open questions would take; nothing is asked. Whether what is not derivable is
    true may take a second question, which is not counted."""
    found = []
    for spec in judges.specs:
        name = model_name(spec)
        todo = open_cases(subjects, name, kind, basis, store, afresh=judges.options.afresh)
        calls = [
            said.call
            for run in store.runs()
            for _, who, said in _stored(kind, run.id, store)
            if who == name and said.call is not None and not said.call.is_recalled
        ]
        sizes = [
            sum(len(message["content"]) for message in _question(each).messages) / CHARACTERS
            for each in todo
        ]
        replies = [c.usage.output_tokens for c in calls if c.usage.output_tokens is not None]
        reply = sum(replies) / len(replies) if replies else REPLY
        made = estimate_calls(
            sizes,
            reply,
            model=name,
            prices=judges.prices(spec),
            took_s=[call.duration_s for call in calls],
            side_by_side=judges.concurrency,
        )
        found.append((name, made))
    return found


def _question(subject: Missed | Case) -> Question[Answer]:
    if isinstance(subject, Missed):
        return failing.question(subject)
    return derivable.question(subject)


def _stored(
    kind: Kind, run_id: str, store: Repository
) -> Iterable[tuple[str, str, FailureSaid | Derivation]]:
    kept = Judgements(store, kind)
    if kind == "failure":
        return kept.of_run(run_id, FailureSaid)
    return kept.of_run(run_id, Derivation)
