"""A scripted language-model endpoint on loopback: real HTTP, four wire formats, one script.

    with ScriptedEndpoint([call("execute_query", query="SELECT 1"), say("FINISH: done")]) as endpoint:
        ...                       # endpoint.openai_url, .anthropic_url or .gemini_url
    endpoint.requests             # what was asked, in order of arrival

It speaks OpenAI's chat and responses APIs, the Anthropic messages API (all streaming too) and the
Gemini generateContent API, all at once; the format is told by the path. `async with` works as well.
It runs in a thread of its own, takes any number of connections, and closes them all at its end.

A script is a list of steps, one a request in order of arrival, or a function Request -> step (the
way for runs at concurrency: `explorer` makes one that needs no order). Steps:

    say("text", reasoning=..., signature=..., tokens=Tokens(input=2000, cached=500), served="x-2026")
    say("text", calls=[Call("f", {"a": 1}), Call("g", '{"broken', id="")], finish="length")
    say(None, ...)                content null; say(None, calls=[], finish="tool_calls") too
    call("f", a=1)                say(None) with one call
    Status(429, retry_after="2")  an HTTP error in the provider's own shape: 401, 429, 500, 529, ...
    ContextLength()               a prompt that is too long, as each provider says it
    Malformed()                   200 with a body that is no JSON
    Reset(), Reset(mid_body=False)    the connection is reset in mid-body, or before a byte
    Hang()                        no answer, until the client goes or the endpoint is closed

Each step takes `latency_s`, and `ScriptedEndpoint(script, latency_s=0.2)` is the default for all. A
script that has ended answers 400 "the script has ended" and the `with` block raises at its end
(`ScriptedEndpoint(script, repeat_last=True)` says its last step again instead).
`context_tokens=N` answers ContextLength to any prompt over N tokens of four characters.
"""

from __future__ import annotations

from tests.support.endpoint.script import (
    Call,
    ContextLength,
    Hang,
    Malformed,
    Message,
    Request,
    Reset,
    Say,
    Script,
    Status,
    Step,
    Tokens,
    call,
    explorer,
    say,
)
from tests.support.endpoint.serving import ScriptedEndpoint

__all__ = [
    "Call",
    "ContextLength",
    "Hang",
    "Malformed",
    "Message",
    "Request",
    "Reset",
    "Say",
    "Script",
    "ScriptedEndpoint",
    "Status",
    "Step",
    "Tokens",
    "call",
    "explorer",
    "say",
]
