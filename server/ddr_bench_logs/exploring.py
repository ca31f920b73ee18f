"""Make the turns, nudges and insights of a session: number k is the k-th call, whatever was said of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from agent.insights import read as read_insight
from core.errors import LogError
from core.trajectory import ModelCall, Nudge, ToolCall, ToolResult, Turn
from server.ddr_bench_logs.calls import Caller
from server.ddr_bench_logs.ending import Ending, ending_of
from server.ddr_bench_logs.files import moment
from server.ddr_bench_logs.messages import AGENT, ENVIRONMENT, FORCED, Message, Said, Session, Stats

UNKNOWN_TOOL: Final = "unknown"
"""Of a call in a session that was killed: its insights tell what came of it, not what it was."""
_NO_TIME: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Noted:
    """The insight of one turn."""

    turn: int
    text: str | None
    """None where it was NO INSIGHT: it keeps its number."""
    call: ModelCall


@dataclass(frozen=True)
class Explored:
    """A session as a trajectory's parts."""

    turns: tuple[Turn, ...]
    nudges: tuple[Nudge, ...]
    noted: tuple[Noted, ...]
    ending: Ending
    report_call: ModelCall | None
    started_at: datetime
    ended_at: datetime
    notes: tuple[str, ...] = field(default=())
    """What the log leaves open."""


def explore(session: Session, caller: Caller) -> Explored:
    """The trajectory that a session's log tells. Raises LogError where its parts contradict."""
    started, ended = _span(session)
    spoken = [message for message in session.messages if message.role == AGENT]
    told = session.stats_of("assistant", [len(message.content) for message in _counted(spoken)])
    stats = [*told, *[None] * (len(spoken) - len(told))]
    notes = []
    if session.stats and spoken and not any(stats):
        notes.append("message_stats does not fit chat_messages: tokens and times are left out")
    acts = list(_acts(session.messages, stats, caller, started))
    if session.has_messages:
        turns = tuple(_turns(session, acts))
    else:
        turns = tuple(_untold(n, said, started) for n, said in enumerate(session.insights, 1))
        notes.append("no chat_messages: what was called is not known")
    ending = ending_of(session.messages, stats, turns=len(turns))
    last = acts[-1].call if ending.is_message else None
    report_call = last.model_copy(update={"role": "report"}) if last and ending.forced else last
    return Explored(
        turns=turns,
        nudges=tuple(_nudges(acts[:-1] if ending.is_message else acts)),
        noted=tuple(_noted(session, turns, caller, started)),
        ending=ending,
        report_call=report_call,
        started_at=started,
        ended_at=ended,
        notes=tuple(notes),
    )


@dataclass(frozen=True)
class _Act:
    """A message of the agent and, where it called a tool, what came of it."""

    message: Message
    answer: Message | None
    number: int
    """Of its turn; of one that calls nothing the turn before it, 0 before the first."""
    call: ModelCall


def _acts(
    messages: Sequence[Message], stats: Sequence[Stats | None], caller: Caller, started: datetime
) -> Iterator[_Act]:
    took = iter(stats)
    turn = 0
    for place, message in enumerate(messages):
        if message.role != AGENT:
            continue
        after = messages[place + 1] if place + 1 < len(messages) else None
        is_call = message.tool is not None
        turn += is_call
        answer = after if is_call and after and after.role == ENVIRONMENT else None
        yield _Act(message, answer, turn, caller.call("agent", next(took), message.at or started))


def _counted(spoken: Sequence[Message]) -> Sequence[Message]:
    """The agent's messages that statistics are kept of: a summary that failed has none."""
    failed = spoken and spoken[-1].content.startswith(f"{FORCED}Error generating final summary: ")
    return spoken[:-1] if failed else spoken


def _turns(session: Session, acts: Sequence[_Act]) -> Iterator[Turn]:
    answered = [act.answer for act in acts if act.answer is not None]
    took = iter(session.stats_of("user", [len(answer.content) for answer in answered]))
    for act in acts:
        if act.message.tool is None:
            continue
        call_id = f"call-{act.number}"
        results: tuple[ToolResult, ...] = ()
        seconds = 0.0
        if act.answer is not None:
            spent = next(took)
            seconds = spent.seconds if spent else 0.0
            result = ToolResult(
                call_id=call_id,
                name=act.message.tool,
                text=act.answer.content,
                is_error=act.answer.is_error,
                error_kind="reported" if act.answer.is_error else None,
                duration_s=seconds,
            )
            results = (result,)
        yield Turn(
            index=act.number,
            text=act.message.content,
            tool_calls=(
                ToolCall(call_id=call_id, name=act.message.tool, arguments=act.message.arguments),
            ),
            tool_results=results,
            call=act.call,
            started_at=act.call.started_at,
            duration_s=act.call.duration_s + seconds,
        )


def _untold(number: int, said: Said, started: datetime) -> Turn:
    """A turn of which only the insight's row is left."""
    call_id = f"call-{number}"
    return Turn(
        index=number,
        text=said.agent,
        tool_calls=(ToolCall(call_id=call_id, name=UNKNOWN_TOOL, arguments=""),),
        tool_results=(
            ToolResult(call_id=call_id, name=UNKNOWN_TOOL, text=said.environment, duration_s=0),
        ),
        started_at=said.at or started,
        duration_s=0,
    )


def _nudges(acts: Sequence[_Act]) -> Iterator[Nudge]:
    for act in acts:
        if act.message.tool is None:
            yield Nudge(after_turn=act.number, text=act.message.content, call=act.call)


def _noted(
    session: Session, turns: Sequence[Turn], caller: Caller, started: datetime
) -> Iterator[Noted]:
    lengths = [len(said.insight) for said in session.insights]
    took = session.stats_of("insight_generation", lengths)
    places = _places(session.insights, turns)
    for said, turn, stats in zip(session.insights, places, took, strict=True):
        call = caller.call("insight", stats, said.at or started)
        yield Noted(turn=turn, text=read_insight(said.insight), call=call)


def _places(insights: Sequence[Said], turns: Sequence[Turn]) -> list[int]:
    """The turn of each insight: the next one that it quotes. A call for an insight can have failed,
    and then a turn has none; the others keep their numbers."""
    places: list[int] = []
    at = 0
    for said in insights:
        while at < len(turns) and not _quotes(said, turns[at]):
            at += 1
        if at == len(turns):
            raise LogError(
                f"{said.row.file}: line {said.row.line}: column 'user_message': this insight is "
                "about no message of chat_messages; the files are of different sessions"
            )
        at += 1
        places.append(turns[at - 1].index)
    return places


def _quotes(said: Said, turn: Turn) -> bool:
    seen = turn.tool_results[0].text if turn.tool_results else ""
    return said.environment == seen and said.agent in ("", turn.text)


def _span(session: Session) -> tuple[datetime, datetime]:
    """When it began and ended, by whatever tells it first."""
    times = [message.at for message in session.messages if message.at]
    times += [said.at for said in session.insights if said.at]
    told = {key: _time(session, key) for key in ("start_time", "end_time")}
    started = told["start_time"] or min(times, default=None)
    ended = told["end_time"] or max(times, default=None)
    started = started or ended or _NO_TIME
    return started, max(started, ended or started)


def _time(session: Session, key: str) -> datetime | None:
    value = session.totals.get(key)
    if value in (None, ""):
        return None
    try:
        return moment(value)
    except (TypeError, ValueError) as exc:
        name = session.files.files["session_stats"].name
        raise LogError(f"{name}: key {key!r}: {str(value)[:40]!r} is no time in ISO form") from exc
