"""Watch a run: server-sent events read from the store, so that any worker can go on with a stream."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Final

from fastapi import APIRouter, Header, Request
from starlette.responses import Response, StreamingResponse

from core.outside import UNANSWERED, OutsideCall
from core.trajectory import Insight, Trajectory
from server.rest_app.door import Anybody, InOffice, Office, readable
from server.rest_app.problems import Problem
from server.runner import utc_now
from server.store.happenings import Cursor, Happening, happened
from server.store.overview import overview
from server.streams import HEARTBEAT_S, Look, answer, event, stream
from server.tokens import holder

router = APIRouter(tags=["runs"])

LOOK_S: Final = 0.5
_ARGUMENT_CHARS: Final = 2_000
"""Of a call's arguments; the trajectory has all of them."""

_EXAMPLE: Final = (
    "id: 17..4.0\nevent: call\n"
    'data: {"entity":"03","trial":1,"position":9,"turn":5,"name":"execute_query",'
    '"arguments":"{\\"query\\": \\"SELECT 1\\"}","is_error":false,"error_kind":null,'
    '"started_at":"2026-01-31T12:00:00Z","duration_s":0.01}\n\n'
    'id: 17..5.0\nevent: insight\ndata: {"entity":"03","trial":1,"level":"message","turn":5,'
    '"text":"03 cancelled 1.9 % of its flights"}\n\n'
    'id: 19..5.1\nevent: end\ndata: {"entity":"03","trial":1,"stop_reason":"finished"}\n\n'
    'event: over\ndata: {"run":"20260131-flights-ab12"}\n\n'
)


@router.get(
    "/runs/{run}/events",
    summary="Watch a run",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "call, insight, end; at last over",
            "content": {"text/event-stream": {"example": _EXAMPLE}},
        },
        204: {"description": "The run is over, and nothing came after Last-Event-ID."},
    },
)
def watch_run(
    run: str,
    request: Request,
    here: InOffice,
    token: Anybody,
    last_event_id: Annotated[str | None, Header(max_length=16_000)] = None,
) -> Response:
    """One event for each call once it is answered, each insight and each end; `Last-Event-ID` resumes."""
    spec = readable(here, token, run).spec
    try:
        cursor = Cursor.read(last_event_id) if last_event_id else Cursor()
    except ValueError as exc:
        raise Problem(422, "invalid", f"Last-Event-ID: {exc}; leave it out to begin anew") from exc
    watch = _Watch(here, spec.id, request.state.secret)
    # A client that is told 204 does not connect again.
    if last_event_id and not happened(here.store, spec.id, cursor) and watch.is_over():
        return Response(status_code=204)
    if text := here.streams.why_full(token.id):
        raise Problem(503, "busy", text, headers={"Retry-After": "5"})
    over = event("over", {"run": spec.id})
    return answer(
        stream(
            here.streams,
            watch.look,
            cursor,
            whose=token.id,
            over=over,
            look_s=LOOK_S,
            heartbeat_s=HEARTBEAT_S,
        )
    )


@dataclass(frozen=True)
class _Watch:
    here: Office
    run_id: str
    secret: str

    def is_over(self) -> bool:
        """Whether nothing more will happen: it is finished, or it is not there any more."""
        found = overview(self.here.store, self.run_id)
        return found is None or found.is_finished

    def look(self, cursor: Cursor) -> Look[Cursor]:
        # First whether it is over: what happened before that is then met below.
        is_over = self.is_over()
        may_go_on = holder(self.here.store, self.secret, utc_now()) is not None
        events = happened(self.here.store, self.run_id, cursor) if may_go_on else []
        return Look(
            [(event(each.kind, _data(each), str(each.after)), each.after) for each in events],
            is_over=is_over and may_go_on,
            may_go_on=may_go_on,
            place=events[-1].after if events else cursor,
        )


def _data(each: Happening) -> dict[str, Any]:
    whose = {"entity": each.entity_id, "trial": each.trial}
    match each.record:
        case OutsideCall():
            return {**whose, **_call(each.record)}
        case Insight():
            insight = each.record
            return {**whose, "level": insight.level, "turn": insight.turn, "text": insight.text}
        case Trajectory():
            stop = each.record.stop_reason
            return {**whose, "stop_reason": stop.value if stop else None}


def _call(call: OutsideCall) -> dict[str, Any]:
    result = call.result
    return {
        "position": call.position,
        "turn": call.turn,
        "name": call.name,
        "arguments": call.arguments[:_ARGUMENT_CHARS],
        "is_error": result.is_error if result else True,
        "error_kind": result.error_kind if result else UNANSWERED,
        "started_at": call.started_at.isoformat(),
        "duration_s": result.duration_s if result else None,
    }
