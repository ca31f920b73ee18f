"""What the page warns of is so: a client that is not let in, and one that has little patience."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.clients import page
from tests.clients.coding import AGENTS
from tests.clients.conversation import named
from tests.clients.libraries import LIBRARIES
from tests.clients.place import Place
from tests.support.endpoint import Request, ScriptedEndpoint, Step, call, say
from tests.support.needs import needs
from tests.support.serving import Server

pytestmark = [pytest.mark.real, needs("user namespaces")]

SLOW_S = 6
"""Longer than openai-agents waits unless it is told to."""
RUN_S = 120


@needs("npm")
@pytest.mark.parametrize(("name", "goes_on"), [(name, name != "codex") for name in AGENTS])
def test_a_client_with_a_wrong_token_gets_no_tools(
    name: str, goes_on: bool, place: Place, server: Server, tmp_path: Path
) -> None:
    section, issued = page.sections()[name], place.enrol(f"{name} refused")
    config = tmp_path / section.file
    config.parent.mkdir(exist_ok=True)
    said = section.http.replace("$DDR_URL", issued.url(server.url))
    config.write_text(said.replace("$DDR_TOKEN", "ddr_wrong"), encoding="utf-8")
    assert section.command
    with ScriptedEndpoint(lambda _: say("Done.")) as endpoint:
        done = subprocess.run(
            ["sh", "-c", section.command],
            cwd=tmp_path,
            env=AGENTS[name].environment(tmp_path / "home", endpoint),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=RUN_S,
            check=False,
        )
    offered = [tool for request in endpoint.requests for tool in request.tools]
    assert not [tool for tool in offered if tool.endswith("get_task")]
    assert (done.returncode == 0, bool(endpoint.requests)) == (goes_on, goes_on), done.stderr
    assert place.heard_nothing(f"{name} refused")


@needs("python clients")
def test_a_client_with_little_patience_waits_for_a_slow_call(
    place: Place, server: Server, tmp_path: Path
) -> None:
    library, issued = LIBRARIES["openai-agents"], place.enrol("patient")
    code = f"import time; time.sleep({SLOW_S}); print('awake')"

    def script(request: Request) -> Step:
        if request.replies:
            return say("Done.")
        return call(named("execute_code", request.tools), code=code)

    with ScriptedEndpoint(script) as endpoint:
        variables = {
            "DDR_URL": issued.url(server.url),
            "DDR_TOKEN": issued.token,
            "OPENAI_BASE_URL": endpoint.openai_url,
            "OPENAI_API_KEY": "x",
        }
        library.explore(tmp_path, library.section.http, variables)
    answer = endpoint.requests[-1].messages[-1]
    assert answer.role == "tool"
    assert "awake" in answer.text
