"""Plain HTTP to an endpoint that is probed for what it can: a refusal is told from a failure."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from core.errors import ProviderError, ProviderFault
from core.run import ModelSpec
from providers.failures import retry_after
from providers.locality import pass_proxies_by
from providers.retry import Backoff, EndpointError, persist

if TYPE_CHECKING:
    import httpx

_REFUSALS: Final = frozenset({400, 404, 405, 415, 422, 501})
_BY_STATUS: Final[dict[int, ProviderFault]] = {
    401: "auth",
    402: "auth",
    403: "auth",
    408: "timeout",
    413: "context_length",
    425: "server",
    429: "rate_limit",
}
_TOO_LONG: Final = ("context length", "context size", "exceed_context", "context_length")
"""How endpoints word a prompt that is too long where their error has no code of its own."""


class Refused(ProviderError):  # noqa: N818 - what it is, not that it is an error
    """The endpoint does not know this request, or answers another one than was asked."""

    def __init__(self, text: str) -> None:
        super().__init__(text, kind="bad_request")


class Wire:
    """One endpoint. `base_url` ends in /v1 as a rule; paths of its own stand beside that."""

    def __init__(
        self,
        base_url: str,
        model: str,
        timeout_s: float,
        backoff: Backoff,
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._root = base_url.rstrip("/").removesuffix("/v1")
        self._model, self._timeout_s = model, timeout_s
        self._backoff, self._sleep = backoff, sleep
        self._client: httpx.AsyncClient | None = None

    async def close(self) -> None:
        """Close its connections."""
        if self._client is not None:
            await self._client.aclose()

    async def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to one request, repeated where waiting may help.

        Raises Refused, or ProviderError with its kind.
        """
        sent = {"model": self._model, **body}
        found = await persist(lambda: self._ask(path, sent), self._backoff, sleep=self._sleep)
        if isinstance(found, str):
            raise Refused(found)
        return found

    async def _ask(self, path: str, body: Mapping[str, Any]) -> dict[str, Any] | str:
        """An answer, or the reason why there is none, which no waiting changes."""
        import httpx

        where = f"{self._root}{path}"
        try:
            # httpx's own timeout is per read; an endpoint that trickles would never meet it.
            async with asyncio.timeout(self._timeout_s):
                answer = await self._open().post(where, json=body)
            if answer.status_code in _REFUSALS:
                said = _message(answer.text)
                if any(words in said.lower() for words in _TOO_LONG):
                    raise EndpointError(f"{self._root}: {said}", kind="context_length")
                return f"{answer.status_code} at {path}"
            if answer.status_code >= 400:
                raise self._failed(path, answer.status_code, _message(answer.text), answer.headers)
            found = answer.json()
        except (TimeoutError, httpx.TimeoutException) as exc:
            raise EndpointError(f"{where}: no answer in time", kind="timeout") from exc
        except httpx.HTTPError as exc:
            said = " ".join(str(exc).split()) or type(exc).__name__
            raise EndpointError(
                f"{where}: the connection failed: {said}", kind="connection"
            ) from exc
        except ValueError as exc:
            raise EndpointError(f"{where}: not JSON: {exc}", kind="malformed") from exc
        return found if isinstance(found, dict) else f"no object at {path}"

    def _failed(
        self, path: str, status: int, said: str, headers: Mapping[str, str]
    ) -> EndpointError:
        kind = _BY_STATUS.get(status, "server" if status >= 500 else "bad_request")
        return EndpointError(
            f"{self._root}{path}: {status} from the endpoint: {said}",
            status_code=status,
            kind=kind,
            retry_after_s=retry_after(headers),
        )

    def _open(self) -> httpx.AsyncClient:
        import httpx

        if self._client is None:
            pass_proxies_by(ModelSpec(provider="openai", name=self._model, base_url=self._root))
            key = os.environ.get("OPENAI_API_KEY")
            headers = {"Authorization": f"Bearer {key}"} if key else {}
            self._client = httpx.AsyncClient(headers=headers, timeout=self._timeout_s)
        return self._client


def _message(text: str) -> str:
    """What an error says, in a line."""
    try:
        body = json.loads(text)
    except ValueError:
        body = None
    error = body.get("error", body) if isinstance(body, dict) else None
    said = error.get("message") if isinstance(error, dict) else error
    return " ".join(str(said or text).split())[:500]
