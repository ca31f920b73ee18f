"""Whatever a session did, its turns, insights, nudges and tokens come out as they went in."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.trajectory import StopReason
from server.ddr_bench_logs.calls import Caller
from server.ddr_bench_logs.exploring import explore
from server.ddr_bench_logs.finding import find
from server.ddr_bench_logs.messages import read_session
from tests.server.ddr_bench_logs.written import Log

said = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=20).filter(
    lambda text: "finish" not in text.lower()
)


@dataclass(frozen=True)
class Call:
    """A turn, and what was said of it."""

    text: str
    insight: str | None


@dataclass(frozen=True)
class Talk:
    """A message without a call."""

    text: str


# An insight of a word or two is one; of marks alone it is none, which is not what is tried here.
insights = st.none() | st.just("NO INSIGHT") | said.map(lambda text: f"It holds {text}".strip())
events = st.lists(st.builds(Call, said, insights) | st.builds(Talk, said), max_size=8)
ends = st.sampled_from(["finish", "forced", "forced in vain", "none"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sessions")


@given(
    events=events, end=ends, report=said.filter(lambda text: bool(text.strip(" *#_`:.-").strip()))
)
def test_a_session_comes_out_as_it_went_in(
    folder: Path, events: list[Call | Talk], end: str, report: str
) -> None:
    log = Log()
    for number, event in enumerate(events):
        if isinstance(event, Talk):
            log.say(event.text)
        else:
            log.call(event.text, f"SELECT {number}", {"n": number}, event.insight)
    if end == "finish":
        log.finish(f"FINISH: {report}")
    elif end == "forced":
        log.forced(report)
    elif end == "forced in vain":
        log.forced_in_vain("no route")
    shutil.rmtree(folder / "7", ignore_errors=True)
    log.write(folder / "7")
    (session,) = find(folder, {"7"}).sessions
    found = explore(read_session(session), Caller("m"))

    calls = [event for event in events if isinstance(event, Call)]
    assert [turn.text for turn in found.turns] == [call.text for call in calls]
    assert [turn.index for turn in found.turns] == list(range(1, len(calls) + 1))
    told = {
        number: None if call.insight == "NO INSIGHT" else call.insight
        for number, call in enumerate(calls, 1)
        if call.insight is not None
    }
    assert {each.turn: each.text for each in found.noted} == told
    assert [nudge.text for nudge in found.nudges] == [
        event.text for event in events if isinstance(event, Talk)
    ]
    after, turn = [], 0
    for event in events:
        turn += isinstance(event, Call)
        after += [turn] if isinstance(event, Talk) else []
    assert [nudge.after_turn for nudge in found.nudges] == after
    made = [*(turn.call for turn in found.turns), *(nudge.call for nudge in found.nudges)]
    assert [call and call.usage.output_tokens for call in made] == [7] * len(events)
    assert found.notes == ()
    _check_end(
        found.ending.reason, found.ending.forced, end, talks_last=bool(after and after[-1] == turn)
    )
    if end in ("finish", "forced"):
        assert found.ending.report is not None
        assert found.ending.report in report
    else:
        assert found.ending.report is None


def _check_end(reason: StopReason, forced: bool, end: str, *, talks_last: bool) -> None:
    limit = StopReason.IDLE if talks_last else StopReason.MAX_TURNS
    expected = {
        "finish": (StopReason.FINISHED, False),
        "forced": (limit, True),
        "forced in vain": (limit, True),
        "none": (StopReason.ABANDONED, False),
    }
    assert (reason, forced) == expected[end]
