"""Each Python client explores over HTTP, with the connection and the program that the page shows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.clients import page
from tests.clients.conversation import Explorer, check_answers, deeds
from tests.clients.libraries import LIBRARIES, Library
from tests.clients.place import Place
from tests.support.endpoint import ScriptedEndpoint
from tests.support.needs import needs
from tests.support.serving import Server

pytestmark = [pytest.mark.real, needs("python clients", "user namespaces")]

DRIVEN = [library for library in LIBRARIES.values() if library.has_loop]
BY_HAND = [library for library in LIBRARIES.values() if not library.has_loop]


def _variables(place: Place, server: Server, agent: str) -> dict[str, str]:
    issued = place.enrol(agent)
    return {"DDR_URL": issued.url(server.url), "DDR_TOKEN": issued.token}


@pytest.mark.parametrize("library", DRIVEN, ids=lambda library: library.name)
def test_an_agent_of_a_framework_explores_and_is_scored(
    library: Library,
    place: Place,
    server: Server,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    agent = library.name
    variables = _variables(place, server, agent)
    with ScriptedEndpoint(Explorer(agent)) as endpoint:
        variables |= {"OPENAI_BASE_URL": endpoint.openai_url, "OPENAI_API_KEY": "x"}
        assert "Done." in library.explore(tmp_path, library.section.http, variables)
    assert endpoint.strays == ()
    told = [message.text for message in endpoint.requests[-1].messages if message.role == "tool"]
    check_answers(agent, told)
    place.check(agent, page.protocols(library.name))
    place.score(agent, capsys)


@pytest.mark.parametrize(
    ("library", "mode"),
    [(LIBRARIES["fastmcp"], None), (LIBRARIES["mcp"], "auto"), (LIBRARIES["mcp"], "legacy")],
    ids=["fastmcp", "mcp", "mcp-legacy"],
)
def test_a_client_without_a_model_explores_and_is_scored(
    library: Library,
    mode: str | None,
    place: Place,
    server: Server,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    agent = f"{library.name} {mode}" if mode else library.name
    variables = _variables(place, server, agent)
    connection = library.section.http
    if mode:
        assert 'mode="auto"' in connection
        connection = connection.replace('mode="auto"', f'mode="{mode}"')
    looked = library.explore(tmp_path, connection, variables)
    assert "turns_used" in looked
    seen = library.do(tmp_path, connection, variables, deeds(agent))
    check_answers(agent, [answer["text"] for answer in seen])
    assert [answer["is_error"] for answer in seen] == [deed.fails for deed in deeds(agent)]
    assert all(_says_the_same(answer) for answer in seen)
    newest, *older = page.protocols(library.name)
    place.check(agent, older if mode == "legacy" else [newest], looked=True)
    place.score(agent, capsys)


def _says_the_same(answer: dict[str, Any]) -> bool:
    """Clients show their model the text or the structure; an error has the text alone."""
    return bool(answer["is_error"] or json.loads(answer["text"]) == answer["data"])
