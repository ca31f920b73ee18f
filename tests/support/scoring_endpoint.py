"""A small language model whose every probability can be computed by hand, served in the forms of others.

    with scoring("vllm") as server: ...        # server.url ends in /v1; server.paths is what was asked

A token is a character. The weight of a next one depends on all that came before it: with s = 31 s + code,
mod 997, over these, it is 1 + (7 s + 3 c) mod 97 for the character with code c, among the first 128. So a
prefix that is rebuilt with one character wrong gives another number.
"""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

VOCABULARY = 128


def rendered(messages: list[dict[str, Any]], tools: list[dict[str, Any]] | None = None) -> str:
    """A conversation as this model reads it, up to where it is to speak."""
    lines = [f"<tools>{json.dumps(tools, sort_keys=True)}"] if tools else []
    for message in messages:
        calls = (
            json.dumps(message["tool_calls"], sort_keys=True) if message.get("tool_calls") else ""
        )
        lines.append(f"<{message['role']}>{message.get('content') or ''}{calls}")
    return "\n".join([*lines, "<assistant>"])


def ids(text: str) -> list[int]:
    """Its tokens; what is not among the first 128 characters is a question mark."""
    return [ord(c) if ord(c) < VOCABULARY else ord("?") for c in text]


def logprobs(before: str, continuation: str) -> list[float]:
    """The natural logarithm of each character's probability after all before it."""
    state, found = 0, []
    for code in ids(before):
        state = (31 * state + code) % 997
    for code in ids(continuation):
        weights = [1 + (7 * state + 3 * c) % 97 for c in range(VOCABULARY)]
        found.append(math.log(weights[code] / sum(weights)))
        state = (31 * state + code) % 997
    return found


@dataclass
class Server:
    """One that listens."""

    url: str
    paths: list[str] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    failures: list[int] = field(default_factory=list)
    """Statuses that the next requests are answered with."""
    pause_s: float = 0.0
    refuse_after: int | None = None
    """After so many requests it wants a key."""
    context: int | None = None
    """Characters that it can read."""


@contextmanager
def scoring(form: str) -> Iterator[Server]:
    """`form`: vllm, continued (vLLM without /tokenize), echo, llama, or chat, which scores nothing."""
    state = Server("")

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            size = int(self.headers["Content-Length"])
            body = json.loads(self.rfile.read(size))
            state.paths.append(self.path)
            state.bodies.append(body)
            time.sleep(state.pause_s)
            late = state.refuse_after is not None and len(state.paths) > state.refuse_after
            if late:
                self._send(401, {"error": {"message": "no key"}})
                return
            if state.failures:
                self._send(state.failures.pop(0), {"error": {"message": "not now"}})
                return
            answer = _FORMS[form](self.path, body)
            if answer is None:
                self._send(404, {"detail": "Not Found"})
            elif state.context is not None and _read(body) > state.context:
                said = f"This model's maximum context length is {state.context} tokens."
                self._send(400, {"object": "error", "message": said, "type": "BadRequestError"})
            else:
                self._send(200, answer)

        def _send(self, status: int, body: dict[str, Any]) -> None:
            text = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_: Any) -> None:
            """Nothing on stderr."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _read(body: dict[str, Any]) -> int:
    """How many characters a request makes it read."""
    if "messages" in body:
        return len(rendered(body["messages"], body.get("tools")))
    return len(body.get("prompt", ""))


def _text(tokens: list[int]) -> str:
    return "".join(map(chr, tokens))


def _prompt_logprobs(text: str) -> list[Any]:
    """As vLLM tells them: nothing of the first token; of another the likeliest one behind it."""
    told = logprobs(text[0], text[1:])
    return [
        None,
        *(
            {
                str(ord(c)): {"logprob": value, "rank": 2, "decoded_token": c},
                "200": {"logprob": -0.1, "rank": 1, "decoded_token": "likelier"},
            }
            for c, value in zip(text[1:], told, strict=True)
        ),
    ]


def _vllm(path: str, body: dict[str, Any]) -> dict[str, Any] | None:
    if path == "/tokenize" and "messages" in body:
        text = rendered(body["messages"], body.get("tools"))
        return {"tokens": ids(text), "count": len(text)}
    if path == "/tokenize":
        return {"tokens": ids(body["prompt"])}
    if path == "/v1/completions" and isinstance(body["prompt"], list):
        text = _text(body["prompt"])
        return {"choices": [{"text": "x", "prompt_logprobs": _prompt_logprobs(text)}]}
    return None


def _continued(path: str, body: dict[str, Any]) -> dict[str, Any] | None:
    if path != "/v1/chat/completions" or not body.get("continue_final_message"):
        return None
    *before, last = body["messages"]
    text = _text(ids(rendered(before, body.get("tools")) + last["content"]))
    return {"choices": [{"message": {"content": "x"}}], "prompt_logprobs": _prompt_logprobs(text)}


def _echo(path: str, body: dict[str, Any]) -> dict[str, Any] | None:
    if path != "/v1/completions" or not isinstance(body.get("prompt"), str) or not body.get("echo"):
        return None
    if body["max_tokens"] == 0:
        return None  # takes no less than one
    text = body["prompt"]
    told = [None, *logprobs(text[0], text[1:]), -1.0]
    offsets = list(range(len(text) + 1))
    choice = {"tokens": [*text, "x"], "token_logprobs": told, "text_offset": offsets}
    return {"choices": [{"text": f"{text}x", "logprobs": choice}]}


def _llama(path: str, body: dict[str, Any]) -> dict[str, Any] | None:
    if path == "/apply-template":
        return {"prompt": rendered(body["messages"], body.get("tools"))}
    if path == "/tokenize":
        return {"tokens": ids(body.get("content", ""))}
    if path == "/completion":
        ((token, _),) = body["logit_bias"]
        (value,) = logprobs(_text(body["prompt"]), chr(token))
        told = {"id": token, "token": chr(token), "logprob": value, "top_logprobs": []}
        return {"content": chr(token), "completion_probabilities": [told]}
    return _chat(path, body)  # what it does not know it leaves out of account


def _chat(path: str, body: dict[str, Any]) -> dict[str, Any] | None:
    """An endpoint that leaves out of account what it does not know, as many do."""
    if path in ("/v1/chat/completions", "/v1/completions"):
        message = {"role": "assistant", "content": "Well."}
        return {"choices": [{"message": message, "text": "Well.", "logprobs": None}]}
    return None


_FORMS = {
    "vllm": _vllm,
    "continued": _continued,
    "echo": _echo,
    "llama": _llama,
    "chat": _chat,
}
