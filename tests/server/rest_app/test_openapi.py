"""The OpenAPI document: each endpoint with an example, and with its place on the pages."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from core.access import ROLES
from server.desks import Desks
from server.rest_app import make_rest_app
from server.rest_app.bodies import analyses, base, episodes, runs, scores, trajectories
from server.rest_app.door import Door
from server.settings import Settings

ROOT = Path(__file__).parents[3]


@cache
def document() -> dict[str, Any]:
    """As a client gets it; nothing is opened for it."""
    nobody = cast(Desks, SimpleNamespace(store=None))
    app = make_rest_app(nobody, Settings(Path("/nowhere")))
    assert isinstance(app, Door)
    found: dict[str, Any] = app._app.openapi()  # type: ignore[attr-defined]
    return found


OPERATIONS = [
    (f"{method.upper()} {path}", operation)
    for path, item in document()["paths"].items()
    for method, operation in item.items()
]


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema, or the one that it points to."""
    if (where := schema.get("$ref")) is None:
        return schema
    found: dict[str, Any] = document()["components"]["schemas"][where.rpartition("/")[2]]
    return found


@pytest.mark.parametrize(("name", "operation"), OPERATIONS, ids=[name for name, _ in OPERATIONS])
def test_every_endpoint_says_what_it_does_and_shows_what_is_sent_and_answered(
    name: str, operation: dict[str, Any]
) -> None:
    assert operation["summary"] and operation["description"] and operation["tags"]
    assert operation["security"] == [{"HTTPBearer": []}]
    if body := operation.get("requestBody"):
        assert resolved(body["content"]["application/json"]["schema"])["examples"]
    for status, answer in operation["responses"].items():
        for kind, content in answer.get("content", {}).items():
            shown = content.get("example") or resolved(content["schema"]).get("examples")
            assert shown or status == "422", f"{name}: {status} {kind} has no example"
    assert "4XX" in operation["responses"]


def test_names_of_operations_are_short_and_differ() -> None:
    names = [operation["operationId"] for _, operation in OPERATIONS]
    assert len(set(names)) == len(names) and all(re.fullmatch(r"[a-z_]+", name) for name in names)


@pytest.mark.parametrize("name", [name for name, _ in OPERATIONS])
def test_every_endpoint_has_its_place_on_the_page(name: str) -> None:
    method, path = name.split()
    page = (ROOT / "docs" / "rest.md").read_text("utf-8")
    text = re.sub(r"^\|.*$", "", page, flags=re.MULTILINE)  # the table alone explains nothing
    assert re.search(rf"\*\*`{method} /api{re.escape(path)}[?`]", text)


def test_every_kind_of_problem_has_its_place_on_the_page() -> None:
    sources = [*(ROOT / "server" / "rest_app").glob("*.py")]
    code = "\n".join(path.read_text("utf-8") for path in sources)
    kinds = set(re.findall(r"""(?:Problem|_logged)\(\s*(?:exc, )?\d{3}, "([a-z-]+)\"""", code))
    assert {"token", "role", "busy", "scenario", "internal"} <= kinds
    page = (ROOT / "docs" / "rest.md").read_text("utf-8")
    told = set(re.findall(r"`([a-z-]+)`", page[page.index("## Errors") :]))
    assert sorted(kinds - told) == []


def test_every_role_has_its_place_on_the_page() -> None:
    page = (ROOT / "docs" / "rest.md").read_text("utf-8")
    assert all(f"| `{role}` |" in page for role in ROLES)


def bodies() -> list[type[base.Body]]:
    """Those of requests and answers that have an example."""
    found = [
        body
        for module in (runs, trajectories, scores, analyses, episodes)
        for body in vars(module).values()
        if isinstance(body, type) and issubclass(body, base.Body)
    ]
    return [body for body in dict.fromkeys(found) if body.model_config.get("json_schema_extra")]


@pytest.mark.parametrize("body", bodies(), ids=lambda body: body.__name__)
def test_every_example_is_one(body: type[base.Body]) -> None:
    examples = body.model_json_schema()["examples"]
    assert examples
    for example in examples:
        body.model_validate(example)
