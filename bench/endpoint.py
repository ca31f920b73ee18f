"""A model's endpoint for benchmarks: a process that explores by a script, each answer after a set time.

    python -m bench.endpoint LATENCY_S TURNS

It speaks OpenAI's chat format on loopback. Its stdout tells, line by line: its base URL, `begun` at
the first request, `finished` as each exploration is ended, and, once stdin is closed, how many calls were answered and
when the first one came (JSON).
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

QUERIES = (
    "SELECT kind, count(*) AS n, avg(value) AS mean FROM readings"
    " WHERE sensor_id = '{entity}' GROUP BY kind ORDER BY kind",
    "SELECT read_at::DATE AS day, max(value) AS highest FROM readings"
    " WHERE sensor_id = '{entity}' GROUP BY day ORDER BY highest DESC LIMIT 20",
    "SELECT extract(hour FROM read_at) AS hour, avg(value) AS mean FROM readings"
    " WHERE sensor_id = '{entity}' AND value > {number} GROUP BY hour ORDER BY hour",
    "SELECT s.place, avg(r.value) AS mean FROM readings r JOIN sensors s USING (sensor_id)"
    " WHERE r.value < {number} GROUP BY s.place ORDER BY mean DESC",
)
INSIGHT = (
    "The mean of the temperature is 23.1, and its highest value of 34.9 falls on the third day."
)
REPORT = "FINISH: The sensor's temperature has a mean of 23.1, and it swings by 8 around that."
_ENTITY = re.compile(r"\bS\d\d\b")


def answer(body: Mapping[str, Any], turns: int) -> dict[str, Any]:
    """The assistant's message for a request, told by the request alone.

    With tools a query, and the report after so many turns; without them a turn's insight.
    """
    if not body.get("tools"):
        return {"role": "assistant", "content": INSIGHT}
    messages: Sequence[Mapping[str, Any]] = body["messages"]
    done = sum(message["role"] == "assistant" for message in messages)
    if done >= turns:
        return {"role": "assistant", "content": REPORT}
    found = _ENTITY.search(json.dumps(messages[:2]))
    entity = found[0] if found else "S01"
    query = QUERIES[done % len(QUERIES)].format(entity=entity, number=14 + 0.4 * done)
    function = {"name": "execute_query", "arguments": json.dumps({"query": query})}
    called = {"id": f"call_{done}", "type": "function", "function": function}
    said = f"Query {done + 1} looks at another side of {entity}."
    return {"role": "assistant", "content": said, "tool_calls": [called]}


@dataclass
class Endpoint:
    """What it was asked so far."""

    latency_s: float
    turns: int
    calls: int = 0
    first_at: float | None = None
    """time.monotonic() of the first request."""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, request after request."""
        try:
            while True:
                body = await read_request(reader)
                began = time.monotonic()
                if self.first_at is None:
                    self.first_at = began
                    tell("begun")
                message = answer(body, self.turns)
                whole = json.dumps(_reply(body, message)).encode()
                await asyncio.sleep(max(0.0, began + self.latency_s - time.monotonic()))
                self.calls += 1
                head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(whole)}\r\n\r\n"
                writer.write(head.encode() + whole)
                await writer.drain()
                if message["content"] == REPORT:
                    tell("finished")
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            writer.close()  # the client has gone, or this process ends


async def read_request(reader: asyncio.StreamReader) -> dict[str, Any]:
    """The JSON body of the next request of a connection. Raises IncompleteReadError at its end."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
    size = re.search(r"content-length: *(\d+)", head)
    body: dict[str, Any] = json.loads(await reader.readexactly(int(size[1]) if size else 0))
    return body


def _reply(body: Mapping[str, Any], message: Mapping[str, Any]) -> dict[str, Any]:
    sent = len(json.dumps(body["messages"])) // 4
    return {
        "id": "chatcmpl-bench",
        "object": "chat.completion",
        "created": 0,
        "model": body.get("model"),
        "choices": [
            {
                "index": 0,
                "message": message,
                "finish_reason": "tool_calls" if message.get("tool_calls") else "stop",
            }
        ],
        "usage": {"prompt_tokens": sent, "completion_tokens": 40, "total_tokens": sent + 40},
    }


def tell(line: str) -> None:
    """To whoever started this process."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def main(latency_s: float, turns: int) -> None:
    """Serve until stdin is closed."""
    endpoint = Endpoint(latency_s, turns)
    server = await asyncio.start_server(endpoint.serve, "127.0.0.1", 0, limit=2**24)
    tell(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1")
    await asyncio.to_thread(sys.stdin.read)
    tell(json.dumps({"calls": endpoint.calls, "first_at": endpoint.first_at}))
    server.close()


if __name__ == "__main__":
    asyncio.run(main(float(sys.argv[1]), int(sys.argv[2])))
