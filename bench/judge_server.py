"""A judge's endpoint for benchmarks: it reads the insights, takes its time, fails as real ones do, and counts.

    python -m bench.judge_server '{"seed": 7, "timeout_s": 2}'

It speaks OpenAI's chat format on loopback, in a process of its own. Its stdout tells, line by line: its base URL,
`moment` with each request whose number is among `moments`, and, once stdin is closed, what it has counted (JSON, `Count`).

What it judges follows from the prompt alone: a fact that stands in the insights is supported; one whose
sentence stands there with another figure is contradicted. What fails follows from the words of a request and how often
they have come, so that it is the same in every pass, whatever the order.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal

from bench.endpoint import read_request, tell

LEAST_CACHED: Final = 1024
"""Tokens that a beginning must have to be served from the cache; it then grows by steps. OpenAI's rule."""
STEP: Final = 128
TOKEN: Final = 4
"""Characters of a token."""

Fate = Literal["answered", "refused", "malformed", "hung"]

_FENCE = re.compile(r"^===== \w+ =====$", re.MULTILINE)
_FACT = re.compile(r"The mean .* of station \w+ over the whole record is \d+\.\d+ units\.")
"""As bench.stations words what is true."""
_TURN = re.compile(r"^\[Turn (\d+)\] ", re.MULTILINE)
_FIGURE = re.compile(r"-?\d+\.\d+")


@dataclass(frozen=True)
class Habits:
    """How it behaves. Shares are of the requests."""

    seed: int = 7
    service_s: tuple[float, float] = (0.05, 0.15)
    """An answer takes between these, drawn evenly."""
    refused: float = 0.05
    """429, at once."""
    retry_after_s: int = 1
    hung: float = 0.01
    """Never answered; the client gives up after `timeout_s`."""
    timeout_s: float = 2.0
    malformed: float = 0.02
    """Prose, or JSON that breaks off. What was malformed once is well formed when it is asked again."""
    moments: tuple[int, ...] = ()
    """Numbers of requests that are told of, counting from 1."""


@dataclass
class Count:
    """What it has counted. Tokens are of answered and malformed requests, as a provider bills them."""

    requests: int = 0
    fates: dict[str, int] = field(default_factory=dict)
    first_at: float | None = None
    """time.monotonic() of the first request."""
    service_s: float = 0.0
    """Over all requests: the time that it took, a hung one at the timeout, a 429 with its Retry-After."""
    most_at_once: int = 0
    """Requests under way at the same time."""
    questions: int = 0
    """Different first asks that were answered."""
    asked_again: int = 0
    """Requests whose words had come before, where the last time it was answered, or broken off by
    the client before the timeout: what a client does that has forgotten, or was killed."""
    input_tokens: int = 0
    cached_tokens: int = 0
    """Of these, what the cache served."""
    single_tokens: int = 0
    """Of the first answer to each different first ask: the input of a pass that asks each once."""


