"""Whatever the OpenAPI document allows, and much that it does not: no answer is a fault of the server.

Every operation is tried with the token of each role, with generated parameters and bodies, and where an
operation is about a run or an episode, with one that is there as well.
"""

from __future__ import annotations

import contextlib
import json
from typing import Any

import hypothesis
import pytest
import schemathesis
from hypothesis import HealthCheck
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import response_schema_conformance

from tests.server.rest_app.api import Api, Episode
from tests.server.rest_app.test_openapi import OPERATIONS, document

pytestmark = pytest.mark.real

EXAMPLES = 4
"""Of each kind (valid, invalid), role and operation."""
WHO = ("admin", "harness", "reader", None)
CHECKS = [not_a_server_error, response_schema_conformance]


@pytest.fixture(scope="module")
def schema() -> Any:
    # As a client gets it: nothing in it that JSON does not have.
    return schemathesis.openapi.from_dict(json.loads(json.dumps(document())))


@pytest.mark.parametrize("name", [name for name, _ in OPERATIONS])
def test_nothing_that_is_asked_is_a_fault_of_the_server(
    name: str, schema: Any, api: Api, finished: Episode
) -> None:
    method, path = name.split()
    operation = schema[path][method]
    real = {"run": finished.run, "entity": "03", "path": finished.path}
    for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
        try:
            cases = operation.as_strategy(generation_mode=mode)
        except schemathesis.errors.InvalidSchema as exc:
            raise AssertionError(f"{name} cannot be asked: {exc}") from exc
        asked = _ask(cases, api, real if "{" in path else {})
        assert asked or mode is GenerationMode.NEGATIVE


def _ask(cases: Any, api: Api, real: dict[str, str]) -> int:
    """How many cases there were."""
    asked = 0

    @hypothesis.settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        phases=(hypothesis.Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @hypothesis.given(case=cases)
    def ask(case: Case[Any]) -> None:
        nonlocal asked
        asked += 1
        for who in WHO:
            headers = {"Authorization": f"Bearer {api.secrets[who]}"} if who else {}
            for known in ({}, real) if real else ({},):
                case.path_parameters.update(known)
                answer = case.call(base_url=f"{api.url}/api", headers=headers, timeout=60)
                case.validate_response(answer, checks=CHECKS)
                assert str(api.home) not in answer.text

    # Where nothing about it can be wrong, since it takes no parameter, there is no invalid case.
    with contextlib.suppress(hypothesis.errors.Unsatisfiable):
        ask()
    return asked
