"""A process that asks models connects to their base URLs alone, and prints nothing of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.endpoint import ScriptedEndpoint, Status, Step, call, say

pytestmark = pytest.mark.real

ROOT = Path(__file__).parents[2]

CHILD = """
import json, sys

seen = []

def hook(event, args):
    if event in ("socket.connect", "socket.sendto"):
        seen.append([event, *map(str, args[1][:2] if isinstance(args[1], tuple) else [args[1]])])
    elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
        seen.append([event, str(args[0]), str(args[1]) if len(args) > 1 else ""])

sys.addaudithook(hook)

import asyncio, os
from core.errors import ProviderError
from core.protocols import ToolSpec
from core.run import ModelSpec
from providers.catalog import make_model
from providers.retry import Backoff

TOOLS = [ToolSpec(name="f", description="d", input_schema={"type": "object"})]

async def ask(provider, name, url):
    model = make_model(
        ModelSpec(provider=provider, name=name, base_url=url), backoff=Backoff(attempts=1)
    )
    messages = [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]
    first = await model.complete(messages, TOOLS)
    answers = [{"role": "tool", "tool_call_id": c.call_id, "content": "x"} for c in first.tool_calls]
    second = await model.complete([*messages, first.raw, *answers], TOOLS)
    try:
        await model.complete(messages, TOOLS)
    except ProviderError as exc:
        kind = exc.kind
    await model.close()
    return [second.text, second.call.usage.cost_reason, kind]

async def main():
    return [await ask(*asked) for asked in json.loads(sys.argv[1])]

said = asyncio.run(main())
report = {"said": said, "seen": seen, "from_dotenv": os.environ.get("FROM_DOTENV")}
with open(sys.argv[2], "w") as file:
    json.dump(report, file)
"""


def test_nothing_but_the_base_url_is_connected_to_and_nothing_is_printed(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("FROM_DOTENV=read\n")
    told = tmp_path / "report.json"
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "PYTHONPATH": str(ROOT),
        # What a person may have set: neither may carry the request away nor make litellm talk.
        "HTTP_PROXY": "http://127.0.0.1:9",
        "http_proxy": "http://127.0.0.1:9",
        "LITELLM_LOG": "DEBUG",
    }
    script: list[Step] = [call("f"), say("done"), Status(401)]
    with (
        ScriptedEndpoint(script) as openai,
        ScriptedEndpoint(script) as anthropic,
        ScriptedEndpoint(script) as gemini,
    ):
        asked = [
            ("openai", "no-such-model", openai.openai_url),
            ("anthropic", "claude-no-such-model", anthropic.anthropic_url),
            ("gemini", "gemini-no-such-model", gemini.gemini_url),
        ]
        done = subprocess.run(
            [sys.executable, "-c", CHILD, json.dumps(asked), str(told)],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        endpoints = {endpoint.url for endpoint in (openai, anthropic, gemini)}
        strays = [*openai.strays, *anthropic.strays, *gemini.strays]
    assert done.stderr == ""
    assert done.stdout == ""
    report: dict[str, Any] = json.loads(told.read_text())
    assert report["said"] == [["done", "no price", "auth"]] * 3
    met = {tuple(place) for place in report["seen"]}
    connected = {f"http://{host}:{port}" for event, host, port in met if event == "socket.connect"}
    assert connected == endpoints
    assert {host for _, host, _ in met} == {"127.0.0.1"}
    assert strays == []
    assert report["from_dotenv"] is None
