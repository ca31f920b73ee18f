"""Type an endpoint's failure by what happened on the wire, never by digits in a text."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

from core.errors import ProviderFault
from providers.retry import EndpointError

_TOO_LONG: Final = {"context_length_exceeded", "exceed_context_size_error", "request_too_large"}
"""What providers call a prompt that is too long, in the error's code or type."""
_SSL_OBJECT: Final = re.compile(r"\s*\bssl:<[^<>]*>")
"""aiohttp puts the repr of an object of Python's into what it says of a host."""
_BY_STATUS: Final[dict[int, ProviderFault]] = {
    401: "auth",
    402: "auth",
    403: "auth",
    407: "auth",
    408: "timeout",
    409: "server",
    413: "context_length",
    425: "server",
    429: "rate_limit",
}


def typed(
    exc: BaseException,
    *,
    asked: str,
    sent: bool = True,
    body: Any = None,
    outer: BaseException | None = None,
) -> EndpointError:
    """The failure behind an exception of litellm's, whose own types lose much of it.

    litellm calls a broken connection and an answer that is no JSON both an internal server error;
    what it wrapped tells them apart. `asked` names the model in the text; `sent`: a request had
    gone out, so that what is neither a bad status nor a lost connection is a bad answer. `body` is
    an answer that came with a status of success: routers put an upstream's error into one.
    `outer` is what was being handled when the request was made, and is no part of its failure.
    """
    chain = list(_chain(exc, outer))
    response = _response(chain)
    if response is not None and response.status_code >= 400:
        error = _error_object(_parsed(response))
        wait_s = retry_after(response.headers)
        return _from_status(exc, int(response.status_code), error, asked, wait_s)
    if error := _error_object(body):
        if _is_failure(error.get("code")):
            return _from_status(exc, error["code"], error, asked)
        said = _worded("malformed", str(error.get("message") or error))
        return EndpointError(f"{asked}: {said}", kind="malformed")
    kind, link = _by_class(chain, sent)
    return EndpointError(f"{asked}: {_worded(kind, str(link) or type(link).__name__)}", kind=kind)


def _by_class(chain: list[BaseException], sent: bool) -> tuple[ProviderFault, BaseException]:
    """The kind of a failure without a status, and the exception that tells it."""
    import httpx
    from litellm import exceptions as litellm

    kinds: list[tuple[tuple[type[BaseException], ...], ProviderFault]] = [
        ((litellm.ContextWindowExceededError,), "context_length"),
        ((httpx.TimeoutException, litellm.Timeout, TimeoutError), "timeout"),
        ((httpx.TransportError, ConnectionError), "connection"),
        ((litellm.AuthenticationError,), "auth"),
        # What a parser stumbles over; before a request has gone out it is something else.
        ((ValueError, LookupError, TypeError, AttributeError) if sent else (), "malformed"),
        ((litellm.RateLimitError,), "rate_limit"),
        ((litellm.ServiceUnavailableError,), "server"),
        ((litellm.BadRequestError,), "bad_request"),
    ]
    for classes, kind in kinds:
        for link in chain:
            if isinstance(link, classes):
                return kind, link
    return "malformed" if sent else "bad_request", chain[-1]


def _chain(exc: BaseException, outer: BaseException | None) -> Iterator[BaseException]:
    """An exception and all that it was raised from, the outermost first, as far as `outer`."""
    seen: set[int] = set()
    link: BaseException | None = exc
    while link is not None and link is not outer and id(link) not in seen:
        seen.add(id(link))
        yield link
        link = link.__cause__ or link.__context__


def _response(chain: list[BaseException]) -> Any:
    """The HTTP answer itself: the innermost one, since litellm makes up others around it."""
    import httpx

    true = [link.response for link in chain if isinstance(link, httpx.HTTPStatusError)]
    found = [getattr(link, "response", None) for link in chain]
    told = [answer for answer in found if isinstance(answer, httpx.Response) and answer.headers]
    return true[-1] if true else told[-1] if told else None


def _from_status(
    exc: BaseException,
    status: int,
    error: Mapping[str, Any],
    asked: str,
    retry_after_s: float | None = None,
) -> EndpointError:
    from litellm import exceptions as litellm

    marks = {str(error.get("code")), str(error.get("type"))}
    kind = _BY_STATUS.get(status, "server" if status >= 500 else "bad_request")
    overflows = isinstance(exc, litellm.ContextWindowExceededError) or bool(marks & _TOO_LONG)
    if kind in {"bad_request", "server"} and overflows:
        kind = "context_length"
    if "insufficient_quota" in marks:
        kind = "auth"  # a 429 that no waiting cures
    said = _line(str(error.get("message") or exc))
    return EndpointError(
        f"{asked}: {status} from the endpoint: {said}",
        status_code=status,
        kind=kind,
        retry_after_s=retry_after_s,
    )


def _is_failure(code: Any) -> bool:
    return isinstance(code, int) and 400 <= code < 600


def _parsed(response: Any) -> Any:
    try:
        return json.loads(response.text)
    except Exception:  # noqa: BLE001 - a body that was never read or is no JSON tells nothing more
        return None


def _error_object(body: Any) -> Mapping[str, Any]:
    """The error of an answer, in the shape that the three big providers share; {} without one."""
    error = body.get("error") if isinstance(body, Mapping) else None
    if isinstance(error, Mapping):
        return error
    return {"message": str(error)} if error else {}


def retry_after(
    headers: Mapping[str, str], *, now: Callable[[], datetime] = lambda: datetime.now(UTC)
) -> float | None:
    """Seconds that an answer asks to wait: Retry-After as seconds or as a date."""
    text = headers.get("retry-after")
    if text is None:
        return None
    try:
        seconds = float(text)
    except ValueError:
        try:
            until = parsedate_to_datetime(text)
        except ValueError:
            return None
        seconds = (until.replace(tzinfo=until.tzinfo or UTC) - now()).total_seconds()
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _worded(kind: ProviderFault, said: str) -> str:
    words: dict[ProviderFault, str] = {
        "malformed": "the endpoint's answer cannot be read",
        "timeout": "no answer in time",
        "connection": "the connection failed",
    }
    return f"{words[kind]}: {_line(said)}" if kind in words else _line(said)


def _line(text: str, limit: int = 500) -> str:
    flat = " ".join(_SSL_OBJECT.sub("", text).split())
    return flat if len(flat) <= limit else f"{flat[:limit]}..."
