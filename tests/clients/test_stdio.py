"""Each Python client explores over stdio: it starts `ddr serve` itself, and the run is scored like any other."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from tests.clients import page
from tests.clients.conversation import Explorer, check_answers, deeds
from tests.clients.libraries import LIBRARIES, Library
from tests.clients.place import Place
from tests.support.endpoint import ScriptedEndpoint
from tests.support.needs import needs
from tests.support.pages import ROOT

pytestmark = [pytest.mark.real, needs("python clients", "user namespaces")]


@pytest.fixture(scope="module")
def ddr(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command, as this interpreter has it; clients start it without a variable of ours."""
    path = tmp_path_factory.mktemp("bin") / "ddr"
    start = f'exec {shlex.quote(sys.executable)} -m server.cli.main "$@"'
    path.write_text(f"#!/bin/sh\nexport PYTHONPATH={shlex.quote(str(ROOT))}\n{start}\n", "utf-8")
    path.chmod(0o755)
    return path


def _connection(library: Library, place: Place, ddr: Path, agent: str) -> str:
    said = library.section.stdio
    assert said
    values = {"/path/to/ddr": ddr, "/path/to/home": place.home, "mine": agent}
    for shown, meant in values.items():
        assert said.count(f'"{shown}"') == 1
        said = said.replace(f'"{shown}"', f'"{meant}"')
    return said


@pytest.mark.parametrize("library", LIBRARIES.values(), ids=LIBRARIES)
def test_a_client_that_starts_the_server_itself_is_scored(
    library: Library,
    place: Place,
    ddr: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    agent = f"{library.name} stdio"
    connection = _connection(library, place, ddr, agent)
    if library.has_loop:
        with ScriptedEndpoint(Explorer(agent)) as endpoint:
            variables = {"OPENAI_BASE_URL": endpoint.openai_url, "OPENAI_API_KEY": "x"}
            assert "Done." in library.explore(tmp_path, connection, variables)
        assert endpoint.strays == ()
        last = endpoint.requests[-1].messages
        answers = [message.text for message in last if message.role == "tool"]
    else:
        answers = [seen["text"] for seen in library.do(tmp_path, connection, {}, deeds(agent))]
    check_answers(agent, answers)
    place.check(agent, page.protocols(library.name))
    place.score(agent, capsys)


def test_an_older_client_is_answered_over_stdio_too(
    place: Place, ddr: Path, tmp_path: Path
) -> None:
    library, agent = LIBRARIES["mcp"], "mcp stdio legacy"
    connection = _connection(library, place, ddr, agent).replace('mode="auto"', 'mode="legacy"')
    assert 'mode="legacy"' in connection
    seen = library.do(tmp_path, connection, {}, deeds(agent))
    check_answers(agent, [answer["text"] for answer in seen])
    place.check(agent, page.protocols("mcp")[1:])
