"""What a judge replied outlives the process, and is found by what was asked alone."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterable
from pathlib import Path

import pytest

from core.errors import StoreError
from core.trajectory import ModelCall
from evaluator.interviewing import Answered, Interviewer, Remembered
from server.store import Repository, open_store
from server.store.answers import Answers
from tests.evaluator.llm.judges import USED, Judge, Said
from tests.evaluator.test_interviewing import question
from tests.server.support import START

KEY = "0" * 64


def _remembered(text: str = "12") -> Remembered:
    call = ModelCall(
        role="checker", model_asked="test/judge", usage=USED, started_at=START, duration_s=0.5
    )
    return Remembered(text=text, call=call)


def _ask(path: Path, said: Iterable[Said]) -> tuple[Answered[int], int]:
    """What came of the one question in a store that is opened and closed for it; requests made."""
    judge = Judge(said)
    with open_store(path) as store:
        mine = Interviewer(judge, role="checker", memory=Answers(store))
        return asyncio.run(mine.ask(question())), len(judge.asked)


def test_what_nobody_asked_is_not_remembered(store: Repository) -> None:
    assert Answers(store).recall(KEY) is None


def test_what_is_kept_comes_back_whole(store: Repository) -> None:
    kept = _remembered('{"label": "supported", "quote": "Zürich, 20 % \\u2013 \\ud83d"}')
    Answers(store).keep(KEY, kept)
    assert Answers(store).recall(KEY) == kept
    assert Answers(store).recall("1" * 64) is None


def test_the_newest_reply_stands(store: Repository) -> None:
    for text in ("a dozen", "12"):
        Answers(store).keep(KEY, _remembered(text))
    assert Answers(store).recall(KEY) == _remembered("12")


def test_it_outlives_the_process_and_is_whole_though_nobody_closed_the_store(
    tmp_path: Path,
) -> None:
    path = tmp_path / "store.sqlite3"
    store = open_store(path)
    Answers(store).keep(KEY, _remembered())
    # Another connection sees it while the first is open: it is committed, so a kill leaves it.
    with open_store(path) as other:
        assert Answers(other).recall(KEY) == _remembered()
    store.close()


def test_the_same_question_in_another_process_makes_no_request(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite3"
    first, asked = _ask(path, ["12"])
    second, again = _ask(path, [])
    assert (first.found, second.found, asked, again) == (12, 12, 1, 0)
    assert (first.call.is_recalled, second.call.is_recalled) == (False, True)


def test_a_reply_that_could_not_be_used_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite3"
    _ask(path, ["?", "?"])
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT count(*) FROM answers").fetchone() == (0,)
    answered, asked = _ask(path, ["12"])
    assert (answered.found, asked) == (12, 1)


def test_a_store_that_takes_nothing_says_so(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite3"
    with open_store(path, busy_timeout_s=0.01) as store:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="locked"):
            Answers(store).keep(KEY, _remembered())
        other.close()
        assert Answers(store).recall(KEY) is None
