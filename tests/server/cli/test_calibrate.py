"""`ddr calibrate` and the gate before scoring, with judges behind a real HTTP endpoint."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from core.calibration import Calibration
from core.errors import UsageError
from evaluator.calibration.cases import shipped
from server.asking import JudgeOptions, judges_for
from server.calibrating import admit, changed, is_calibrated, may_batch
from server.candidates import QUICK
from server.store import Repository, open_store
from server.store.calibrations import Calibrations
from tests.evaluator.calibration import readers
from tests.server.cli.conftest import Ddr
from tests.support.endpoint import Request, Say, ScriptedEndpoint, Status, Step, say

ALL = len(list(shipped().cases()))
JUDGE = "openai/reader"


@contextmanager
def judged_by(read: readers.Reader) -> Iterator[ScriptedEndpoint]:
    """An endpoint whose model reads so."""

    def script(request: Request) -> Step:
        return say("no idea") if request.replies else Say(read(request.text))

    with ScriptedEndpoint(script) as endpoint:
        yield endpoint


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")


def stored(home: Path) -> Sequence[Calibration]:
    with open_store(home / "store.sqlite3") as store:
        return Calibrations(store).all()


def test_a_judge_that_reads_rightly_may_score_and_is_kept(ddr: Ddr, home: Path) -> None:
    with judged_by(readers.truthful) as endpoint:
        asked = ("calibrate", "--judge", JUDGE, "--base-url", endpoint.openai_url)
        done = ddr(*asked, "--sample", "60", "--canary", "--json", "--quiet")
        again = ddr(*asked, "--sample", "60", "--canary")
        requests = len(endpoint.requests)
    assert done.code == 0, done.err
    (told,) = done.json["calibrations"]
    assert (told["n"], told["of"], told["macro_f1"], told["may_score"]) == (60, ALL, 1.0, True)
    assert told["canary"]["changed"] == 0
    assert told["canary"]["n"] == 60
    assert requests == 120, "what was answered is remembered"
    first, second = stored(home)
    assert first.id == told["id"]
    assert (first.judge, first.criteria, first.served) == (JUDGE, "strict", ("reader",))
    assert first.parameters == {"base_url": endpoint.openai_url}
    assert second.confusion == first.confusion
    assert again.code == 0
    assert "macro-F1 1.000" in again.out
    assert "it may score" in again.out
    assert "the rule:" in again.out


@pytest.mark.parametrize("read", [readers.agreeable, readers.echoing])
def test_a_judge_that_does_not_separate_the_set_may_not_score(
    ddr: Ddr, home: Path, read: readers.Reader
) -> None:
    with judged_by(read) as endpoint:
        options = JudgeOptions(judges=(JUDGE,), base_url=endpoint.openai_url)
        asked = ("calibrate", "--judge", JUDGE, "--base-url", endpoint.openai_url)
        done = ddr(*asked, "--sample", "30", "--json")
        before = len(endpoint.requests)
        told: list[str] = []
        with open_store(home / "store.sqlite3") as store:
            judges = judges_for(options, None, store)
            with pytest.raises(UsageError) as refused:
                asyncio.run(admit(judges, criteria="strict", tell=told.append))
        assert len(endpoint.requests) == before, "it is known already"
    assert done.code == 1
    assert done.json["calibrations"][0]["separates"] is False
    assert "may not score" in str(refused.value)
    assert "calibrate --judge openai/reader" in str(refused.value)
    assert "--uncalibrated" in str(refused.value)
    assert not told


def test_a_judge_that_nobody_knows_reads_thirty_cases_first(home: Path) -> None:
    home.mkdir(mode=0o700)
    told: list[str] = []
    with judged_by(readers.truthful) as endpoint, open_store(home / "store.sqlite3") as store:
        options = JudgeOptions(judges=(JUDGE,), base_url=endpoint.openai_url)
        judges = judges_for(options, None, store)
        assert not is_calibrated(judges, criteria="strict")
        (made,) = asyncio.run(admit(judges, criteria="strict", tell=told.append))
        assert len(endpoint.requests) == QUICK
        assert (made.n, made.is_whole) == (QUICK, False)
        assert f"reads {QUICK} cases" in told[0]
        assert is_calibrated(judges, criteria="strict")
        (same,) = asyncio.run(admit(judges, criteria="strict", tell=told.append))
        assert same == made
        assert len(endpoint.requests) == QUICK
        # Under other criteria, or asked in another way, it is another judge.
        assert not is_calibrated(judges, criteria="lenient")
        warm = judges_for(
            JudgeOptions(
                judges=(JUDGE,), base_url=endpoint.openai_url, sampling={"temperature": 1}
            ),
            None,
            store,
        )
        assert not is_calibrated(warm, criteria="strict")


def test_who_obeys_an_insight_is_refused_though_it_separates(ddr: Ddr, home: Path) -> None:
    with judged_by(readers.obedient) as endpoint:
        asked = ("calibrate", "--judge", JUDGE, "--base-url", endpoint.openai_url)
        plain = ddr(*asked, "--sample", "42", "--json")
        spoken_to = ddr(*asked, "--sample", "42", "--canary")
        later = ddr(*asked, "--sample", "42", "--json")
        with open_store(home / "store.sqlite3") as store:
            options = JudgeOptions(judges=(JUDGE,), base_url=endpoint.openai_url)
            with pytest.raises(UsageError, match="obeys insights"):
                judges = judges_for(options, None, store)
                asyncio.run(admit(judges, criteria="strict", tell=print))
    assert (plain.code, spoken_to.code, later.code) == (0, 1, 0)
    assert "may not score: it obeys insights that speak to it" in spoken_to.out


@pytest.mark.real  # the whole set, twice
def test_a_batch_is_for_who_agrees_with_its_single_calls(ddr: Ddr, home: Path) -> None:
    for read, expected in ((readers.truthful, 0), (readers.forgetful(20), 1)):
        with judged_by(read) as endpoint:
            url = endpoint.openai_url
            asked = ("calibrate", "--judge", JUDGE, "--base-url", url, "--batch", "4")
            some = ddr(*asked, "--sample", "30", "--json").json["calibrations"][1]
            assert not some["may_batch"], "a sample does not decide"
            done = ddr(*asked, "--json")
            assert ddr(*asked, "--sample", "30").code == 0, "nor does one that comes later"
            requests = len(endpoint.requests)
        assert done.code == expected, done.err
        single, told = done.json["calibrations"]
        assert (single["batch"], single["may_batch"], single["may_score"]) == (1, False, True)
        assert told["may_batch"] is (expected == 0)
        assert told["batch"] == 4
        assert requests < 1.6 * ALL
        with open_store(home / "store.sqlite3") as store:
            judges = judges_for(JudgeOptions(judges=(JUDGE,), base_url=url), None, store)
            may_batch(judges, 1, criteria="strict")
            with pytest.raises(UsageError, match="--batch 3 is not for openai/reader"):
                may_batch(judges, 3, criteria="strict")
            if expected:
                with pytest.raises(
                    UsageError, match=r"it agreed with its single calls in 9\d\.\d%"
                ):
                    may_batch(judges, 4, criteria="strict")
            else:
                may_batch(judges, 4, criteria="strict")


def test_few_cases_admit_nobody_and_condemn_nobody(ddr: Ddr, home: Path) -> None:
    reads = {"now": readers.truthful}

    def whatever_it_reads_now(prompt: str) -> str:
        return reads["now"](prompt)

    with judged_by(whatever_it_reads_now) as endpoint, open_store_of(home) as store:
        asked = ("calibrate", "--judge", JUDGE, "--base-url", endpoint.openai_url, "--afresh")
        judges = judges_for(
            JudgeOptions(judges=(JUDGE,), base_url=endpoint.openai_url, afresh=True), None, store
        )
        assert ddr(*asked, "--sample", "6").code == 0
        assert not is_calibrated(judges, criteria="strict")
        reads["now"] = readers.agreeable
        assert ddr(*asked, "--sample", "30").code == 1
        reads["now"] = readers.truthful
        assert ddr(*asked, "--sample", "9").code == 0
        with pytest.raises(UsageError, match="30 of 324 cases"):
            asyncio.run(admit(judges, criteria="strict", tell=print))
        # What it has learnt since counts once it has been shown on as many cases.
        assert ddr(*asked, "--sample", "30").code == 0
        assert asyncio.run(admit(judges, criteria="strict", tell=print))
    listed = ddr("calibrate", "--json").json["calibrations"]
    assert [each["may_score"] for each in listed] == [True, False, True, True]
    assert "30/324" in ddr("calibrate").out


def open_store_of(home: Path) -> Repository:
    home.mkdir(mode=0o700, exist_ok=True)
    return open_store(home / "store.sqlite3")


def test_another_model_behind_the_same_name_is_told_of(ddr: Ddr, home: Path) -> None:
    def script(request: Request) -> Step:
        return Say(readers.truthful(request.text), served="reader-2026-01")

    with ScriptedEndpoint(script) as endpoint:
        asked = ("calibrate", "--judge", JUDGE, "--base-url", endpoint.openai_url)
        (told,) = ddr(*asked, "--sample", "30", "--json").json["calibrations"]
    assert told["served"] == ["reader-2026-01"]
    with open_store(home / "store.sqlite3") as store:
        same = changed(store, [told["id"]], ["other", "reader-2026-01"])
        (new,) = changed(store, [told["id"]], ["reader-2026-09"])
        assert (
            changed(store, [], ["reader-2026-09"]) == changed(store, [told["id"]], []) == same == []
        )
    assert "reader-2026-01 answered" in new
    assert "reader-2026-09 did: calibrate it anew" in new


def test_one_of_a_panel_that_reads_badly_keeps_all_from_scoring(home: Path) -> None:
    def script(request: Request) -> Step:
        read = readers.agreeable if request.model == "nodder" else readers.truthful
        return Say(read(request.text))

    with ScriptedEndpoint(script) as endpoint, open_store_of(home) as store:
        options = JudgeOptions(judges=(JUDGE, "openai/nodder"), base_url=endpoint.openai_url)
        judges = judges_for(options, None, store)
        with pytest.raises(UsageError, match="openai/nodder may not score"):
            asyncio.run(admit(judges, criteria="strict", tell=print))
        assert len(Calibrations(store).all()) == 2, "both are known now"


def test_requests_that_fail_are_made_again_and_are_no_wrong_readings(ddr: Ddr, home: Path) -> None:
    failed: set[int] = set()

    def script(request: Request) -> Step:
        if request.number % 9 == 4 and request.number < 30:
            failed.add(request.number)
            return Status(400, text="a bad moment")
        return Say(readers.truthful(request.text))

    with ScriptedEndpoint(script) as endpoint:
        asked = ("calibrate", "--judge", JUDGE, "--base-url", endpoint.openai_url)
        done = ddr(*asked, "--sample", "30", "--json")
    assert failed
    assert done.code == 0, done.err
    (told,) = done.json["calibrations"]
    assert (told["n"], told["unscored"], told["macro_f1"]) == (30, 0, 1.0)


def test_an_estimate_asks_nothing(ddr: Ddr, home: Path) -> None:
    with judged_by(readers.truthful) as endpoint:
        asked = ("calibrate", "--judge", JUDGE, "--base-url", endpoint.openai_url)
        done = ddr(*asked, "--canary", "--estimate", "--json")
        assert not endpoint.requests
    assert done.code == 0, done.err
    assert done.json["estimate"][JUDGE]["calls"] == 2 * ALL
    assert not stored(home)


def test_repeats_say_how_steady_a_judge_is(ddr: Ddr, home: Path) -> None:
    with judged_by(readers.truthful) as endpoint:
        asked = ("calibrate", "--judge", JUDGE, "--base-url", endpoint.openai_url)
        done = ddr(*asked, "--sample", "12", "--repeats", "3")
        assert len(endpoint.requests) == 36
    assert done.code == 0, done.err
    assert "12 questions asked 3 times" in done.out
    (made,) = stored(home)
    assert made.stability is not None
    assert (made.stability.k, made.stability.flip_rate, made.stability.cv) == (3, 0.0, 0.0)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ((), "no judge was calibrated yet"),
        (("--judge", JUDGE, "--sample", "a few"), "--sample a few"),
        (("--judge", JUDGE, "--sample", "0"), "--sample 0"),
        (("--judge", JUDGE, "--sample", "150%"), "--sample 150%"),
        (("--judge", JUDGE, "--repeats", "1"), "2 or more"),
        (("--judge", JUDGE, "--batch", "0"), "give 1 to 8"),
        (("--judge", JUDGE, "--batch", "9"), "give 1 to 8"),
        (("--judge", JUDGE, "--criteria", "mild"), "mild"),
        (("last", "--judge", JUDGE, "--canary"), "--repeats alone"),
    ],
)
def test_what_cannot_be_done_is_said(
    ddr: Ddr, home: Path, arguments: tuple[str, ...], why: str
) -> None:
    done = ddr("calibrate", *arguments)
    assert done.code == 2
    assert why in done.err
