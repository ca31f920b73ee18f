"""Judges are asked what is open, once; samples hold one another; what they said survives a failure."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from core.errors import CheckerError
from evaluator.failing import FailureSaid
from evaluator.missed import Missed
from server.asking import JudgeOptions, Judges, judges_for
from server.failure_judging import ask_failures, drawn, estimates, open_cases
from server.failures import Basis, rate_of
from server.store import Repository
from server.store.judgements import Judgements
from tests.evaluator.records import item
from tests.evaluator.tracing.records import explored
from tests.server.support import spec

SHOWN = explored({1: "mean 12.6"}, [(1, "It is.")], "All is well.")
CASES = [
    Missed(item(f"q{n}").model_copy(update={"answer": f"That, {n}."}), SHOWN, noted=False)
    for n in range(6)
]
DEEP = {"class": "superficial", "supporting_turns": [1], "quote": "mean 12.6", "reason": "so"}
REFUSED = {"error": {"kind": "auth", "status_code": 401, "text": "no such key"}}


@pytest.fixture
def basis(store: Repository) -> Basis:
    run = spec()
    store.add_run(run)
    return Basis(spec=run, trajectories=[SHOWN], clusters={}, noun="carrier")


def judges(store: Repository, folder: Path, *replies: Any, **options: Any) -> Judges:
    path = folder / f"judge-{len(list(folder.glob('judge-*')))}.jsonl"
    lines = [r if "error" in r else {"text": json.dumps(r)} for r in replies]
    path.write_text("\n".join(json.dumps(line) for line in lines), "utf-8")
    told = JudgeOptions(judges=(f"scripted:{path}",), concurrency=1, **options)
    return judges_for(told, None, store)


def ask(mine: Judges, cases: list[Missed], basis: Basis, store: Repository) -> list[str]:
    seen: list[str] = []
    asyncio.run(ask_failures(mine, cases, basis, store, lambda _d, _t, what: seen.append(what)))
    return seen


def test_a_larger_sample_holds_the_smaller_one_in_the_old_order() -> None:
    few, more = drawn(CASES, 2), drawn(CASES, 4)
    assert len(few) == 2
    assert [each for each in more if each in few] == few
    assert drawn(CASES, None) == drawn(CASES, 99) == CASES
    assert sorted(more, key=CASES.index) == more


def test_what_was_said_is_not_asked_again_and_what_failed_is(
    store: Repository, basis: Basis, tmp_path: Path
) -> None:
    mine = judges(store, tmp_path, DEEP, DEEP, REFUSED)
    with pytest.raises(CheckerError, match="failed"):
        ask(mine, CASES, basis, store)
    kept = Judgements(store, "failure").of_run(basis.spec.id, FailureSaid)
    assert [said.failure for _, _, said in kept] == ["superficial"] * 2
    (name,) = {who for _, who, _ in kept}
    left = open_cases(CASES, name, "failure", basis, store, afresh=False)
    assert len(left) == 4
    ((_, would),) = estimates(mine, "failure", CASES, basis, store)
    assert (would.calls, would.from_calls) == (4, 2)
    assert open_cases(CASES, "another", "failure", basis, store, afresh=False) == CASES
    assert open_cases(CASES, name, "failure", basis, store, afresh=True) == CASES


def test_other_prompts_ask_anew(
    store: Repository, basis: Basis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = judges(store, tmp_path, *[DEEP] * 6)
    assert len(ask(mine, CASES, basis, store)) == 6
    (name,) = {w for _, w, _ in Judgements(store, "failure").of_run(basis.spec.id, FailureSaid)}
    assert open_cases(CASES, name, "failure", basis, store, afresh=False) == []
    monkeypatch.setattr("evaluator.failing.prompt_hash", lambda: "other words")
    assert open_cases(CASES, name, "failure", basis, store, afresh=False) == CASES


def test_a_person_who_speaks_of_a_case_leaves_the_judge_its_word(
    store: Repository, basis: Basis, tmp_path: Path
) -> None:
    kept = Judgements(store, "failure")
    kept.say(basis.spec.id, CASES[0].subject, "Ada", FailureSaid(failure=None, by="person"))
    mine = judges(store, tmp_path, *[DEEP] * 6)
    assert len(ask(mine, CASES, basis, store)) == 6
    assert len(kept.of_run(basis.spec.id, FailureSaid)) == 7


def test_a_rate_is_out_of_what_is_known(basis: Basis) -> None:
    from evaluator.derivable import Derivation

    insight = SHOWN.message_insights[0].id

    def one(**said: Any) -> tuple[Any, ...]:
        found = rate_of("m", {insight: Derivation(prompt_hash="h", **said)}, basis)
        return found.rate.hits, found.rate.out_of, found.not_derivable.out_of, found.unknown

    assert one(answer="derivable") == (0, 1, 1, 0)
    assert one(answer="not derivable", factual="correct") == (1, 1, 1, 0)
    assert one(answer="not derivable", factual="cannot tell") == (0, 0, 1, 1)
    assert one(answer="cannot tell") == (0, 0, 0, 1)
    assert one(answer=None, unscored_reason="unreadable") == (0, 0, 0, 1)
    gone = rate_of("m", {"gone": Derivation(answer="derivable", prompt_hash="h")}, basis)
    assert gone.rate.value is None, "an insight that is no more counts nowhere"
