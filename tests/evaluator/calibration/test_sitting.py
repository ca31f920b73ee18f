"""A judge sits the set: its labels are gathered and measured, and canaries do not move a sound one."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from core.calibration import LEAST_AGREEMENT, Calibration, Canary
from core.errors import CheckerError, ProviderError
from core.evaluation import Label
from evaluator.calibration import measuring
from evaluator.calibration.canaries import TEXTS, injected
from evaluator.calibration.cases import CalibrationSet, shipped
from evaluator.calibration.sitting import canary_sheets, heard, repeated, sheets_of, sit
from evaluator.interviewing import Interviewer
from evaluator.llm import LLMChecker
from tests.evaluator.calibration import readers
from tests.evaluator.llm.judges import Judge
from tests.evaluator.records import MOMENT

pytestmark = pytest.mark.anyio

SET = shipped()
SOME = SET.sample(60, seed=5)


def checker(read: readers.Reader, *, batch: int = 1, repeat: int = 0) -> tuple[LLMChecker, Judge]:
    """The checker with a judge that reads so."""

    def says(messages: list[dict[str, object]]) -> str:
        return read("\n".join(str(message["content"]) for message in messages))

    judge = Judge(says)
    asks = Interviewer(judge, role="checker")
    return LLMChecker([asks], concurrency=8, batch=batch, repeat=repeat), judge


async def labels(
    read: readers.Reader, cases: CalibrationSet, *, batch: int = 1
) -> dict[str, Label | None]:
    """By case."""
    found = await sit(checker(read, batch=batch)[0], sheets_of(cases))
    return {case_id: verdict.label for (_, case_id, _), verdict in found.items()}


def calibration(
    cases: CalibrationSet, said: dict[str, Label | None], **more: object
) -> Calibration:
    """The record of it."""
    base = {
        "id": "c",
        "judge": "j",
        "criteria": "strict",
        "prompt_hash": "p",
        "set_hash": cases.hash,
        "of": len(list(cases.cases())),
        "created_at": MOMENT,
    }
    return Calibration.model_validate({**base, **measuring.measured(cases, said), **more})


async def test_one_who_reads_rightly_separates_the_whole_set() -> None:
    asks, judge = checker(readers.truthful)
    seen: list[tuple[int, int]] = []
    found = await sit(asks, sheets_of(SET), watch=lambda done, total: seen.append((done, total)))
    made = calibration(SET, {case_id: v.label for (_, case_id, _), v in found.items()})
    assert (made.n, made.unscored, made.macro_f1, made.kappa) == (len(found), 0, 1.0, 1.0)
    assert made.separates
    assert not made.objections
    assert set(made.recalls.values()) == {1.0}
    assert len(judge.asked) == len(found) == seen[-1][0] == seen[-1][1] >= 300


@pytest.mark.parametrize("read", [readers.agreeable, readers.echoing])
async def test_one_who_says_the_same_of_all_does_not(read: readers.Reader) -> None:
    made = calibration(SOME, await labels(read, SOME))
    assert not made.separates
    assert "does not tell the three classes apart" in made.objections[0]
    assert made.macro_f1 < 0.5
    if read is readers.echoing:  # no prompt holds an example that is a legal answer
        assert made.unscored == made.n
        assert "60 of 60 without a usable reply" in made.objections[0]


async def test_several_in_a_call_bring_the_same_labels_from_one_who_reads_rightly() -> None:
    asks, judge = checker(readers.truthful, batch=4)
    found = await sit(asks, sheets_of(SET))
    assert {key[1]: v.label for key, v in found.items()} == await labels(readers.truthful, SET)
    assert len(judge.asked) < 0.5 * len(found)


async def test_one_who_forgets_among_several_disagrees_with_itself() -> None:
    single = await labels(readers.forgetful(20), SET)
    batch = await labels(readers.forgetful(20), SET, batch=4)
    agreed = sum(single[case] == batch[case] for case in single) / len(single)
    assert 0.93 < agreed < LEAST_AGREEMENT
    assert not calibration(SET, batch, batch=4, agreement_with_single=agreed).may_batch
    assert calibration(SET, single, batch=4, agreement_with_single=0.985).may_batch
    assert not calibration(SET, single, batch=1, agreement_with_single=1.0).may_batch


async def canary(read: readers.Reader) -> Canary:
    before = await labels(read, SET)
    after = await sit(checker(read)[0], canary_sheets(SET))
    return measuring.canary(SET, before, {key[1]: verdict for key, verdict in after.items()})


async def test_what_speaks_to_the_judge_changes_no_label_of_a_sound_one() -> None:
    found = await canary(readers.truthful)
    assert found.n == len(list(SET.cases()))
    assert (found.changed, found.obeyed, found.share) == (0, 0, 0.0)
    assert found.holds
    assert found.high is not None
    assert found.high > 0, "no change in so many pages is no proof of none"


async def test_one_who_obeys_is_found_out_and_may_not_score() -> None:
    found = await canary(readers.obedient)
    assert found.obeyed == found.changed > 0.8 * found.n
    assert not found.holds
    assert set(found.by_kind) == set(TEXTS)
    made = calibration(SET, await labels(readers.obedient, SET), canary=found)
    assert made.separates
    assert "obeys insights" in made.objections[0]


def test_each_canary_asks_for_a_wrong_word_and_leaves_no_placeholder() -> None:
    kinds = set()
    for number, (_, case) in enumerate(SET.cases()):
        each = injected(case, number)
        kinds.add(each.kind)
        assert each.wanted in each.text
        assert each.wanted not in (case.label, case.answer)
        assert "{word}" not in each.text + each.kind
        assert "{key}" not in each.text
    assert kinds == set(TEXTS)


async def test_repeats_ask_anew_and_tell_how_steady_it_is() -> None:
    cases = SET.sample(12, seed=1)
    calls = {"n": 0}

    def wavering(prompt: str) -> str:
        calls["n"] += 1
        # The first of every twelve answers is another one in the second repeat.
        return readers.reply(
            prompt, lambda case: readers.answer(case, "insufficient" if calls["n"] == 13 else None)
        )

    judge = Judge(lambda heard: wavering("\n".join(str(m["content"]) for m in heard)))
    asks = Interviewer(judge, role="checker")
    checkers = [LLMChecker([asks], concurrency=1, repeat=n) for n in range(3)]
    rows = await repeated(checkers, sheets_of(cases))
    assert len(judge.asked) == 36, "a repeat is not answered from memory"
    found = measuring.stability([[v.label for v in row] for row in rows.values()])
    assert (found.k, found.n, found.unscored) == (3, 12, 0)
    flipped = [row for row in rows.values() if len({v.label for v in row}) > 1]
    assert len(flipped) <= 1
    assert found.flip_rate == pytest.approx(len(flipped) * (2 / 3) / 12)


async def test_a_question_that_cannot_be_asked_is_no_reading() -> None:
    cases = SET.sample(12, seed=1)
    bad = next(case for _, case in cases.cases())
    times = 1

    def says(messages: list[dict[str, object]]) -> str:
        nonlocal times
        prompt = "\n".join(str(message["content"]) for message in messages)
        (case,) = readers.meant(prompt)
        if case.id == bad.id and times:
            times -= 1
            raise ProviderError("out of order", status_code=400, kind="bad_request")
        return readers.truthful(prompt)

    def fresh() -> LLMChecker:
        return LLMChecker([Interviewer(Judge(says), role="checker")], concurrency=1)

    found = await heard(fresh(), sheets_of(cases))
    assert {key[1]: v.label for key, v in found.items()} == {
        c.id: c.label for _, c in cases.cases()
    }
    times = 100
    with pytest.raises(CheckerError, match=r"1 of 12 questions could not be asked: .*out of order"):
        await heard(fresh(), sheets_of(cases))


@pytest.mark.parametrize(
    ("rows", "flips", "cv"),
    [
        ([["supported"] * 5] * 4, 0.0, 0.0),
        ([["supported", "contradicted"], ["contradicted", "supported"]], 1.0, 0.0),
    ],
)
def test_a_steady_share_may_hide_labels_that_flip(
    rows: Sequence[Sequence[Label | None]], flips: float, cv: float
) -> None:
    found = measuring.stability(rows)
    assert (found.flip_rate, found.cv) == (flips, cv)


def test_stability_needs_repeats() -> None:
    with pytest.raises(ValueError, match="at least two"):
        measuring.stability([["supported"]])
