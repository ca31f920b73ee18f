"""Errors say the way out, and nothing of the machine that they happened on."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from core import errors
from core.errors import (
    ChecklistError,
    ConfigError,
    DatabaseError,
    DdrError,
    ScenarioError,
    StoreError,
    ToolError,
    UnknownNameError,
    UsageError,
)
from server.rest_app import problems
from server.rest_app.problems import Problem, of_error, without_paths

HERE = "/srv/ddr home/.ddr"
SECRET = f"{HERE}/store.sqlite3"


def every_kind() -> list[type[DdrError]]:
    """Every error that the project knows."""

    def below(kind: type[DdrError]) -> list[type[DdrError]]:
        return [kind, *(each for sub in kind.__subclasses__() for each in below(sub))]

    return [kind for kind in below(DdrError) if kind.__module__ == errors.__name__]


def made(kind: type[DdrError]) -> DdrError:
    """One whose text names a place."""
    if issubclass(kind, UnknownNameError):
        return UnknownNameError("scenario", "x", ["flights"])
    if issubclass(kind, ToolError):
        return ToolError(f"cannot read {SECRET}", kind="internal")
    return kind(f"{SECRET}: cannot be read; DDR_HOME={HERE} ddr doctor")


@pytest.mark.parametrize("kind", every_kind(), ids=lambda kind: kind.__name__)
def test_no_error_of_ours_names_a_place_of_this_machine(kind: type[DdrError]) -> None:
    problem = of_error(made(kind))
    assert 400 <= problem.status < 600
    for part in ("/srv", "store.sqlite3", "DDR_HOME=/"):
        assert part not in bytes(problem.response().body).decode()


@pytest.mark.parametrize(
    ("error", "status", "kind"),
    [
        (UnknownNameError("carrier", "x", ["01"]), 422, "unknown-name"),
        (UsageError("no"), 422, "refused"),
        (ToolError("no", kind="arguments"), 422, "refused"),
        (ConfigError("no"), 409, "configuration"),
        (ScenarioError("no"), 409, "scenario"),
        (DatabaseError("no"), 409, "scenario"),
        (ChecklistError("no"), 409, "checklist"),
        (StoreError("no"), 503, "store"),
        (DdrError("no"), 500, "internal"),
    ],
)
def test_each_kind_of_error_has_its_status(error: DdrError, status: int, kind: str) -> None:
    problem = of_error(error)
    assert (problem.status, problem.kind) == (status, kind)


def test_what_passes_says_when_to_come_again() -> None:
    assert of_error(StoreError("locked")).headers == {"Retry-After": "1"}


def test_options_of_the_command_line_are_fields_here() -> None:
    problem = of_error(UsageError("say why it may: --endpoint-allowed REASON"))
    assert problem.detail == "say why it may: endpoint_allowed REASON"


def test_of_many_names_some_are_listed_and_the_rest_counted() -> None:
    problem = of_error(UnknownNameError("patient", "x" * 1_000, [f"p{n}" for n in range(1_000)]))
    assert problem.detail.endswith("and 970 others") and len(problem.detail) < 500


def test_long_texts_are_cut() -> None:
    assert len(of_error(UsageError("word " * 1_000)).detail) == 600


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("cannot open /home/me/x.duckdb: gone", "cannot open <path> ..."),
        ("'/etc/passwd' is no scenario", "'<path> ..."),
        ("see ~/x/y", "see <path> ..."),
        ("in /home/a b/c d.json, key 'x'", "in <path> ..."),
        ("key=/var/lib/ddr", "key=<path> ..."),
        ("ask https://example.org/a/b", "ask https://example.org/a/b"),
        ("provider/model, 3/4, and/or", "provider/model, 3/4, and/or"),
        ("POST /", "POST /"),
    ],
)
def test_paths_are_taken_out_of_texts(text: str, told: str) -> None:
    assert without_paths(text) == told


def answer_of(raised: Exception, *, path: str = "/raise") -> httpx.Response:
    """What an application answers in which something is raised."""
    app = FastAPI(openapi_url=None)
    problems.install(app)

    @app.get("/raise")
    def raise_it() -> None:
        raise raised

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://here") as http:
            return await http.get(path)

    return asyncio.run(ask())


def said(answer: httpx.Response) -> dict[str, Any]:
    assert answer.headers["content-type"] == "application/problem+json"
    found: dict[str, Any] = answer.json()
    return found


def test_a_fault_of_ours_is_a_500_without_a_traceback() -> None:
    told = said(answer_of(RuntimeError(f"at {Path(__file__)} in {SECRET}")))
    assert (told["status"], told["type"]) == (500, "urn:ddr:problem:internal")
    assert "/srv" not in json.dumps(told) and "Traceback" not in json.dumps(told)


def test_a_problem_is_answered_with_its_headers_and_faults() -> None:
    raised = Problem(
        409, "busy", "wait", headers={"Retry-After": "5"}, errors=[{"where": "a", "what": "b"}]
    )
    answer = answer_of(raised)
    assert answer.headers["retry-after"] == "5"
    assert said(answer) == {
        "type": "urn:ddr:problem:busy",
        "title": "Conflict",
        "status": 409,
        "detail": "wait",
        "errors": [{"where": "a", "what": "b"}],
    }


def test_no_text_of_a_clients_can_break_the_answer_to_it() -> None:
    told = said(answer_of(Problem(422, "x", 'a"\r\nSet-Cookie: b\ud800\u2028')))
    assert told["detail"] == 'a"\r\nSet-Cookie: b\ud800\u2028'


def test_an_unknown_path_and_method_say_where_to_look() -> None:
    assert said(answer_of(RuntimeError(), path="/other"))["type"] == "urn:ddr:problem:no-such-path"