class PromptCache:
    """A provider's: what begins as a prompt that is finished begins is not read again."""

    def __init__(self) -> None:
        self._known: set[bytes] = set()

    def cached(self, prompt: str) -> int:
        """Tokens of its beginning that are known."""
        found = 0
        for tokens, mark in self._marks(prompt):
            if mark not in self._known:
                break
            found = tokens
        return found

    def finish(self, prompt: str) -> None:
        """Know it from now on."""
        self._known.update(mark for _, mark in self._marks(prompt))

    @staticmethod
    def _marks(prompt: str) -> Iterator[tuple[int, bytes]]:
        """The beginnings that can be known, each with its tokens."""
        data, digest, at = prompt.encode("latin-1", "replace"), hashlib.sha1(), 0
        for tokens in range(LEAST_CACHED, len(data) // TOKEN + 1, STEP):
            digest.update(data[at : tokens * TOKEN])
            at = tokens * TOKEN
            yield tokens, digest.digest()


def judge(prompt: str) -> str:
    """The right reply to a checker's prompt, for one item or for several."""
    _, data, asked = _FENCE.split(prompt)
    found = [_verdict(data, answer) for answer in _FACT.findall(asked)]
    if len(found) == 1:
        return json.dumps(found[0])
    verdicts = [{"item": number, **each} for number, each in enumerate(found, start=1)]
    return json.dumps({"verdicts": verdicts})


def _verdict(data: str, answer: str) -> dict[str, Any]:
    place, label, quote = data.find(answer), "supported", answer
    if place < 0:
        alike = "(.*?)".join(re.escape(part) for part in _FIGURE.split(answer))
        other = re.search(alike, data)
        if other is None:
            return _reply("insufficient", [], "")
        place, label, quote = other.start(), "contradicted", other[0]
    turns = [int(number) for number in _TURN.findall(data[:place])[-1:]]
    return _reply(label, turns, quote)


def _reply(label: str, turns: Sequence[int], quote: str) -> dict[str, Any]:
    fields: dict[str, Any] = {"supporting_turns": [], "contradicting_turns": [], "quote": quote}
    if label != "insufficient":
        fields[f"{label.removesuffix('ed')}ing_turns"] = turns
    return {"label": label, **fields, "reason": "Told by a program that compares sentences."}


class JudgeServer:
    """The endpoint."""

    def __init__(self, habits: Habits) -> None:
        self.habits, self.count = habits, Count()
        self._cache = PromptCache()
        self._asked: Counter[bytes] = Counter()
        self._lost: set[bytes] = set()
        """What was answered, or broken off: asked again it is asked for nothing."""
        self._answered: set[bytes] = set()
        self._fates: Counter[str] = Counter()
        self._open = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, request after request."""
        try:
            while True:
                body = await read_request(reader)
                self._open += 1
                self.count.most_at_once = max(self.count.most_at_once, self._open)
                try:
                    await self._answer(body, reader, writer)
                finally:
                    self._open -= 1
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            writer.close()  # the client has gone, or this process ends

    def totals(self) -> dict[str, Any]:
        """What was counted so far."""
        return asdict(self.count) | {"fates": dict(self._fates)}

    async def _answer(
        self, body: Mapping[str, Any], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        began = time.monotonic()
        words, count = _words(body), self.count
        key = hashlib.sha256(words.encode()).digest()
        count.requests += 1
        count.first_at = began if count.first_at is None else count.first_at
        if key in self._lost:
            count.asked_again += 1
            self._lost.discard(key)
        if count.requests in self.habits.moments:
            tell("moment")
        fate, share = self._fate(key, body)
        self._asked[key] += 1
        self._fates[fate] += 1
        if fate == "refused":
            count.service_s += self.habits.retry_after_s
            await _send(writer, 429, {"error": {"message": "slow down"}}, self.habits)
            return
        if fate == "hung":
            # The client's going is what ends it: nothing more is read from it.
            await reader.read(1)
            took = time.monotonic() - began
            if took < 0.9 * self.habits.timeout_s:
                self._lost.add(key)
            count.service_s += min(took, self.habits.timeout_s)
            raise ConnectionResetError
        least, most = self.habits.service_s
        seconds = least + share * (most - least)
        count.service_s += seconds
        self._lost.add(key)
        text = judge(words) if fate == "answered" else _broken(words, share)
        tokens, cached = len(words) // TOKEN, self._cache.cached(words)
        count.input_tokens += tokens
        count.cached_tokens += cached
        whole = _completion(body, text, tokens, cached)
        await asyncio.sleep(max(0.0, began + seconds - time.monotonic()))
        self._cache.finish(words)
        if _is_first_ask(body) and key not in self._answered:
            self._answered.add(key)
            count.questions += 1
            count.single_tokens += tokens
        await _send(writer, 200, whole, self.habits)

    def _fate(self, key: bytes, body: Mapping[str, Any]) -> tuple[Fate, float]:
        """What becomes of a request, and a draw from 0 to 1 for how long it takes."""
        times = self._asked[key]
        drawn = hashlib.sha256(b"%d %d " % (self.habits.seed, times) + key).digest()
        chance, share = (int.from_bytes(drawn[at : at + 6], "big") / 2**48 for at in (0, 6))
        habits = self.habits
        if chance < habits.refused:
            return "refused", share
        if chance < habits.refused + habits.hung:
            return "hung", share
        is_new = key not in self._answered and _is_first_ask(body)
        if is_new and chance < habits.refused + habits.hung + habits.malformed:
            return "malformed", share
        return "answered", share


def _words(body: Mapping[str, Any]) -> str:
    return "\n".join(f"<{m['role']}> {m['content']}" for m in body["messages"])


def _is_first_ask(body: Mapping[str, Any]) -> bool:
    return all(message["role"] != "assistant" for message in body["messages"])


def _broken(words: str, share: float) -> str:
    said = judge(words)
    return said[: len(said) // 2] if share < 0.5 else "I would say that the insights state it."


def _completion(body: Mapping[str, Any], text: str, tokens: int, cached: int) -> dict[str, Any]:
    said = len(text) // TOKEN
    message = {"role": "assistant", "content": text}
    return {
        "id": "chatcmpl-judge",
        "object": "chat.completion",
        "created": 0,
        "model": body.get("model"),
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {
            "prompt_tokens": tokens,
            "completion_tokens": said,
            "total_tokens": tokens + said,
            "prompt_tokens_details": {"cached_tokens": cached},
        },
    }


async def _send(
    writer: asyncio.StreamWriter, status: int, told: Mapping[str, Any], habits: Habits
) -> None:
    whole = json.dumps(told).encode()
    lines = [f"HTTP/1.1 {status} {'OK' if status == 200 else 'Too Many Requests'}"]
    lines += ["content-type: application/json", f"content-length: {len(whole)}"]
    lines += [f"retry-after: {habits.retry_after_s}"] if status == 429 else []
    writer.write("\r\n".join([*lines, "", ""]).encode() + whole)
    await writer.drain()


async def main(habits: Habits) -> None:
    """Serve until stdin is closed."""
    judge_server = JudgeServer(habits)
    server = await asyncio.start_server(judge_server.serve, "127.0.0.1", 0, limit=2**24)
    tell(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1")
    await asyncio.to_thread(sys.stdin.read)
    tell(json.dumps(judge_server.totals()))
    server.close()


if __name__ == "__main__":
    asyncio.run(main(Habits(**json.loads(sys.argv[1]))))
