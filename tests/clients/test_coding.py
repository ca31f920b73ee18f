"""An agent takes the test by the page's one command: enrolled, configured, started, recorded, scored."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.clients import page
from tests.clients.coding import AGENTS
from tests.clients.conversation import ENTITY, Explorer, check_answers
from tests.clients.libraries import LIBRARIES
from tests.clients.place import Place
from tests.support import pages
from tests.support.endpoint import ScriptedEndpoint
from tests.support.needs import needs
from tests.support.serving import Server

pytestmark = [pytest.mark.real, needs("npm", "user namespaces")]

RUN_S = 180


def _take(
    agent: str,
    client: str,
    variables: Mapping[str, str],
    place: Place,
    folder: Path,
    server: Server | None = None,
) -> None:
    """The page's command, for one entity and once, by an agent of a name of its own.

    `server`: one that runs already, in place of one that the command starts.
    """
    shown = next(pages.commands(page.PAGE))
    assert shown.words[0] == "enrol"
    own = {"--agent": agent, "--write": client}
    words = [
        own.get(before, word) for before, word in zip(("", *shown.words), shown.words, strict=False)
    ]
    done = subprocess.run(
        [
            *(sys.executable, "-m", "server.cli.main", *words),
            *("--entities", ENTITY, "--trials", "1", "--json"),
            *(("--url", server.url) if server else ()),
        ],
        cwd=folder,
        env={**variables, "DDR_HOME": str(place.home), "PYTHONPATH": str(pages.ROOT)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=RUN_S,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    said = json.loads(done.stdout.splitlines()[-1])
    assert said["run"] == place.run_of(agent).id


def test_a_coding_agent_takes_the_test_in_one_command(
    place: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _explore("opencode", place, tmp_path, capsys)


@pytest.mark.parametrize("name", [name for name in AGENTS if name != "opencode"])
def test_so_does_each_of_the_others_at_a_server_that_runs_already(
    name: str, place: Place, server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _explore(name, place, tmp_path, capsys, server)


def _explore(
    name: str,
    place: Place,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    server: Server | None = None,
) -> None:
    with ScriptedEndpoint(Explorer(name)) as endpoint:
        _take(name, name, AGENTS[name].environment(folder, endpoint), place, folder, server)
    last = endpoint.requests[-1].messages
    check_answers(name, [message.text for message in last if message.role == "tool"])
    place.check(name, page.protocols(name))
    place.score(name, capsys)


@needs("python clients")
def test_an_agent_that_is_a_program_takes_the_test_in_one_command(
    place: Place, server: Server, tmp_path: Path
) -> None:
    library, agent = LIBRARIES["langchain"], "langchain by --exec"
    with ScriptedEndpoint(Explorer(agent)) as endpoint:
        model = {"OPENAI_BASE_URL": endpoint.openai_url, "OPENAI_API_KEY": "x"}
        variables = library.environment_of(tmp_path) | model
        _take(agent, library.name, variables, place, tmp_path, server)
    place.check(agent, page.protocols(library.name))
