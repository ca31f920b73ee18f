"""Whatever JSON is sent: an answer or a problem, never a fault of the server and never a place of its."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.server.rest_app.api import PROBLEM, Api, Episode

pytestmark = pytest.mark.real

SLOW = settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

# Lone surrogates too: '\\ud800' is valid in a JSON string, and fits in no UTF-8.
texts = st.text(st.characters(exclude_categories=()), max_size=30)
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=10**30, max_value=10**40)
    | st.floats()
    | texts
    | st.sampled_from(["", "all", "sample:²", "sample:1", "../..", "/etc/passwd", "\x00", "03"])
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


def bodies(*names: str, **fixed: Any) -> st.SearchStrategy[Any]:
    """Objects with some of these fields, or anything at all."""
    some = st.fixed_dictionaries(
        {name: st.just(value) for name, value in fixed.items()},
        optional=dict.fromkeys(names, values),
    )
    return some | values


def sent(api: Api, who: str, path: str, body: Any) -> None:
    """The answer is one, or a problem that tells of no place."""
    headers = {"Content-Type": "application/json"}
    content = json.dumps(body).encode()  # NaN and Infinity as Python's own clients send them
    answer = api.ask(who, "POST", path, content=content, headers=headers)
    assert answer.status_code < 500, (body, answer.text)
    json.loads(answer.content)
    if answer.status_code >= 400:
        assert answer.headers["content-type"] == PROBLEM
        assert str(api.home) not in answer.text and "Traceback" not in answer.text


@given(
    body=bodies(
        "entities",
        "trials",
        "tools",
        "limits",
        "seed",
        "goal",
        "has_shell",
        "queue",
        "idle_s",
        "endpoint_allowed",
        scenario="flights",
        agent="fuzz",
    )
)
@SLOW
def test_bodies_of_runs(api: Api, body: Any) -> None:
    sent(api, "harness", "/runs", body)


@given(scenario=values, agent=values)
@SLOW
def test_names_of_runs(api: Api, scenario: Any, agent: Any) -> None:
    sent(api, "harness", "/runs", {"scenario": scenario, "agent": "a", "entities": ["03"]})
    sent(api, "harness", "/runs", {"scenario": "flights", "agent": agent, "entities": ["03"]})


@given(body=bodies("entity", "seed", "policy", "tools", "limits", scenario="nowhere"))
@SLOW
def test_bodies_of_resets(api: Api, body: Any) -> None:
    sent(api, "harness", "/episodes", body)


@given(report=bodies("trial", "usage", "agent", "model", entity="03"))
@SLOW
def test_bodies_of_reports(api: Api, finished: Episode, report: Any) -> None:
    sent(api, "harness", f"/runs/{finished.run}/usage", {"reports": [report]})
    api.get("reader", f"/runs/{finished.run}/trajectories/03")


@given(
    tool=st.sampled_from(["execute_query", "get_task", "submit_insight", "describe_table"]) | texts,
    arguments=bodies("query", "limit", "text", "turn", "evidence", "agent", "model", "table_name"),
)
@SLOW
def test_bodies_of_steps(api: Api, fuzzed: Episode, tool: str, arguments: Any) -> None:
    path = f"/episodes/{fuzzed.path}/step"
    sent(api, fuzzed.told["token"], path, {"tool": tool, "arguments": arguments})


@pytest.fixture(scope="module")
def fuzzed(api: Api) -> Episode:
    """One that takes whatever comes."""
    return api.reset()


@given(
    path=st.text(st.characters(codec="utf-8"), min_size=1, max_size=40),
    query=st.dictionaries(
        st.sampled_from(["after", "limit", "client", "trial", "turns", "first_turn", "evaluation"]),
        st.text(st.characters(codec="utf-8"), max_size=20) | st.integers().map(str),
        max_size=3,
    ),
    tail=st.sampled_from(["", "/trajectories", "/trajectories/03", "/configurations", "/verdicts"]),
)
@SLOW
def test_paths_and_queries(
    api: Api, finished: Episode, path: str, query: dict[str, str], tail: str
) -> None:
    from urllib.parse import quote

    for run in (quote(path, safe=""), finished.run):
        answer = api.ask("admin", "GET", f"/runs/{run}{tail}", params=query)
        assert answer.status_code < 500, (run, tail, query, answer.text)
